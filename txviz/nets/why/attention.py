"""Why there is attention: what all kinds of it share, and the encoder's, where everybody looks at everybody."""

from __future__ import annotations

from txviz.nets.why.finding import by_input
from txviz.trace.why import Page, explain

HEADS = (
    "{heads} of {d_k} numbers each, {split}; in the paper 8 heads of 64, 8 × 64 = 512.",
    "There is {one_head}, so it has the full width, {d_k}.",
)

_UNSCALED = "The division by √d_k is {unscaled}."

explain(
    "attention self_attention cross_attention",
    {
        "scaled": Page(
            "A dot product of d_k numbers grows with d_k: where the numbers of queries and keys vary by about 1, "
            "scores vary by about √d_k. Divided by √d_k, they stay in the same range whatever the size of a head.",
            (
                "With large scores, softmax gives nearly everything to one {token} and nothing to the others.",
                "There it is flat: its gradient is almost 0, and little is learned.",
            ),
            ("d_k is {d_k}, so every score is divided by √{d_k} {root_d_k}; in the paper by √64 = 8.",),
        ),
        "masked": Page(
            "Sentences that are computed together are filled up with padding to the same length. Padding says nothing, "
            "so nobody may look at it: its scores become −∞, and softmax makes exactly 0 of that.",
            (
                "The mask comes before softmax, so that the weights that remain still sum to 1.",
                "Which scores are hidden depends on the input alone; nothing about it is learned.",
            ),
        ),
        "merged": Page(
            "Each head has found something of its own. Laid side by side, the results of all heads have the width of "
            "the model again, so that the next layer sees them all at once.",
            ("No number changes here: the features were only split among the heads for a while.",),
            (
                "{split} numbers for each {token}; in the paper 8 × 64 = 512.",
                "With {one_head} there is nothing to join.",
            ),
        ),
        "output": Page(
            "A learned matrix, W_O, mixes what the heads have found before it is added to each {token}.",
            (
                "Without it each head could write into its own few features only; with it, any head into any feature.",
                "What two heads found can be weighed against each other here for the first time.",
            ),
            ("{d_model} numbers in and {d_model} out, since the result is added to vectors of that width.",),
        ),
        "keys": Page(
            "What earlier tokens offer does not change when a new one is written, since nobody looks ahead. So their "
            "keys are kept from time step to time step, and only the new token's key is computed.",
            (
                "Without a cache, time step 100 would compute the same 99 keys again.",
                "The result is the same; only time is saved, and memory is spent.",
            ),
            ("Kept from before: {kept_keys}; the rest is new.",),
            "Every chat assistant does this: the “KV cache” is what a long conversation costs in memory.",
        ),
        "values": Page(
            "What earlier tokens pass on stays the same, too, once they are written: like the keys, their values are "
            "kept and only those of the new token are computed.",
            (
                "Keys alone would not do: the keys say where to look, the values what is taken from there.",
                "Queries need not be kept: earlier tokens have had their answers.",
            ),
            ("Kept from before: {kept_keys}; the rest is new.",),
        ),
    },
)

