"""`translator`, `writer` and `digits` in PyTorch, eager, of the same sizes, with the weights of txviz's.

Attention is written out, and queries, keys and values of self-attention are one product: so they are quicker here than
by ``nn.Transformer`` and its fused attention, which is made for longer texts.

Letters: B examples, S source and T target tokens, d features, V entries of a vocabulary or classes, H heads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log, sqrt
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from txviz.nets import translator, vit, writer
from txviz.nets.blocks import Block

Of = Callable[[Any], Tensor]
"""From a parameter to its numbers, or to their gradient."""

ACTIVATIONS = {"relu": F.relu, "gelu_tanh": partial(F.gelu, approximate="tanh")}


class Attention(nn.Module):  # type: ignore[misc]
    def __init__(self, block: Block) -> None:
        super().__init__()
        self.projections = nn.Linear(block.d_model, 3 * block.d_model)
        self.output, self.heads = nn.Linear(block.d_model, block.d_model), block.heads

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:  # (B,T,d), (B,S,d) -> (B,T,d)
        q, k, v = (self._split(part) for part in self._projected(x, memory))
        scores = q @ k.transpose(-2, -1) / sqrt(q.shape[-1])
        weights = F.softmax(scores if mask is None else scores + mask, dim=-1)
        return self.output((weights @ v).transpose(1, 2).flatten(2))

    def _projected(self, x: Tensor, memory: Tensor) -> Any:  # (B,T,d), (B,S,d) -> three of these
        weight, bias, width = self.projections.weight, self.projections.bias, x.shape[-1]
        if memory is x:
            return self.projections(x).chunk(3, dim=-1)
        of_memory = F.linear(memory, weight[width:], bias[width:]).chunk(2, dim=-1)
        return F.linear(x, weight[:width], bias[:width]), *of_memory

    def _split(self, x: Tensor) -> Tensor:  # (B,T,d) -> (B,H,T,d/H)
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Layer(nn.Module):  # type: ignore[misc]
    """Pre-norm, as all of txviz's trained models are; with ``cross`` it also looks at a memory."""

    def __init__(self, block: Block, attention: str, cross: bool = False) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[block.activation]
        names = [attention, "cross_attention"] if cross else [attention]
        self.attentions = nn.ModuleDict({name: Attention(block) for name in names})
        self.norms = nn.ModuleList(nn.LayerNorm(block.d_model, block.epsilon) for _ in range(2 + cross))
        self.hidden, self.output = nn.Linear(block.d_model, block.d_ff), nn.Linear(block.d_ff, block.d_model)

    def forward(self, x: Tensor, mask: Tensor | None, memory: Tensor | None = None, memory_mask: Any = None) -> Tensor:
        first, *others = self.attentions.values()
        y = self.norms[0](x)
        x = x + first(y, y, mask)
        for norm, other in zip(self.norms[1:], others, strict=False):
            x = x + other(norm(x), memory, memory_mask)
        return x + self.output(self.activation(self.hidden(self.norms[-1](x))))


class Stack(nn.Module):  # type: ignore[misc]
    def __init__(self, block: Block, count: int, attention: str = "self_attention", cross: bool = False) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(block, attention, cross) for _ in range(count))
        self.norm = nn.LayerNorm(block.d_model, block.epsilon)

    def forward(self, x: Tensor, *settings: Any) -> Tensor:  # (B,T,d) -> (B,T,d)
        for layer in self.layers:
            x = layer(x, *settings)
        return self.norm(x)


def causal(tokens: Tensor, padding: int | None) -> Tensor:  # (B,T) -> (T,T) or (B,1,T,T)
    size = tokens.shape[1]
    mask = torch.full((size, size), -torch.inf).triu(1)
    hidden = padded(tokens, padding)
    return mask if hidden is None else mask + hidden


def padded(
    tokens: Tensor, padding: int | None
) -> Tensor | None:  # (B,T) -> (B,1,1,T), or nothing where there is no padding
    hidden = tokens == padding
    return torch.zeros(tokens.shape).masked_fill(hidden, -torch.inf)[:, None, None] if hidden.any() else None


