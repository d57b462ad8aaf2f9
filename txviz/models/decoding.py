"""What the translator and the writer share: from options to a strategy, and a beam's story in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txviz.models.options import DECODING
from txviz.models.vocabulary import END, Vocabulary
from txviz.nets.decoding import NextLogits, Strategy, Written, write
from txviz.trace import Run


def write_on(
    run: Run, next_logits: NextLogits, start: tuple[int, ...], vocabulary: Vocabulary, options: Mapping[str, Any]
) -> Written:
    """Writes until the end token, and keeps what a beam considered in the run's details, in words."""
    strategy = Strategy(**{name: options[name] for name in DECODING})
    written = write(run, next_logits, start, vocabulary.numbers[END], strategy)
    run.details["log_probability"] = written.log_probability
    if written.hypotheses:
        run.details["hypotheses"] = [
            {**each._asdict(), "tokens": [vocabulary.words[i] for i in each.tokens]} for each in written.hypotheses
        ]
    return written
