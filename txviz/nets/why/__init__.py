"""Why everything is there: a page for each node of the outline, in a module of the name of the net that it explains.

Loaded when somebody first asks for a page (see ``trace.why``): running a model needs none of it.
"""

from txviz.nets.why import (
    attention,
    beam_search,
    bert,
    blocks,
    cross_attention,
    decoding,
    distances,
    embedding,
    leaving_beam_search,
    llama,
    losses,
    model_facts,
    optimiser,
    photograph,
    positions,
    run_facts,
    runs,
    self_attention,
    sentence_encoder,
    stacks,
    t5,
    vit,
)

__all__ = [
    "attention",
    "beam_search",
    "bert",
    "blocks",
    "cross_attention",
    "decoding",
    "distances",
    "embedding",
    "leaving_beam_search",
    "llama",
    "losses",
    "model_facts",
    "optimiser",
    "photograph",
    "positions",
    "run_facts",
    "runs",
    "self_attention",
    "sentence_encoder",
    "stacks",
    "t5",
    "vit",
]