class Translator(nn.Module):  # type: ignore[misc]
    def __init__(self, config: translator.Translator) -> None:
        super().__init__()
        width, size = config.block.d_model, len(config.vocabulary)
        self.padding, self.scale = config.padding, sqrt(width)
        self.source, self.target = nn.Embedding(size, width), nn.Embedding(size, width)
        angles = torch.arange(config.longest)[:, None] * torch.exp(torch.arange(0, width, 2) * (-log(10_000) / width))
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1))
        self.encoder = Stack(config.block, config.encoder_layers, "attention")
        self.decoder = Stack(config.block, config.decoder_layers, cross=True)

    def embed(self, table: nn.Embedding, tokens: Tensor) -> Tensor:  # (B,T) -> (B,T,d)
        return table(tokens) * self.scale + self.positions[: tokens.shape[1]]

    def forward(self, source: Tensor, target: Tensor) -> Tensor:  # (B,S), (B,T) -> (B,T,V)
        hidden = padded(source, self.padding)
        memory = self.encoder(self.embed(self.source, source), hidden)
        x = self.decoder(self.embed(self.target, target), causal(target, self.padding), memory, hidden)
        return F.linear(x, self.target.weight)


class Writer(nn.Module):  # type: ignore[misc]
    def __init__(self, config: writer.Writer) -> None:
        super().__init__()
        width = config.block.d_model
        self.padding = config.padding
        self.tokens, self.places = nn.Embedding(len(config.vocabulary), width), nn.Embedding(config.longest, width)
        self.decoder = Stack(config.block, config.layers)

    def forward(self, tokens: Tensor) -> Tensor:  # (B,T) -> (B,T,V)
        x = self.tokens(tokens) + self.places.weight[: tokens.shape[1]]
        return F.linear(self.decoder(x, causal(tokens, self.padding)), self.tokens.weight)


class Digits(nn.Module):  # type: ignore[misc]
    def __init__(self, config: vit.ViT) -> None:
        super().__init__()
        width, (rows, columns) = config.block.d_model, config.grid
        self.patches = nn.Conv2d(1, width, config.patch, stride=config.patch)
        self.places = nn.Embedding(rows * columns, width)
        self.encoder = Stack(config.block, config.layers, "attention")
        self.head = nn.Linear(width, len(config.classes))

    def forward(self, images: Tensor) -> Tensor:  # (B,rows,columns) -> (B,V)
        x = self.patches(images[:, None]).flatten(2).transpose(1, 2) + self.places.weight
        return self.head(self.encoder(x, None).mean(dim=1))


MODELS: dict[str, Any] = {"translator": Translator, "writer": Writer, "digits": Digits}

NAMES = {
    "source": "embed.tokens",
    "target": "decoder.embed.tokens",
    "tokens": "embed.tokens",
    "places": "embed.positions",
    "patches": "embed.projection",
}
"""Of the modules above, as txviz calls them, where it calls them otherwise."""


def as_ours(module: Any, of: Of, scope: str = "") -> dict[str, Tensor]:
    """Views of all parameters, by txviz's names and in its layouts."""
    if isinstance(module, nn.LayerNorm):
        return {f"{scope}gain": of(module.weight), f"{scope}bias": of(module.bias)}
    if isinstance(module, nn.Embedding):
        return {f"{scope}table": of(module.weight)}
    if isinstance(module, nn.Linear | nn.Conv2d):
        return {f"{scope}weight": of(module.weight).flatten(1).T, f"{scope}bias": of(module.bias)}
    found: dict[str, Tensor] = {}
    for name, child in _children(module).items():
        found |= as_ours(child, of, f"{scope}{NAMES.get(name, name)}.")
    if isinstance(module, Attention):
        weights, biases = of(module.projections.weight).chunk(3), of(module.projections.bias).chunk(3)
        for role, weight, bias in zip(("query", "key", "value"), weights, biases, strict=True):
            found |= {f"{scope}{role}.weight": weight.T, f"{scope}{role}.bias": bias}
    return found


def _children(module: Any) -> dict[str, Any]:
    if isinstance(module, Attention):
        return {"output": module.output}
    if isinstance(module, Stack):
        return {**dict(module.layers.named_children()), "norm": module.norm}
    if isinstance(module, Layer):
        norms = {f"norm_{i}": norm for i, norm in enumerate(module.norms, 1)}
        return {**dict(module.attentions.items()), **norms, "ffn.hidden": module.hidden, "ffn.output": module.output}
    return dict(module.named_children())
