"""Makes the fixtures torch_*.safetensors: what PyTorch computes with random weights, for txviz to agree with.

PyTorch is no dependency of txviz. To make the fixtures again, in a throwaway environment, from the repository's root:

    pip install torch==2.13.0 numpy safetensors
    python tests/reference/make_torch_fixtures.py

The script does not import txviz, so that the two can't share a mistake: the numbers come from torch.nn, and only the
names and layouts are translated. A file has several cases, and a case has three kinds of tensors:

    <case>/input/<name>        what goes in
    <case>/parameter/<name>    under txviz's name, linear weights as (in, out)
    <case>/expected/<step>     what comes out, and intermediate results, under the names of txviz's steps

A training step expects backward.<parameter>, and for each optimiser <optimiser>.update.<parameter>.

The cases' configurations are JSON in the metadata, under "cases", with the fields of txviz's configurations. Everything
is float64 and seeded by the case's name, so one case can change without the others.

Letters: B examples in a batch, T tokens (S of the source), d features, V words, H heads, C colours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from math import log, sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

import torch
import torch.nn.functional as F  # noqa: N812
from safetensors.torch import save
from torch import Tensor, nn

HERE = Path(__file__).parent
ACTIVATIONS = {"relu": F.relu, "gelu_erf": F.gelu, "gelu_tanh": partial(F.gelu, approximate="tanh")}
PADDING = 0

Config = dict[str, Any]
Batch = list[list[int]]
Layout = Callable[[Tensor], Tensor]
"""From a parameter as PyTorch has it to the same one as txviz has it."""


class Case:
    """One model with one input. The ``watch`` methods keep a module's parameters, and its output once it runs."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.tensors: dict[str, Tensor] = {}
        self.learned: dict[str, tuple[Tensor, Layout]] = {}

    def give(self, name: str, value: Tensor) -> Tensor:
        return self._keep(f"input/{name}", value)

    def learn(self, name: str, value: Tensor, layout: Layout = torch.clone) -> Tensor:
        self.learned[name] = value, layout
        self._keep(f"parameter/{name}", layout(value))
        return value

    def expect(self, name: str, value: Tensor) -> Tensor:
        return self._keep(f"expected/{name}", value)

    def _keep(self, key: str, value: Tensor) -> Tensor:
        assert key not in self.tensors, f"{key} is there twice"
        assert value.dtype in (torch.float64, torch.int64), f"{key} is {value.dtype}"
        assert not value.isnan().any(), f"{key} has a NaN"
        self.tensors[key] = value.detach().clone(memory_format=torch.contiguous_format)
        return value

    def watch_linear(self, name: str, linear: nn.Linear, step: str = "") -> None:
        self._learn_linear(name, linear.weight, linear.bias)
        linear.register_forward_hook(lambda _, args, output: self.expect(step or name, output))

    def watch_norm(self, name: str, norm: nn.LayerNorm) -> None:
        self.learn(f"{name}.gain", norm.weight)
        if norm.bias is not None:
            self.learn(f"{name}.bias", norm.bias)
        norm.register_forward_hook(lambda _, args, output: self.expect(name, output))

    def watch_attention(self, scope: str, attention: nn.MultiheadAttention) -> None:
        """Queries, keys and values are one matrix in PyTorch. Layers don't ask for the weights, so the hook does."""
        for i, role in enumerate(("query", "key", "value")):
            self._learn_linear(f"{scope}.{role}", attention.in_proj_weight, attention.in_proj_bias, i, parts=3)
        self._learn_linear(f"{scope}.output", attention.out_proj.weight, attention.out_proj.bias)

        def hook(module: nn.MultiheadAttention, args: Any, options: Config, output: tuple[Tensor, Any]) -> None:
            asked = {**options, "need_weights": True, "average_attn_weights": False}
            self.expect(f"{scope}.weights", module.forward(*args, **asked)[1])
            self.expect(f"{scope}.output", output[0])

        attention.register_forward_hook(hook, with_kwargs=True)

    def watch_block(self, scope: str, block: nn.Module, attention: str) -> None:
        """A TransformerEncoderLayer, or a TransformerDecoderLayer, which has three sublayers instead of two."""
        self.watch_attention(f"{scope}.{attention}", block.self_attn)
        if isinstance(block, nn.TransformerDecoderLayer):
            self.watch_attention(f"{scope}.cross_attention", block.multihead_attn)
        self.watch_linear(f"{scope}.ffn.hidden", block.linear1)
        self.watch_linear(f"{scope}.ffn.output", block.linear2)
        norms = [norm for name, norm in block.named_children() if name.startswith("norm")]
        for n, norm in enumerate(norms, 1):
            self.watch_norm(f"{scope}.norm_{n}", norm)
        if block.norm_first:
            last = f"{scope}.residual_{len(norms)}"
            block.register_forward_hook(lambda _, args, output: self.expect(last, output))

    def _learn_linear(self, name: str, weight: Tensor, bias: Tensor | None, part: int = 0, parts: int = 1) -> None:
        """PyTorch keeps a linear layer's weights as (out, in)."""
        self.learn(f"{name}.weight", weight, lambda value: value.chunk(parts)[part].T)
        if bias is not None:
            self.learn(f"{name}.bias", bias, lambda value: value.chunk(parts)[part])


