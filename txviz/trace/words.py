"""What each kind of step is called in a formula, and in one plain sentence.

Steps and parameters are told apart by the last parts of their names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from txviz.ops.latex import raised
from txviz.trace import names


class Word(NamedTuple):
    symbol: str
    """LaTeX, for formulas."""

    text: str = ""
    """One plain sentence; without one, the operation's own is used."""


STEPS = {
    "tokens": Word("t", "The sentence as tokens; each has its number in the vocabulary."),
    "image": Word("I", "The image, one number for each pixel."),
    "patches": Word("X", "The image as a sequence of patches, like the words of a sentence."),
    "all_patches": Word(r"X_{\mathrm{all}}"),
    "projection": Word(r"\bar{e}", "Each patch becomes a vector of the model's width."),
    "embed.tokens": Word("e", "What each token means on its own: a vector of learned numbers."),
    "embed.scaled": Word(r"\hat{e}", "The vectors made larger, so that positions do not drown them."),
    "sum": Word("x", "What the first layer reads: the meaning of each token plus its position."),
    "positions": Word("P", "A vector for each position, so that order matters."),
    "query_projection": Word(r"\bar{Q}", "What each token asks for, for all heads side by side."),
    "key_projection": Word(r"\bar{K}", "What each token offers to be found by, for all heads side by side."),
    "value_projection": Word(r"\bar{V}", "What each token passes on when it is looked at, for all heads side by side."),
    "query": Word("Q", "What each token asks for, head by head."),
    "key": Word("K", "What each token offers to be found by, head by head."),
    "value": Word("V", "What each token passes on when it is looked at, head by head."),
    "keys": Word(r"K_{\mathrm{all}}", "The keys so far: those of earlier time steps are kept, not computed again."),
    "values": Word(r"V_{\mathrm{all}}", "The values so far: those of earlier time steps are kept, not computed again."),
    "table": Word(r"A_{\mathrm{table}}", "The attention table as it is printed, before any mask."),
    "scores": Word("S", "How well each query (row) fits each key (column), before softmax."),
    "scaled": Word(r"\hat{S}", "The scores made smaller, so that softmax does not settle on one token too early."),
    "causal": Word("M", "Who may look where: nobody at what comes later."),
    "padding": Word(r"M_{\mathrm{pad}}", "Who may be looked at: nobody looks at padding."),
    "masked": Word(r"\tilde{S}", "The scores after the mask: what may not be seen is −∞, and softmax makes it 0."),
    "weights": Word("A", "How much of its attention each query (row) gives to each key (column); each row sums to 1."),
    "context": Word("C", "Each token's mix of the values, by its attention weights."),
    "merged": Word(r"\bar{C}", "The heads' results side by side again."),
    "attention.output": Word("O", "The heads' results mixed together by a learned layer."),
    "ffn.output": Word("F", "The second layer of the feed-forward network: back to the model's width."),
    "residual_1": Word("r_1", "The block's input is added back, so that nothing is lost on the way."),
    "residual_2": Word("r_2", "The input is added back, so that nothing is lost on the way."),
    "residual_3": Word("r_3", "The input is added back, so that nothing is lost on the way."),
    "norm": Word("y"),
    "norm_1": Word("y_1"),
    "norm_2": Word("y_2"),
    "norm_3": Word("y_3"),
    "product": Word(r"\bar{h}", "The first layer of the feed-forward network, before its bias."),
    "hidden": Word("h", "The first layer of the feed-forward network: each token on its own, in a wider space."),
    "activation": Word(
        "a", "The bend in the middle of the feed-forward network, without which it would be one matrix."
    ),
    "cls": Word("c", "The [CLS] token's vector, which stands for the whole input."),
    "mean": Word("c", "The average of all tokens' vectors, which stands for the whole input."),
    "logits": Word("z", "A score for each answer, before softmax."),
    "probabilities": Word("p", "How likely the model thinks each answer is; each row sums to 1."),
    "last": Word(r"z_{\mathrm{last}}", "The scores after the last token so far: only these decide what comes next."),
    "tempered": Word(r"\tilde{z}", "The scores over the temperature: below 1 the likeliest gain, above 1 the others."),
    "top_k": Word(r"z_{\mathrm{top}\,k}"),
    "top_p": Word(r"z_{\mathrm{top}\,p}"),
    "log_probabilities": Word(r"\ell", "The logarithm of each probability: along a sentence these add up."),
    "choice.token": Word(r"\hat{y}", "The token that is written next."),
    "choice.chance": Word("u", "A random number from 0 to 1, fixed by the seed."),
    "choice.probability": Word(r"\Pr(\hat{y})", "How likely the model thought the chosen token."),
    "choice.so_far": Word(r"\ell_{<t}", "The log-probability of the sentence so far."),
    "choice.totals": Word(r"\ell_{\le t}", "The log-probability of the whole sentence with each possible next token."),
    "labels": Word("y^{*}", "The right answers."),
    "loss.positions": Word("L_t", "How surprised the model is by each right answer."),
    "loss.mean": Word("L", "The loss: the one number that training makes smaller."),
    "loss.squares": Word("e^2", "How far the cosine is from the one it should be, squared."),
    "loss.error": Word("E", "The mean squared error: here of one pair of sentences, in training of a whole batch."),
    "loss.graded": Word("L", "The error times its weight in the loss: the one number that this step makes smaller."),
    "prediction": Word(r"\hat{y}", "The answer with the highest probability."),
    "unit": Word(r"\hat{c}", "The sentence's vector made to length 1, so that only its direction counts."),
    "cosine": Word("s", "How alike the two sentences are: the cosine of the angle between their vectors."),
    "similarity.target": Word("s^{*}", "How alike the two sentences should be."),
}

