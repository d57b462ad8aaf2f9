"""The digits: what is read, what is held out, and what a training batch may contain."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, islice

import numpy as np
import pytest

from txviz.data import digits


def rows(images: digits.Images) -> set[bytes]:
    return {image.tobytes() for image in images}


@pytest.fixture(scope="module")
def batch() -> tuple[digits.Images, digits.Labels]:
    return next(digits.batches(seed=3, size=1000, pool=2000))


@pytest.mark.parametrize("read", [digits.uci, digits.drawings])
def test_images_are_in_range_and_labelled(read: Callable[[], tuple[digits.Images, digits.Labels]]) -> None:
    images, labels = read()
    assert images.shape == (len(labels), 6, 6)
    assert images.dtype == np.float32
    assert images.min() == 0
    assert 0.99 < images.max() <= 1
    assert set(labels) == set(range(10))


def test_the_written_digits_are_all_there() -> None:
    images, labels = digits.uci()
    assert len(images) == 1797
    assert labels[:10].tolist() == list(range(10))


def test_a_fifth_of_every_digit_is_held_out() -> None:
    train, train_labels, held_out, held_out_labels = digits.split()
    assert len(train) + len(held_out) == 1797
    share = np.bincount(held_out_labels) / (np.bincount(train_labels) + np.bincount(held_out_labels))
    assert np.abs(share - 0.2).max() < 0.005
    assert not rows(train) & rows(held_out)
    assert rows(train) | rows(held_out) == rows(digits.uci()[0])


def test_the_split_depends_on_its_seed_alone() -> None:
    assert all(np.array_equal(a, b) for a, b in zip(digits.split(), digits.split(0), strict=True))
    assert rows(digits.split(1)[2]) != rows(digits.split(0)[2])


def test_every_digit_is_drawn_several_times_and_each_drawing_once() -> None:
    images, labels = digits.drawings()
    assert np.bincount(labels).min() >= 5
    assert len(rows(images)) == len(images)


def test_grids_are_read_as_they_look() -> None:
    one, other = digits.read_grids(".#.  +++\n.#.  #.#\n")
    assert one.tolist() == [[0, 1, 0], [0, 1, 0]]
    assert other.tolist() == [[0.5, 0.5, 0.5], [1, 0, 1]]


def test_the_examples_are_new_images_of_every_digit() -> None:
    assert tuple(digits.EXAMPLES) == digits.CLASSES
    examples = np.stack(list(digits.EXAMPLES.values()))
    assert examples.shape == (10, 6, 6)
    assert not rows(examples) & (rows(digits.drawings()[0]) | rows(digits.uci()[0]))


def test_batches_have_both_kinds_of_images_in_both_polarities(batch: tuple[digits.Images, digits.Labels]) -> None:
    images, labels = batch
    assert images.shape == (1000, 6, 6)
    assert images.dtype == np.float32
    assert images.min() == 0
    assert images.max() == 1
    assert np.bincount(labels, minlength=10).min() > 50
    border = np.concatenate([images[:, :, 0], images[:, :, -1]], axis=1).mean(axis=1)  # mostly ground
    assert 0.3 < (border > 0.5).mean() < 0.7


def test_batches_repeat_with_their_seed() -> None:
    once, again, other = (list(islice(digits.batches(seed, 32, pool=500), 3)) for seed in (0, 0, 1))
    for (images, labels), (same, same_labels) in zip(once, again, strict=True):
        assert np.array_equal(images, same)
        assert np.array_equal(labels, same_labels)
    assert not np.array_equal(once[0][0], other[0][0])
    assert not np.array_equal(once[0][0], once[1][0])


@pytest.mark.parametrize(("synthetic", "kind"), [(0, "written"), (1, "drawn")])
def test_labels_go_with_their_images(synthetic: float, kind: str) -> None:
    """The mean image of a label in a batch is nearest to the mean of that label in the source, ground being dark."""
    images, labels = next(digits.batches(seed=5, size=4000, synthetic=synthetic, pool=4000))
    ink = np.where(np.median(images, axis=(1, 2), keepdims=True) > 0.5, 1 - images, images)
    if kind == "written":
        source, source_labels, _, _ = digits.split()
    else:
        source, source_labels = digits.strokes(np.random.default_rng(9), 4000)
    found = np.stack([ink[labels == digit].mean(0).ravel() for digit in range(10)])
    wanted = np.stack([source[source_labels == digit].mean(0).ravel() for digit in range(10)])
    likeness = np.corrcoef(found, wanted)[:10, 10:]
    assert likeness.argmax(axis=1).tolist() == list(range(10))


def test_a_batch_never_shows_what_is_held_out() -> None:
    *_, held_out, _ = digits.split()
    images, _ = next(digits.batches(seed=1, size=4000, synthetic=0))
    assert not rows(held_out) & (rows(images) | rows(1 - images))


def test_strokes_are_as_many_of_each_digit_and_differ() -> None:
    images, labels = digits.strokes(np.random.default_rng(0), 3000)
    assert images.shape == (3000, 6, 6)
    assert images.dtype == np.float32
    assert images.min() == 0
    assert images.max() == 1
    assert np.ptp(np.bincount(labels)) < 60
    means = [images[labels == digit].mean(axis=0) for digit in range(10)]
    assert min(np.abs(a - b).max() for a, b in combinations(means, 2)) > 0.15


def test_no_stroke_is_empty_or_a_blot() -> None:
    images, _ = digits.strokes(np.random.default_rng(1), 3000)
    ink = images.mean(axis=(1, 2))
    assert ink.min() > 0.05
    assert ink.max() < 0.85
