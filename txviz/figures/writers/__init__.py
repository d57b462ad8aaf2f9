"""Marks to files: one module for each format, none of which knows of tensors."""
