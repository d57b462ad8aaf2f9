"""Attention, as in "Attention Is All You Need" §3.2.

Letters: Tq queries, Tk keys, d features, H heads, D = d/H features of one head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from txviz import ops
from txviz.nets import claims
from txviz.nets.layers import linear, linear_shapes
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step
from txviz.trace.leaves import Leaf, add_claims, add_headings, declare, reword
from txviz.trace.site import Site

BLOCKS = "attention self_attention cross_attention"

declare(
    BLOCKS,
    {
        "query_projection": Leaf(r"\bar{Q}", "What each token asks for, for all heads side by side."),
        "key_projection": Leaf(r"\bar{K}", "What each token offers to be found by, for all heads side by side."),
        "value_projection": Leaf(
            r"\bar{V}", "What each token passes on when it is looked at, for all heads side by side."
        ),
        "query": Leaf("Q", "What each token asks for, head by head."),
        "key": Leaf("K", "What each token offers to be found by, head by head."),
        "value": Leaf("V", "What each token passes on when it is looked at, head by head."),
        "keys": Leaf(r"K_{\mathrm{all}}", "The keys so far: those of earlier time steps are kept, not computed again."),
        "values": Leaf(
            r"V_{\mathrm{all}}", "The values so far: those of earlier time steps are kept, not computed again."
        ),
        "scores": Leaf("S", "How well each query (row) fits each key (column), before softmax.", key="once"),
        "scaled": Leaf(r"\hat{S}", "The scores made smaller, so that softmax does not settle on one token too early."),
        "masked": Leaf(
            r"\tilde{S}", "The scores after the mask: what may not be seen is −∞, and softmax makes it 0.", key="once"
        ),
        "weights": Leaf(
            "A",
            "How much of its attention each query (row) gives to each key (column); each row sums to 1.",
            key="block",
        ),
        "context": Leaf("C", "Each token's mix of the values, by its attention weights.", key="once"),
        "merged": Leaf(r"\bar{C}", "The heads' results side by side again."),
        "output": Leaf("O", "The heads' results mixed together by a learned layer."),
        "query.weight": Leaf("W_Q"),
        "query.bias": Leaf("b_Q"),
        "key.weight": Leaf("W_K"),
        "key.bias": Leaf("b_K"),
        "value.weight": Leaf("W_V"),
        "value.bias": Leaf("b_V"),
        "output.weight": Leaf("W_O"),
        "output.bias": Leaf("b_O"),
    },
)
reword(
    "self_attention",
    {
        "query_projection": "What each token asks of itself and of what stands before it, for all heads side by side.",
        "key_projection": "What each token so far offers to be found by, for all heads side by side.",
        "value_projection": "What each token so far passes on when it is looked at, for all heads side by side.",
        "query": "What each token asks of itself and of what stands before it, head by head.",
        "key": "What each token so far offers to be found by, head by head.",
        "value": "What each token so far passes on when it is looked at, head by head.",
        "scores": "How well each query (row) fits each key (column), before the mask and softmax.",
        "masked": "The scores after the mask: what comes later is −∞, and softmax makes it 0.",
        "weights": "How much of its attention each token (row) gives to itself and to each one before it (column); "
        "each row sums to 1.",
        "context": "Each token's mix of its own value and of those before it, by its attention weights.",
    },
)
reword(
    "cross_attention",
    {
        "query_projection": "What each token of the target asks the source for, for all heads side by side.",
        "key_projection": "What each token of the source offers to be found by, for all heads side by side.",
        "value_projection": "What each token of the source passes on when it is looked at, for all heads side by side.",
        "query": "What each token of the target asks the source for, head by head.",
        "key": "What each token of the source offers to be found by, head by head.",
        "value": "What each token of the source passes on when it is looked at, head by head.",
        "scores": "How well each question of the target (row) fits each token of the source (column), before softmax.",
        "masked": "The scores after the mask: padding of the source is −∞, and softmax makes it 0.",
        "weights": "How much of its attention each token of the target (row) gives to each token of the source "
        "(column); each row sums to 1.",
        "context": "What each token of the target takes from the source: a mix of its values, by the attention "
        "weights.",
        "output": "What the heads took from the source, mixed together by a learned layer.",
    },
)
add_headings(
    BLOCKS,
    {
        "query_projection": "Queries of all heads: what each token asks for",
        "key_projection": "Keys of all heads: what each token can be found by",
        "value_projection": "Values of all heads: what each token passes on",
        "query": "Queries: what each token asks for",
        "key": "Keys: what each token can be found by",
        "value": "Values: what each token passes on",
        "keys": "Keys so far: kept from one time step to the next",
        "values": "Values so far: kept from one time step to the next",
        "scores": "Attention scores: who fits whom",
        "scaled": "Scaled scores: kept small for softmax",
        "masked": "Masked scores: what may not be seen is −∞",
        "weights": "Attention weights: who looks at whom",
        "context": "Context: each token’s mix of the values",
        "merged": "Merged heads: their results side by side",
        "output": "Attention output: what the heads found, mixed",
    },
)
add_headings(
    "cross_attention",
    {
        "scores": "Attention scores: which source token fits",
        "weights": "Attention weights: where the target looks in the source",
        "context": "Context: what the target takes from the source",
    },
)
add_claims(BLOCKS, {"masked": (claims.HIDES, claims.HEADING), "weights": (claims.SUM,)})
add_claims(
    "self_attention",
    {
        "masked": (claims.HIDES_LATER, claims.HEADING),
        "weights": (claims.LOOKS_BACK, claims.SUM),
        "context": (claims.MIXES_BACK,),
    },
)
add_claims("cross_attention", {"masked": (claims.HIDES_PADDING, claims.HEADING)})


def shapes(d_model: int, biases: bool = True) -> Shapes:
    shapes: Shapes = {}
    for layer in ("query", "key", "value", "output"):
        shapes |= linear_shapes(layer, d_model, d_model, biases)
    return shapes


class Cache:
    """Keys and values that were computed at an earlier time step and need not be computed again.

    Self-attention adds one row at each time step; cross-attention computes its rows once. Steps are never changed, so a
    copy (for another hypothesis of a beam) shares them.
    """

    def __init__(self, kept: Mapping[Site, tuple[Step, Step]] = MappingProxyType({}), seen: int = 0) -> None:
        self._kept = dict(kept)
        self._seen = seen

    def copy(self) -> Cache:
        return Cache(self._kept, self._seen)

    def advance(self, length: int) -> int:
        """How many of the tokens so far were seen before; from now on all ``length`` of them."""
        before, self._seen = self._seen, length
        return before

    def keys_and_values(
        self, run: Run, new_rows: bool, make: Callable[[], tuple[Step, Step]]
    ) -> tuple[Step, Step]:  # -> (H,Tk,D) twice
        """What is kept, and below it what ``make`` makes, if there are new rows."""
        kept = self._kept.get(run.block)
        if kept and not new_rows:
            return kept
        keys, values = make()
        if kept:
            labels = {"key": (*kept[0].labels_along(1), *keys.labels_along(1))}
            keys = run(ops.concat, "keys", kept[0], keys, axes="head key feature", labels=labels)
            values = run(ops.concat, "values", kept[1], values, axes="head key feature", labels=labels)
        self._kept[run.block] = keys, values
        return keys, values


def attention(
    run: Run,
    x: Step,
    memory: Step,
    heads: int,
    masks: Sequence[Step] = (),
    scaled: bool = True,
    cache: Cache | None = None,
    bias: Step | None = None,
) -> Step:  # (Tq,d), (Tk,d) -> (Tq,d)
    """Every token of ``x`` asks the tokens of ``memory``: itself for self-attention, the encoder's output for cross.
    A ``bias`` (H,Tq,Tk) is added to the scores."""
    q = project(run, "query", x, heads)

    def keys_and_values() -> tuple[Step, Step]:
        return project(run, "key", memory, heads), project(run, "value", memory, heads)

    k, v = keys_and_values() if cache is None else cache.keys_and_values(run, memory is x, keys_and_values)
    context = attend(run, q, k, v, masks, scaled, bias)
    merged = run(ops.merge_heads, "merged", context, axes="token:query feature")
    return linear(run, "output", merged, axes="token feature") if run.present("output.weight") else merged


def project(run: Run, role: str, x: Step, heads: int) -> Step:  # (T,d) -> (H,T,D)
    """Queries, keys or values of all heads. Values stand at the keys' places, so they share the keys' axis."""
    axis = "query" if role == "query" else "key"
    flat = linear(run, f"{role}_projection", x, axes="token feature", layer=role)
    return run(ops.split_heads, role, flat, heads=heads, axes=f"head {axis}:token feature")


def attend(
    run: Run, q: Step, k: Step, v: Step, masks: Sequence[Step] = (), scaled: bool = True, bias: Step | None = None
) -> Step:  # (H,Tq,D), (H,Tk,D), (H,Tk,D) -> (H,Tq,D)
    """softmax(q kᵀ / √D + bias + mask) v, one head beside the other."""
    scores = run(ops.matmul, "scores", q, k, transpose=True, axes="head query key")
    if scaled:
        scores = run(ops.scale, "scaled", scores, base=q.value.shape[-1], exponent=-0.5, axes="head query key")
    if bias is not None:
        scores = run(ops.add, "biased", scores, bias, axes="head query key")
    if masks:
        scores = run(ops.mask, "masked", scores, *masks, axes="head query key")
    weights = run(ops.softmax, "weights", scores, axes="head query key")
    return run(ops.matmul, "context", weights, v, axes="head query feature")
