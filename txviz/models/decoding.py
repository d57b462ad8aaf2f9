"""What the translator and the writer share: from options to a strategy, and a beam's story in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from txviz.models.options import DECODING
from txviz.nets.decoding import Closed, NextLogits, Strategy, Written, write
from txviz.trace import Run


def write_on(
    run: Run,
    next_logits: NextLogits,
    start: tuple[int, ...],
    words: Sequence[str],
    end: int,
    options: Mapping[str, Any],
    closed: Closed | None = None,
    **rules: Any,
) -> Written:
    """Writes until the token ``end``, by the options and other ``rules`` of a strategy.

    What a beam considered is kept in the run's details, in words.
    """
    strategy = Strategy(**{name: options[name] for name in DECODING}, **rules)
    written = write(run, next_logits, start, end, strategy, closed)
    run.details["log_probability"] = written.log_probability
    if written.hypotheses:
        run.details["hypotheses"] = [
            {**each._asdict(), "tokens": [words[i] for i in each.tokens]} for each in written.hypotheses
        ]
    return written