explain(
    "attention",
    {
        "": by_input(
            text=Page(
                "Self-attention lets each token look at all the others and take from them what it needs. In one "
                "formula: softmax(QKᵀ/√d_k)V.",
                (
                    "A word alone says little: what “it” stands for is told by the words around it.",
                    "Any two tokens meet in one step, however far apart they stand.",
                    "All rows are computed at once; no token waits for the one before.",
                ),
                (*HEADS, _UNSCALED, "{pairs} weights in each head; twice the tokens make four times the work, O(N²d)."),
                "BERT and the encoders behind search are made of such blocks. In a chat it makes sense of a single "
                "message: the word at hand asks, the others are compared with it, and it gets a context.",
            ),
            vision=Page(
                "Self-attention lets each patch look at all the others, near and far, and take from them what it "
                "needs. In one formula: softmax(QKᵀ/√d_k)V.",
                (
                    "A stroke runs through many patches; what it is, only all of them together tell.",
                    "Any two patches meet in one step; convolutions would need many layers for that.",
                    "All patches are computed at once; none waits for another.",
                    "Nearness is not built in: where neighbours count more, the model has learned so.",
                ),
                (*HEADS, _UNSCALED, "{queries} × {keys} = {pairs} weights in each head."),
                "ViT-Base has 12 heads and 197 tokens: 38,809 weights a head. The cost grows as O(N²d), which is "
                "costly for large images.",
            ),
        ),
        "query_projection": Page(
            "A query is what a {token} asks the others for. A learned matrix, W_Q, makes it from the {token}'s vector.",
            (
                "Were the vectors themselves compared, each would tend to fit itself best, and who looks at whom could "
                "not be learned.",
                "Asking and being found have a matrix each, so that A may look at B without B looking at A.",
            ),
            (
                "{d_model} numbers in and {d_model} out, for all {heads} at once: each head has its own {d_k} columns "
                "of W_Q, W_K and W_V, and ViT-Base has 12 such heads.",
                "{d_k} numbers, for {one_head}.",
            ),
            "In a search engine, the query is what you type.",
        ),
        "key_projection": Page(
            "A key is what a {token} offers to be found by. Every query is compared with every key; where both point "
            "the same way, the score is high.",
            (
                "W_K is learned together with W_Q: only as a pair do they mean anything.",
                "Being found and having something to say are two things, so keys are not values.",
            ),
            ("{keys} keys can be looked at.",),
            "In a search engine, keys are the words that a page is listed under.",
        ),
        "value_projection": Page(
            "A value is what a {token} hands over to those that look at it. The weights say how much is taken; the "
            "values are what is taken.",
            (
                "A matrix of its own, W_V, lets a {token} hand over something else than it was found by.",
                "Values are mixed, and never compared with anything.",
            ),
            (),
            "In a search engine, the value is the page that you open.",
        ),
        "query": Page(
            "The queries are split among the heads. A head has one row of weights for each {token}, so it can follow "
            "one thing at a time; several heads follow several things.",
            (
                "Each head compares in a few features of its own: d_k = d_v = d_model / h.",
                "All heads together cost about as much as one of full width.",
                "What a head looks for is learned; nobody assigns it.",
            ),
            HEADS,
        ),
        "key": Page(
            "The keys are split the way the queries were, so that each head compares its own queries with its own keys "
            "and with no others. That is how heads come to look at different things.",
            ("No number changes: the same row is cut into as many pieces as there are heads.",),
            HEADS,
        ),
        "value": Page(
            "The values are split as well: what a head finds, it takes from its own features alone, and it can't "
            "see what the others take.",
            (
                "d_v need not equal d_k, but in the paper and here both are d_model / h.",
                "Afterwards the pieces are laid side by side again.",
            ),
            HEADS,
        ),
        "scores": Page(
            "A score says how well a query fits a key. It is their dot product, large where both have large numbers in "
            "the same places. Row by row it says whom a {token} should look at.",
            (
                "All pairs at once are one product of two matrices, QKᵀ, which computers do fastest of all.",
                "Scores are any numbers, also below 0; softmax makes shares of them.",
            ),
            (
                "Scores in each head: {queries} × {keys} = {pairs}.",
                _UNSCALED,
                "A good row to follow is that of patch {middle}, which has neighbours on all sides.",
            ),
        ),
        "weights": Page(
            "Softmax makes shares of each row of scores: none below 0, and 1 in all. So each {token} can take a "
            "weighted mean of the values.",
            (
                "e^score grows fast: a clear winner gets most, and a close second still counts.",
                "Picking only the best would have no slope to learn from; softmax has one everywhere.",
                "Only differences count: the same number added to a whole row changes nothing.",
            ),
            ("Every row shares 1 among {keys} tokens.",),
            "Attention maps show these rows. They tell where a head looks, and not yet why the model answers as it "
            "does.",
        ),
        "context": Page(
            "What each {token} found: a mean of the values, weighted by its row of weights. From here on its vector is "
            "no longer about itself alone; it has a context.",
            (
                "As a mean it stays within the range of the values, however many there are.",
                "The weights depend on the input, so the same {token} takes something else in other company.",
            ),
            ("Each of {queries} tokens mixes {keys} values, in every head.",),
        ),
    },
)
