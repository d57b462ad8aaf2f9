"""The score without a piece of the input, against a run of the model on an image whose piece is 0."""

import numpy as np
import pytest

import txviz
from txviz.analysis.without import without
from txviz.models import find


@pytest.mark.parametrize("model", ["vit-guide-2x2", "digits"])
def test_without_a_patch_is_the_run_on_an_image_that_has_0_there(model: str) -> None:
    trace = txviz.trace(model, find(model).example)
    patches, logits = trace["patches"], trace["head.logits"]
    found = without(patches, logits, 1)
    for i in range(len(patches.value)):
        image = trace["image"].value.copy()
        row, column = (2 * place for place in divmod(i, 3))
        image[row : row + 2, column : column + 2] = 0
        ran = txviz.trace(model, "\n".join(" ".join(map(str, line)) for line in image.tolist()))
        assert found[i] == pytest.approx(ran["head.logits"].value[1], abs=1e-6)


def test_what_the_answer_does_not_come_from_changes_nothing() -> None:
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example, edits=["pool.cls=guide"])
    logits = trace["head.logits"]
    assert np.array_equal(without(trace["patches"], logits, 2), np.full(9, logits.value[2]))
