"""Terms with a twin: the same expression in plain Python integers over every assignment."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from cpqueens import Model, div_trunc, element, maximum, minimum, mod_trunc


class Twins:
    """A small model, all its assignments, and random pairs (expression, values over the assignments)."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.model = Model()
        self.x = self.model.intvar(-2, 2, shape=(2, 2), name="x")
        self.b = self.model.boolvar(name="b")
        axes = [range(-2, 3)] * 4 + [range(2)]
        self.grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 5)

    def value(self, expression: Any) -> np.ndarray:
        """Return what the expression means by the package, (assignments, *shape)."""
        values = self.model.complete(self.grid, self.model.decisions)
        return expression.evaluate(values).reshape(len(self.grid), *expression.shape)

    def leaf(self) -> tuple[Any, np.ndarray]:
        x = self.grid[:, :4].reshape(-1, 2, 2)
        return self.random.choice(
            [
                (self.x, x),
                (self.x[0], x[:, 0]),
                (self.x[1, 0], x[:, 1, 0]),
                (self.x[:, 1], x[:, :, 1]),
                (self.x.T, x.transpose(0, 2, 1)),
                (self.b, self.grid[:, 4]),
            ]
        )

    def pair(self, depth: int) -> tuple[Any, np.ndarray]:
        """Return a random expression and its values, computed side by side."""
        if not depth:
            return self.leaf()
        return self.random.choice(OPERATIONS)(self, depth - 1)


def _align(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pad value arrays so that NumPy broadcasts the axes behind the assignments as the terms do."""
    width = max(a.ndim, b.ndim)
    return tuple(v.reshape(v.shape[:1] + (1,) * (width - v.ndim) + v.shape[1:]) for v in (a, b))  # type: ignore[return-value]


def _binary(ours: Callable[[Any, Any], Any], theirs: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def make(t: Twins, depth: int) -> tuple[Any, np.ndarray]:
        (e, v), (f, w) = t.pair(depth), t.pair(depth)
        return ours(e, f), theirs(*_align(v, w))

    return make


def _unary(ours: Callable[[Any], Any], theirs: Callable[[np.ndarray], Any]) -> Callable[..., Any]:
    def make(t: Twins, depth: int) -> tuple[Any, np.ndarray]:
        e, v = t.pair(depth)
        return ours(e), theirs(v)

    return make


def _trunc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([int(p / q) for p, q in np.broadcast(a, b)]).reshape(np.broadcast(a, b).shape)


def _sum(axis: int | None) -> Callable[..., Any]:
    def total(v: np.ndarray) -> np.ndarray:
        axes = tuple(range(1, v.ndim)) if axis is None or v.ndim == 1 else (v.ndim + axis,)
        return v.sum(axis=axes) if axes else v

    def ours(e: Any) -> Any:
        return e.sum() if axis is None or not e.shape else e.sum(axis=axis)

    return _unary(ours, total)


def _entry(t: Twins, depth: int) -> tuple[Any, np.ndarray]:
    e, v = t.pair(depth)
    table = [5, t.x[0, 1], -3]
    column = np.stack([np.full(len(t.grid), 5), t.grid[:, 1], np.full(len(t.grid), -3)], axis=1)
    picked = np.take_along_axis(column, (v % 3).reshape(len(v), -1), axis=1)
    return element(table, e % 3), picked.reshape(v.shape)


def _truth(ours: Callable[[Any, Any], Any], theirs: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    make = _binary(ours, theirs)

    def number(t: Twins, depth: int) -> tuple[Any, np.ndarray]:
        e, v = make(t, depth)
        if t.random.random() < 0.5:
            e, v = ~e, ~v
        return e + 0, v.astype(np.int64)

    return number


ARRAY = np.array([[3, 0], [-1, 2]])
OPERATIONS: list[Callable[..., Any]] = [
    _binary(lambda e, f: e + f, lambda v, w: v + w),
    _binary(lambda e, f: e - f, lambda v, w: v - w),
    _binary(lambda e, f: e * f, lambda v, w: v * w),
    _binary(minimum, np.minimum),
    _binary(maximum, np.maximum),
    _binary(lambda e, f: e // (abs(f) + 1), lambda v, w: v // (abs(w) + 1)),
    _binary(lambda e, f: e % (-abs(f) - 1), lambda v, w: v % (-abs(w) - 1)),
    _binary(lambda e, f: div_trunc(e, abs(f) + 1), lambda v, w: _trunc(v, abs(w) + 1)),
    _binary(lambda e, f: mod_trunc(e, -abs(f) - 1), lambda v, w: v - _trunc(v, -abs(w) - 1) * (-abs(w) - 1)),
    _truth(lambda e, f: e == f, lambda v, w: v == w),
    _truth(lambda e, f: e != f, lambda v, w: v != w),
    _truth(lambda e, f: e <= f, lambda v, w: v <= w),
    _truth(lambda e, f: (e < f) | (f == 1), lambda v, w: (v < w) | (w == 1)),
    _truth(lambda e, f: (e >= f) & ~(f == 0), lambda v, w: (v >= w) & (w != 0)),
    _truth(lambda e, f: (e > f) ^ (f > 0), lambda v, w: (v > w) ^ (w > 0)),
    _truth(lambda e, f: (e > f).implies(f > 0), lambda v, w: ~(v > w) | (w > 0)),
    _truth(lambda e, f: (e > f) == (f > 0), lambda v, w: (v > w) == (w > 0)),
    _unary(lambda e: -e, lambda v: -v),
    _unary(abs, abs),
    _unary(lambda e: 7 - e, lambda v: 7 - v),
    _unary(lambda e: 3 * e - 1, lambda v: 3 * v - 1),
    _unary(lambda e: e * 0 + 2, lambda v: v * 0 + 2),
    _unary(lambda e: e**2, lambda v: v**2),
    _unary(lambda e: ARRAY + e, lambda v: ARRAY + v.reshape(v.shape[:1] + (1,) * (3 - v.ndim) + v.shape[1:])),
    _unary(lambda e: e * ARRAY, lambda v: ARRAY * v.reshape(v.shape[:1] + (1,) * (3 - v.ndim) + v.shape[1:])),
    _unary(lambda e: 7 // (abs(e) + 1), lambda v: 7 // (abs(v) + 1)),
    _unary(lambda e: -7 % (abs(e) + 1), lambda v: -7 % (abs(v) + 1)),
    _sum(None),
    _sum(-1),
    _entry,
]
