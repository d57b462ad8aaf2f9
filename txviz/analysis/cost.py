"""What a model costs: parameters, multiply–adds, and the cells of its attention.

``counted`` reads it off a finished run, ``Design`` says it of a model that nobody has built, by the same rules: each
multiplication of a matrix product counts once, with the addition that follows it.

Letters: N patches, T tokens, d features, F hidden features, L layers, H heads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from txviz import ops
from txviz.trace import Step, Trace
from txviz.trace.learned import learned_numbers, parameters_of

BYTES = 4
"""Of a number as models are usually run (float32)."""


class Cost(NamedTuple):
    tokens: int
    """The longest sequence that attends to itself."""

    d: int
    heads: int
    layers: int
    parameters: int
    per_layer: int
    """Parameters of one layer: of the first of the last stack."""

    products: int
    """Multiply–adds of one run."""

    cells: int
    """Attention weights, of all heads and layers."""

    @property
    def d_k(self) -> int:
        return self.d // self.heads

    @property
    def bytes(self) -> int:
        """Of the attention weights."""
        return self.cells * BYTES


def counted(trace: Trace) -> Cost:
    """Of the forward pass of a run; of what decoding does again and again, each time counts."""
    steps = [step for step in trace if step.site.pass_ == "forward"]
    weights = [step for step in steps if step.site.leaf == "weights" and step.value.ndim == 3]
    widths = [step.value.shape[-1] for step in steps if step.axes == ("token", "feature")]
    learned = parameters_of(steps)
    stacks = {(step.site.part, step.site.layer) for step in steps if step.site.layer is not None}
    first = next((source.site for source in reversed(learned) if source.site.layer == 0), None)
    one = [each for each in learned if first and (each.site.part, each.site.layer) == (first.part, 0)]
    return Cost(
        tokens=max((step.value.shape[-2] for step in weights), default=1),
        d=widths[-1] if widths else steps[-1].value.shape[-1],
        heads=max((step.value.shape[-3] for step in weights), default=1),
        layers=len(stacks),
        parameters=learned_numbers(learned),
        per_layer=learned_numbers(one),
        products=sum(map(products, steps)),
        cells=sum(step.value.size for step in weights),
    )


def products(step: Step) -> int:
    """The multiply–adds of a step; only matrix products have any."""
    if step.operation not in (ops.linear, ops.matmul):
        return 0
    return int(step.value.size * step.sources[0].value.shape[-1])


def _block(d: int, f: int) -> int:
    """Parameters: queries, keys, values and output, a feed-forward network, and two norms."""
    return 4 * (d * d + d) + (d * f + f) + (f * d + d) + 2 * (2 * d)


@dataclass(frozen=True)
class Design:
    """A vision transformer that could be built: square images in square patches, pre-norm blocks with biases."""

    image: int = 224
    patch: int = 16
    colours: int = 3
    d: int = 768
    heads: int = 12
    layers: int = 12
    hidden: int = 3072
    """Features inside the feed-forward networks."""

    classes: int = 1000
    cls: bool = True

    @property
    def patches(self) -> int:
        return (self.image // self.patch) ** 2

    @property
    def tokens(self) -> int:
        return self.patches + self.cls

    @property
    def pixels(self) -> int:
        """Numbers of one patch."""
        return self.patch**2 * self.colours

    @cached_property
    def cost(self) -> Cost:
        n, t, d, f = self.patches, self.tokens, self.d, self.hidden
        layer = _block(d, f)
        embedding = self.pixels * d + d + self.cls * d + t * d
        parameters = embedding + self.layers * layer + 2 * d + d * self.classes + self.classes
        attention = 2 * t * t * d
        products = n * self.pixels * d + self.layers * (4 * t * d * d + attention + 2 * t * d * f) + d * self.classes
        return Cost(t, d, self.heads, self.layers, parameters, layer, products, self.layers * self.heads * t * t)

    def problem(self) -> str:
        """Why it can't be built, in a sentence; nothing where it can."""
        if self.patch > self.image:
            return f"A patch of {self.patch} pixels is larger than the image of {self.image}."
        if self.image % self.patch:
            return f"{self.image} pixels can't be cut into patches of {self.patch}: {self.image % self.patch} are left."
        if self.d % self.heads:
            return f"{self.d} features can't be shared by {self.heads} heads: {self.d % self.heads} are left."
        return ""


@dataclass(frozen=True)
class TextDesign:
    """A model of words that could be built from the same blocks: an encoder, a decoder, or both."""

    vocabulary: int
    tokens: int
    d: int
    heads: int
    encoder: int = 0
    """Layers."""

    decoder: int = 0
    source: int = 0
    """Tokens of the encoder's input, where the decoder looks at it."""

    positions: int = 0
    """How many are learned; 0 for waves, which cost nothing."""

    tables: int = 1
    """An encoder and a decoder may share theirs. The head is the decoder's table, turned."""

    hidden: int = 3072

    @cached_property
    def cost(self) -> Cost:
        t, s, d, f = self.tokens, self.source, self.d, self.hidden
        block = _block(d, f)
        last = block + (4 * (d * d + d) + 2 * d if s else 0) if self.decoder else block
        norms = 2 * d * (bool(self.encoder) + bool(self.decoder))
        embedding = self.tables * (self.vocabulary * d + self.positions * d)
        parameters = embedding + self.encoder * block + self.decoder * last + norms
        read = s or t
        encoder = self.encoder * (4 * read * d * d + 2 * read * read * d + 2 * read * d * f)
        cross = 2 * t * d * d + 2 * s * d * d + 2 * t * s * d if s else 0
        decoder = self.decoder * (4 * t * d * d + 2 * t * t * d + cross + 2 * t * d * f)
        head = t * d * self.vocabulary if self.decoder else 0
        cells = self.heads * (self.encoder * read * read + self.decoder * (t * t + t * s))
        longest = max(read if self.encoder else 0, t if self.decoder else 0)
        layers = self.encoder + self.decoder
        return Cost(longest, d, self.heads, layers, parameters, last, encoder + decoder + head, cells)


TYPICAL: dict[str, tuple[str, Cost]] = {
    "image": ("ViT-Base (224×224)", Design().cost),
    "reader": ("MiniLM (128 tokens)", TextDesign(30522, 128, 384, 12, encoder=6, positions=512, hidden=1536).cost),
    "writer": ("GPT-2 (1,024 tokens)", TextDesign(50257, 1024, 768, 12, decoder=12, positions=1024).cost),
    "translator": (
        "the paper's (50 words)",
        TextDesign(37000, 50, 512, 8, encoder=6, decoder=6, source=50, hidden=2048).cost,
    ),
}
"""What such models usually cost, by what they do."""


def kind(trace: Trace) -> str:
    """What a model does, as in ``TYPICAL``: it reads images, reads, writes, or does both."""
    if any(step.operation is ops.patchify for step in trace):
        return "image"
    parts = {step.site.part for step in trace}
    return "reader" if "decoder" not in parts else "translator" if "encoder" in parts else "writer"


PRESETS = {
    "digits, as here": Design(6, 2, 1, 16, 4, 2, 76, 10, cls=False),
    "48 pixels, patches of 16": Design(48, 16, 3, 64, 4, 4, 256, 10),
    "256 pixels, 512 features in 8 heads of 64": Design(256, 16, 3, 512, 8, 6, 2048, 1000),
    "ViT-Base: 224 pixels, 16": Design(),
    "ViT-Large: 224 pixels, 16": Design(d=1024, heads=16, layers=24, hidden=4096),
}
