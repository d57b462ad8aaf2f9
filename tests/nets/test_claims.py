"""What words say about numbers is so in every run, and is no longer said after an edit that undoes it."""

from __future__ import annotations

import pytest

import txviz
from tests.figures.shipped import KINDS, trace
from txviz.models import find
from txviz.trace.leaves import declared
from txviz.trace.leaves import find as find_leaf

MASKED = "decoder.0.self_attention"


def test_each_claim_stands_in_the_words_of_its_leaf() -> None:
    claims = [(leaf, claim) for leaf in declared().values() for claim in leaf.claims]
    assert claims
    for leaf, claim in claims:
        assert (claim.words in leaf.text) + (claim.words in leaf.heading) == 1


def test_whatever_says_what_rows_sum_to_is_checked() -> None:
    for place, leaf in declared().items():
        assert ("row sums to 1" in leaf.text) == any("sums to 1" in claim.words for claim in leaf.claims), place


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_model_computes_keeps_them(kind: str) -> None:
    for step in trace(kind):
        leaf = find_leaf(step.site) if step.site.pass_ == "forward" else None
        for claim in leaf.claims if leaf else ():
            assert claim.holds(step), (step.name, claim.words)


def told(model: str, step: str, *edits: str) -> tuple[str, str]:
    found = txviz.trace(model, find(model).example, edits=edits)[step]
    return found.heading, found.what


def test_without_the_mask() -> None:
    def told_here(leaf: str) -> tuple[str, str]:
        return told("masked-attention-guide", f"{MASKED}.{leaf}", f"{MASKED}.masked=@1")

    heading, what = told_here("masked")
    assert heading == "Masked scores: not all that should be hidden is −∞"
    assert what == "The scores after the mask: not all that comes later is −∞."
    _, what = told_here("weights")
    assert "gives to each token (column), also to later ones; each row sums to 1." in what


def test_what_is_mixed_without_the_mask() -> None:
    place = "time.3.decoder.0.self_attention"
    _, what = told("translator", f"{place}.context", f"{place}.masked=@1")
    assert what == "Each token's mix of the values, also of later tokens, by its attention weights."


def test_one_cell_is_enough() -> None:
    _, what = told("masked-attention-guide", f"{MASKED}.weights", f"{MASKED}.masked[0,0,5]=0")
    assert "also to later ones; each row sums to 1." in what
    _, what = told("masked-attention-guide", f"{MASKED}.weights", f"{MASKED}.weights[0,1,0]=0.9")
    assert "itself and to each one before it (column); its rows do not all sum to 1." in what


def test_probabilities_that_are_put_in() -> None:
    step = "head.probabilities"
    assert told("vit-guide-2x2", step)[1].endswith("each row sums to 1.")
    assert told("vit-guide-2x2", step, f"{step}[0]=3")[1].endswith("its rows do not all sum to 1.")
