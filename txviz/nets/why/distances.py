"""Why a number for each distance is added to the scores."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "distances",
    {
        "": Page(
            "This model is never told where a token stands, only how far apart two tokens are. Each distance has a "
            "learned number in each head, and attention adds it to the scores of all pairs so far apart.",
            (
                "What counts in a text is mostly the distance: an adjective stands just before its noun, anywhere in "
                "the sentence.",
                "The same numbers serve all layers of the stack, so the table is small.",
                "Nothing is added to the tokens themselves; their vectors keep only what they mean.",
            ),
        ),
        "buckets": Page(
            "Every pair of a query and a key gets the number of a bucket, by the distance between them. Near distances "
            "have a bucket each. Farther ones share, in ranges that grow with the distance, and beyond the farthest "
            "all are one.",
            (
                "One word more or less matters next door, and hardly at all a page away.",
                "With a fixed number of buckets the model can read longer texts than it has learned from.",
                "Where a token looks both ways, before and after have buckets of their own.",
            ),
        ),
        "bias": Page(
            "The bucket of each pair picks a row of a learned table, in which every head has a number. A head that "
            "prefers neighbours has large numbers for small distances; another may ignore distance altogether.",
            (
                "It depends on no token, only on places, so it is computed once for all layers.",
                "Pairs on the same diagonal are equally far apart: they get the same number.",
            ),
        ),
    },
)
explain(
    "decoder.distances",
    {
        "": Page(
            "The decoder has a table of distances of its own. It only ever looks back, at what has been written, so "
            "all buckets serve what stands before a token; what comes after is hidden by the mask anyway.",
            (
                "What is written next depends most on the last few tokens, and less on where in the text they stand.",
                "Cross-attention has no such numbers: a place in the source is not near or far from one in the target.",
            ),
        ),
    },
)
explain(
    "attention self_attention",
    {
        "biased": Page(
            "The scores get a number for each distance: how much this head likes tokens that far apart is added to how "
            "well query and key fit. Both decide together who looks at whom.",
            (
                "A sum before softmax is a product after it: each weight is multiplied by what its distance is worth.",
                "A perfect fit far away can still win over a poor one next door.",
            ),
        ),
    },
)
