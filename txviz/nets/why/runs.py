"""Why such models exist: a page for each kind of model, for the run as a whole."""

from __future__ import annotations

from txviz.nets.why.finding import has, has_block
from txviz.trace.outline import Node
from txviz.trace.why import Page, explain

_TRAINING = (
    "With a target this run is {training}: forward, loss, backward, update; the loss goes from {loss} to {loss_after}."
)

_VISION = Page(
    "A vision transformer reads an image the way a language model reads a sentence.",
    (
        "The image is cut into patches, its words.",
        "Flattened and projected, each patch is a vector, as a word is.",
        "A position is added, so that the model knows where the patch was.",
        "The layers after that are built like those of a text transformer.",
        "One vector for the whole image is read at the end.",
    ),
    (
        "{image} pixels, {patches} patches of {patch}, {d_model} features, {layers}; ViT-Base: 224×224×3, 196 of "
        "16×16, 768, 12.",
        "Positions are {left_out}.",
        _TRAINING,
    ),
    "Among the best on many benchmarks where data is plenty, but costly, O(N²d), slow to train, sensitive to the patch "
    "size, and data-hungry: it must learn nearness, which a convolutional network has built in.",
)
_SENTENCE = Page(
    "A sentence transformer turns a text of any length into one vector of fixed length, placed so that texts of "
    "similar meaning lie close together, however they are spelled.",
    (
        "“Cat” and “car” share letters and lie far apart; “cat” and “dog” are both pets and lie closer.",
        "Its layers are those of a vision transformer; only the input differs, words here and patches there.",
    ),
    ("{length}, {d_model} features, {layers}.", "Positions are {left_out}.", _TRAINING),
    "Search, recommendation and RAG compare such vectors in place of words.",
)
_TRANSLATOR = Page(
    "An encoder–decoder: the encoder reads the whole source once, the decoder writes the target word by word and asks "
    "the source at every step.",
    (
        "Source and target differ in length and order, so neither can be made from the other place by place.",
        "Self-attention understands each sentence; cross-attention joins the two.",
    ),
    (
        "{source_tokens} of the source, {d_model} features, {layers} on each side; the paper has 512 and 6.",
        "It wrote in {times}, one token each.",
        _TRAINING,
    ),
    "The first transformer, of “Attention Is All You Need” (2017). Translation, summaries, speech to text, and images "
    "to text work like this.",
)
_WRITER = Page(
    "A decoder-only model goes on with a text: from all tokens so far it predicts the next, appends it, and begins "
    "again.",
    (
        "To predict the next word well, one has to know grammar, facts and what was said before; so predicting teaches "
        "all of it.",
        "There is no encoder: what was typed and what is written stand in one line.",
    ),
    ("{d_model} features, {layers}.", "It wrote in {times}, one token each.", _TRAINING),
    "GPT and today's chat assistants are this model, much larger and trained on much more text; pictures can enter as "
    "patches in the same line.",
)
_MASK = Page(
    "One piece of a decoder, by itself: a table of who looks at whom, the mask that hides the future, and the rows "
    "shared out again.",
    (
        "A model that writes must not see future words: while writing they do not exist, while learning they are the "
        "answer.",
        "The guide prints only the table before the mask; what follows from it is computed here.",
    ),
    (),
    "Every model that writes text has this mask in all of its layers.",
)


def _run(node: Node) -> Page:
    if has(node, "patches"):
        return _VISION
    if has_block(node, "cross_attention"):
        return _TRANSLATOR
    if not has_block(node, "self_attention"):
        return _SENTENCE
    return _WRITER if has_block(node, "ffn") else _MASK


explain("run", {"": _run})
