"""Why there are gradients and updates: how a model learns from one example."""

from __future__ import annotations

from txviz.trace.outline import Node
from txviz.trace.why import Page, explain

_GRADIENT = Page(
    "The gradient of “{about}”: for each of its numbers, how much the loss would grow if that number grew by a little. "
    "It tells the steps before which way they should have gone.",
    (
        "It is made from the gradient of what came after it, by the chain rule; no step needs to know the whole model.",
        "A large number means that much depends on it here; 0 means that it did not matter for this example.",
    ),
)
_OF_PARAMETER = Page(
    "The gradient of the learned numbers “{about}”: how much the loss would grow if each of them grew by a little. For "
    "its sake the whole backward pass is made: the update goes the other way.",
    (
        "All places that used these numbers have added their share.",
        "A gradient holds for very small changes only, so the step that follows is small.",
    ),
)
_SHARE = Page(
    "“{about}” was read by more than one step, and this is the share of its gradient that comes back from “{reader}”. "
    "The shares of all readers are then added.",
    (
        "A number that is used twice has an effect twice, and both effects count.",
        "At a residual one share has gone through the block, and the other has come straight along the sum, unchanged.",
    ),
)


def _gradient(node: Node) -> Page:
    site = node.first.site
    if site.reader is not None:
        return _SHARE
    return _GRADIENT if any(step.site == site.owner for step in node.run) else _OF_PARAMETER


explain(
    "backward",
    {
        "": Page(
            "The backward pass finds out what each number of the run had to do with the loss. It begins at the loss "
            "with 1 and goes back step by step; what comes out is called gradients.",
            (
                "Trying each weight by itself would take as many runs as there are weights; this takes the time of "
                "about two.",
                "Each operation knows how to hand a gradient back to what it read, so any model can be followed.",
                "Nothing is changed yet: the update does that.",
            ),
            ("It starts from the loss, {loss}.",),
        ),
        "sentence": Page(
            "Back through the {sentence} sentence: each of the two was encoded by itself, and each is followed back by "
            "itself from the cosine in which they met.",
            (
                "Both used the same weights, so every weight gets two shares of gradient, one from each sentence.",
                "What would bring the two closer may mean moving either of them.",
            ),
        ),
        "part": Page(
            "The gradients of “{about}”: what everything that was computed there, and every weight that was used, had "
            "to do with the loss. They are computed from the end to the beginning.",
            (
                "What comes in from behind is the gradient of its output; what goes on to the parts before is that of "
                "its input.",
                "On the way each weight gets its own, which the update will use.",
            ),
        ),
        "layer": Page(
            "Back through “{about}”: first its last block, then the one before. The gradient comes in at the layer's "
            "output and leaves at its input, for the layer below.",
            (
                "Along the residuals it passes unchanged, beside what comes back through the blocks: that is why deep "
                "stacks learn.",
                "Each weight of the layer gets its own gradient on the way.",
            ),
        ),
        "block": Page(
            "Back through “{about}”: the steps of the block in reverse, each handing on what its inputs had to do with "
            "the loss.",
            (
                "A product of two matrices gives each of them the other one times the gradient.",
                "Where softmax was sure of itself, little comes back; where ReLU cut something off, nothing does.",
                "The block's weights get their gradients here.",
            ),
        ),
        "step": _gradient,
        "everywhere": Page(
            "The gradient of “{about}” before it is summed: one for every place that used the same numbers. The next "
            "step adds them up.",
            (
                "What is used at several places has an effect at each of them, and all of these count.",
                "Their sum says what would be best for all places together.",
            ),
        ),
    },
)

explain(
    "update",
    {
        "": Page(
            "The update changes every weight a little against its gradient, so that the loss of this example becomes "
            "smaller. One such step, thousands of times with other examples, is all that training is.",
            (
                "A small step, since a gradient holds only nearby; the learning rate says how small.",
                "Nobody tells a weight what it stands for: meanings come out of many small steps.",
            ),
            ("{updated} are changed.", "The loss goes from {loss} to {loss_after}."),
        ),
        "part": Page(
            "The new weights of “{about}”. Each one moves a little against its own gradient; weights that had nothing "
            "to do with the loss of this example hardly move.",
            ("All parts are changed at once, from the gradients of one and the same run.",),
            ("{updated} are changed here.", "{adam} keeps two running means for each."),
        ),
        "layer": Page(
            "The new weights of “{about}”. All layers learn at the same time and by the same rule; what makes them "
            "different is where they stand and what comes back to them.",
            ("A layer that the gradient does not reach would not learn; residuals see to it that it does.",),
            ("{updated} are changed here.",),
        ),
        "block": Page(
            "The new weights of “{about}”: every matrix, bias and gain of the block after one step of training. The "
            "shapes stay, and each number moves by a little.",
            (
                "The matrices of a block are learned together: a query that asks differently needs a key that answers "
                "differently.",
            ),
            ("{updated} are changed here.",),
        ),
        "step": Page(
            "“{about}” after this step of training: the old numbers, less a small step along the gradient. With them "
            "the same input would give a slightly better answer.",
            (
                "The learning rate says how long the step is: too long and it overshoots, too short and nothing is "
                "learned.",
                "The change can hardly be seen in one step; thousands of them make a model out of random numbers.",
            ),
            ("The learning rate is {rate}.", "{adam} divides each step by how much that gradient usually varies."),
        ),
        "length": Page(
            "How long all gradients are together, as if all weights stood in one vector. If it is above a limit, all "
            "are made shorter by the same factor, which is called clipping.",
            (
                "One odd example can have an enormous gradient and throw away what was learned; clipping keeps its "
                "step small.",
                "The direction stays the same, since every gradient gets the same factor.",
            ),
            ("The length is {gradient_length}, the limit {limit}.",),
        ),
        "clipped": Page(
            "The gradient of “{about}”, made shorter together with all others, since all of them together were longer "
            "than the limit. Their direction is the same as before.",
            ("So one odd example can't throw the weights far off.",),
            ("All gradients together have the length {gradient_length}, the limit is {limit}.",),
        ),
        "mean": Page(
            "Adam's running mean of the gradient of “{about}”: mostly the mean so far, and a little of the new "
            "gradient.",
            (
                "Single examples pull to and fro; their mean keeps to what they have in common, as a heavy ball keeps "
                "rolling.",
                "It starts at 0, which the update makes up for in the first steps.",
            ),
            ("The mean so far counts {beta}, and the new gradient the rest.",),
        ),
        "square": Page(
            "Adam's running mean of the squared gradient of “{about}”: how large the gradient of each number usually "
            "is. The step is divided by its root.",
            (
                "So numbers with small gradients learn as fast as those with large ones.",
                "One learning rate then suits all weights, from rare words to biases.",
            ),
            ("The mean so far counts {beta}, and the new square the rest.",),
        ),
    },
)
explain(
    "after",
    {
        "": Page(
            "Was it any use? The same example is run once more with the new weights, and its loss is compared with the "
            "one before.",
            (
                "If the step was small enough, the loss has become smaller; if it is larger, the learning rate was too "
                "high.",
                "Better on this example is not yet better on others: that only many examples can bring.",
            ),
            ("The loss goes from {loss} to {loss_after}.",),
        ),
        "loss": Page(
            "The loss of the same example with the new weights: the proof of this training step. All steps before it "
            "led to this one number becoming smaller.",
            (
                "A gradient promises an improvement for tiny steps only; here one sees whether a real step keeps the "
                "promise.",
                "In training nobody looks at it: the next example comes at once.",
            ),
            ("The loss goes from {loss} to {loss_after}.",),
        ),
    },
)
