"""Folders that hold a model: which one a path belongs to, and what people call it."""

from __future__ import annotations

from pathlib import Path

from txviz.errors import TxvizError
from txviz.files import is_file, is_folder, reading

CONFIG = "config.json"
_WEIGHTS = ("model", "weights")
"""How the names of files with weights begin; any other safetensors file beside them may be a trace."""

UNREAD = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".h5", ".msgpack", ".onnx", ".gguf")
"""Endings of weights in other formats."""


def model_folder(path: Path) -> Path | None:
    """The folder of a model that is meant by a path: the folder itself, or a file of it. None for all else."""
    if is_folder(path):
        return path
    own = path.suffix in (".json", *UNREAD) or (path.suffix == ".safetensors" and path.stem.startswith(_WEIGHTS))
    if own and is_file(path.with_name(CONFIG)):
        return path.parent
    if path.suffix in UNREAD and is_file(path):
        raise TxvizError(
            f"{path} is not read, since opening it could run code; a model is a folder "
            "with config.json and model.safetensors, which save_pretrained of transformers writes"
        )
    return None


def inner_folder(folder: Path) -> Path:
    """Where the files are: in a folder of Hugging Face's cache that is the snapshot which was loaded last."""
    snapshots = folder / "snapshots"
    if is_file(folder / CONFIG) or not is_folder(snapshots):
        return folder
    main = folder / "refs" / "main"
    with reading(folder):
        named = main.read_text("utf-8", "replace").strip() if is_file(main) else ""
        found = sorted(each for each in snapshots.iterdir() if is_file(each / CONFIG))
    return next((each for each in found if each.name == named), found[-1] if found else folder)


def folder_title(name: str) -> str:
    """The folder's own name; one of Hugging Face's cache is called by that of its model.

    >>> folder_title("/models/gpt2/"), folder_title("/hub/models--openai--clip/snapshots/3d74acf")
    ('gpt2', 'clip')
    """
    path = Path(name.replace("\\", "/")).absolute()
    path = path.parent.parent if path.parent.name == "snapshots" else path
    named = path.resolve().name if path.name == ".." else path.name
    return named.rpartition("--")[2] if named.startswith("models--") else named
