"""Why sentences are compared by the angle between their vectors."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "sentence",
    {
        "": Page(
            "Two sentences are compared by encoding each by itself, with the same weights: they do not see each other "
            "until their vectors meet in the cosine.",
            (
                "So the vector of a sentence can be computed once and kept; a question is then compared with a million "
                "stored sentences by a million cosines, not by a million runs.",
                "Reading both together would judge more finely, but nothing could be kept.",
            ),
            ("This is the {sentence} sentence, with {length}.",),
            "Search, recommendation and the retrieval of RAG work like this.",
        )
    },
)
explain(
    "pool",
    {
        "unit": Page(
            "The vector of the sentence is divided by its own length, so that it has length 1. What is left is its "
            "direction, and that is what holds the meaning.",
            (
                "How long the vector is says little about the meaning, so it should not count.",
                "Between unit vectors the dot product is the cosine, so comparing becomes a single product.",
            ),
            ("{d_model} numbers, whose squares sum to 1.",),
        )
    },
)
explain(
    "similarity",
    {
        "": Page(
            "Here the two sentences meet for the first time: their vectors are compared, and one number says how alike "
            "they are in meaning.",
            (
                "Words need not be shared: “cat” and “dog” may be close, “cat” and “car” far, however they are "
                "spelled.",
                "Close means what training made close: the model was shown which sentences belong together.",
            ),
            (),
            "Retrieval for RAG, search, recommendation and finding duplicates all end in this comparison.",
        ),
        "cosine": Page(
            "The cosine of the angle between the two vectors: 1 if they point the same way, 0 if they have nothing in "
            "common, −1 if they point in opposite directions.",
            (
                "It does not depend on how long the vectors are.",
                "Since both have length 1, it is their dot product, one multiplication for each feature.",
            ),
            ("{d_model} products are added.",),
            "Vector databases do nothing else, for millions of vectors at a time.",
        ),
        "target": Page(
            "How alike the two sentences should be, as somebody who knows has said: the right answer of this training "
            "step. The cosine is compared with it.",
            (
                "Meaning can't be read off the letters: the model learns it from such judgements.",
                "1 asks for the same direction, 0 for nothing in common.",
            ),
        ),
    },
)
