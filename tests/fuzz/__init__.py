"""Everything that comes from outside, changed at random: it is taken, or refused in one sentence.

``doors`` has the table: where input comes in, how a case is made, and how it is tried. ``runner`` tries cases in a
process of its own, with bounds on time and memory. ``corpus`` keeps what was found so far. ``kills`` ends writers.
"""
