"""A walk through the whole program, in which nothing may speak to a network: ``python -m tests.offline FOLDER``."""
