"""Blocks and architectures in the paper's notation; each module declares what its steps are called (see leaves)."""

from importlib import import_module

MODULES = ("decoding", "guides", "losses", "optimiser", "sentence_encoder", "translator", "vit", "writer")


def declare_all() -> None:
    """Imports every architecture, so that a trace from a file has its words whichever model made it."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")
