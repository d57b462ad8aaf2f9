"""What can be run: the models by name, and running them."""

from txviz.models.registry import find, models
from txviz.models.tracing import trace

__all__ = ["find", "models", "trace"]
