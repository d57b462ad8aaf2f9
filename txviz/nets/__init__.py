"""Blocks and architectures in the paper's notation. Each module declares what its steps are called (``trace.leaves``).

All are imported together, so that a trace from a file has its words whichever model made it.
"""

from txviz.nets import decoding, embedding, guides, losses, optimiser, sentence_encoder, translator, vit, writer

__all__ = ["decoding", "embedding", "guides", "losses", "optimiser", "sentence_encoder", "translator", "vit", "writer"]
