"""Formulas of what a model computes."""

from __future__ import annotations

import numpy as np

from txviz.figures.writers.formulas.asked import NOTHING, Asked, literal
from txviz.ops.base import Index, seen_from
from txviz.ops.distances import one_side
from txviz.ops.elementwise import GeluTanh
from txviz.ops.normalise import SHORTEST
from txviz.ops.sources import PERIOD, wave_of


def moved(a: Asked) -> str:
    return next((cell for which in range(len(a.tables)) for cell in a.reads(which)), "0")


def wave(position: int, feature: int, width: int, halves: bool = False) -> str:
    cosine, pair = wave_of(feature, width, halves)
    return f"{'COS' if cosine else 'SIN'}({position}/{PERIOD}^({2 * pair}/{width}))"


def line_wave(a: Asked) -> str:
    place, halves = a.index[0] + a.params.get("start", 0), a.params.get("halves", False)
    exact = wave(place, a.index[1], a.params["width"], halves)
    return _single(exact) if a.params.get("single", False) and place else exact


def _single(x: str) -> str:
    """With as many binary digits as single precision has."""
    unit = f"2^(INT(LOG(ABS({x}),2))-23)"
    return f"ROUND({x}/{unit},0)*{unit}"


def wave_2d(a: Asked) -> str:
    (row, column), half = divmod(a.index[0], a.params["columns"]), a.params["width"] // 2
    if a.index[1] < half:
        return wave(row, a.index[1], half)
    return wave(column, a.index[1] - half, a.params["width"] - half)


def stretch(a: Asked, gain: str) -> str:
    """A gain, or what is added to 1 to make it."""
    return f"({gain}+{literal(a.params['offset'])})" if a.params.get("offset") else gain


def bucket(a: Asked) -> str:
    """A distance has the number of its bucket; far ones share theirs."""
    buckets, farthest, both_ways = (a.params[name] for name in ("buckets", "farthest", "both_ways"))
    n, e = one_side(buckets, farthest, both_ways)
    ahead = a.index[1] - a.index[0] - a.params.get("start", 0)
    distance, side = abs(ahead) if both_ways or ahead < 0 else 0, n if both_ways and ahead > 0 else 0
    if distance < e:
        return f"{side}+{distance}"
    return f"{side}+MIN({n - 1},{e}+INT(LN({distance}/{e})/LN({farthest}/{e})*{n - e}))"


def product(a: Asked) -> str:
    """A row times a column; transposed, a row times a row."""
    first, second = a.tables
    row = first.row(seen_from(a.index[:-1], first.shape[:-1]))
    stack = seen_from(a.index[:-2], second.shape[:-2])
    if a.params.get("transpose"):
        return f"SUMPRODUCT({row},{second.row((*stack, a.index[-1]))})"
    return f"MMULT({row},{second.column((*stack, a.index[-1]))})"


def linear(a: Asked) -> str:
    product = f"MMULT({a.tables[0].row(a.index[:-1])},{a.tables[1].column((a.index[-1],))})"
    return f"{product}+{a.at(2, a.index[-1:])}" if a.given(2) else product


def scaled(a: Asked) -> str:
    base, exponent, x = a.params["base"], a.params["exponent"], a.cell(0)
    known = {
        -0.5: f"{x}/SQRT({literal(base)})",
        0.5: f"{x}*SQRT({literal(base)})",
        -1: f"{x}/{literal(base)}",
        1: f"{x}*{literal(base)}",
    }
    return known.get(exponent, f"{x}*{literal(base)}^{literal(exponent)}")


def powers(row: str) -> str:
    return f"SUMPRODUCT(EXP({row}-MAX({row})))"


def softmax(a: Asked) -> str:
    row = a.row(0)
    fraction = f"EXP({a.cell(0)}-MAX({row}))/{powers(row)}"
    closed = np.isneginf(a.step.sources[0].value[a.index[:-1]]).all()
    return f"IF(MAX({row})<={NOTHING},0,{fraction})" if closed else fraction


def spread_of(row: str, epsilon: float) -> str:
    return f"SQRT(VARP({row})+{literal(epsilon)})"


def norm(a: Asked) -> str:
    row, epsilon = a.row(0), a.params.get("epsilon", 1e-5)
    text = f"({a.cell(0)}-AVERAGE({row}))/{spread_of(row, epsilon)}"
    text = text if epsilon else f"IF(VARP({row})=0,0,{text})"
    text = f"{text}*{a.cell(1)}" if a.given(1) else text
    return f"{text}+{a.cell(2)}" if a.given(2) else text


def length_of(row: str) -> str:
    return f"MAX(SQRT(SUMSQ({row})),{literal(SHORTEST)})"


def root_of(a: Asked, which: int, place: Index | None = None) -> str:
    """The root mean square of a row."""
    row = a.row(which) if place is None else a.tables[which].row(place)
    return f"SQRT(SUMSQ({row})/{a.tables[which].shape[-1]}+{literal(a.params['epsilon'])})"


def logistic(x: str) -> str:
    return f"(1/(1+EXP(0-{x})))"


def rotated(a: Asked) -> str:
    frequencies, half = a.params["frequencies"], len(a.params["frequencies"])
    own, partner = (a.at(0, cell) for cell in a.step.operation.reads(a.index, *a.step.operands, **a.step.params)[0])
    angle = f"{a.index[-2] + a.params.get('start', 0)}*{literal(frequencies[a.index[-1] % half])}"
    sign = "-" if (a.index[-1] < half) == (a.params.get("turn", 1) > 0) else "+"
    return f"{own}*COS({angle}){sign}{partner}*SIN({angle})"


def standard(a: Asked) -> str:
    colour = a.index[-1] % len(a.params["mean"])  # greys have one mean for all
    mean, spread = (literal(a.params[name][colour]) for name in ("mean", "spread"))
    return f"({a.cell(0)}-{mean})/{spread}"


def bent(x: str) -> str:
    return f"TANH(SQRT(2/PI())*({x}+{GeluTanh.cube}*{x}^3))"


def top_k(a: Asked) -> str:
    x, row = a.cell(0), a.row(0)
    return f"IF(SUMPRODUCT(--({row}>{x})){equals_before(a)}<{int(a.params['limit'])},{x},{NOTHING})"


def equals_before(a: Asked, each: str = "1") -> str:
    """Of equals, the first count as larger."""
    if not a.index[-1]:
        return ""
    before = a.tables[0].row(a.index[:-1], a.index[-1])
    return f"+{each}*SUMPRODUCT(--({before}={a.cell(0)}))"


def top_p(a: Asked) -> str:
    x, row = a.cell(0), a.row(0)
    likelier = f"SUMPRODUCT(({row}>{x})*EXP({row}-MAX({row}))){equals_before(a, f'EXP({x}-MAX({row}))')}"
    return f"IF(({likelier})/{powers(row)}<{literal(a.params['limit'])},{x},{NOTHING})"
