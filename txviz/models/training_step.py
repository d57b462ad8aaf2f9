"""One step of training as a trace: the loss, the backward pass, and every parameter before and after."""

from __future__ import annotations

from txviz.nets import stacks
from txviz.nets.training import Recipe, cross_entropy_loss, update
from txviz.trace import Run, Step
from txviz.trace.backward import backward


def learn_labels(run: Run, logits: Step, labels: Step, recipe: Recipe) -> str:  # (...,V), (...)
    """Softmax at every position, its surprise at the labels, and what is learnt from that."""
    stacks.probabilities(run, logits)
    return learn(run, cross_entropy_loss(run, logits, labels, smoothing=recipe.smoothing), recipe)


def learn(run: Run, loss: Step, recipe: Recipe) -> str:
    """Gradients of the loss, then the update of each parameter, as the first step of the model's recipe makes it."""
    update(run, backward(run, run.steps, loss), recipe)
    return f"loss {float(loss.value):.4f}"
