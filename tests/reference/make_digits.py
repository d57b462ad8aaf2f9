"""Makes resources/data/digits/uci-6x6.safetensors: the handwritten digits of UCI, reduced from 8×8 to 6×6 pixels.

scikit-learn, which carries the digits, is no dependency of txviz. To make the file again, in a throwaway environment,
from the repository's root:

    pip install numpy safetensors scikit-learn
    python tests/reference/make_digits.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save
from sklearn.datasets import load_digits

TARGET = Path(__file__).parents[2] / "resources" / "data" / "digits" / "uci-6x6.safetensors"
BRIGHTEST = 16  # in the original, where 0 is ground


def overlap(old: int, new: int) -> np.ndarray:  # (new, old)
    """How much of each new pixel lies on each old one; every row sums to 1.

    >>> overlap(4, 3).round(2).tolist()
    [[0.75, 0.25, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.25, 0.75]]
    """
    size = old / new
    first, last = np.arange(new)[:, None] * size, np.arange(1, new + 1)[:, None] * size
    start = np.arange(old)
    covered: np.ndarray = np.clip(np.minimum(last, start + 1) - np.maximum(first, start), 0, None)
    return covered / size


def main() -> None:
    digits = load_digits()
    average = overlap(8, 6)
    images = average @ digits.images @ average.T * (255 / BRIGHTEST)  # (N,8,8) -> (N,6,6)
    tensors = {"images": images.round().astype(np.uint8), "labels": digits.target.astype(np.uint8)}
    origin = "UCI Optical Recognition of Handwritten Digits, https://doi.org/10.24432/C50P49, CC BY 4.0, reduced to 6×6"
    TARGET.write_bytes(save(tensors, metadata={"origin": origin}))


if __name__ == "__main__":
    main()
