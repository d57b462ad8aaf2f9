"""What each kind of step is called in a formula, and in one plain sentence.

Steps and parameters are told apart by the last parts of their names.
"""

from __future__ import annotations

from typing import NamedTuple

from txviz.trace import names


class Word(NamedTuple):
    symbol: str
    """LaTeX, for formulas."""

    text: str = ""
    """One plain sentence; without one, the operation's own is used."""


STEPS = {
    "tokens": Word("t", "The sentence as tokens; each has its number in the vocabulary."),
    "image": Word("I", "The image, one number for each pixel."),
    "patches": Word("x", "The image as a sequence of patches, like the words of a sentence."),
    "projection": Word("z", "Each patch becomes a vector of the model's width."),
    "embed.tokens": Word("e", "What each token means on its own: a vector of learned numbers."),
    "embed.scaled": Word("e", "The vectors made larger, so that positions do not drown them."),
    "sum": Word("x", "What the first layer reads: the meaning of each token plus its position."),
    "positions": Word("P", "A vector for each position, so that word order matters."),
    "query_projection": Word(r"\bar{Q}", "What each token asks for, for all heads side by side."),
    "key_projection": Word(r"\bar{K}", "What each token offers to be found by, for all heads side by side."),
    "value_projection": Word(r"\bar{V}", "What each token passes on when it is looked at, for all heads side by side."),
    "query": Word("Q", "What each token asks for, head by head."),
    "key": Word("K", "What each token offers to be found by, head by head."),
    "value": Word("V", "What each token passes on when it is looked at, head by head."),
    "table": Word("A", "The attention table as it is printed, before any mask."),
    "scores": Word("S", "How well each query (row) fits each key (column), before softmax."),
    "scaled": Word(r"\hat{S}", "The scores made smaller, so that softmax does not settle on one token too early."),
    "causal": Word("M", "Who may look where: nobody at what comes later."),
    "padding": Word("M_{pad}", "Who may be looked at: nobody looks at padding."),
    "masked": Word(r"\tilde{S}", "The scores after the mask: what may not be seen is −∞, and softmax makes it 0."),
    "weights": Word("A", "How much of its attention each query (row) gives to each key (column); each row sums to 1."),
    "context": Word("C", "Each token's mix of the values, by its attention weights."),
    "merged": Word(r"\bar{C}", "The heads' results side by side again."),
    "attention.output": Word("O", "The heads' results mixed together by a learned layer."),
    "ffn.output": Word("F", "The second layer of the feed-forward network: back to the model's width."),
    "residual_1": Word("r", "The block's input is added back, so that nothing is lost on the way."),
    "residual_2": Word("r", "The input is added back, so that nothing is lost on the way."),
    "residual_3": Word("r", "The input is added back, so that nothing is lost on the way."),
    "norm": Word("y"),
    "norm_1": Word("y"),
    "norm_2": Word("y"),
    "norm_3": Word("y"),
    "product": Word(r"\bar{h}", "The first layer of the feed-forward network, before its bias."),
    "hidden": Word("h", "The first layer of the feed-forward network: each token on its own, in a wider space."),
    "activation": Word(
        "a", "The bend in the middle of the feed-forward network, without which it would be one matrix."
    ),
    "cls": Word("c", "The [CLS] token's vector, which stands for the whole input."),
    "mean": Word("c", "The average of all tokens' vectors, which stands for the whole input."),
    "logits": Word("z", "A score for each answer, before softmax."),
    "probabilities": Word("p", "How likely the model thinks each answer is; each row sums to 1."),
    "last": Word("z", "The scores after the last token so far: only these decide what comes next."),
    "tempered": Word(r"\tilde{z}", "The scores over the temperature: below 1 the likeliest gain, above 1 the others."),
    "log_probabilities": Word(r"\ell", "The logarithm of each probability: along a sentence these add up."),
    "choice.token": Word(r"\hat{y}", "The token that is written next."),
    "choice.chance": Word("u", "A random number from 0 to 1, fixed by the seed."),
    "choice.probability": Word(r"p_{\hat{y}}", "How likely the model thought the chosen token."),
    "choice.so_far": Word(r"\ell_{<t}", "The log-probability of the sentence so far."),
    "choice.totals": Word(r"\ell_{\le t}", "The log-probability of the whole sentence with each possible next token."),
    "labels": Word("y", "The right answers."),
    "loss.positions": Word("L_t", "How surprised the model is by each right answer."),
    "loss.mean": Word("L", "The mean surprise: the one number that training makes smaller."),
    "loss.squares": Word("e^2", "How far the cosine is from the one it should be, squared."),
    "loss.error": Word("E", "The mean squared error: here of one pair of sentences, in training of a whole batch."),
    "loss.graded": Word("L", "The error times its weight in the loss: the one number that this step makes smaller."),
    "prediction": Word(r"\hat{y}", "The answer with the highest probability."),
}

PARAMETERS = {
    "query.weight": "W_Q", "query.bias": "b_Q", "key.weight": "W_K", "key.bias": "b_K",
    "value.weight": "W_V", "value.bias": "b_V", "attention.output.weight": "W_O", "attention.output.bias": "b_O",
    "hidden.weight": "W_1", "hidden.bias": "b_1", "ffn.output.weight": "W_2", "ffn.output.bias": "b_2",
    "tokens.table": "E", "positions.table": r"P_{\mathrm{table}}", "rows.table": "P_{row}", "columns.table": "P_{col}",
    "projection.weight": "E", "projection.bias": "b_E", "cls.vector": "c", "cls.position": "p_{cls}",
    "head.weight": "W_{head}", "head.bias": "b_{head}",
}  # fmt: skip


def symbol(name: str) -> str:
    """How a step or parameter is written in a formula; the gradient of x is ∇x, and x after an update x′."""
    first, _, rest = name.partition(names.SEPARATOR)
    if first == "backward":
        return rf"\nabla {symbol(_target(rest))}"
    if first == "update":
        kind = {"mean": "m", "square": "v"}.get(names.leaf(rest))
        return kind or rf"{symbol(rest)}'"
    for ending, latex in PARAMETERS.items():
        if name.endswith(ending):
            return latex
    word = _word(name)
    if word:
        return word.symbol
    last = names.leaf(name)
    return {"gain": r"\gamma", "bias": r"\beta"}.get(last, rf"\mathrm{{{last.replace('_', ' ')}}}")


def sentence(name: str) -> str:
    """The plain sentence for a step of this name, or nothing."""
    first, _, rest = name.partition(names.SEPARATOR)
    if first == "backward":
        share = " The share of one of the steps that read it." if ".from." in rest else ""
        return f"How much the loss grows when {names.title(_target(rest))} grows by a little.{share}"
    if first == "update":
        kind = {"mean": "Adam's running mean of the gradient", "square": "Adam's running mean of the squared gradient"}
        return f"{kind.get(names.leaf(rest), 'The parameter after this step of training')}."
    word = _word(name)
    return word.text if word else ""


def _target(rest: str) -> str:
    """Which step or parameter a gradient belongs to: its name without "backward" and without who sent it."""
    return rest.partition(".from.")[0].removesuffix(".everywhere")


def _word(name: str) -> Word | None:
    """By the last two parts where they have an entry of their own, else by the last."""
    *_, block, last = ("", *name.split(names.SEPARATOR))
    if block.endswith("_attention"):
        block = "attention"
    return STEPS.get(names.join(block, last)) or STEPS.get(last)
