"""The one error of txviz that a user is meant to read."""


class TxvizError(Exception):
    """One sentence: what is wrong and what would be right. The boundary (command line, window) shows it as it is."""
