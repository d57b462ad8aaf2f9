"""What is done on the way to a step, in a sign or a word, for the arrow that leads to it. In LaTeX."""

from __future__ import annotations

from txviz.figures.looks import look
from txviz.ops.latex import scientific
from txviz.trace import Parameter, Step
from txviz.trace.symbols import symbol

_WORDS = {
    "matmul": r"\times",
    "softmax": r"\mathrm{softmax}",
    "log": r"\ln",
    "merge_heads": r"\mathrm{concat}",
    "split_heads": r"\mathrm{split}",
    "layer_norm": r"\mathrm{norm}",
    "rms_norm": r"\mathrm{norm}",
    "bucket_bias": r"\mathrm{look\ up}",
    "patchify": r"\mathrm{flatten}",
    "lookup": r"\mathrm{look\ up}",
    "select": r"\mathrm{select}",
    "concat": r"\mathrm{join}",
    "argmax": r"\mathrm{largest}",
    "draw": r"\mathrm{draw}",
    "mean_pool": r"\mathrm{mean}",
}
_POWERS = {-0.5: r"\div \sqrt{{{}}}", -1: r"\div {}", 0.5: r"\times \sqrt{{{}}}", 1: r"\times {}"}


def verb(step: Step) -> str:
    """÷ √16, + M, × W + b: what is learned, or read besides, stands there by its symbol."""
    if step.op == "scale":
        base, power = scientific(step.params["base"]), step.params["exponent"]
        return _POWERS.get(power, rf"\times {{}}^{{{power:g}}}").format(base)
    if step.op == "linear":
        weight, *bias = (symbol(source.site) for source in step.sources[1:])
        return " + ".join([rf"\times {weight}", *bias])
    if step.op in ("mask", "add"):
        return " ".join(f"+ {symbol(source.site)}" for source in step.sources[1:])
    if step.op in ("top_k", "top_p"):
        return rf"\mathrm{{top}}\ {step.params['limit']:g}"
    if step.op == "matmul" and isinstance(step.sources[1], Parameter):
        turned = r"^{\top}" if step.params.get("transpose") else ""
        return rf"\times {symbol(step.sources[1].site)}{turned}"
    bend = look(step).bend.lower()
    return rf"\mathrm{{{bend}}}" if bend else _WORDS.get(step.op, "")
