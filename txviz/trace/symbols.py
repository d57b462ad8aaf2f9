"""How a step or parameter is written in a formula, and what it is in one plain sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from txviz.ops.latex import raised
from txviz.trace import leaves
from txviz.trace.site import Site

if TYPE_CHECKING:
    from txviz.trace.step import Step

_SENTENCES = {"first": r"\mathrm{1st}", "second": r"\mathrm{2nd}"}
_UPDATES = {"mean": "m", "square": "v", "length": r"\lVert \nabla \rVert"}


def symbol(site: Site, reader: Site | None = None) -> str:
    """In LaTeX. The gradient of x is ∇x, and x after an update x′.

    In the formula of another step, ``reader``, what comes from another layer, time step or stack says so.
    """
    if site.pass_ == "backward":
        return _gradient(site, reader and reader.owner)
    if site.pass_ == "update":
        return _UPDATES.get(site.role or "") or (_clipped(site) if site.role else f"{symbol(site.owner)}'")
    leaf = leaves.find(site)
    latex = leaf.symbol if leaf else r"\mathrm{" + site.leaf.rpartition(".")[2].replace("_", r"\ ") + "}"
    mark = _place(site, reader.owner) if reader else ""
    return raised(latex, mark) if mark else latex


def _gradient(site: Site, reader: Site | None) -> str:
    """∇x; the share of one of the steps that read x is ∇x^{←y}, and what is yet to be summed ∇x^{each}."""
    target = site.owner
    marks = [] if site.reader is None else [rf"\leftarrow {symbol(site.reader, target)}"]
    marks += [r"\mathrm{each}"] if site.role == "everywhere" else []
    if marks:
        return rf"\nabla {symbol(target)}^{{" + r",\,".join(marks) + "}"
    return rf"\nabla {symbol(target, reader)}"


def _clipped(site: Site) -> str:
    return rf"\nabla {symbol(site.owner)}^{{\mathrm{{clipped}}}}"


def _place(site: Site, reader: Site) -> str:
    """Which sentence, time step, beam, stack or layer a step belongs to, in LaTeX; nothing where it is the reader's."""
    if site.sentence and site.sentence != reader.sentence:
        return _SENTENCES[site.sentence]
    if site.time and reader.time and site.time != reader.time:
        return r"\mathrm{before}"
    if site.beam is not None and reader.beam is None:
        return f"({site.beam})"
    if site.part == "encoder" and reader.part == "decoder":
        return r"\mathrm{enc}"
    stacked = reader.part in ("encoder", "decoder")
    other = site.part != reader.part or (reader.layer is not None and site.layer != reader.layer)
    return f"({site.layer})" if site.layer is not None and stacked and other else ""


def title(site: Site) -> str:
    """``encoder 0 · self-attention · scores``."""
    return " · ".join(labels(site))


def labels(site: Site) -> tuple[str, ...]:
    """The levels as a person reads them, with the title of the leaf where it has one of its own."""
    leaf = leaves.find(site) if site.pass_ in ("forward", "loss") else None
    return (*site.labels[:-1], leaf.title) if leaf and leaf.title else site.labels


def heading(site: Site) -> str:
    """What stands above the figure of a step, or nothing where nobody said."""
    if site.pass_ == "update":
        return _UPDATE_HEADINGS[site.role]
    leaf = leaves.find(site.owner)
    said = leaf.heading if leaf else ""
    if site.pass_ != "backward":
        return said
    what = said.partition(":")[0] or "a parameter"
    return f"Gradient of {what if what[1:2].isupper() else what[0].lower() + what[1:]}: how the loss would change"


_UPDATE_HEADINGS = {
    None: "Updated parameter: after this step of training",
    "length": "Length of all gradients together",
    "clipped": "Clipped gradient: no longer than the limit",
    "mean": "Running mean of the gradient: for Adam",
    "square": "Running mean of its squares: for Adam",
}


def key(site: Site) -> leaves.Often:
    """How often such a step is a key step; of a backward pass, the whole gradient is; of updates, one whole one."""
    if site.reader is not None or site.role is not None:
        return ""
    leaf = leaves.find(site.owner)
    return "once" if site.pass_ == "update" else leaf.key if leaf else ""


def sentence(site: Site) -> str:
    """The plain sentence for a step that stands here, or nothing."""
    if site.pass_ == "backward":
        share = " The share of one of the steps that read it." if site.reader else ""
        return f"How much the loss grows when “{site.owner.title}” grows by a little.{share}"
    if site.pass_ == "update":
        return _UPDATE_SENTENCES[site.role]
    leaf = leaves.find(site)
    return leaf.text if leaf else ""


def true_words(step: Step, said: str) -> str:
    """The sentence or the heading of a step, with what is so in place of what an edit has made untrue."""
    leaf = leaves.find(step.site)
    for claim in leaf.claims if leaf else ():
        if claim.words in said and not claim.holds(step):
            said = said.replace(claim.words, claim.instead)
    return said


_UPDATE_SENTENCES = {
    None: "The parameter after this step of training.",
    "length": "How long the gradients of all parameters are together, as one long vector.",
    "clipped": "The gradient made shorter, so that all gradients together are no longer than the limit.",
    "mean": "Adam's running mean of the gradient.",
    "square": "Adam's running mean of the squared gradient.",
}
