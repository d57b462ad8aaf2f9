"""What can be run: the models by name, and running them."""

from txviz.models.registry import check_files, find, models, title
from txviz.models.tracing import trace

__all__ = ["check_files", "find", "models", "title", "trace"]