def randomised(module: nn.Module) -> Any:
    """Every parameter random, biases and gains too: left at 0 and 1 they would hide mistakes. Ready for evaluation."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5 if parameter.ndim == 1 else parameter[0].numel() ** -0.5)
    with torch.no_grad():
        for part in module.modules():
            if isinstance(part, nn.LayerNorm):
                part.weight += 1
    return module.eval()


def layer(block: Config, cross: bool = False) -> Any:
    kind = nn.TransformerDecoderLayer if cross else nn.TransformerEncoderLayer
    made = kind(
        block["d_model"],
        block["heads"],
        block["d_ff"],
        dropout=0.0,
        activation=ACTIVATIONS[block["activation"]],
        layer_norm_eps=block["epsilon"],
        batch_first=True,
        norm_first=block["norm"] == "pre",
        bias=block["biases"],
    )
    return randomised(made)


def stack(case: Case, name: str, layers: int, attention: str = "attention", cross: bool = False) -> Any:
    """Layers on top of each other, with a last norm if they are pre-norm."""
    block = case.config["block"]
    pre = block["norm"] == "pre"
    last = nn.LayerNorm(block["d_model"], eps=block["epsilon"], bias=block["biases"]) if pre else None
    if cross:
        made = nn.TransformerDecoder(layer(block, cross), layers, last)
    else:
        made = nn.TransformerEncoder(layer(block), layers, last, enable_nested_tensor=False)
    randomised(made)
    for i, one in enumerate(made.layers):
        case.watch_block(f"{name}.{i}", one, attention)
    if pre:
        case.watch_norm(f"{name}.norm", made.norm)
    return made


def causal(size: int) -> Tensor:  # -> (T,T), True where a query must not look
    return torch.ones(size, size, dtype=torch.bool).triu(1)


def padded(tokens: Tensor) -> Tensor | None:  # ([B,]T) -> ([B,]T), True for padding
    mask = tokens == PADDING
    return mask if mask.any() else None


def decoder_masks(source: Tensor, target: Tensor) -> dict[str, Tensor | None]:
    padding = {"tgt_key_padding_mask": padded(target), "memory_key_padding_mask": padded(source)}
    return {"tgt_mask": causal(target.shape[-1]), **padding}


def sinusoid(length: int, width: int) -> Tensor:  # -> (T,d)
    frequencies = torch.exp(torch.arange(0, width, 2) * (-log(10_000) / width))
    angles = torch.arange(length)[:, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def embed(case: Case, tokens: Tensor, scope: str = "", scaled: bool = False) -> Tensor:  # ([B,]T) -> ([B,]T,d)
    width, size = case.config["block"]["d_model"], case.config["vocabulary"]
    table = randomised(nn.Embedding(size if isinstance(size, int) else len(size), width))
    case.learn(f"{scope}embed.tokens.table", table.weight)
    x = table(tokens) * (sqrt(width) if scaled else 1)
    if case.config["positions"] == "learned":
        places = randomised(nn.Embedding(case.config["longest"], width))
        case.learn(f"{scope}embed.positions.table", places.weight)
        return case.expect(f"{scope}embed.sum", x + places(torch.arange(tokens.shape[-1])))
    return case.expect(f"{scope}embed.sum", x + sinusoid(tokens.shape[-1], width))


def classify(case: Case, x: Tensor, classes: int, bias: bool = True, tied_to: str = "") -> Tensor:  # (...,d) -> (...,V)
    if tied_to:
        table, _ = case.learned[tied_to]
        logits = case.expect("head.logits", F.linear(x, table))
    else:
        head = randomised(nn.Linear(x.shape[-1], classes, bias=bias))
        case.watch_linear("head", head, step="head.logits")
        logits = head(x)
    case.expect("head.probabilities", F.softmax(logits, dim=-1))
    return logits


def layer_norm(case: Case) -> None:
    """Rows of ordinary size, far from 0, and so small that epsilon decides."""
    rows = torch.randn(4, 6, 10)
    rows[1] += 1000
    rows[2] *= 1e-3
    rows[3] *= 1e-6
    norm = randomised(nn.LayerNorm(10, eps=case.config["epsilon"]))
    case.watch_norm("norm", norm)
    norm(case.give("x", rows))


def activation(case: Case) -> None:
    """From where erf and tanh are flat, through every branch of erf, to next to 0."""
    far, near = torch.logspace(1, 4, 40), torch.logspace(-300, 0, 60)
    x = case.give("x", torch.cat([torch.linspace(-10, 10, 401), far, -far, near, -near]))
    case.expect("activation", ACTIVATIONS[case.config["activation"]](x))


def softmax(case: Case, tokens: list[int]) -> None:
    """Scores so large that a plain exponential overflows, with whichever masks the case has."""
    ids, size = case.give("tokens", torch.tensor(tokens)), len(tokens)
    scores = case.give("scores", torch.randn(3, size, size) * torch.tensor([1.0, 30.0, 1000.0])[:, None, None])
    hidden = torch.zeros(size, size, dtype=torch.bool)
    if "causal" in case.config["masks"]:
        hidden |= causal(size)
    if "padding" in case.config["masks"]:
        hidden |= padded(ids)
    masked = scores.masked_fill(hidden, -torch.inf)
    if case.config["masks"]:
        case.expect("masked", masked)
    case.expect("weights", F.softmax(masked, dim=-1))


def attention(case: Case, queries: int, keys: int) -> None:
    """Without queries of its own, the memory asks itself."""
    width, heads = case.config["d_model"], case.config["heads"]
    memory = case.give("memory", torch.randn(keys, width))
    x = case.give("x", torch.randn(queries, width)) if queries else memory
    module = randomised(nn.MultiheadAttention(width, heads, bias=case.config["biases"], batch_first=True))
    case.watch_attention("attention", module)
    module(x, memory, memory)


def encoder_layer(case: Case, tokens: list[int]) -> None:
    one = layer(case.config["block"])
    case.watch_block("encoder.0", one, "attention")
    ids = case.give("tokens", torch.tensor(tokens))
    x = case.give("x", torch.randn(len(ids), case.config["block"]["d_model"]))
    one(x, src_key_padding_mask=padded(ids))


def decoder_layer(case: Case, source: list[int], target: list[int]) -> None:
    one, width = layer(case.config["block"], cross=True), case.config["block"]["d_model"]
    case.watch_block("decoder.0", one, "self_attention")
    source_ids, target_ids = case.give("source", torch.tensor(source)), case.give("target", torch.tensor(target))
    memory, x = case.give("memory", torch.randn(len(source), width)), case.give("x", torch.randn(len(target), width))
    one(x, memory, **decoder_masks(source_ids, target_ids))


def vit(case: Case) -> None:
    """A convolution whose stride is its size sees each patch once."""
    config, width, cls = case.config, case.config["block"]["d_model"], case.config["pooling"] == "cls"
    image = torch.randn(config["colours"], *config["image"])
    case.give("image", image[0] if config["colours"] == 1 else image.permute(1, 2, 0))
    conv = randomised(nn.Conv2d(config["colours"], width, config["patch"], stride=config["patch"]))
    case.learn("embed.projection.weight", conv.weight.permute(2, 3, 1, 0).flatten(0, 2))  # (d,C,h,w) -> (h·w·C,d)
    case.learn("embed.projection.bias", conv.bias)
    grid = conv(image)  # (d,rows,columns)
    x = case.expect("embed.projection", grid.flatten(1).T)
    if cls:
        x = torch.cat([case.learn("embed.cls.vector", torch.randn(1, width)), x])
    x = case.expect("embed.sum", x + grid_positions(case, *grid.shape[1:]))
    x = stack(case, "encoder", config["layers"])(x)
    pooled = case.expect(f"pool.{config['pooling']}", x[0] if cls else x.mean(dim=0))
    classify(case, pooled, len(config["classes"]))


def grid_positions(case: Case, rows: int, columns: int) -> Tensor:  # -> (T,d)
    width, cls = case.config["block"]["d_model"], case.config["pooling"] == "cls"
    if case.config["positions"] == "learned":
        return case.learn("embed.positions.table", torch.randn(rows * columns + cls, width))
    by_row = case.learn("embed.rows.table", torch.randn(rows, width))
    by_column = case.learn("embed.columns.table", torch.randn(columns, width))
    grid = (by_row[:, None] + by_column[None]).flatten(0, 1)
    return torch.cat([case.learn("embed.cls.position", torch.randn(1, width)), grid]) if cls else grid


def sentence_encoder(case: Case, tokens: list[int]) -> None:
    ids, pooling = case.give("tokens", torch.tensor(tokens)), case.config["pooling"]
    x = stack(case, "encoder", case.config["layers"])(embed(case, ids), src_key_padding_mask=padded(ids))
    case.expect(f"pool.{pooling}", x[0] if pooling == "cls" else x[ids != PADDING].mean(dim=0))


def writer(case: Case, tokens: list[int]) -> None:
    """PyTorch has no decoder without cross-attention: it is an encoder with a causal mask."""
    ids = case.give("tokens", torch.tensor(tokens))
    masks = {"mask": causal(len(ids)), "src_key_padding_mask": padded(ids)}
    x = stack(case, "decoder", case.config["layers"], "self_attention")(embed(case, ids), **masks)
    tied = "embed.tokens.table" if case.config["tied_head"] else ""
    classify(case, x, len(case.config["vocabulary"]), bias=False, tied_to=tied)


def translator(case: Case, source: Any, target: Any) -> Tensor:  # ([B,]S), ([B,]T) -> ([B,]T,V)
    config, scaled = case.config, case.config["scaled_embeddings"]
    source_ids, target_ids = case.give("source", torch.tensor(source)), case.give("target", torch.tensor(target))
    encoder = stack(case, "encoder", config["encoder_layers"])
    decoder = stack(case, "decoder", config["decoder_layers"], "self_attention", cross=True)
    memory = encoder(embed(case, source_ids, scaled=scaled), src_key_padding_mask=padded(source_ids))
    x = decoder(embed(case, target_ids, "decoder.", scaled), memory, **decoder_masks(source_ids, target_ids))
    tied = "decoder.embed.tokens.table" if config["tied_head"] else ""
    return classify(case, x, len(config["vocabulary"]), tied_to=tied)


def training_step(case: Case, source: Batch, target: Batch, labels: Batch) -> None:
    """One step of each optimiser, all from the same start. What the layers compute on the way is in other fixtures."""
    model, answers = Case(case.config["model"]), torch.tensor(labels)
    with torch.enable_grad():
        logits = translator(model, source, target)
        settings = {"ignore_index": PADDING, "label_smoothing": case.config["smoothing"]}
        loss = F.cross_entropy(logits.flatten(0, 1), answers.flatten(), **settings)
    loss.backward()
    case.tensors |= {key: value for key, value in model.tensors.items() if not key.startswith("expected/")}
    case.give("labels", answers)
    each = F.cross_entropy(logits.flatten(0, 1), answers.flatten(), **settings, reduction="none")
    case.expect("loss.positions", each.unflatten(0, answers.shape))
    case.expect("loss.mean", loss)
    for name, (parameter, layout) in model.learned.items():
        case.expect(f"backward.{name}", layout(parameter.grad))
    for optimiser, recipe in case.config["recipes"].items():
        learners = {}
        for name in model.learned:
            learners[name] = nn.Parameter(case.tensors[f"parameter/{name}"].clone())
            learners[name].grad = case.tensors[f"expected/backward.{name}"].clone()
        OPTIMISERS[optimiser](learners.values(), recipe).step()
        for name, learner in learners.items():
            case.expect(f"{optimiser}.update.{name}", learner)


def adam(kind: type[torch.optim.Optimizer], parameters: Iterable[Tensor], recipe: Config) -> torch.optim.Optimizer:
    settings = {"betas": recipe["betas"], "eps": recipe["epsilon"], "weight_decay": recipe["weight_decay"]}
    return kind(parameters, lr=recipe["rate"], **settings)


OPTIMISERS: dict[str, Callable[[Iterable[Tensor], Config], torch.optim.Optimizer]] = {
    "adam": partial(adam, torch.optim.Adam),
    "adamw": partial(adam, torch.optim.AdamW),
    "sgd": lambda parameters, recipe: torch.optim.SGD(parameters, lr=recipe["rate"]),
}


def block(
    d_model: int, heads: int, d_ff: int, norm: str, activation: str, biases: bool = True, epsilon: float = 1e-5
) -> Config:
    """The fields of txviz's ``Block``."""
    return dict(locals())