PARAMETERS = {
    "query.weight": "W_Q", "query.bias": "b_Q", "key.weight": "W_K", "key.bias": "b_K",
    "value.weight": "W_V", "value.bias": "b_V", "attention.output.weight": "W_O", "attention.output.bias": "b_O",
    "hidden.weight": "W_1", "hidden.bias": "b_1", "ffn.output.weight": "W_2", "ffn.output.bias": "b_2",
    "tokens.table": "E", "positions.table": r"P_{\mathrm{table}}", "rows.table": r"P_{\mathrm{row}}",
    "columns.table": r"P_{\mathrm{col}}",
    "projection.weight": "E", "projection.bias": "b_E", "cls.vector": r"e_{\mathrm{cls}}",
    "cls.position": r"P_{\mathrm{cls}}",
    "head.weight": r"W_{\mathrm{head}}", "head.bias": r"b_{\mathrm{head}}",
}  # fmt: skip


PARTS = {"first": r"\mathrm{1st}", "second": r"\mathrm{2nd}"}
EVERYWHERE = ".everywhere"
_TIME = re.compile(r"time\.\d+")
_LAYER = re.compile(r"(?:^|\.)(encoder|decoder)\.(?:(\d+)\.)?")


def symbol(name: str, reader: str = "") -> str:
    """How a step or parameter is written in a formula; the gradient of x is ∇x, and x after an update x′.

    In the formula of another step, ``reader``, what comes from another layer, time step or stack says so.
    """
    first, _, rest = name.partition(names.SEPARATOR)
    reader = reader.removeprefix("backward.")
    if first == "backward":
        return _gradient(rest, reader)
    if first == "update":
        return {"mean": "m", "square": "v"}.get(names.leaf(rest)) or f"{symbol(rest)}'"
    for ending, latex in PARAMETERS.items():
        if name.endswith(ending):
            return latex
    last = names.leaf(name)
    if last in ("gain", "bias"):  # of norm_1, norm_2, … or of a norm that stands alone
        number = name.split(names.SEPARATOR)[-2].partition("_")[2]
        return {"gain": r"\gamma", "bias": r"\beta"}[last] + (f"_{number}" if number else "")
    word = _word(name)
    latex = word.symbol if word else r"\mathrm{" + last.replace("_", r"\ ") + "}"
    mark = _place(name, reader) if reader else ""
    return raised(latex, mark) if mark else latex


def _gradient(rest: str, reader: str) -> str:
    """∇x; the share of one of the steps that read x is ∇x^{←y}, and what is yet to be summed ∇x^{each}."""
    target, sent_by = _target(rest), rest.removesuffix(EVERYWHERE).partition(".from.")[2]
    marks = []
    if sent_by:
        sender = re.sub(r"\.\d+$", "", sent_by)  # a step that read it twice is counted
        marks.append(rf"\leftarrow {symbol(sender, target)}")
    if rest.endswith(EVERYWHERE):
        marks.append(r"\mathrm{each}")
    if marks:
        return rf"\nabla {symbol(target)}^{{" + r",\,".join(marks) + "}"
    return rf"\nabla {symbol(target, reader)}"


def _place(name: str, reader: str) -> str:
    """Which sentence, time step, stack or layer a step belongs to, in LaTeX; nothing where it is the reader's."""
    part = name.partition(names.SEPARATOR)[0]
    if part in PARTS and not reader.startswith(part):
        return PARTS[part]
    time, readers_time = _TIME.match(name), _TIME.match(reader)
    if time and readers_time and time[0] != readers_time[0]:
        return r"\mathrm{before}"
    (stack, number), (readers_stack, readers_number) = _layer(name), _layer(reader)
    if stack == "encoder" and readers_stack == "decoder":
        return r"\mathrm{enc}"
    if stack == readers_stack:
        return f"({number})" if number and readers_number and number != readers_number else ""
    return f"({number})" if number and readers_stack else ""


def sentence(name: str) -> str:
    """The plain sentence for a step of this name, or nothing."""
    first, _, rest = name.partition(names.SEPARATOR)
    if first == "backward":
        share = " The share of one of the steps that read it." if ".from." in rest else ""
        return f"How much the loss grows when “{names.title(_target(rest))}” grows by a little.{share}"
    if first == "update":
        kind = {"mean": "Adam's running mean of the gradient", "square": "Adam's running mean of the squared gradient"}
        return f"{kind.get(names.leaf(rest), 'The parameter after this step of training')}."
    word = _word(name)
    return word.text if word else ""


def _target(rest: str) -> str:
    """Which step or parameter a gradient belongs to: its name without "backward" and without who sent it."""
    return rest.partition(".from.")[0].removesuffix(EVERYWHERE)


def _layer(name: str) -> tuple[str, str]:
    """The stack (encoder or decoder) and the number of the layer; empty where there is none."""
    found = _LAYER.search(name)
    return (found[1], found[2] or "") if found else ("", "")


def _word(name: str) -> Word | None:
    """By the last two parts where they have an entry of their own, else by the last."""
    *_, block, last = ("", *name.split(names.SEPARATOR))
    if block.endswith("_attention"):
        block = "attention"
    return STEPS.get(names.join(block, last)) or STEPS.get(last)
