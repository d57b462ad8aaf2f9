"""Why colours are standardised, and what DeiT's second token is for."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "input",
    {
        "photograph": Page(
            "The photograph at the size that the model reads, with three numbers for each pixel: how much red, green "
            "and blue there is, from 0 to 255, as a file stores it.",
            (
                "The model has a position for each patch of its training size, so every picture is first brought to "
                "it.",
                "Making a picture smaller averages neighbouring pixels; detail is lost, and time is saved.",
            ),
        ),
        "standardised": Page(
            "From every colour the mean is taken that it had in training, and what is left is divided by its usual "
            "spread. The numbers then lie around 0.",
            (
                "A model reads well only what looks like the pictures that it has learnt from.",
                "Numbers around 0 are easier to learn from than ones that are never negative.",
            ),
        ),
    },
)
explain(
    "pool",
    {
        "distillation": Page(
            "The vector of [DIST] after the last layer. While [CLS] learnt the right classes, this token learnt to say "
            "what another model, a teacher, said about the same picture.",
            (
                "A teacher's answer says more than a class: what the picture could also be.",
                "So a transformer learns well from fewer pictures.",
            ),
        )
    },
)
explain(
    "head",
    {
        "class_logits": Page(
            "A score for each class from the vector of [CLS], by a head of its own. It was trained on the labels of "
            "the pictures, as people gave them.",
            (
                "Alone it would be the answer of a plain vision transformer.",
                "The other head has its own opinion; the mean of both is usually a little better.",
            ),
        ),
        "distillation_logits": Page(
            "A score for each class from the vector of [DIST], by a head of its own. It was trained to agree with a "
            "teacher, a network of another kind.",
            (
                "The teacher looks at pictures in another way, and so it errs at other pictures.",
                "Two that err differently are better together than each alone.",
            ),
        ),
        "sum": Page(
            "The scores of both heads are added, class by class. A class that one head is sure of and the other finds "
            "possible comes out ahead of one that only one of them believes in.",
            (
                "Adding scores multiplies the chances that each head gives.",
                "Half of it, in the next step, is the mean.",
            ),
        ),
    },
)
