"""The input panel: the model, its sentence, pair of sentences or drawing, and its options."""

from txviz.gui.inputs.panel import InputPanel

__all__ = ["InputPanel"]
