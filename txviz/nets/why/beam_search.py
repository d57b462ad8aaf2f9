"""Why a beam compares what it compares, and keeps what it keeps."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "choice",
    {
        "so_far": Page(
            "The log-probability of this hypothesis up to here: the sum of those of its words. It is the score with "
            "which the sentence goes into this time step.",
            (
                "It is carried along, so that an earlier good or bad choice keeps counting.",
                "Every further word adds a number below 0, so longer sentences score lower; a length penalty can make "
                "up for it.",
            ),
        ),
        "after_end": Page(
            "This sentence is finished: it has written <EOS>. It stays in the race as it is, so <EOS> is made certain "
            "(its logarithm is 0) and everything else impossible (−∞).",
            (
                "The model is not asked any more; these numbers are put in by the search.",
                "So finished and unfinished sentences can stand in one table and be compared.",
            ),
        ),
        "totals": Page(
            "The score of the whole sentence with each possible next word: that of the sentence so far plus the word's "
            "own log-probability. Over all hypotheses, the highest of these stay in the beam.",
            (
                "Whole sentences are compared, not words: a good word after a bad beginning may lose.",
                "All words of the vocabulary are tried for each hypothesis; almost all are dropped at once.",
            ),
        ),
    },
)
explain(
    "search",
    {
        "": Page(
            "The search puts the continuations of all hypotheses into one table, ranks them, and keeps as many as the "
            "beam is wide. All others are dropped, and never come back.",
            (
                "Expand, sort, keep the best: that is all of beam search.",
                "Here one sees why a sentence was dropped: there were enough others with a better score, even if only "
                "by a little.",
            ),
            ("At time step {time} it compares continuations of {hypotheses}.",),
        ),
        "totals": Page(
            "One row for each hypothesis and one column for each word: the log-probability of every sentence that "
            "could come next. No number is new; the rows were computed one by one.",
            (
                "Side by side they can be compared, whichever hypothesis they come from.",
                "The row of a finished sentence is −∞ but for <EOS>: it can only stay as it is.",
            ),
            ("The rows are those of {hypotheses}.",),
        ),
        "lengths": Page(
            "How many words each hypothesis will have with the next one, <EOS> counted. A finished sentence keeps its "
            "length. The length penalty needs this number.",
            ("Each word adds a negative number to the total, so a long sentence has a lower one than its beginning.",),
        ),
        "scores": Page(
            "Sentences are compared by their total over length to the power of the penalty. At 0 nothing changes; at "
            "1 it is the average over the words, so long sentences no longer lose just by being long.",
            (
                "Without a penalty a beam likes to stop early: a short sentence has fewer factors below 1.",
                "With too large a penalty it rambles.",
            ),
            ("Here the penalty is {penalty}.",),
        ),
        "ranked": Page(
            "The best candidates of the whole table, the best first. Each is written as a pair: which hypothesis it "
            "goes on from, and which word it adds.",
            (
                "Several may come from the same hypothesis, and a hypothesis may have none: then its line ends here.",
                "Only the first half is kept. The other half is listed to show what just missed it.",
                "Of equal scores, the earlier hypothesis goes first.",
            ),
        ),
        "ranked_scores": Page(
            "The scores of the best candidates in their order, with the sentences that they belong to. The line "
            "between those that stay and those that are dropped runs through the middle.",
            ("How near the last one that stays is to the first one that is dropped says how close the choice was.",),
        ),
        "kept": Page(
            "The first ones of the ranking, as many as the beam is wide, are the hypotheses of the next time step. "
            "Everything else is forgotten.",
            (
                "This is where a beam may miss the best sentence: one that begins badly and gets better is gone.",
                "With a width of 1 only the best stays, and the search is greedy.",
            ),
        ),
        "kept_totals": Page(
            "The log-probability of each sentence that stays. The next time step adds to it what the next word costs.",
            (
                "It is the total and not the score: the penalty is for comparing only, and is applied anew each time, "
                "to the length that the sentence has by then.",
            ),
        ),
    },
)
explain(
    "head",
    {
        "closed": Page(
            "Some tokens must not be written, such as padding: for them −∞ stands here, and 0 for all others. At the "
            "last time step that is allowed, all but the end is closed.",
            (
                "Padding is in the vocabulary so that sentences can be computed together; it is no word.",
                "A text that has to stop should stop with an end.",
            ),
        ),
        "allowed": Page(
            "The scores with those of closed tokens at −∞, which softmax makes exactly 0. Whatever is chosen from "
            "here on is among the tokens that may be written.",
            (
                "Nothing else changes: the others keep their scores, and their order.",
                "It is the same trick as the mask of attention.",
            ),
        ),
    },
)
