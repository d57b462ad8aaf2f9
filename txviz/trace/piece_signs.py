"""How labels of tokens show what is less, or more, than a word. Whoever shows them, or reads them, looks here."""

from __future__ import annotations

BLANK = "·"
"""A blank before a word."""

BYTE = "<0x"
"""What is a part of a letter only begins so, with its bytes: <0xE6>."""

GOES_ON = "##"
"""What WordPiece begins pieces with that go on with a word."""
