"""Digits on a board of 6×6 pixels: what people wrote on paper, and strokes drawn by rule, for the ViT to learn from.

Paper alone does not prepare a model for digits drawn with a mouse, so part of the training images are synthetic. A
digit has several *hands* (1 with a foot or without, 4 open or closed), and a hand is a few strokes on a grid of 8×8
units. Each image moves the points a little, stretches and slants the whole, and draws it with a mouse (whole pixels) or
with a brush (any place, width and softness).

A pixel is 0 for black and 1 for white. All images here are bright ink on dark ground; only training batches also
have dark ink on bright ground, for the model is to read both.

Letters: N images, P points of a hand, S samples along its strokes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

import numpy as np

from txviz import resources
from txviz.ops import Array

Images: TypeAlias = Array  # (N,6,6), float32
Labels: TypeAlias = Array  # (N,)
Floats: TypeAlias = Array

BOARD = 6
CLASSES = tuple("0123456789")

# Hands by digit, separated by commas. A hand is strokes, separated by slashes; a stroke is points, each two digits from
# 0 to 8: how far right, how far down. A stroke with ~ is round, the others are straight.
_HANDS = {
    0: "~40 11 04 17 48 77 84 71 40, 20 02 06 28 68 86 82 60 20, 00 08 88 80 00, ~60 21 05 18 47 73 60",
    1: "40 48, 13 40 48, 13 40 48/18 78, 40 48/18 78, 03 50 58, 22 40 48/08 88, 60 28",
    2: "~02 11 40 71 82 65 08/08 88, 00 80 08 88, 00 80 84 04 08 88, ~01 50 82 45 08/08 88, ~12 40 72 74 27 08/08 88",
    3: "~01 40 81 73 44/~44 74 86 48 07, 00 80 43/~43 84 86 48 07, 00 80 88 08/84 24, ~00 50 82 44/~44 86 58 08,"
    "00 70 82 44 86 78 08",
    4: "00 04 84/80 88, 20 05 85/62 68, 68 60 05 85, 10 04 84/51 48, 88 80 04 84, 00 05 85/60 68",
    5: "80 00 03/~03 43 84 86 48 07, 80 00 04/~04 53 85 58 08, 80 00 04 84 88 08, 70 10 13/~13 63 85 68 08,"
    "80 00 04 64 85 87 68 08",
    6: "~70 31 04 17 48 77 75 54 14 05, 60 05/~05 18 58 86 64 14 05, 80 00 08 88 84 04, ~50 11 05 27 58 86 64 24 06,"
    "00 08 88 84 04, 80 20 02 06 28 68 86 64 04",
    7: "00 80 38, 00 80 38/24 74, 00 80 88, 02 00 80 48, 00 80 45 38, 00 80 28, 02 00 80 82 48, 00 80 48/34 84",
    8: "~40 12 44 72 40/~44 06 48 86 44, 00 80 88 08 00/04 84, ~40 02 44 82 40/~44 06 48 86 44,"
    "20 01 03 24 05 07 28 68 87 85 64 24/64 83 81 60 20",
    9: "~82 40 02 24 64 82/82 68, ~82 40 02 24 64 82/~82 75 58 18, 84 04 00 80 88 08, 84 04 00 80 88,"
    "~82 40 02 24 64 82/82 88, 84 24 03 01 20 60 81 86 68 08",
}

_EXAMPLES = """
.+##+.  ...#..  .####.  .####.  ...##.  .####.  ..##..  .####.  .####.  ..##..
.#..#.  .###..  .#..#.  ....#.  ..#.#.  .#....  .#....  ....#.  .#..#.  .#..#.
.#..#.  ...#..  ....#.  ..##..  .#..#.  .###..  .###..  ...#..  .####.  .#..#.
.#..#.  ...#..  ...#..  ....#.  ######  ....#.  .#..#.  ...#..  .#..#.  ..###.
.#..#.  ...#..  .##...  .#..#.  ....#.  .#..#.  .#..#.  ..#...  .#..#.  ....#.
.+##+.  .#####  .#####  .+##+.  ....#.  ..##..  ..##..  ..#...  .####.  ..##..
"""


def uci() -> tuple[Images, Labels]:
    """All 1,797 images that people wrote, in the order of their source."""
    from safetensors.numpy import load_file

    tensors = load_file(resources.path("data", "digits", "uci-6x6.safetensors"))
    return tensors["images"].astype(np.float32) / 255, tensors["labels"].astype(np.int64)


def split(seed: int = 0) -> tuple[Images, Labels, Images, Labels]:
    """The written digits as training images and labels, then held-out ones: a fifth of each digit's."""
    images, labels = uci()
    rng = np.random.default_rng(seed)
    held_out = np.zeros(len(labels), bool)
    for digit in range(len(CLASSES)):
        own = rng.permutation(np.flatnonzero(labels == digit))
        held_out[own[: round(len(own) / 5)]] = True
    return images[~held_out], labels[~held_out], images[held_out], labels[held_out]


