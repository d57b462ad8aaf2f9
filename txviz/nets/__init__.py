"""Blocks and architectures in the paper's notation; each module declares what its steps are called (see leaves).

Why they are there is told in ``why``, page by page.
"""

from importlib import import_module

from txviz.trace.why import explained_in

MODULES = (
    "beam_search",
    "bert",
    "decoding",
    "distances",
    "guides",
    "leaving_beam_search",
    "llama",
    "losses",
    "optimiser",
    "photograph",
    "sentence_encoder",
    "t5",
    "translator",
    "vit",
    "writer",
)

explained_in(f"{__name__}.why")


def declare_all() -> None:
    """Imports every architecture, so that a trace from a file has its words whichever model made it."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")
