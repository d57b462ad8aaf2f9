"""ViT, and DeiT, which has a second token that learnt from a teacher: photographs in patches, and classes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from txviz import resources
from txviz.models.checkpoints.config import Config
from txviz.models.checkpoints.encoding import ACTIVATIONS, check_heads
from txviz.models.checkpoints.model import Checkpoint, Net
from txviz.models.checkpoints.names import Row, linear, norm, rows
from txviz.models.checkpoints.seeing import COLOURS, Preprocessor, open_preprocessor
from txviz.models.images import image_text, read_image, read_picture, reduce_picture
from txviz.models.model import InputKind, Prepared
from txviz.nets import photograph, stacks, vit
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes
from txviz.nets.vit import ViT
from txviz.ops import Array
from txviz.trace import Run

EXAMPLE = "fruit.jpg"
LARGEST_DRAWN = 32
"""Rows and columns of an image that can still be drawn by hand."""

TOO_MANY = f"Up to {LARGEST_DRAWN}×{LARGEST_DRAWN} pixels can be drawn by hand,"
CHANGED = "It can't be drawn by hand: this model first resizes a picture and cuts its edges off."


def as_matrix(x: Array) -> Array:  # (d,C,rows,columns) -> (rows·columns·C,d)
    """A convolution that does not overlap is a product with each patch."""
    return np.asarray(x.transpose(2, 3, 1, 0).reshape(-1, x.shape[0]))


def without_batch(x: Array) -> Array:  # (1,T,d) -> (T,d)
    return np.asarray(x[0])


NAMES = rows(
    [Row("embeddings.cls_token", "embed.cls.vector", without_batch)],
    [Row("embeddings.distillation_token", "embed.distillation.vector", without_batch)],
    [Row("embeddings.position_embeddings", "embed.positions.table", without_batch)],
    [Row("embeddings.patch_embeddings.projection.weight", "embed.projection.weight", as_matrix)],
    [Row("embeddings.patch_embeddings.projection.bias", "embed.projection.bias")],
    norm("encoder.layer.{i}.layernorm_before", "encoder.{i}.norm_1"),
    linear("encoder.layer.{i}.attention.attention.query", "encoder.{i}.attention.query"),
    linear("encoder.layer.{i}.attention.attention.key", "encoder.{i}.attention.key"),
    linear("encoder.layer.{i}.attention.attention.value", "encoder.{i}.attention.value"),
    linear("encoder.layer.{i}.attention.output.dense", "encoder.{i}.attention.output"),
    norm("encoder.layer.{i}.layernorm_after", "encoder.{i}.norm_2"),
    linear("encoder.layer.{i}.intermediate.dense", "encoder.{i}.ffn.hidden"),
    linear("encoder.layer.{i}.output.dense", "encoder.{i}.ffn.output"),
    norm("layernorm", "encoder.norm"),
    linear("classifier", "head"),
    linear("cls_classifier", "head.class"),
    linear("distillation_classifier", "head.distillation"),
)


class ImageClass(Checkpoint):
    """Its input is a photograph, by the name of its file, or a painting, where it has few enough pixels."""

    does = "it says what is on a photograph"

    @property
    def takes(self) -> InputKind:
        rows, columns = size = self.net.config.image
        if max(size) > LARGEST_DRAWN:
            return InputKind("photograph", not_drawn=f"{TOO_MANY} and this model reads {columns}×{rows}.")
        if not self.preprocessor.keeps(size):
            return InputKind("photograph", not_drawn=CHANGED)
        return InputKind("painting", size, lambda picture: self.preprocessor.pixels(picture, size))

    @cached_property
    def net(self) -> Net:
        config = configured(self.described)
        sizes = config.layers, config.block.heads, config.block.d_model
        return Net("ViT", config, vit.shapes(config), NAMES, *sizes, "vit.")

    @cached_property
    def preprocessor(self) -> Preprocessor:
        return open_preprocessor(self.folder, self.net.config.image)

    @property
    def examples(self) -> tuple[str, ...]:
        return (str(resources.path("photographs", EXAMPLE)),)

    @property
    def captions(self) -> tuple[str, ...]:
        return (EXAMPLE,)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        config, ready = self.net.config, self.preprocessor
        pixels = ready.pixels(source, config.image)

        def forward(run: Run) -> str:
            image = photograph.standardised(run, pixels, ready.mean, ready.spread)
            likely = stacks.probabilities(run, self.scores(run, image))
            return stacks.predict(run, likely, config.classes)

        return Prepared(self.parameters, forward, dtype=self.weights.dtype)

    def scores(self, run: Run, image: Any) -> Any:  # (rows,columns,3) -> (K,)
        return vit.forward(run, self.net.config, image)


class DrawingClass(ImageClass):
    """Its input is a few greys, which can be drawn."""

    does = "it says what is drawn"

    @property
    def takes(self) -> InputKind:
        return InputKind("image", self.net.config.image)

    @cached_property
    def preprocessor(self) -> Preprocessor:
        return open_preprocessor(self.folder, self.net.config.image, 1)

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(image_text(reduce_picture(read_picture(Path(file)), self.takes.size)) for file in super().examples)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        config, ready = self.net.config, self.preprocessor
        pixels = read_image(source, config.image)

        def forward(run: Run) -> str:
            image = photograph.standardised_greys(run, pixels, ready.mean, ready.spread)
            likely = stacks.probabilities(run, self.scores(run, image))
            return stacks.predict(run, likely, config.classes)

        return Prepared(self.parameters, forward, dtype=self.weights.dtype)


class TwoTokenImageClass(ImageClass):
    """DeiT with one head, for [CLS]; the other token only helps."""

    @cached_property
    def net(self) -> Net:
        self.described.must_be("num_channels", COLOURS)
        config = configured(self.described)
        sizes = config.layers, config.block.heads, config.block.d_model
        return Net("DeiT", config, self.shapes(config), NAMES, *sizes, "deit.")

    def shapes(self, config: ViT) -> Shapes:
        return photograph.two_token_shapes(config)

    def scores(self, run: Run, image: Any) -> Any:  # (rows,columns,3) -> (K,)
        return photograph.undistilled(run, self.net.config, image)


class DistilledImageClass(TwoTokenImageClass):
    """DeiT with two heads, both of which are asked."""

    def shapes(self, config: ViT) -> Shapes:
        return photograph.distilled_shapes(config)

    def scores(self, run: Run, image: Any) -> Any:  # (rows,columns,3) -> (K,)
        return photograph.distilled(run, self.net.config, image)


def configured(config: Config) -> ViT:
    config.must_be("num_channels", COLOURS, 1)
    config.must_be("qkv_bias", True)
    width, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    check_heads(config, width, heads)
    activation: Any = config.one_of("hidden_act", ACTIVATIONS, "gelu")
    hidden, epsilon = config.whole("intermediate_size"), config.number("layer_norm_eps", 1e-12)
    block = Block(width, heads, hidden, norm="pre", activation=activation, epsilon=epsilon)
    image, patch = config.pair("image_size"), config.pair("patch_size")
    if image[0] % patch[0] or image[1] % patch[1]:
        raise config.wrong("patch_size", "a size that divides the image's")
    layers = config.layers("num_hidden_layers")
    colours = config.whole("num_channels", COLOURS)
    if colours == 1 and max(image) > LARGEST_DRAWN:
        raise config.wrong(
            "num_channels", f"{COLOURS}, or 1 where the image has at most {LARGEST_DRAWN}×{LARGEST_DRAWN} pixels"
        )
    return ViT(block, layers, image, patch, config.labels(), colours)


KINDS: dict[str, type[ImageClass]] = {
    "ViTForImageClassification": ImageClass,
    "DeiTForImageClassification": TwoTokenImageClass,
    "DeiTForImageClassificationWithTeacher": DistilledImageClass,
}


def open_model(name: str, config: Config, architecture: str) -> ImageClass:
    if config.whole("num_channels", COLOURS) == 1 and KINDS[architecture] is ImageClass:
        return DrawingClass(name, config)
    return KINDS[architecture](name, config)
