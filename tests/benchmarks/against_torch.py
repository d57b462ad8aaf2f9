"""A full trace against Hugging Face's eager models with all attentions and hidden states: random weights, same sizes.

Both may use two threads and are measured turn about. Needs torch and transformers (``make bench-torch`` installs them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tests.benchmarks.measure import Result, ratio
from txviz.models.tracing import keep_freed_memory
from txviz.nets import sentence_encoder, vit, writer
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes, initialise
from txviz.ops import Array
from txviz.trace import Run, Step

THREADS, TOKENS = 2, np.arange(128)
GPT_WORDS = 50_257


def results() -> Iterator[Result]:
    if find_spec("torch") is None or find_spec("transformers") is None:
        print("against torch: skipped, since torch or transformers is not installed (make bench-torch installs both)")
        return
    import torch

    torch.set_num_threads(THREADS)
    keep_freed_memory()
    with threadpool_limits(THREADS), torch.no_grad():
        yield Result("trace / Hugging Face eager: BERT 6×384×12, 128 tokens", ratio(_bert(), _their_bert()), "×", 1.0)
        yield Result("trace / Hugging Face eager: ViT-Base, 224×224", ratio(_vit(), _their_vit(), rounds=9), "×", 1.1)
        yield Result("trace / Hugging Face eager: GPT-2 small, 128 tokens", ratio(_gpt(), _their_gpt()), "×", 0.8)


def _traced(shapes: Shapes, forward: Callable[[Run], Step]) -> Callable[[], None]:
    parameters = initialise(shapes, seed=0, dtype="float32")
    kept: list[Run] = []

    def traced() -> None:
        """The last trace stays until the next is there, as it does in the window."""
        run = Run(parameters, dtype="float32")
        forward(run)
        kept[:] = [run]

    return traced


def _bert() -> Callable[[], None]:
    block = Block(d_model=384, heads=12, d_ff=1536, norm="post", activation="gelu_erf")
    config = sentence_encoder.SentenceEncoder(block, layers=6, vocabulary=30_522, longest=512)
    return _traced(
        sentence_encoder.shapes(config),
        lambda run: sentence_encoder.forward(run, config, run.given("tokens", TOKENS, axes="token")),
    )


def _vit() -> Callable[[], None]:
    block = Block(d_model=768, heads=12, d_ff=3072, norm="pre", activation="gelu_erf")
    classes = tuple(f"class {i}" for i in range(1000))
    config = vit.ViT(block, layers=12, image=(224, 224), patch=(16, 16), classes=classes, colours=3)
    pixels: Array = np.random.default_rng(0).random((224, 224, 3), dtype=np.float32)
    return _traced(
        vit.shapes(config), lambda run: vit.forward(run, config, run.given("image", pixels, axes="row column colour"))
    )


def _gpt() -> Callable[[], None]:
    block = Block(d_model=768, heads=12, d_ff=3072, norm="pre", activation="gelu_tanh")
    words = tuple(f"word {i}" for i in range(GPT_WORDS))
    config = writer.Writer(block, layers=12, vocabulary=words, longest=1024)
    return _traced(
        writer.shapes(config), lambda run: writer.forward(run, config, run.given("tokens", TOKENS, axes="token"))
    )


def _their_bert() -> Callable[[], Any]:
    from transformers import BertConfig, BertModel

    size = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
    return _run(BertModel(BertConfig(**size, attn_implementation="eager")), "input_ids", TOKENS[None])


def _their_vit() -> Callable[[], Any]:
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(num_labels=1000, attn_implementation="eager")
    pixels = np.random.default_rng(0).random((1, 3, 224, 224), dtype=np.float32)
    return _run(ViTForImageClassification(config), "pixel_values", pixels)


def _their_gpt() -> Callable[[], Any]:
    from transformers import GPT2Config, GPT2LMHeadModel

    return _run(GPT2LMHeadModel(GPT2Config(attn_implementation="eager")), "input_ids", TOKENS[None])


def _run(model: Any, name: str, array: Array) -> Callable[[], Any]:
    import torch

    model.eval()
    given = {name: torch.from_numpy(array)}
    return lambda: model(**given, output_attentions=True, output_hidden_states=True)
