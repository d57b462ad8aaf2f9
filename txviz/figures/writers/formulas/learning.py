"""Formulas of losses, gradients and updates."""

from __future__ import annotations

from math import prod

import numpy as np

from txviz.figures.writers.formulas.asked import Asked, literal
from txviz.figures.writers.formulas.forward import bent, length_of, logistic, powers, root_of, spread_of, stretch
from txviz.ops.base import seen_from
from txviz.ops.elementwise import GeluTanh


def product_left(a: Asked) -> str:
    """A column times a column; a matrix that is shared sums over all that it was used for."""
    *stack, row, column = a.index
    if len(a.tables[0].shape) == 1:
        return f"{a.at(0, (row,))}*{a.at(1, (column,))}"
    places = list(np.ndindex(*a.tables[0].shape[:-2])) if a.params.get("shared") else [tuple(stack)]
    pairs = (tuple(seen_from(place, table.shape[:-2]) for table in a.tables) for place in places)
    terms = (f"SUMPRODUCT({a.tables[0].column((*p, row))},{a.tables[1].column((*q, column))})" for p, q in pairs)
    return "+".join(terms)


def norm_gradient(a: Asked) -> str:
    grad, x, count = a.row(0), a.row(1), a.tables[1].shape[-1]
    own, every = (f"{a.cell(0)}*{a.cell(2)}", f"{grad},{a.row(2)}") if a.given(2) else (a.cell(0), grad)
    spread = spread_of(x, a.params.get("epsilon", 1e-5))
    along = f"SUMPRODUCT({every},{x}-AVERAGE({x}))/{spread}/{count}"
    standard = f"({a.cell(1)}-AVERAGE({x}))/{spread}"
    return f"({own}-SUMPRODUCT({every})/{count}-{standard}*{along})/{spread}"


def gain_gradient(a: Asked) -> str:
    grad, x = a.tables
    epsilon = a.params.get("epsilon", 1e-5)
    terms = (
        f"{grad.cell((*place, *a.index))}*({x.cell((*place, *a.index))}-AVERAGE({x.row(place)}))"
        f"/{spread_of(x.row(place), epsilon)}"
        for place in np.ndindex(*x.shape[:-1])
    )
    return "+".join(terms)


def rms_norm_gradient(a: Asked) -> str:
    root, every = root_of(a, 1), f"{a.row(0)},{a.row(1)},{stretch(a, a.row(2))}"
    along = f"SUMPRODUCT({every})/{root}/{a.tables[1].shape[-1]}"
    return f"({a.cell(0)}*{stretch(a, a.cell(2))}-{a.cell(1)}/{root}*{along})/{root}"


def rms_gain_gradient(a: Asked) -> str:
    grad, x = a.tables
    places = np.ndindex(*x.shape[:-1])
    terms = (f"{grad.cell((*p, *a.index))}*{x.cell((*p, *a.index))}/{root_of(a, 1, p)}" for p in places)
    return "+".join(terms)


def silu_gradient(a: Asked) -> str:
    x, gate = a.cell(1), logistic(a.cell(1))
    return f"{a.cell(0)}*{gate}*(1+{x}*(1-{gate}))"


def unit_gradient(a: Asked) -> str:
    length = length_of(a.row(1))
    return f"({a.cell(0)}-{a.cell(1)}/{length}*SUMPRODUCT({a.row(0)},{a.row(1)})/{length})/{length}"


def gelu_tanh_gradient(a: Asked) -> str:
    x = a.cell(1)
    slope = f"0.5*{x}*(1-{bent(x)}^2)*SQRT(2/PI())*(1+3*{GeluTanh.cube}*{x}^2)"
    return f"{a.cell(0)}*(0.5*(1+{bent(x)})+{slope})"


def gelu_erf_gradient(a: Asked) -> str:
    x = a.cell(1)
    return f"{a.cell(0)}*(0.5*(1+ERF({x}/SQRT(2)))+{x}*EXP(0-{x}*{x}/2)/SQRT(2*PI()))"


def pooled_share(a: Asked) -> str:
    """What all tokens that counted get an equal share of; padding gets none."""
    *before, token, feature = a.index
    grad, padding = a.at(0, (*before, feature)), a.params.get("padding")
    if not a.given(1):
        return f"{grad}/{a.params['length']}"
    count = f'COUNTIF({a.tables[1].row(tuple(before))},"<>{padding}")'
    return a.unless(1, (*before, token), padding, f"{grad}/{count}")


def averaged_share(a: Asked) -> str:
    """The same for all positions of a loss."""
    if not a.given(2):
        return f"{a.at(0, ())}/{prod(a.tables[1].shape)}"
    ignore = a.params.get("ignore")
    counts = (f'COUNTIF({span},"<>{ignore}")' for span in a.tables[2].spans)
    return a.unless(2, a.index, ignore, f"{a.at(0, ())}/({'+'.join(counts)})")


def surprise(a: Asked) -> str:
    row, label = a.tables[0].row(a.index), a.at(1, a.index)
    smoothing, ignore = a.params.get("smoothing", 0.0), a.params.get("ignore")
    loss = f"LN({powers(row)})+MAX({row})-{literal(1 - smoothing)}*INDEX({row},{label}+1)"
    loss = f"{loss}-{literal(smoothing)}*AVERAGE({row})" if smoothing else loss
    return a.unless(1, a.index, ignore, loss)


def surprise_gradient(a: Asked) -> str:
    *before, j = a.index
    place = tuple(before)
    grad, row, label = a.at(0, place), a.tables[1].row(place), a.at(2, place)
    smoothing, ignore = a.params.get("smoothing", 0.0), a.params.get("ignore")
    shared = f"-{literal(smoothing)}/{a.tables[1].shape[-1]}" if smoothing else ""
    answer = (
        f"{grad}*(EXP({a.at(1, a.index)}-MAX({row}))/{powers(row)}{shared}-IF({label}={j},{literal(1 - smoothing)},0))"
    )
    return a.unless(2, place, ignore, answer)


def blend(a: Asked) -> str:
    beta, grad = a.params.get("beta", 0.9), a.cell(0)
    new = f"{literal(1 - beta)}*{grad}^2" if a.params.get("power", 1) == 2 else f"{literal(1 - beta)}*{grad}"
    return f"{literal(beta)}*{a.cell(1)}+{new}" if a.given(1) else new


def adam(a: Asked) -> str:
    p, (before, mean, square) = a.params, (a.cell(which) for which in range(3))
    first, second = p.get("betas", (0.9, 0.999))
    root = f"SQRT({square}/(1-{literal(second)}^{p['time']}))+{literal(p.get('epsilon', 1e-8))}"
    decayed = f"{before}*(1-{literal(p['rate'])}*{literal(p['decay'])})" if p.get("decay") else before
    return f"{decayed}-{literal(p['rate'])}*{mean}/(1-{literal(first)}^{p['time']})/({root})"
