"""Why T5 makes its output smaller before the head."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "head",
    {
        "scaled": Page(
            "The head has no weights of its own: what the model knows is compared with the vectors of all words, of "
            "the same table that the input was looked up in. Those are large, so the output is first divided by "
            "√d_model.",
            (
                "A dot product of many numbers is large; undivided, softmax would give nearly everything to one word.",
                "Later versions of this model have a head of their own, and need no such division.",
            ),
            ("Every number is divided by √{d_model}.",),
        ),
    },
)
