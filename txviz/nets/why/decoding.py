"""Why writing goes one token at a time, and how the next token is chosen."""

from __future__ import annotations

from txviz.nets.why.finding import near
from txviz.trace.outline import Node
from txviz.trace.why import Page, explain

explain(
    "decoding",
    {
        "": Page(
            "Writing is a loop: the model predicts one token, the token is appended to its input, and the model runs "
            "again.",
            (
                "Each word depends on those before it, and they are not known until they are chosen. So writing takes "
                "a time step for each token, where training, which knows the answer, takes one for all.",
                "It ends with the end token, <EOS>, or at the longest length that is allowed.",
            ),
            (
                "It took {times}.",
                "Each time the likeliest token was taken ({greedy}): quick, but an early choice is never taken back.",
                "Each token was {sampled} by chance, the likelier the more often.",
                "A beam kept up to {widest} sentences in the race, which usually finds a better one than greedy "
                "choice.",
                "The encoder's output for {source_tokens} is computed once, before the loop.",
            ),
        )
    },
)
explain(
    "time",
    {
        "": Page(
            "One time step writes one token: the model reads what has been written so far, and the scores after the "
            "last token say which can come next.",
            (
                "The scores after earlier tokens are computed, too, but those words are written already.",
                "What is chosen is appended to the input of the next time step.",
            ),
            (
                "Time step {time} reads “{so_far}” and writes “{written}”.",
                "The source is not read again: all time steps use the same encoder's output for {source_tokens}.",
                "Sentences in the beam: {beams}.",
            ),
        )
    },
)
explain(
    "beam",
    {
        "": Page(
            "Beam search keeps several unfinished sentences, its hypotheses. Each is continued with every possible "
            "next word, and of all these continuations the best few are kept.",
            (
                "A greedy choice can't be taken back, and a first word that is a little less likely may lead to the "
                "better sentence.",
                "Looking at all sentences is impossible: their number multiplies with every word.",
                "A wider beam usually finds a likelier sentence, and costs more.",
            ),
            ("This is {beam} in the beam at time step {time}, which reads “{so_far}”.",),
        )
    },
)
explain(
    "head",
    {
        "last": Page(
            "There is a row of scores after every token, and each row is about the token that comes next. Only after "
            "the last one is the next word still open, so only that row is needed.",
            (
                "With each time step there is one row more (with a cache, only one in all), and the last is taken.",
                "While training all rows are used, since every next word is known.",
            ),
            ("Time step {time} takes the row after “{so_far}”.",),
        ),
        "tempered": Page(
            "The temperature says how daring the choice may be. The scores are divided by it before softmax: below 1 "
            "the likeliest gain, above 1 the others.",
            (
                "Near 0 it becomes the greedy choice, always the same; very high, it becomes a toss among all words.",
                "The order of the words does not change, only how much likelier one is than another.",
            ),
            ("The temperature is {temperature}.",),
            "The “creativity” setting of chat assistants is this number.",
        ),
        "top_k": Page(
            "Only the k highest scores stay in the draw; all others become −∞, so that softmax makes 0 of them.",
            (
                "Thousands of absurd words have a tiny chance each, and together a large one: sooner or later one "
                "would be drawn and spoil the text.",
                "k is fixed: it may keep too many where the next word is clear, and too few where it is open.",
            ),
            ("k is {limit}.",),
        ),
        "top_p": Page(
            "Only the likeliest words that together reach the probability p stay in the draw; all others become −∞. It "
            "is also called nucleus sampling.",
            (
                "Where the next word is clear, few are kept; where much can follow, many: the number fits the place.",
                "The long tail of absurd words is cut off.",
            ),
            ("p is {limit}.",),
        ),
        "log_probabilities": Page(
            "The probability of a sentence is the product of those of its words, which soon becomes too small to write "
            "down. Logarithms turn the product into a sum.",
            (
                "A sure word has the logarithm 0, an unlikely one a large negative number.",
                "So a sentence's score is simply added up, word by word, and sentences can be compared.",
            ),
        ),
    },
)

_GREEDY = Page(
    "The token that is written next: the one with the highest probability. This is called greedy.",
    (
        "It is quick, and gives the same text every time.",
        "It never takes a choice back: a sentence of likeliest words need not be the likeliest sentence, which beam "
        "search looks for.",
        "<EOS> is a token like any other: when it is chosen, the sentence is done.",
    ),
    ("After “{so_far}” it chooses “{written}”.",),
)
_DRAWN = Page(
    "The token that is written next, drawn by chance: each one has as much of the line from 0 to 1 as it is likely, "
    "and a random number says where on the line to look.",
    (
        "The likeliest words alone make dull texts that repeat themselves; chance brings variety.",
        "The same seed gives the same numbers, so the text can be repeated.",
    ),
    ("After “{so_far}” it drew “{written}”.",),
)


def _token(node: Node) -> Page:
    return _DRAWN if near(node, "token").op == "draw" else _GREEDY


explain(
    "choice",
    {
        "": Page(
            "The model gives probabilities and no words; choosing one is not part of the network. How it is done is "
            "free: the likeliest (greedy), by chance (sampling), or several at once (a beam).",
            (
                "A choice must be made before the next time step, which reads it.",
                "The same model writes dull or daring, right or wrong texts, depending on how one chooses.",
            ),
            ("At time step {time} it writes “{written}”.",),
        ),
        "token": _token,
        "chance": Page(
            "A random number from 0 to 1, from which the next word follows. It comes from outside the model: the "
            "network itself has no chance in it, and gives the same probabilities for the same text every time.",
            ("It is fixed by the seed, so that a run can be repeated and shown to others.",),
        ),
        "probability": Page(
            "How likely the model thought the token that was chosen. High: it saw little else that could follow. Low: "
            "there were many ways to go on, or chance took an unlikely one.",
            (
                "Multiplied along the sentence, these numbers say how likely the whole text is.",
                "A sudden low one is a good place to look for where a text went wrong.",
            ),
        ),
    },
)
