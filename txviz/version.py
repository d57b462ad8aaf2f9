"""Which txviz this is; files that it writes say so, too."""

__version__ = "0.1.0"