def drawings() -> tuple[Images, Labels]:
    """Digits as people draw them with a mouse. They are for testing: nothing trains on them."""
    text = resources.path("data", "digits", "drawings.txt").read_text("utf-8")
    images, labels = [], []
    for block in text.split("\n\n")[1:]:
        digit, grids = block.split("\n", 1)
        images.append(read_grids(grids))
        labels += [int(digit)] * len(images[-1])
    return np.concatenate(images), np.array(labels)


def read_grids(text: str) -> Images:  # -> (N,6,6)
    """Images drawn in text, side by side: . is ground, + is half ink, # is ink.

    >>> read_grids("#.  +.")[:, 0].tolist()
    [[1.0, 0.0], [0.5, 0.0]]
    """
    rows = [[[".+#".index(sign) / 2 for sign in row] for row in line.split()] for line in text.strip().split("\n")]
    return np.array(rows, np.float32).swapaxes(0, 1)


EXAMPLES: dict[str, Images] = dict(zip(CLASSES, read_grids(_EXAMPLES), strict=True))
"""One image of each digit, from neither the training images nor the tests."""


def batches(seed: int, size: int = 256, synthetic: float = 0.5, pool: int = 40_000) -> Iterator[tuple[Images, Labels]]:
    """Endless training batches; ``synthetic`` is the share of strokes, drawn once as a pool and varied each time."""
    rng = np.random.default_rng(seed)
    written, written_labels, _, _ = split()
    drawn, drawn_labels = strokes(rng, pool)
    while True:
        own = rng.integers(len(written), size=size - round(size * synthetic))
        other = rng.integers(len(drawn), size=size - len(own))
        ink = np.concatenate([harden(rng, shift(rng, written[own])), drawn[other]])
        yield shade(rng, ink), np.concatenate([written_labels[own], drawn_labels[other]])


def shift(rng: np.random.Generator, ink: Images) -> Images:  # (N,6,6) -> (N,6,6)
    """Stretches each image a little and moves it by parts of a pixel, along both axes."""
    old, new = np.arange(BOARD), np.arange(BOARD)[:, None]
    middle = (BOARD - 1) / 2
    stretch, move = rng.uniform(0.94, 1.06, (2, len(ink), 1, 1)), rng.normal(0, 0.2, (2, len(ink), 1, 1))
    across, down = np.clip(1 - np.abs((new - middle) * stretch + middle + move - old), 0, None)  # twice (N,6,6)
    return np.asarray((down @ ink @ across.swapaxes(1, 2)).astype(np.float32))


def harden(rng: np.random.Generator, ink: Images) -> Images:  # (N,6,6) -> (N,6,6)
    """Makes a tenth of the images black and white, as a mouse would."""
    hard = ink > _each(rng.uniform(0.3, 0.6, len(ink)))
    return np.where(_each(rng.random(len(ink)) < 0.1), hard, ink).astype(np.float32)


def shade(rng: np.random.Generator, ink: Images) -> Images:  # (N,6,6) -> (N,6,6)
    """Pale ink, grey ground and noise for two in five; half of all are dark ink on bright ground."""
    size = len(ink)
    ground, full = rng.uniform(0, 0.2, size), rng.uniform(0.65, 1, size)
    noise = rng.normal(0, 1, ink.shape) * _each(rng.uniform(0, 0.05, size))
    pale = _each(ground) + _each(full - ground) * ink + noise
    image = np.where(_each(rng.random(size) < 0.4), pale, ink)
    return np.where(_each(rng.random(size) < 0.5), 1 - image, image).clip(0, 1).astype(np.float32)


