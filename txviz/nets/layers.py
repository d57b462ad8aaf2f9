"""The two learned layers that everything is built from: linear and layer norm.

Letters: (...) tokens, n features in, m features out.
"""

from __future__ import annotations

from txviz import ops
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf
from txviz.trace.step import NO_LABELS, Labels


def linear_shapes(layer: str, width_in: int, width_out: int, biases: bool = True) -> Shapes:
    weight: Shapes = {f"{layer}.weight": (width_in, width_out)}
    return {**weight, f"{layer}.bias": (width_out,)} if biases else weight


def linear(
    run: Run, name: str, x: Step, axes: str, layer: str | None = None, labels: Labels = NO_LABELS
) -> Step:  # (...,n) -> (...,m)
    """x W + b with the weights of ``layer`` (the step's own name if none is given); the bias may be missing."""
    own = f"{name if layer is None else layer}." if layer != "" else ""
    learned = (run.parameter(f"{own}weight"), *run.present(f"{own}bias"))
    return run(ops.linear, name, x, *learned, axes=axes, labels=labels)


def norm_shapes(name: str, width: int, biases: bool = True) -> Shapes:
    gain: Shapes = {f"{name}.gain": (width,)}
    return {**gain, f"{name}.bias": (width,)} if biases else gain


def norm_leaves(name: str, number: str = "") -> dict[str, Leaf]:
    """What a norm and its parameters are called; ``number`` is the index of their symbols."""
    return {
        name: Leaf(f"y{number}"),
        f"{name}.gain": Leaf(rf"\gamma{number}"),
        f"{name}.bias": Leaf(rf"\beta{number}"),
    }


def norm(run: Run, name: str, x: Step, epsilon: float) -> Step:  # (...,n) -> (...,n)
    """Mean 0 and variance 1; then gain and bias, where the model has them."""
    learned = run.present(f"{name}.gain", f"{name}.bias")
    return run(ops.layer_norm, name, x, *learned, epsilon=epsilon, axes="token feature")
