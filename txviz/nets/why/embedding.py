"""Why tokens become vectors."""

from __future__ import annotations

from txviz.nets.why.finding import by_input, by_positions
from txviz.trace.why import Page, explain

_NO_POSITIONS = (
    "Positions are {left_out}: the same {tokens} in another order would give the same vectors, in that order."
)

_ROWS = Page(
    "Each token's number picks a row of a learned table: what the token means on its own. The numbers themselves mean "
    "nothing; 7 is no more like 8 than like 900, so they can't be computed with.",
    (
        "Training moves the rows: words used alike come to lie close together, “cat” nearer to “dog” than to “car”, "
        "which only looks like it.",
        "The same word has the same row wherever it stands; its place and its company come later.",
    ),
    ("A table of {table} rows with {d_model} numbers each; in the paper 512 numbers.",),
    "Search and recommendation compare such vectors in place of spellings.",
)

_WITH_CLS = Page(
    "[CLS] is one more token, put before the {tokens}, that shows no part of the image. It looks at all of them and "
    "gathers what is needed to name the whole; the answer is read from it.",
    (
        "It is learned: it begins as zeros or small random numbers, and training moves it like any weight.",
        "It has nothing to say of its own, so it favours no {token}.",
        "Layer by layer it takes in more of the image.",
    ),
    (
        "{patches} patches and [CLS] make {length}; ViT-Base has 196 and [CLS], 197.",
        "Here the answer is read from the {average}, of which [CLS] is only one.",
    ),
)

_MEANING = "Meaning must be learned, since spelling does not tell it: “cat” is nearer to “dog” than to “car”."
_WORDS_AND_PATCHES = (
    "Between here and the answer a text transformer and a vision transformer are alike: words here, patches there."
)

_TARGET_TABLE = (
    "Where source and target are languages with words of their own it has a table of its own; where they share their "
    "pieces, the encoder's."
)

_TEXT = Page(
    "The layers compute with vectors, so each token becomes one: a row of a learned table for its meaning, plus a "
    "vector for its position.",
    (_MEANING, "Order must be added, since attention by itself does not see it."),
    ("{length}, {d_model} numbers each; in the paper 512.", _NO_POSITIONS),
    _WORDS_AND_PATCHES,
)
_TEXT_WITHOUT_POSITIONS = Page(
    "The layers compute with vectors, so each token becomes one: a row of a learned table for its meaning.",
    (_MEANING, "Order is no part of it: each layer tells its attention, which by itself does not see it."),
    ("{length}, {d_model} numbers each; in the paper 512.",),
    _WORDS_AND_PATCHES,
)

explain(
    "input",
    {
        "tokens": Page(
            "A model reads no letters. The text is cut into tokens (words or pieces of them, and signs), and each is "
            "looked up in the vocabulary; its number is all that the model gets.",
            (
                "A fixed list keeps the table of vectors finite; what is not in it is read as unknown, or in "
                "smaller pieces.",
                "Special tokens mark things that are no words: a start, an end, or [CLS], which stands for the whole.",
            ),
            ("{length} are read.",),
            "Large models cut rare words into pieces, so that nothing is unknown.",
        )
    },
)
explain(
    "time:input time:decoder",
    {
        "tokens": Page(
            "What has been written so far. The model has no memory between time steps: all that it knows of its own "
            "words is this line, which it reads again from the beginning.",
            (
                "The token that was chosen at the last time step has been appended; that is how output becomes input.",
                "It starts with what was typed, or with a token that only marks the start, so that the first time step "
                "has something to read.",
            ),
            (
                "Time step {time} reads “{so_far}”.",
                "Keys and values of earlier tokens are {cached}, so from the second time step on only the newest is "
                "read.",
            ),
        )
    },
)
explain(
    "decoder",
    {
        "tokens": Page(
            "The right answer, shifted right by one: <SOS> is put before it, and the <EOS> at its end is left off. So "
            "at each place the decoder has seen all right words up to there, and must predict the next.",
            (
                "This is teacher forcing: even after a wrong guess it goes on from the right words, not from its own.",
                "All places are known, so training takes one pass, one time step, where writing takes as many as there "
                "are words.",
                "Sentences of a batch get the same length by padding, which counts for nothing.",
            ),
        )
    },
)
explain(
    "embed",
    {
        "": by_input(
            text=by_positions(_TEXT, _TEXT_WITHOUT_POSITIONS),
            vision=Page(
                "The layers read a sequence of vectors, so each patch becomes one: its pixels go through a learned "
                "matrix, and a vector for its position is added.",
                (
                    "Patches are treated as words are, so that the rest of the model can be that of a text "
                    "transformer.",
                    "After this step nothing knows about pixels any more.",
                ),
                ("{length}, {d_model} numbers each; in ViT-Base 197 with 768.", _NO_POSITIONS),
                "Between here and the answer a vision transformer and a text transformer are alike.",
            ),
        ),
        "tokens": by_input(text=_ROWS, vision=_WITH_CLS),
        "scaled": Page(
            "The rows of the table hold small numbers, and the positions are waves between −1 and 1. Multiplied by "
            "√d_model, the meanings are large enough not to drown when the positions are added.",
            (
                "The paper does so, too, and does not say why; this is the usual explanation.",
                "It is one fixed number; nothing is learned here.",
            ),
            ("√{d_model} {root_d_model}; in the paper √512 ≈ 22.6.",),
        ),
    },
)
explain(
    "decoder.embed",
    {
        "": by_positions(
            Page(
                "The decoder's own embedding: the tokens of the target become vectors of meaning plus position, as "
                "those of the source did in front of the encoder.",
                (_TARGET_TABLE, "Positions begin at 0 again: the target has an order of its own."),
                ("{length}, {d_model} numbers each.",),
            ),
            in_layers=Page(
                "The decoder's own embedding: the tokens of the target become vectors of meaning, as those of the "
                "source did in front of the encoder.",
                (_TARGET_TABLE, "Order is no part of it: each layer of the decoder tells its attention."),
                ("{length}, {d_model} numbers each.",),
            ),
        ),
        "tokens": Page(
            "Each token of the target picks its row of the decoder's table: what the word means in the language that "
            "is being written.",
            (
                "The rows are learned by writing: words that can follow the same words come to lie close together.",
                "Many models use the same table once more in the head, to predict which word comes next.",
            ),
            ("A table of {table} rows with {d_model} numbers each.",),
        ),
        "positions": Page(
            "Where each token of the target stands. Without it “the dog bites the man” and “the man bites the dog” "
            "would look much alike to the decoder.",
            (
                "Counted from the start of the target, so its positions have nothing to do with those of the source.",
                "With the mask alone order would show a little, since later tokens see more; positions say it plainly.",
            ),
            (
                "They are {waves} of fixed length, and not learned.",
                "They are learned, for up to {learned_positions} places.",
            ),
        ),
        "sum": Page(
            "What the first decoder layer reads: the meaning of each token of the target plus its position, in one "
            "vector.",
            (
                "Added and not laid side by side, so that the width stays that of the model.",
                "With enough features the layers can learn to tell the two apart.",
            ),
            ("{length}, {d_model} numbers each.",),
        ),
    },
)
