"""Why there are masks, pooling and heads."""

from __future__ import annotations

from txviz.nets.why.finding import by_answer, by_input
from txviz.trace.why import Page, explain

_CAUSAL = Page(
    "Who may look where, as a table that is added to the scores: 0 where a token looks at itself or back, −∞ where it "
    "would look ahead.",
    (
        "What has not been written yet must not be seen, or the model would learn to copy and not to predict.",
        "Nothing in it is learned: it is the same triangle for every text of this length.",
        "It is made once, and all layers and heads use it.",
    ),
)

explain(
    "mask",
    {
        "": Page(
            "Masks say who may look at whom. They are added to the scores before softmax: 0 changes nothing, −∞ makes "
            "the weight exactly 0.",
            (
                "The causal mask hides what comes later, so that the model can be trained to predict the next word.",
                "The padding mask hides tokens that only fill a sentence up to the length of others.",
            ),
        ),
        "causal": _CAUSAL,
        "padding": Page(
            "Sentences that are computed together must have the same length, so short ones are filled up with padding. "
            "This mask hides it: −∞ for every column of padding, so that nobody looks there.",
            (
                "Without it the meaning of a sentence would depend on how long the others beside it are.",
                "It depends on the input alone; nothing is learned.",
            ),
        ),
    },
)
explain(
    "decoder.mask",
    {
        "": Page(
            "The decoder's masks, made once for all of its layers. They are added to the scores of self-attention: 0 "
            "lets a token look, −∞ makes the weight exactly 0.",
            (
                "Nobody looks at later tokens: while writing they do not exist, while training they are the answer.",
                "Cross-attention needs no causal mask, since the source is known as a whole.",
            ),
        ),
    },
)

_CLASSES = Page(
    "The head turns the one vector of the whole image into an answer: a score for each class, and shares of 1 from "
    "softmax.",
    (
        "Up to here nothing was said about classes; another head on the same vectors would answer another question.",
        "It is one matrix: each class has a direction of its own, and the vector is compared with all of them.",
    ),
    ("There are {answers} to choose from.",),
    "A trained encoder can get a new head for a new task and keep all else: that is transfer learning.",
)
_WORDS = Page(
    "The head turns the vector after each token into an answer: a score for every entry of the vocabulary, and shares "
    "of 1 from softmax, which say how likely each is to come next.",
    (
        "(seq, d_model) becomes (seq, vocab_size).",
        "Up to here the model computed with meanings; here it comes back to words.",
    ),
    ("It compares with {answers}.",),
)

_CLASS_LOGITS = Page(
    "A score for each class, which is called its logit: the vector of the whole image times the column of that class, "
    "plus a bias. The largest one wins.",
    (
        "Logits can be any number, so they are easy to compute and to learn.",
        "Each feature of the vector speaks for some classes and against others; the sum of all is the score.",
    ),
    ("{d_model} numbers become {answers}.",),
)
_WORD_LOGITS = Page(
    "A score for every entry of the vocabulary after every token; such scores are called logits. The vector after a "
    "token is compared with the vector of each entry, and those that fit best can come next.",
    (
        "All entries get a score, also absurd ones: softmax will make next to nothing of those.",
        "Where the table of the tokens serves here, too, nothing new has to be learned for it.",
    ),
    ("{d_model} numbers become scores of {answers}.",),
)

explain(
    "head",
    {
        "": by_answer(words=_WORDS, classes=_CLASSES),
        "logits": by_answer(words=_WORD_LOGITS, classes=_CLASS_LOGITS),
        "probabilities": Page(
            "Softmax makes probabilities of the scores: none below 0, and 1 in all. So one can say how sure the model "
            "is, and compare answers.",
            (
                "A score larger by 1 counts e ≈ 2.7 times as much.",
                "The order stays the same: the highest score is the likeliest answer.",
                "Probabilities say what the model believes, not what is true: it can be sure and wrong.",
            ),
            ("1 is shared among {answers}.",),
        ),
        "prediction": Page(
            "The model's answer: the class with the highest probability. Choosing it throws away how close the others "
            "came, so it pays to look at the probabilities, too.",
            (
                "A choice has no slope: a little change of the weights does not change it. So training works on the "
                "probabilities and not on this.",
            ),
            ("It chooses among {answers}.",),
        ),
    },
)

_CLS_OF_IMAGE = Page(
    "The vector of [CLS] after the last layer stands for the whole image. It began empty, and in every layer it has "
    "looked at all patches and taken what was needed.",
    (
        "One vector of fixed size is what a head can read, whatever the number of patches.",
        "What it gathers is learned, since the class is read from it alone.",
    ),
    ("{length}, of which the first is taken; {layers} to gather in, where ViT-Base has 12.",),
)
_CLS_OF_TEXT = Page(
    "The vector of [CLS] after the last layer stands for the whole sentence: a token without a meaning of its own, "
    "which has looked at all words in every layer.",
    (
        "What it gathers is learned; a mean takes every word alike.",
        "It works only if training has taught it to gather, as in BERT; otherwise the mean is the safer choice.",
    ),
    ("Of {length} the first is taken.",),
)

explain(
    "pool",
    {
        "": Page(
            "After the layers there is a vector for each token, and what is wanted is one for the whole input. Pooling "
            "makes it: by the mean of all, or by taking that of [CLS].",
            (
                "Inputs of any length get a vector of the same length, so that they can be compared or classified.",
                "The mean listens to all alike; [CLS] learns what to gather.",
            ),
            ("{length} become one vector of {d_model} numbers.",),
            "Such vectors of documents, pictures or products are what search and recommendation store.",
        ),
        "cls": by_input(text=_CLS_OF_TEXT, vision=_CLS_OF_IMAGE),
        "mean": Page(
            "The mean of all {tokens} stands for the whole input. After the layers each vector already knows the "
            "others, so the mean is more than a bag of parts.",
            (
                "Nothing is left out, and nothing has to be learned for it.",
                "Divided by their number, so that long inputs are not louder than short ones; padding is not counted.",
            ),
            ("{length} are averaged into {d_model} numbers.",),
        ),
    },
)