def strokes(rng: np.random.Generator, size: int) -> tuple[Images, Labels]:
    """Synthetic digits, as many of each, half with a mouse and half with a brush."""
    images, labels = [], []
    for digit, hands in _HANDS.items():
        share = -(-size // (len(_HANDS) * len(hands.split(","))))
        for hand in hands.split(","):
            for pen in (_mouse, _brush):
                images.append(pen(rng, *_hand(hand), -(-share // 2)))
                labels.append(np.full(len(images[-1]), digit))
    order = rng.permutation(sum(map(len, labels)))[:size]
    return np.concatenate(images)[order], np.concatenate(labels)[order]


@cache
def _hand(text: str) -> tuple[Floats, Floats]:  # -> (P,2), (S,P)
    """A hand's points, from −½ to ½, and the weights of the points in each sample along its strokes."""
    points, weights = [], []
    for stroke in text.split("/"):
        own = np.array([[int(at[0]), int(at[1])] for at in stroke.replace("~", "").split()]) / 8 - 0.5
        points.append(own)
        weights.append(_along(own, "~" in stroke))
    total, done = sum(map(len, points)), 0
    placed = []
    for weight in weights:
        placed.append(np.pad(weight, ((0, 0), (done, total - done - weight.shape[1]))))
        done += weight.shape[1]
    return np.concatenate(points), np.concatenate(placed)


def _along(points: Floats, smooth: bool) -> Floats:  # (P,2) -> (S,P)
    """Lines from point to point, or a Catmull–Rom spline through them, as weights of the points."""
    unit, last = np.eye(len(points)), len(points) - 1
    rows = []
    for i in range(last):
        before, a, b, after = unit[max(i - 1, 0)], unit[i], unit[i + 1], unit[min(i + 2, last)]
        for t in np.linspace(0, 1, 4 + int(12 * np.linalg.norm(points[i + 1] - points[i]))):
            line = (1 - t) * a + t * b
            bend = t * (1 - t) / 2 * ((1 - t) * (2 * a - before - b) + t * (2 * b - a - after))
            rows.append(line + bend if smooth else line)
    return np.array(rows)


def _mouse(rng: np.random.Generator, points: Floats, weights: Floats, size: int) -> Images:  # (P,2), (S,P) -> (N,6,6)
    """Points on whole pixels, and ink, one pixel wide, wherever a line crosses the diamond in a pixel's middle."""
    right, down = _away(weights @ _placed(rng, points, rng.uniform(2, 5.4, size), jitter=0.02, slant=0.1).round())
    return np.asarray(((right + down).min(-1) < 0.55).astype(np.float32))


def _brush(rng: np.random.Generator, points: Floats, weights: Floats, size: int) -> Images:  # (P,2), (S,P) -> (N,6,6)
    """Points anywhere, and ink that fades with the distance from the line; a broad digit bears a thick brush."""
    width = rng.uniform(2.2, 5.4, size)
    right, down = _away(weights @ _placed(rng, points, width, jitter=0.035, slant=0.2))
    distance = np.sqrt((right**2 + down**2).min(-1))
    radius, softness = rng.uniform(0.35, 0.1 + 0.12 * width), rng.uniform(0.02, 0.7, size)
    return np.asarray(((_each(radius) - distance) / _each(softness) + 0.5).clip(0, 1).astype(np.float32))


def _placed(
    rng: np.random.Generator, points: Floats, width: Floats, jitter: float, slant: float
) -> Floats:  # (P,2), (N,) -> (N,P,2)
    """The hand's points on the board, in pixels: each moved a little, then all slanted, stretched and set somewhere."""
    size = len(width)
    x, y = np.moveaxis(points + rng.normal(0, jitter, (size, *points.shape)), -1, 0)  # (N,P), (N,P)
    x = x + rng.uniform(-slant, slant, (size, 1)) * y
    y = y + rng.uniform(-0.08, 0.08, (size, 1)) * (1 - 4 * y**2)
    extent = np.stack([width, rng.uniform(3.7, 5.4, size)], -1)  # (N,2)
    room = np.maximum(BOARD - 1 - extent, 0.2)
    middle = (BOARD - 1 + room * rng.uniform(-1, 1, (size, 2))) / 2
    return np.asarray((middle[:, None] + extent[:, None] * np.stack([x, y], -1)).clip(-0.2, BOARD - 0.8))


def _away(path: Floats) -> tuple[Floats, Floats]:  # (N,S,2) -> (N,1,6,S), (N,6,1,S)
    """How far each column and each row of pixels is from the samples of a path."""
    away = np.abs(np.arange(BOARD)[:, None] - np.moveaxis(path, -1, 0)[:, :, None].astype(np.float32))  # (2,N,6,S)
    return away[0][:, None], away[1][:, :, None]


def _each(values: Array) -> Array:  # (N,) -> (N,1,1)
    return values[:, None, None]
