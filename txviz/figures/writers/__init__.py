"""Figures and tensors to files, one module for each format.

The writers of figures turn marks into a file and know nothing of tensors; ``tables`` writes the numbers of a step,
and ``html`` a page with whole steps.
Each returns what belongs into the file, and the same figure always gives the same bytes.
"""
