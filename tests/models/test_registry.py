"""Where models come from: what ships, folders, and other packages."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import txviz
from txviz import TxvizError, resources
from txviz.models import find


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A trained model somewhere else than where it ships."""
    return Path(shutil.copytree(resources.path("models", "digits"), tmp_path / "mine"))


def test_a_folder_is_a_model(folder: Path) -> None:
    drawing = find("digits").examples[3]
    trace = txviz.trace(str(folder), drawing)
    assert trace.output == txviz.trace("digits", drawing).output
    assert trace.about["model"] == str(folder)


def test_a_folder_that_is_no_model(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(TxvizError, match="is a folder without a model; one has config"):
        find(str(tmp_path))
    with pytest.raises(TxvizError, match=r'no model is called ".*gone", and there is no such folder'):
        find(str(tmp_path / "gone"))
    (folder / "config.json").write_text(json.dumps({"model": "sentence-guide"}))
    with pytest.raises(TxvizError, match='holds a model of the kind "sentence-guide"; it can be sentence, digits'):
        find(str(folder))
    other = shutil.copytree(folder, tmp_path / "other")
    (other / "config.json").write_text("[]")
    with pytest.raises(TxvizError, match=r"is no model: its config\.json has neither a model_type"):
        find(str(other))


@pytest.mark.usefixtures("plugin")
def test_models_of_other_packages() -> None:
    assert txviz.models()[-2:] == ["digits-again", "no-digits"]
    assert txviz.trace("digits-again", find("digits").examples[3]).output == "3"
    with pytest.raises(
        TxvizError, match='the model "no-digits" of some_models:broken can\'t be loaded: no weights here'
    ):
        find("no-digits")


@pytest.mark.usefixtures("plugin")
def test_a_model_of_another_package_that_is_not_whole(tmp_path: Path) -> None:
    """It is told before the window, or a command, needs what it does not have."""
    (tmp_path / "some_models-1.0.dist-info" / "entry_points.txt").write_text(
        "[txviz.models]\nhalf = some_models:Half\n"
    )
    with pytest.raises(
        TxvizError, match=r'"half" of some_models:Half has no captions; see txviz\.models\.model\.Model'
    ):
        find("half")
