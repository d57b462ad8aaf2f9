"""A full trace against Hugging Face's eager models with all attentions and hidden states, and against TransformerLens'
cache of GPT-2: random weights, same sizes.

All may use two threads and are measured turn about, and the quickest run of each counts: where other programs want the
same two cores, threads that wait for each other take many times as long, in either library. Needs torch, transformers
and transformer-lens (``make bench-torch`` installs them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tests.benchmarks.measure import Result, ratio_of_best
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
        for name, ours, theirs, target in (
            ("BERT 6×384×12, 128 tokens", _bert, _their_bert, 1.0),
            ("ViT-Base, 224×224", _vit, _their_vit, 1.1),
            ("GPT-2 small, 128 tokens", _gpt, _their_gpt, 0.8),
        ):
            yield Result(f"trace / Hugging Face eager: {name}", ratio_of_best(ours(), theirs()), "×", target)
        if find_spec("transformer_lens") is not None:
            cached = ratio_of_best(_gpt(), _lens_of_gpt())
            yield Result("trace / TransformerLens' cache: GPT-2 small, 128 tokens", cached, "×", 0.5)


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


def _lens_of_gpt() -> Callable[[], Any]:
    import torch
    from transformer_lens import HookedTransformer, HookedTransformerConfig

    sizes = {"n_layers": 12, "d_model": 768, "n_heads": 12, "d_head": 64, "d_mlp": 3072, "n_ctx": 1024}
    kinds = {"act_fn": "gelu_new", "normalization_type": "LN", "device": "cpu"}
    config = HookedTransformerConfig(**sizes, **kinds, d_vocab=GPT_WORDS)
    model, given = HookedTransformer(config).eval(), torch.from_numpy(TOKENS[None])
    return lambda: model.run_with_cache(given)


def _run(model: Any, name: str, array: Array) -> Callable[[], Any]:
    import torch

    model.eval()
    given = {name: torch.from_numpy(array)}
    return lambda: model(**given, output_attentions=True, output_hidden_states=True)
