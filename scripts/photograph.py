"""Renders resources/photographs/fruit.jpg, the example of models that look at photographs: fruit on a table.

Nobody's photograph, so its licence is ours. Rays are marched through a scene of distance functions, in NumPy alone:
``python scripts/photograph.py`` takes some minutes. Letters: N rays, each a row of three coordinates (right, up, near).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from txviz.ops import Array

WIDTH, HEIGHT, FINER = 400, 300, 2
"""Pixels, and how many rays go through each in either direction."""

STEPS, FAR, CLOSE = 110, 14.0, 0.0012
FOCUS, BLUR, LENSES = 5.6, 0.055, 6
"""The distance that is sharp, the radius of the lens, and how many places of it are looked through."""

EYE = np.array([0.0, 1.75, 5.4])
LOOKED_AT = np.array([0.05, 0.52, 0.0])
SUN = np.array([-0.62, 0.72, 0.45]) / np.linalg.norm([-0.62, 0.72, 0.45])
WARM, SKY, BOUNCE = np.array([1.0, 0.93, 0.8]), np.array([0.55, 0.68, 0.85]), np.array([0.42, 0.27, 0.15])
TILE = 60_000
"""So many rays at once."""

TARGET = Path(__file__).parents[1] / "resources/photographs/fruit.jpg"


def noise(p: Array, seed: int = 0) -> Array:  # (N,3) -> (N,)
    """Smooth noise around 0: random numbers at the corners of a grid, with soft passages between them."""
    cell = np.floor(p).astype(np.int64)
    along = p - cell
    soft = along * along * (3 - 2 * along)
    found = np.zeros(len(p))
    for corner in np.ndindex(2, 2, 2):
        share = np.prod(np.where(corner, soft, 1 - soft), axis=1)
        x, y, z = (cell + corner).T
        mixed = (x * 374_761_393 + y * 668_265_263 + z * 2_147_483_647 + seed * 144_269) & 0x7FFF_FFFF
        mixed = ((mixed ^ (mixed >> 13)) * 1_274_126_177) & 0x7FFF_FFFF
        found += share * (((mixed ^ (mixed >> 16)) & 0xFFFF) / 0x8000 - 1)
    return found


def octaves(p: Array, count: int, seed: int = 0) -> Array:  # (N,3) -> (N,)
    return np.asarray(np.sum([noise(p * 2**i, seed + i) / 2**i for i in range(count)], axis=0))


def turned(p: Array, around: int, angle: float) -> Array:  # (N,3) -> (N,3)
    a, b = [axis for axis in range(3) if axis != around]
    found = p.copy()
    found[:, a] = np.cos(angle) * p[:, a] - np.sin(angle) * p[:, b]
    found[:, b] = np.sin(angle) * p[:, a] + np.cos(angle) * p[:, b]
    return found


def apple(p: Array) -> Array:  # (N,3) -> (N,)
    """A ring that has grown together: a dimple above, a smaller one below, and a little narrower at the foot."""
    radius = np.hypot(p[:, 0], p[:, 2])
    angle = np.arctan2(p[:, 2], p[:, 0])
    narrow = 1 + 0.13 * p[:, 1] + 0.012 * np.cos(5 * angle)
    return np.asarray((np.hypot(radius / narrow - 0.27, p[:, 1] * (0.93 + 0.05 * p[:, 1])) - 0.37) * 0.8)


def stalk(p: Array) -> Array:  # (N,3) -> (N,)
    bent = np.hypot(p[:, 0] - 0.22 * (p[:, 1] - 0.25) ** 2 - 0.01, p[:, 2])
    return np.maximum(bent - 0.02 - 0.02 * np.clip(p[:, 1] - 0.3, 0, 1), np.abs(p[:, 1] - 0.36) - 0.18) * 0.8


def orange(p: Array) -> Array:  # (N,3) -> (N,)
    """A ball with pores, flatter at the navel."""
    length = np.linalg.norm(p * [1, 1.04, 1], axis=1)
    near = np.abs(length - 0.58) < 0.05
    pores = np.zeros(len(p))
    pores[near] = np.clip(noise(p[near] / 0.022, 7) - 0.1, 0, 1) * 0.004
    navel = 0.03 * np.exp(-((p[:, 0] / 0.07) ** 2 + (p[:, 2] / 0.07) ** 2)) * (p[:, 1] > 0)
    return np.asarray((length - 0.58 + pores + navel) * 0.9)


def lemon(p: Array) -> Array:  # (N,3) -> (N,)
    """Long, with a point at either end."""
    along = np.abs(p[:, 0])
    around = np.hypot(p[:, 1], p[:, 2])
    width = 0.39 * np.sqrt(np.clip(1 - (along / 0.6) ** 2, 0, 1)) + 0.085 * np.exp(-(((along - 0.57) / 0.09) ** 2))
    body = around - width
    near = (np.abs(body) < 0.05) & (along < 0.75)
    body[near] += np.clip(noise(p[near] / 0.028, 3), 0, 1) * 0.004
    return np.maximum(body, along - 0.66) * 0.6


class Thing:
    """A shape that stands somewhere, with the colours of its skin and how it shines."""

    def __init__(
        self,
        shape: Callable[[Array], Array],
        place: tuple[float, float, float],
        turns: tuple[float, float, float],
        skin: Callable[[Array], Array],
        gloss: tuple[float, float],
    ) -> None:
        self.shape, self.place, self.turns, self.skin, self.gloss = shape, np.array(place), turns, skin, gloss

    def inside(self, p: Array) -> Array:  # (N,3) -> (N,3)
        """The same places, as the shape sees them."""
        found = p - self.place
        for axis, angle in enumerate(self.turns):
            found = turned(found, axis, angle) if angle else found
        return np.asarray(found)

    def distance(self, p: Array) -> Array:  # (N,3) -> (N,)
        """Not looked at closely where it is far away."""
        away = np.linalg.norm(p - self.place, axis=1) - 0.95
        near = away < 0.25
        away[near] = self.shape(self.inside(p[near]))
        return np.asarray(away)


def mixed(a: tuple[float, ...], b: tuple[float, ...], share: Array) -> Array:  # (N,) -> (N,3)
    return np.asarray(np.array(a) + (np.array(b) - np.array(a)) * np.clip(share, 0, 1)[:, None])


def green_skin(p: Array) -> Array:  # (N,3) -> (N,3)
    spots = np.clip(noise(p / 0.045, 11) - 0.55, 0, 1) * 1.4
    ground = mixed((0.30, 0.50, 0.06), (0.50, 0.66, 0.15), 0.5 + octaves(p * 2.5, 3, 5))
    return ground + (np.array([0.72, 0.78, 0.42]) - ground) * np.clip(spots, 0, 0.6)[:, None]


def red_skin(p: Array) -> Array:  # (N,3) -> (N,3)
    angle = np.arctan2(p[:, 2], p[:, 0])
    streaks = noise(np.stack([angle * 9, p[:, 1] * 1.2, 0 * angle], axis=1), 21)
    ripe = 0.55 + 0.45 * octaves(p * 1.8 + 4, 2, 9) + 0.35 * streaks + 0.25 * p[:, 0]
    spots = np.clip(noise(p / 0.04, 13) - 0.62, 0, 1)
    return mixed((0.62, 0.45, 0.10), (0.46, 0.03, 0.03), ripe) + 0.5 * spots[:, None]


def orange_skin(p: Array) -> Array:  # (N,3) -> (N,3)
    return mixed((0.80, 0.26, 0.01), (0.90, 0.40, 0.03), 0.5 + octaves(p * 3, 3, 2))


def lemon_skin(p: Array) -> Array:  # (N,3) -> (N,3)
    tips = np.clip((np.abs(p[:, 0]) - 0.45) * 3, 0, 0.6)
    return mixed((0.88, 0.66, 0.03), (0.62, 0.58, 0.08), 0.25 + 0.5 * octaves(p * 3, 3, 8) + tips)


def bark(p: Array) -> Array:  # (N,3) -> (N,3)
    return mixed((0.16, 0.09, 0.04), (0.30, 0.20, 0.09), 0.5 + noise(p * 30, 1))


def planks(p: Array) -> Array:  # (N,3) -> (N,3)
    """A table of boards: grain along them, and dark joints between."""
    board = np.floor(p[:, 2] / 0.9 + 0.35)
    shifted = p + np.stack([board * 7.3, 0 * board, 0 * board], axis=1)
    bent = shifted[:, 2] * 9 + 1.6 * octaves(shifted * [0.5, 1, 1.6], 3, 31)
    rings = 0.5 + 0.5 * np.sin(bent * 2.4)
    fibres = octaves(shifted * [3, 1, 60], 2, 37)
    ground = mixed(
        (0.30, 0.16, 0.07), (0.50, 0.31, 0.16), 0.25 + 0.45 * rings + 0.3 * fibres + 0.12 * noise(shifted, 40)
    )
    joint = np.abs((p[:, 2] / 0.9 + 0.35) % 1 - 0.5)
    return ground * np.clip((0.5 - joint) / 0.012, 0.25, 1)[:, None]


GREEN, RED = (-0.98, 0.36, 0.35), (0.02, 0.37, -0.55)
THINGS = (
    Thing(apple, GREEN, (0.08, 0.4, 0.1), green_skin, (0.34, 55)),
    Thing(stalk, GREEN, (0.08, 0.4, 0.1), bark, (0.05, 10)),
    Thing(apple, RED, (-0.1, 1.2, -0.12), red_skin, (0.4, 70)),
    Thing(stalk, RED, (-0.1, 1.2, -0.12), bark, (0.05, 10)),
    Thing(orange, (0.98, 0.555, 0.05), (0.5, 0.3, -0.5), orange_skin, (0.22, 28)),
    Thing(lemon, (0.08, 0.375, 0.92), (0.0, 0.42, 0.05), lemon_skin, (0.24, 32)),
)


def distances(p: Array) -> Array:  # (N,3) -> (things + 1, N)
    """To each thing, and to the table."""
    return np.stack([*(thing.distance(p) for thing in THINGS), p[:, 1]])


def marched(start: Array, way: Array, far: float) -> Array:  # (N,3), (N,3) -> (N,)
    """How far each ray gets until it meets something."""
    gone, moving = np.full(len(start), 0.01), np.arange(len(start))
    for _ in range(STEPS):
        step = distances(start[moving] + gone[moving, None] * way[moving]).min(axis=0)
        gone[moving] += step
        moving = moving[(step > CLOSE) & (gone[moving] < far)]
        if not len(moving):
            break
    return gone


def slopes(p: Array) -> Array:  # (N,3) -> (N,3)
    """Away from the surface."""
    width = 0.0015
    found = np.stack([distances(p + e).min(axis=0) - distances(p - e).min(axis=0) for e in width * np.eye(3)], axis=1)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))


def lit(p: Array, normal: Array) -> Array:  # (N,3), (N,3) -> (N,)
    """How much of the sun, which is a wide window, is seen: rays that come close to something are half in its shade."""
    share, gone = np.ones(len(p)), np.full(len(p), 0.03)
    for _ in range(36):
        near = distances(p + normal * 0.01 + gone[:, None] * SUN).min(axis=0)
        share = np.minimum(share, 0.5 + 0.5 * near / (0.10 * gone))
        gone += np.clip(near, 0.02, 0.25)
    share = np.clip(share, 0, 1)
    return share * share * (3 - 2 * share)


def openness(p: Array, normal: Array) -> Array:  # (N,3), (N,3) -> (N,)
    """How little stands around a place."""
    found = np.zeros(len(p))
    for i in range(1, 6):
        away = 0.09 * i
        found += (away - distances(p + normal * away).min(axis=0)) / 2**i
    return np.clip(1 - 2.4 * found, 0.08, 1)


def behind(way: Array) -> Array:  # (N,3) -> (N,3)
    """A wall far away and out of focus, with the light of a window on it."""
    height, side = np.clip(way[:, 1] * 2.4 + 0.62, 0, 1), way[:, 0]
    wall = mixed((0.06, 0.07, 0.07), (0.17, 0.19, 0.18), height * 0.8)
    glow = np.exp(-(((side + 0.34) / 0.3) ** 2 + ((way[:, 1] - 0.06) / 0.2) ** 2))
    return np.asarray(wall + glow[:, None] * np.array([0.30, 0.27, 0.20]))


def seen(start: Array, way: Array) -> Array:  # (N,3), (N,3) -> (N,3)
    """The light that comes along each ray."""
    gone = marched(start, way, FAR)
    light, hit = behind(way), gone < FAR
    p = start[hit] + gone[hit, None] * way[hit]
    fade = np.clip((-p[:, 2] - 1.6) / 3.5, 0, 1)[:, None]  # the table goes on into the dark
    light[hit] = shaded(p, way[hit]) * (1 - fade) + light[hit] * fade
    return light


def shaded(p: Array, way: Array) -> Array:  # (N,3), (N,3) -> (N,3)
    which, normal = distances(p).argmin(axis=0), slopes(p)
    colour, shine, sharp = np.zeros_like(p), np.full(len(p), 0.1), np.full(len(p), 24.0)
    for number, thing in enumerate(THINGS):
        mine = which == number
        if mine.any():
            colour[mine], (shine[mine], sharp[mine]) = thing.skin(thing.inside(p[mine])), thing.gloss
    table = which == len(THINGS)
    colour[table] = planks(p[table]) if table.any() else 0
    sun = np.clip(normal @ SUN, 0, 1) * lit(p, normal)
    around = openness(p, normal)
    sky = (0.5 + 0.5 * normal[:, 1]) * around
    ground = np.clip(0.5 - 0.5 * normal[:, 1], 0, 1) * (0.35 + 0.65 * around)
    half = SUN - way
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    spot = np.clip((normal * half).sum(axis=1), 0, 1) ** sharp * shine * (sun > 0) * lit(p, normal)
    edge = (1 + (normal * way).sum(axis=1)).clip(0, 1) ** 4 * 0.22 * around
    light = sun[:, None] * WARM * 1.25 + sky[:, None] * SKY * 0.32 + ground[:, None] * BOUNCE * 0.45
    return np.asarray(colour * light + spot[:, None] * WARM * 2.2 + edge[:, None] * SKY)


def rays(sample: int) -> tuple[Array, Array]:  # -> (N,3), (N,3)
    """Through every pixel, from one place of the lens."""
    ahead = (LOOKED_AT - EYE) / np.linalg.norm(LOOKED_AT - EYE)
    right = np.cross(ahead, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    rows, columns = HEIGHT * FINER, WIDTH * FINER
    y, x = np.mgrid[rows / 2 - 0.5 : -rows / 2 : -1, -columns / 2 + 0.5 : columns / 2]
    way = ahead + (x[..., None] * right + y[..., None] * up) * (0.66 / columns)
    way = way.reshape(-1, 3)
    angle, far = sample * 2.399963, BLUR * np.sqrt((sample + 0.5) / LENSES)
    moved = far * (np.cos(angle) * right + np.sin(angle) * up)
    start = np.broadcast_to(EYE + moved, way.shape)
    way = way * FOCUS - moved
    return start, way / np.linalg.norm(way, axis=1, keepdims=True)


def developed(light: Array) -> Array:  # (rows,columns,3) -> (rows,columns,3)
    """As film does it: bright is rolled off, corners are darker, and there is some grain."""
    rows, columns = light.shape[:2]
    y, x = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    light = light * (1 - 0.20 * (x**2 + y**2) / 2)[..., None] * 1.12
    film = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)
    grain = np.random.default_rng(0).normal(0, 0.006, film.shape)
    return np.asarray((np.clip(film, 0, 1) ** (1 / 2.2) + grain).clip(0, 1) * 255).round().astype(np.uint8)


def main() -> None:
    total = np.zeros((HEIGHT * FINER * WIDTH * FINER, 3))
    for sample in range(LENSES):
        start, way = rays(sample)
        for first in range(0, len(way), TILE):
            part = slice(first, first + TILE)
            total[part] += seen(start[part], way[part]) / LENSES
    light = total.reshape(HEIGHT, FINER, WIDTH, FINER, 3).mean(axis=(1, 3))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(developed(light)).save(TARGET, quality=88, optimize=True)


if __name__ == "__main__":
    main()
