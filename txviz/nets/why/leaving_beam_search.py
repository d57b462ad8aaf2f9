"""Why a finished sentence leaves the beam."""

from __future__ import annotations

from txviz.trace.why import Page, explain

explain(
    "search",
    {
        "ends": Page(
            "A sentence that ends here needs no place in the beam any more: it is written down with its score, and "
            "waits. For that its next token, the end, is closed with −∞; all others stay open with 0.",
            (
                "So the beam stays as wide as it was, and only sentences go on that can still grow.",
                "Those that wait are compared at the very end, by their score over their length.",
            ),
        ),
        "unfinished": Page(
            "The scores of all sentences that go on; those that end have −∞, and are not looked at here. The best of "
            "these are the hypotheses of the next time step.",
            (
                "All of them have the same length, so a penalty for the length changes nothing in their order.",
                "The search may stop when enough sentences wait, and none of these looks better than the worst of "
                "them.",
            ),
        ),
    },
)
