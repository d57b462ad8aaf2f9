"""The list of mutants stays true: what it changes is there, and so are the tests that should see it."""

from __future__ import annotations

import ast
import shlex

import pytest

from tests.mutants import ROOT, Mutant, mutants


def test_names_are_unique() -> None:
    names = [mutant.name for mutant in mutants()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: mutant.name)
def test_every_mutant_can_be_made(mutant: Mutant) -> None:
    before = (ROOT / mutant.path).read_text("utf-8")
    after = mutant.applied(before)
    assert after is not None, f"{mutant.path} does not have this exactly once: {mutant.old}"
    assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before)), "it changes nothing"
    files = [word for word in shlex.split(mutant.tests) if word.endswith(".py")]
    assert files
    assert [file for file in files if not (ROOT / "tests" / file).is_file()] == []
