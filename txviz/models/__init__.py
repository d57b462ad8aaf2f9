"""What can be run: the models by name, and running them."""

from txviz.models.registry import find, models, title
from txviz.models.tracing import trace

__all__ = ["find", "models", "title", "trace"]