def words(size: int) -> list[str]:
    return [f"w{i}" for i in range(size)]


OPEN, ENDED = [7, 2, 5, 3, 8], [7, 2, 5, PADDING, PADDING]
VIT = {"layers": 2, "colours": 1, "positions": "learned", "pooling": "cls"}
SENTENCE = {"layers": 2, "vocabulary": 10, "longest": 9, "positions": "learned", "pooling": "mean"}
WRITER = {"layers": 2, "vocabulary": words(9), "longest": 8, "positions": "learned", "padding": None, "tied_head": True}
TRANSLATOR = {
    "encoder_layers": 2,
    "decoder_layers": 2,
    "vocabulary": words(10),
    "longest": 8,
    "positions": "sinusoidal",
    "padding": PADDING,
    "scaled_embeddings": True,
    "tied_head": False,
}
SMALL = {**TRANSLATOR, "encoder_layers": 1, "decoder_layers": 1}
ADAM = {"optimiser": "adam", "rate": 1e-3, "betas": (0.9, 0.98), "epsilon": 1e-9, "weight_decay": 0.0}
TRAINING = {
    "smoothing": 0.1,
    "recipes": {"adam": ADAM, "adamw": {**ADAM, "weight_decay": 0.01}, "sgd": {"optimiser": "sgd", "rate": 0.1}},
}
# Sources, targets and labels of three examples; all lengths differ, so that either side has padding. No example starts
# with padding, so every query has a key to look at, even where the query is padding itself.
LESSON = (
    [[7, 2, 5, 3, 8], [4, 6, PADDING, PADDING, PADDING], [9, 3, 3, 5, PADDING]],
    [[1, 6, 4, PADDING], [1, 9, 3, 7], [1, 5, PADDING, PADDING]],
    [[6, 4, 2, PADDING], [9, 3, 7, 2], [5, 2, PADDING, PADDING]],
)

