"""What the pages say about the run at hand: how it writes and how it learns.

A page writes {time}; the function of that name gives what stands there. Where a run has no such thing it raises a
LookupError, and the sentence is left out.
"""

from __future__ import annotations

from txviz.nets.why.finding import counted, first, has, near, only_if, short, when, which
from txviz.trace.outline import Node
from txviz.trace.site import Site
from txviz.trace.why import fact

# Writing


@fact
def time(node: Node) -> int:
    return only_if(node.first.site.time is not None, node.first.site.time or 0)


@fact
def times(node: Node) -> str:
    last = max(step.site.time or 0 for step in node.run)
    return only_if(last > 0, counted(last, "time step"))


@fact
def beam(node: Node) -> str:
    number = node.first.site.beam
    return only_if(number is not None, which(number or 0, beams(node), "sentence"))


@fact
def beams(node: Node) -> int:
    """How many hypotheses are continued at this time step."""
    now = {step.site.beam for step in node.run if step.site.time == node.first.site.time} - {None}
    return only_if(bool(now), len(now))


@fact
def hypotheses(node: Node) -> str:
    return "1 hypothesis" if beams(node) == 1 else f"{beams(node)} hypotheses"


@fact
def penalty(node: Node) -> str:
    return short(near(node, "scores").params["penalty"])


@fact
def widest(node: Node) -> int:
    """How many hypotheses are continued at once, at most."""
    found = [step.site.beam for step in node.run if step.site.beam is not None]
    return only_if(bool(found), max(found, default=0) + 1)


@fact
def greedy(node: Node) -> str:
    return only_if(near(node, "token").op == "argmax", "greedy")


@fact
def sampled(node: Node) -> str:
    return only_if(near(node, "token").op == "draw", "sampled")


@fact
def so_far(node: Node) -> str:
    """What a time step reads, the end of it where it is long."""
    now = when(node.first.site)
    read = (step for step in node.run if step.site.leaf == "tokens" and step.op == "given")
    words = first(step for step in read if when(step.site) == now).labels[0]
    return " ".join(("…", *words[-6:]) if len(words) > 7 else words)


@fact
def written(node: Node) -> str:
    """The token that a time step chose."""
    chosen = near(node, "token").chosen
    return only_if(chosen is not None and node.first.site.time is not None, chosen or "")


@fact
def cached(node: Node) -> str:
    return only_if(has(node, "keys"), "kept")


@fact
def temperature(node: Node) -> str:
    return short(near(node, "tempered").params["base"])


@fact
def limit(node: Node) -> str:
    return short(node.first.params["limit"])


# Training


@fact
def training(node: Node) -> str:
    return only_if(any(step.site.pass_ == "backward" for step in node.run), "one step of training")


@fact
def smoothing(node: Node) -> str:
    amount = near(node, "positions").params["smoothing"]
    return only_if(amount > 0, short(amount))


@fact
def loss(node: Node) -> str:
    """The number that training makes smaller."""
    whole = first(step for step in node.run if step.site.pass_ == "loss" and step.key)
    return short(float(whole.value), 6)


@fact
def loss_after(node: Node) -> str:
    return short(float(first(step for step in node.run if step.site.pass_ == "after").value), 6)


@fact
def rate(node: Node) -> str:
    return short(node.steps[-1].params["rate"])


@fact
def adam(node: Node) -> str:
    return only_if(any(step.op == "adam" for step in node.run), "Adam")


@fact
def beta(node: Node) -> str:
    return short(node.first.params["beta"])


@fact
def updated(node: Node) -> str:
    """How many numbers the updates below change."""
    changed = [step.value.size for step in node.steps if step.op in ("adam", "sgd")]
    return only_if(bool(changed), counted(sum(changed), "number"))


@fact
def gradient_length(node: Node) -> str:
    return short(float(first(step for step in node.run if step.site.role == "length").value))


@fact
def reader(node: Node) -> str:
    """In a backward pass: the step whose share it is."""
    site = node.first.site.reader
    return only_if(site is not None, site.title if site else "")


@fact
def about(node: Node) -> str:
    """What a gradient or an update is about, as a person reads it."""
    site = node.first.site.owner
    if node.level == "step":
        return site.title
    layer, block = (site.layer if node.level != "part" else None), (site.block if node.level == "block" else None)
    return Site(part=site.part, layer=layer, block=block, sentence=site.sentence).title
