"""Why the decoder's self-attention is masked: each token sees what has been written so far, and nothing else."""

from __future__ import annotations

from txviz.nets.why.attention import HEADS
from txviz.nets.why.finding import has
from txviz.trace.outline import Node
from txviz.trace.why import Page, explain

_SCORES = Page(
    "How well what each token asks fits what each token so far offers. The scores are computed for all pairs, also "
    "for those that look ahead; the mask hides those in the next steps.",
    (
        "One product of two matrices is simpler and quicker than leaving half of it out.",
        "Nothing is learned from a score that is hidden: its weight is 0, and so is its gradient.",
    ),
    ("Scores in each head: {queries} × {keys} = {pairs}.",),
)
_FROM_TABLE = Page(
    "The guide prints weights and no scores. Softmax undoes the logarithm, so the logarithm of each weight is a score "
    "that gives the same weight back, and the mask can be put on it.",
    (
        "Masking belongs before softmax: then each row is shared out again among what is left.",
        "Scores that differ by one number along a whole row give the same weights; these are one choice of many.",
    ),
)


def _scores(node: Node) -> Page:
    return _FROM_TABLE if has(node, "table") else _SCORES


explain(
    "self_attention",
    {
        "": Page(
            "Masked self-attention: each token looks at itself and at what has been written so far, never at what "
            "comes later. The model stays causal: what it says at a place depends only on the words up to there.",
            (
                "While it writes, later words do not exist yet.",
                "While it learns, the whole right answer stands there; a model that could look ahead would copy the "
                "next word and learn nothing.",
                "Since the mask hides the future, all places can be trained in one pass.",
            ),
            HEADS,
            "It is the only attention that GPT and today's chat models have.",
        ),
        "query_projection": Page(
            "The query of a token: what it asks of itself and of what has been written so far. The last token's query "
            "matters most while writing: from what it finds, the next word is predicted.",
            (
                "W_Q is learned: a token may come to ask for its subject, or for the word before.",
                "Without a cache, earlier tokens ask again at every time step, and get the same answers, since they "
                "see nothing new.",
            ),
            ("Tokens that ask: {queries}.",),
        ),
        "key_projection": Page(
            "The key of a token: what it offers to be found by for all tokens that come after it, and for itself. "
            "Nobody before it will ever see it.",
            (
                "It depends on what was written up to there, and not on what follows: so it can be kept for the next "
                "time step.",
                "W_K is learned together with W_Q.",
            ),
            ("Keys in sight of the last token: {keys}.",),
        ),
        "value_projection": Page(
            "The value of a token: what it hands on to those written later. In this way what has been said so far "
            "reaches the place where the next word is predicted.",
            (
                "A matrix of its own, W_V, separates what is handed on from what it is found by.",
                "Like the keys, values never change once a token is written.",
            ),
        ),
        "query": Page(
            "The queries, split among the heads: each head asks what has been written so far a question of its own. "
            "One may go back to the last noun, another to the beginning of the sentence.",
            (
                "Each head works in a few features of its own: d_k = d_v = d_model / h.",
                "All heads together cost about as much as one of full width.",
            ),
            HEADS,
        ),
        "key": Page(
            "The keys of what has been written so far, split among the heads in the same way as the queries: a head "
            "compares its own questions with its own keys only.",
            ("No number changes: the row of each token is cut into as many pieces as there are heads.",),
            HEADS,
        ),
        "value": Page(
            "The values of what has been written so far, split among the heads. What a head finds in earlier tokens, "
            "it takes from its own features alone.",
            ("Later the pieces are laid side by side again and mixed by W_O.", "Their width is d_v = d_model / h."),
            HEADS,
        ),
        "scores": _scores,
        "causal": Page(
            "The causal mask on its own: 0 where a word may look, −∞ where it would look ahead. It is added to the "
            "scores before softmax, so the upper right half of the table gets the weight 0.",
            (
                "The output at a place may depend only on the words up to there.",
                "The diagonal stays open: a word may look at itself, so that no row is empty.",
            ),
            ("Places that stay open: {open_pairs} of {pairs}.",),
        ),
        "table": Page(
            "The attention table of the guide, as if every word could see the whole sentence: each row says how much "
            "that word looks at each of the others. It is where the mask begins its work.",
            (
                "In a model that writes, the upper right half is forbidden: those words are not there yet.",
                "What the guide leaves to imagine, the next steps compute: the mask, and the rows shared out again.",
            ),
        ),
        "masked": Page(
            "What comes later is hidden: its scores become −∞, and since e^−∞ is 0, softmax gives it the weight 0. "
            "Only what has been written so far is left.",
            (
                "Setting weights to 0 after softmax would leave rows that do not sum to 1, and would have let the "
                "future weigh in.",
                "The first token sees only itself, the last one everything so far.",
            ),
            ("Scores that stay open in each head: {open_pairs} of {pairs}.",),
        ),
        "weights": Page(
            "How each token shares out its attention among itself and what has been written so far. Softmax makes each "
            "row sum to 1; the columns to the right of the diagonal are 0.",
            (
                "The first row has no choice: it gives everything to itself.",
                "While writing, the last row decides: from what it takes, the next word is predicted.",
            ),
            ("In sight of the last row: {keys}.",),
        ),
        "context": Page(
            "What each token takes from what has been written so far: a mean of its own value and of those before it, "
            "by its weights. Nothing of a later token is in it.",
            (
                "So the model can be trained on a whole sentence at once, as if it had been written word by word.",
                "The row of the last token is a digest of everything so far, made for predicting the next word.",
            ),
        ),
    },
)
