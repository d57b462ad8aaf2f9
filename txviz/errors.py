"""The one error of txviz that a user is meant to read."""

LONGEST = 500
NO_MEMORY = "there is not enough memory for this; a shorter input or fewer steps need less"


class TxvizError(Exception):
    """One sentence: what is wrong and what would be right. The boundary (command line, window) shows it as it is.

    It stays one line of bounded length, whatever name or number of the user's it quotes.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(_shortened(one_line(sentence)))


def one_line(text: str) -> str:
    r"""A line break as \n, half of a character as \ud800; what can be seen as it is."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _shortened(sentence: str) -> str:
    """What is too long is left out where the quotations are: in the middle."""
    if len(sentence) <= LONGEST:
        return sentence
    return f"{sentence[: LONGEST * 3 // 5]}…{sentence[-LONGEST * 2 // 5 + 1 :]}"
