"""What is remarkable in the numbers of a step: one or two sentences. ``looks`` says which remark an operation has.

A remark must be true of every tensor that can come: ties, one token, one head, zeros, −∞. Where there is nothing to be
said, nothing is said.
"""
