"""Why BERT tells two texts apart, and what its heads do."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "input",
    {
        "token_types": Page(
            "BERT can read two texts at once, such as a question and a paragraph. For each token this says which of "
            "them it belongs to: 0 for the first, 1 for the second.",
            (
                "[SEP] stands between the texts, but only positions would tell a later token on which side of it it "
                "is.",
                "A text that is read alone has zeros only.",
            ),
            (),
            "Models that rank the answers of a search read question and answer together like this.",
        ),
        "attention_mask": Page(
            "For each token a 1 where it may be looked at and a 0 where it may not. Texts of different lengths are "
            "made equally long with padding, which means nothing: it must not draw any attention.",
            (
                "A computer works on many texts at once as one block of numbers, and a block has no shorter rows.",
                "Where there is a 0, the scores get −∞ before the softmax, so that the weight is exactly 0.",
                "A text that is read alone needs no padding: its mask is all ones and hides nothing.",
            ),
            (),
            "Whoever runs a model on many texts at once hands it such a mask; without it the same text has another "
            "result in other company.",
        ),
    },
)
explain(
    "embed",
    {
        "types": Page(
            "A learned vector for each of the two texts, looked up for every token and added to what the token means. "
            "So each token carries along which text it came from, through all layers.",
            (
                "Two rows are enough, whatever the length of the texts.",
                "With one text alone it adds the same vector everywhere, which the model has learnt to expect.",
            ),
        ),
        "position_ids": Page(
            "The number of each token's place, which is the row of the table that it gets. They are counted over real "
            "tokens only: all padding has number 0, whose row is never learnt.",
            (
                "Models of RoBERTa's kind count like this, so that a text has the same positions with padding and "
                "without.",
                "BERT counts padding as well; since nobody looks at it, that does no harm either.",
            ),
        ),
        "norm": Page(
            "Before the first layer the sum is normalised, token by token: mean 0 and variance 1, then a learned gain "
            "and bias.",
            (
                "What was added was learnt apart and differs in size; after the norm no token is louder than others.",
                "BERT normalises after each sum, and so after this one, too.",
            ),
        ),
        "fitted": Page(
            "The tables of this model are not as wide as its layers. One more learned layer makes the vectors fit: "
            "from here on all have the width of the model.",
            (
                "A table has a row for every word of the vocabulary, so narrow rows save most of its numbers.",
                "The layers can be made wider or narrower without changing how words are stored.",
            ),
            ("{d_model} numbers come out.",),
        ),
    },
)
explain(
    "pool",
    {
        "hidden": Page(
            "The vector of the first token goes through one more learned layer before a class is read from it. The "
            "encoder's vectors serve any question; here begins what belongs to this one.",
            (
                "In BERT this layer was trained on guessing whether two texts follow each other.",
                "A model that is trained further for a task of its own learns it anew.",
            ),
            ("{d_model} numbers stay {d_model}.",),
        ),
        "activation": Page(
            "The bend of the layer after pooling. BERT and RoBERTa use tanh, which presses every number between −1 and "
            "1; DistilBERT uses ReLU, which lets nothing negative through, and ELECTRA GELU, which lets little.",
            (
                "Without a bend, this layer and the head after it would be one matrix.",
                "What comes out stands for the whole text, and the head reads nothing else.",
            ),
        ),
    },
)
explain(
    "head",
    {
        "hidden": Page(
            "To guess a masked word, the vector of each token goes through one more learned layer. The encoder's "
            "vectors know the context; this layer turns them into what a word there should mean.",
            (
                "The result is compared with the table of the tokens, so it must lie in the same space as that.",
                "Only the masked places count; the others are computed because all go side by side.",
            ),
        ),
        "activation": Page(
            "The bend after the layer of the head for masked words. It is the same function as in the feed-forward "
            "networks of all the layers before.",
            (
                "Without it this layer and the comparison with the table would be one matrix.",
                "Small negative numbers are damped, and large ones pass.",
            ),
        ),
        "norm": Page(
            "The vectors of the head are normalised before they are compared with those of all words: mean 0 and "
            "variance 1, then a learned gain and bias.",
            (
                "A product grows with the length of both vectors; after the norm only its direction counts, and how "
                "well it fits.",
                "So scores at different places can be compared.",
            ),
        ),
        "products": Page(
            "Each vector is compared with the vector of every word in the table of the tokens, the same that the input "
            "was looked up in. The bias of each word is added in the next step.",
            (
                "One table for reading and writing has half of the numbers to be learnt.",
                "What a word means when it is read is what it means when it is written.",
            ),
            ("{d_model} numbers are compared with {answers}.",),
        ),
    },
)
