"""The checkpoints of tests/reference, and what transformers makes of them (see make_checkpoints.py there)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file

from txviz.ops import Array

FOLDER = Path(__file__).parents[2] / "reference/checkpoints"
ENCODERS = (
    "bert-masked",
    "bert-classifier",
    "minilm",
    "distilbert-masked",
    "distilbert-classifier",
    "roberta-masked",
    "roberta-classifier",
    "xlm-roberta",
    "mpnet",
    "electra-generator",
    "electra-classifier",
)
VECTORS = ("minilm", "mpnet")
IMAGES = ("vit", "deit", "deit-one-head")
DRAWINGS = ("vit-drawing",)
WRITERS = ("gpt2", "llama", "qwen2", "qwen3", "mistral", "gemma", "phi3")
TRANSLATORS = ("marian", "t5", "flan-t5")
ALL = (*ENCODERS, *IMAGES, *DRAWINGS, *WRITERS, *TRANSLATORS)


@cache
def told(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


@cache
def expected(name: str) -> dict[str, Array]:
    return load_file(FOLDER / f"{name}.safetensors")


def path(name: str) -> str:
    return str(FOLDER / name)


def source(name: str) -> Any:
    return str(FOLDER / "photograph.png") if name in IMAGES else told(name)["input"]
