"""What a lecture wants to switch off: the mask, positions, a head, a residual, the scaling, a layer: each a few edits.

A switch is for all time steps and hypotheses of a decoding at once, and it is on when all its edits are in the request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from txviz.trace import Step, Trace, names
from txviz.trace.outline import Node
from txviz.trace.site import Site

ATTENTION = ("attention", "self_attention", "cross_attention")

MOST_HEADS = 16
"""With more, only the head that is looked at can be switched off."""


class Switch(NamedTuple):
    title: str
    why: str
    """What it shows, in one sentence."""

    edits: tuple[str, ...]

    def is_on(self, edits: Sequence[str]) -> bool:
        return set(self.edits) <= set(edits)


class Switches(NamedTuple):
    """Those of one place: what is looked at, a layer, or the whole model."""

    title: str
    switches: tuple[Switch, ...]


def find_switches(trace: Trace, node: Node, head: int | None = None) -> tuple[Switches, ...]:
    """For what is looked at, from the inside out, and at last for the whole model. Where nothing applies there is none.

    ``head`` is the one that is looked at; it comes first.
    """
    steps = [step for step in trace if step.site.pass_ == "forward"]
    site = node.first.site.owner
    found = []
    if node.level in ("block", "step") and site.block in ATTENTION:
        block = _at(steps, part=site.part, layer=site.layer, block=site.block)
        found.append(Switches(_title(block), (*_attention(block, _edit), *_heads(block, head))))
    if node.level in ("layer", "block", "step") and site.layer is not None:
        layer = _at(steps, part=site.part, layer=site.layer)
        found.append(Switches(_layer_title(site), tuple(_layer(layer, site))))
    found.append(Switches("whole model", tuple(_model(steps))))
    return tuple(each for each in found if each.switches)


def _at(steps: Iterable[Step], **fields: str | int | None) -> list[Step]:
    """Those that stand there, whatever the time step, hypothesis or sentence."""
    return [step for step in steps if all(getattr(step.site, name) == value for name, value in fields.items())]


def _title(block: Sequence[Step]) -> str:
    site = block[0].site
    return Site(part=site.part, layer=site.layer, block=site.block).title


def _layer_title(site: Site) -> str:
    return Site(part=site.part, layer=site.layer).title


# The switches of a place


def _model(steps: Sequence[Step]) -> Iterator[Switch]:
    summed = [step for step in steps if step.site.leaf == "sum" and step.op == "add" and _embeds(step)]
    yield from _switch(
        "Without positions",
        "Attention then takes its tokens as a set: the same ones in another order give the same vectors.",
        (_edit_all(step, "=@1") for step in summed),
    )
    attending = [step for step in steps if step.site.block in ATTENTION]
    yield from _attention(attending, _edit_all)
    yield from _switch(
        "Without any residual",
        "What each block finds then replaces the vectors, and what was there before is lost.",
        (_edit_all(step, "=@2") for step in steps if _is_residual(step)),
    )


def _attention(steps: Sequence[Step], edit: Callable[[Step, str], str]) -> Iterator[Switch]:
    """Of one block, or of all of them."""
    yield from _switch(
        "Without the mask",
        "Every token then sees those that come after it, which a model that writes must not.",
        (edit(step, "=@1") for step in steps if _hides(step)),
    )
    yield from _switch(
        "Without scaling by √d_k",
        "Larger scores make softmax settle on fewer tokens.",
        (edit(step, "=@1") for step in steps if step.site.leaf == "scaled"),
    )
    yield from _switch(
        "Uniform attention",
        "Each token looks at all that it may see alike: it mixes, and no longer chooses.",
        (edit(step, "=uniform") for step in steps if step.site.leaf == "weights" and step.op == "softmax"),
    )


def _heads(block: Sequence[Step], head: int | None) -> Iterator[Switch]:
    """A block of one head has none to spare."""
    contexts = [step for step in block if step.site.leaf == "context" and step.axes[0] == "head"]
    count = contexts[0].value.shape[0] if contexts else 0
    order = sorted(range(count), key=lambda each: each != head) if count <= MOST_HEADS else [head or 0]
    for each in order if count > 1 else ():
        yield from _switch(
            f"Without head {each}",
            "What it found is left out, which shows what it is needed for.",
            (_edit(step, f"[{each}]=0") for step in contexts),
        )


def _layer(steps: Sequence[Step], site: Site) -> Iterator[Switch]:
    residuals = [step for step in steps if _is_residual(step)]
    by_leaf = {step.site.leaf: step for step in residuals}
    for each in by_leaf.values():
        yield from _switch(
            f"Without the residual around {_around(each)}" if len(by_leaf) > 1 else "Without the residual",
            "What was found then replaces each token's vector, and is not added to it.",
            (_edit(step, "=@2") for step in residuals if step.site.leaf == each.site.leaf),
        )
    norms = [step for step in steps if step.op == "layer_norm" and steps[-1].op == "layer_norm"]  # after the sums
    past = [step for step in steps if step in residuals or step in norms]
    yield from _switch(
        f"Without layer {site.layer}",
        "The vectors go past it unchanged, which shows what it adds.",
        (_edit(step, "=@1") for step in past),
    )


def _switch(title: str, why: str, edits: Iterable[str]) -> Iterator[Switch]:
    """One, where there is something to be changed."""
    found = tuple(dict.fromkeys(edits))
    if found:
        yield Switch(title, why, found)


# Steps and edits


def _edit(step: Step, action: str) -> str:
    """Of this step at all time steps and for all hypotheses."""
    site = step.site
    return _name(site, "" if site.layer is None else site.layer) + action


def _edit_all(step: Step, action: str) -> str:
    """The same in all layers."""
    return _name(step.site, "" if step.site.layer is None else "*") + action


def _name(site: Site, layer: str | int) -> str:
    times = () if site.time is None else ("time", "*")
    return names.join(site.sentence or "", *times, site.part or "", layer, site.block or "", site.leaf)


def _embeds(step: Step) -> bool:
    return "embed" in (step.site.part, step.site.block)


def _is_residual(step: Step) -> bool:
    return step.site.layer is not None and step.site.leaf.startswith("residual") and step.op == "add"


def _around(residual: Step) -> str:
    block = residual.sources[-1].site.block or "block"
    return {"ffn": "the feed-forward network"}.get(block, block.replace("_", "-"))


def _hides(step: Step) -> bool:
    return step.op == "mask" and any(np.isneginf(mask.value).any() for mask in step.sources[1:])
