"""Questions that a finished run can be asked: what would it answer after each layer, who brought which part of a score,
where does attention lead through all layers? All is computed from the trace alone, by the model's own operations.
"""
