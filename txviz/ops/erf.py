"""The error function on arrays, and the normal distribution that is made of it: NumPy has neither.

The rational approximations of erf are those of FreeBSD's msun (s_erf.c, Sun Microsystems, 1993), whose error is below
one unit in the last place. They hold on |x| < 0.84375, < 1.25, < 1/0.35 and < 6; beyond that erf is ±1.

In single precision nobody would see most of that work. There Φ(−a) is e^(−a²/2) times one ratio, a minimax fit of
relative error 6e-9 for 0 ≤ a ≤ 14.5, beyond which it is 0; ``tests/ops/test_erf.py`` says how exact the whole is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from txviz.ops.base import Array

_ERX = 8.45062911510467529297e-01

# Lowest power first.
_PP = (1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
       -5.77027029648944159157e-03, -2.37630166566501626084e-05)  # fmt: skip
_QQ = (1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
       1.32494738004321644526e-04, -3.96022827877536812320e-06)  # fmt: skip
_PA = (-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
       3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
       -2.16637559486879084300e-03)  # fmt: skip
_QA = (1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
       1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02)  # fmt: skip
_RA = (-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
       -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
       -8.12874355063065934246e+01, -9.81432934416914548592e+00)  # fmt: skip
_SA = (1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
       6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
       6.57024977031928170135e+00, -6.04244152148580987438e-02)  # fmt: skip
_RB = (-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
       -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
       -4.83519191608651397019e+02)  # fmt: skip
_SB = (1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
       3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
       -2.24409524465858183362e+01)  # fmt: skip

_ABOVE = (0.5, 0.43829495, 0.18323513, 0.040633221, 0.0041163072)
_BELOW = (1.0, 1.6744749, 1.2025031, 0.46947061, 0.10185883, 0.010317932)
_VANISHES = 14.5
"""Where Φ(−a) is less than the smallest number of single precision."""

_AT_ONCE = 2**16
"""Cells: what is made on the way stays in the cache."""


def normal(x: Array) -> Array:  # (...) -> (...)
    """Φ(x) = ½ (1 + erf(x / √2)) of every cell, in the type of ``x``: the share of a normal distribution below it."""
    if x.dtype != np.float32:
        return np.asarray(0.5 * (1 + erf(x / sqrt(2))))
    flat = x.reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _AT_ONCE):
        _fill_single(result[start : start + _AT_ONCE], flat[start : start + _AT_ONCE])
    return result.reshape(x.shape)


def _fill_single(result: Array, x: Array) -> None:  # (n,), (n,)
    size = np.clip(np.abs(x), 0, _VANISHES)
    np.multiply(size, size, out=result)
    result *= -0.5
    np.exp(result, out=result)
    result *= _polynomial(_ABOVE, size)
    result /= _polynomial(_BELOW, size)
    np.subtract(x > 0, result, out=result)  # 1 − Φ(−a) for positive ones, and −Φ(−a) for the others
    np.abs(result, out=result)


def erf(x: Array) -> Array:  # (...) -> (...)
    """erf of every cell, in the type of ``x``."""
    size = np.abs(x, dtype=np.float64)
    result = np.ones_like(size)
    _fill(result, size, size < 0.84375, lambda a: a + a * _ratio(_PP, _QQ, a * a))
    _fill(result, size, (size >= 0.84375) & (size < 1.25), lambda a: _ERX + _ratio(_PA, _QA, a - 1))
    _fill(result, size, (size >= 1.25) & (size < 1 / 0.35), lambda a: 1 - _tail(_RA, _SA, a))
    _fill(result, size, (size >= 1 / 0.35) & (size < 6), lambda a: 1 - _tail(_RB, _SB, a))
    return np.copysign(result, x).astype(x.dtype, copy=False)


def _fill(result: Array, size: Array, here: Array, approximation: Callable[[Array], Array]) -> None:
    if here.any():
        result[here] = approximation(size[here])


def _tail(above: tuple[float, ...], below: tuple[float, ...], a: Array) -> Array:
    """1 − erf for larger a: e^(−a²) / a, corrected. The square is split in two so that it is exact."""
    coarse = a.astype(np.float32).astype(np.float64)
    exponent = _ratio(above, below, 1 / (a * a))
    return np.asarray(np.exp(-coarse * coarse - 0.5625) * np.exp((coarse - a) * (coarse + a) + exponent) / a)


def _ratio(above: tuple[float, ...], below: tuple[float, ...], a: Array) -> Array:
    return np.asarray(_polynomial(above, a) / _polynomial(below, a))


def _polynomial(coefficients: tuple[float, ...], a: Array) -> Array:
    value = a * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        value += coefficient
        value *= a
    value += coefficients[0]
    return value
