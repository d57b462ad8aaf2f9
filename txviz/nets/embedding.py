"""From token numbers to what the first layer reads: a row of a table for each, and its position.

Letters: T tokens, d features.
"""

from __future__ import annotations

from txviz import ops
from txviz.nets import positions
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_headings, declare

declare("input", {"tokens": Leaf("t", "The sentence as tokens; each has its number in the vocabulary.", key="each")})
declare(
    "decoder",
    {"tokens": Leaf("t", "The right answer, shifted right by one, so that it starts with <SOS>.", key="each")},
)
declare(
    "time:input time:decoder",
    {"tokens": Leaf("t", "What has been written so far; with a cache, only what is new in it.", key="once")},
)
declare(
    "embed",
    {
        "tokens": Leaf("e", "What each token means on its own, as a vector, before anything else is known about it."),
        "scaled": Leaf(r"\hat{e}", "The vectors made larger, so that positions do not drown them."),
        "tokens.table": Leaf("E"),
    },
)
add_headings("input", {"tokens": "Tokens: the sentence in pieces"})
add_headings("decoder", {"tokens": "Decoder input: the right answer, shifted by one"})
add_headings("time:input time:decoder", {"tokens": "Tokens: what has been written so far"})
add_headings(
    "embed",
    {
        "tokens": "Token embeddings: what each token means by itself",
        "scaled": "Scaled embeddings: as strong as the positions",
    },
)


def embed(run: Run, tokens: Step, kind: positions.Line, scaled: bool = False, start: int = 0) -> Step:  # (T,) -> (T,d)
    """Table rows plus positions. The paper multiplies the rows by √d first (``scaled``)."""
    with run.inside("embed"):
        table = run.parameter("tokens.table")
        x = run(ops.lookup, "tokens", tokens, table, axes="token feature")
        if scaled:
            x = run(ops.scale, "scaled", x, base=x.value.shape[-1], exponent=0.5, axes="token feature")
        return positions.add_line(run, x, kind, start)