# fmt: off
CASES: dict[Callable[..., Any], dict[str, tuple[Any, ...]]] = {
    layer_norm: {"epsilon_1e-5": ({"epsilon": 1e-5},), "epsilon_1e-12": ({"epsilon": 1e-12},)},
    activation: {name: ({"activation": name},) for name in ACTIVATIONS},
    softmax: {
        "open": ({"masks": []}, OPEN),
        "causal": ({"masks": ["causal"]}, OPEN),
        "padding": ({"masks": ["padding"]}, [4, 2, PADDING, 7, PADDING, PADDING]),
        "both": ({"masks": ["causal", "padding"]}, [4, 2, PADDING, 7, PADDING, PADDING]),
    },
    attention: {
        "one_head": ({"d_model": 5, "heads": 1, "biases": True}, 0, 6),
        "self": ({"d_model": 12, "heads": 4, "biases": True}, 0, 5),
        "cross": ({"d_model": 12, "heads": 3, "biases": True}, 4, 6),
        "no_biases": ({"d_model": 8, "heads": 2, "biases": False}, 5, 3),
    },
    encoder_layer: {
        "pre_relu": ({"block": block(8, 2, 12, "pre", "relu")}, OPEN),
        "pre_relu_padded": ({"block": block(8, 4, 12, "pre", "relu")}, ENDED),
        "pre_gelu_erf": ({"block": block(9, 3, 14, "pre", "gelu_erf", epsilon=1e-12)}, OPEN),
        "pre_gelu_erf_padded": ({"block": block(8, 2, 16, "pre", "gelu_erf")}, ENDED),
        "post_relu": ({"block": block(8, 1, 10, "post", "relu")}, OPEN),
        "post_relu_padded": ({"block": block(6, 3, 24, "post", "relu")}, ENDED),
        "post_gelu_erf": ({"block": block(8, 2, 12, "post", "gelu_erf", biases=False)}, OPEN),
        "post_gelu_erf_padded": ({"block": block(8, 4, 12, "post", "gelu_erf", epsilon=1e-12)}, ENDED),
    },
    decoder_layer: {
        "pre": ({"block": block(8, 2, 12, "pre", "gelu_erf")}, OPEN, [1, 6, 4]),
        "pre_padded": ({"block": block(6, 3, 10, "pre", "gelu_tanh")}, ENDED, [1, 6, 4, 2, PADDING]),
        "post": ({"block": block(8, 4, 10, "post", "gelu_erf")}, OPEN, [1, 6, 4, 9, 3, 2, 5]),
        "post_padded": ({"block": block(9, 3, 12, "post", "relu")}, ENDED, [1, 6, 4, 9]),
    },
    vit: {
        "grey_cls": ({**VIT, "block": block(8, 2, 16, "pre", "gelu_erf", epsilon=1e-6),
                      "image": [6, 6], "patch": [2, 2], "classes": words(4)},),
        "colour_mean": ({**VIT, "block": block(12, 3, 10, "post", "relu"), "pooling": "mean",
                         "image": [4, 9], "patch": [2, 3], "classes": words(5), "colours": 3},),
        "grid": ({**VIT, "block": block(6, 2, 8, "pre", "gelu_tanh"), "layers": 1, "positions": "learned_2d",
                  "image": [6, 4], "patch": [3, 1], "classes": words(3), "colours": 3},),
    },
    sentence_encoder: {
        "mean": ({**SENTENCE, "block": block(8, 4, 12, "post", "gelu_erf", epsilon=1e-12)}, OPEN),
        "mean_padded": ({**SENTENCE, "block": block(6, 2, 8, "pre", "gelu_tanh"), "layers": 1}, ENDED),
        "cls": ({**SENTENCE, "block": block(12, 3, 10, "pre", "relu"), "pooling": "cls", "positions": "sinusoidal"},
                OPEN),
        "cls_padded": ({**SENTENCE, "block": block(8, 2, 12, "post", "gelu_erf"), "pooling": "cls"}, ENDED),
    },
    writer: {
        "tied": ({**WRITER, "block": block(12, 3, 16, "pre", "gelu_tanh")}, [3, 1, 4, 1, 5, 2]),
        "untied": ({**WRITER, "block": block(8, 4, 20, "pre", "gelu_tanh"), "tied_head": False}, [3, 1, 4, 1, 5, 2, 8]),
        "padded": ({**WRITER, "block": block(6, 3, 8, "pre", "gelu_tanh"), "padding": PADDING}, ENDED),
        "no_biases": ({**WRITER, "block": block(8, 2, 12, "pre", "gelu_tanh", biases=False), "layers": 1,
                       "positions": "sinusoidal", "tied_head": False}, OPEN),
    },
    translator: {
        "untied": ({**TRANSLATOR, "block": block(8, 2, 6, "post", "relu")}, ENDED, [1, 6, 4, 9]),
        "tied": ({**TRANSLATOR, "block": block(6, 3, 10, "pre", "gelu_erf"), "decoder_layers": 1, "tied_head": True},
                 [3, 8, 4, 6, 2, PADDING], [1, 9, 9, 2, PADDING]),
        "learned": ({**TRANSLATOR, "block": block(6, 2, 8, "pre", "relu"), "encoder_layers": 1, "decoder_layers": 1,
                     "positions": "learned", "scaled_embeddings": False}, OPEN, [1, 6, 4, 2, 3, 5]),
    },
    training_step: {
        "untied": ({**TRAINING, "model": {**SMALL, "block": block(6, 2, 8, "post", "relu"), "longest": 6,
                    "positions": "learned", "scaled_embeddings": False}}, *LESSON),
        "tied": ({**TRAINING, "model": {**SMALL, "block": block(6, 3, 8, "pre", "gelu_erf"), "tied_head": True}},
                 *LESSON),
    },
}
# fmt: on


def main() -> None:
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    torch.backends.mha.set_fastpath_enabled(False)  # the fused kernels skip the modules that are watched
    for make, cases in CASES.items():
        tensors: dict[str, Tensor] = {}
        for name, (config, *inputs) in cases.items():
            torch.manual_seed(crc32(f"{make.__name__}/{name}".encode()))
            case = Case(config)
            make(case, *inputs)
            tensors |= {f"{name}/{key}": value for key, value in case.tensors.items()}
        path = HERE / f"torch_{make.__name__}.safetensors"
        configs = {name: config for name, (config, *_) in cases.items()}
        path.write_bytes(save(tensors, metadata={"cases": json.dumps(configs)}))
        print(f"{path.name}: {len(cases)} cases, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
