"""Why there is a loss."""

from __future__ import annotations

from txviz.nets.why.finding import by_answer
from txviz.trace.why import Page, explain

_LOSS = ("The loss is {loss}.", "After the update it is {loss_after}.")
_SMOOTHING = (
    "Label smoothing asks for a little less than certainty, so that the model does not become too sure of itself."
)

explain(
    "input",
    {
        "labels": by_answer(
            words=Page(
                "The right answers, also called labels or targets: at each place the word that the model should have "
                "predicted next, and at the end <EOS>.",
                (
                    "They are compared with what the model said, and it never reads them at the same place.",
                    "What it reads is the same line shifted right by one: there it begins with <SOS>, here it ends "
                    "with <EOS>.",
                ),
            ),
            classes=Page(
                "The right answer, also called label or target: the class that the image shows, as somebody who knows "
                "has said. It is compared with what the model said.",
                (
                    "The model never reads it; it only feels it in the loss, and through that in the gradients.",
                    "It is all that training needs: which features to look for is not told.",
                ),
            ),
        )
    },
)
explain(
    "loss",
    {
        "": Page(
            "The loss is one number that says how wrong the model was. Training has no other aim than to make it "
            "smaller.",
            (
                "A single number can be followed back through all steps, to see what each weight has to do with it.",
                "It must change smoothly with the weights; counting mistakes does not, so surprise or distance is "
                "measured.",
            ),
            _LOSS,
        ),
        "positions": by_answer(
            words=Page(
                "Cross entropy: how surprised the model is by each right word, −ln of the probability that it gave. 0 "
                "if it was sure and right; very large if it was sure and wrong.",
                (
                    "Only the probability of the right word counts, and through it all others, since together they are "
                    "1.",
                    "All positions are judged at once: training is one time step.",
                    _SMOOTHING,
                ),
                ("The smoothing is {smoothing}.",),
            ),
            classes=Page(
                "Cross entropy: how surprised the model is by the right class, −ln of the probability that it gave. 0 "
                "if it was sure and right; very large if it was sure and wrong.",
                (
                    "Only the probability of the right class counts, and through it all others, since together they "
                    "are 1.",
                    _SMOOTHING,
                ),
                ("The smoothing is {smoothing}.",),
            ),
        ),
        "mean": by_answer(
            words=Page(
                "The mean surprise over all positions: the one number that this training step makes smaller. Padding "
                "is not counted.",
                (
                    "A mean, so that long sentences do not weigh more than short ones.",
                    "e to this power is the perplexity: among how many words the model wavers.",
                ),
                _LOSS,
            ),
            classes=Page(
                "The one number that this training step makes smaller: the surprise at the right class. Here there is "
                "one image; in training it is the mean over a batch of them.",
                (
                    "A batch gives a steadier direction than one image, which may be odd.",
                    "A mean does not depend on how many there are.",
                ),
                _LOSS,
            ),
        ),
        "squares": Page(
            "How far the cosine is from the one that it should be, squared. So too much and too little count the same, "
            "and large errors count far more than small ones.",
            (
                "A square has a slope that grows with the error: the further off, the stronger the pull.",
                "At the right place the slope is 0, and nothing is changed any more.",
            ),
        ),
        "error": Page(
            "The mean of the squared errors. Here there is one pair of sentences, so it is that pair's; in training it "
            "is the mean of a whole batch of pairs.",
            (
                "A batch gives a steadier direction than one example, which may be odd.",
                "A mean does not depend on how many pairs there are, so the learning rate need not, either.",
            ),
        ),
        "graded": Page(
            "The error times its weight in the loss. Training uses several losses at once for this model, and the "
            "weight says how much this one counts beside the others.",
            ("A weight changes how strong the pull is, not where it leads.",),
            _LOSS,
        ),
    },
)
