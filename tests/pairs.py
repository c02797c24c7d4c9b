"""Random arrays of terms and of truths side by side with the NumPy arrays of their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from cpqueens import BoolArray, CpqueensError, LinearArray, Model

VARIABLES = 12


class Pairs:
    """One model with one assignment; draws (what a user has, its value) and reads values back."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.model = Model()
        self.x = self.model.intvar(-9, 9, shape=VARIABLES, name="x")
        self.values = self.rng.integers(-9, 10, VARIABLES)

    def integer(self, low: int, high: int) -> int:
        """Return an integer in low..high."""
        return int(self.rng.integers(low, high + 1))

    def choose(self, *options: Any) -> Any:
        return options[self.integer(0, len(options) - 1)]

    def shape(self, least: int = 0, most: int = 3) -> tuple[int, ...]:
        return tuple(int(n) for n in self.rng.choice([0, 1, 2, 2, 3, 3, 4], self.integer(least, most)))

    def terms(self, shape: tuple[int, ...]) -> tuple[LinearArray, np.ndarray]:
        """Return terms of a shape and their values."""
        first, second = self.rng.integers(0, VARIABLES, (2, *shape))
        scale, shift = self.rng.integers(-2, 3, (2, *shape))
        ours = self.x[first] * scale + self.x[second] + shift
        return ours, self.values[first] * scale + self.values[second] + shift

    def truths(self, shape: tuple[int, ...]) -> tuple[BoolArray, np.ndarray]:
        """Return truths of a shape and their values."""
        ours, values = self.terms(shape)
        limit = self.integer(-3, 3)
        return self.choose(
            (ours > limit, values > limit),
            ((ours > limit) & (ours < 9), (values > limit) & (values < 9)),
            (~((ours == limit) | (ours > 1)), ~((values == limit) | (values > 1))),
            (self.x[0] * ours <= limit, self.values[0] * values <= limit),
        )

    def constants(self, shape: tuple[int, ...]) -> tuple[Any, Any]:
        """Return integers, as an array or as nested lists."""
        values = self.rng.integers(-5, 6, shape).astype(self.choose(np.int64, np.int8, np.uint16, np.int64))
        return self.choose((values, values), (values.tolist(), values.tolist()))

    def array(self, shape: tuple[int, ...]) -> tuple[Any, Any]:
        """Return elements of any kind: terms mostly, sometimes truths, integers or a list of terms."""
        kind = self.choose(self.terms, self.terms, self.terms, self.truths, self.constants, self.listed)
        return kind(shape)

    def listed(self, shape: tuple[int, ...]) -> tuple[Any, Any]:
        """Return a list of terms and integers."""
        if not shape:
            return self.terms(shape)
        parts = [self.choose(self.terms, self.terms, self.constants)(shape[1:]) for _ in range(shape[0])]
        return [ours for ours, _ in parts], [values for _, values in parts]

    def read(self, result: Any) -> np.ndarray:
        """Return the value of an expression, or of a NumPy array of objects, under the assignment."""
        if isinstance(result, np.ndarray):
            return np.array([self.read(part) for part in result.flat], dtype=int).reshape(result.shape)
        if not isinstance(result, LinearArray | BoolArray):
            return np.asarray(result)
        terms = result.truth() if isinstance(result, BoolArray) else result
        complete = self.model.complete(self.values[None, :], self.model.decisions)
        return terms.evaluate(complete)[0].reshape(terms.shape)


def attempt(function: Any, *args: Any, **kwargs: Any) -> tuple[Any, Exception | None]:
    """Return what a call returns, or what it raises."""
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, error


def assert_same(pairs: Pairs, ours: Any, values: Any) -> None:
    """Assert that a result has NumPy's shape, values and kind; lists of results too."""
    if isinstance(values, list | tuple):
        assert type(ours) is type(values)
        assert len(ours) == len(values)
        for mine, theirs in zip(ours, values, strict=True):
            assert_same(pairs, mine, theirs)
        return
    values = np.asarray(values)
    assert ours.shape == values.shape
    assert (pairs.read(ours) == values).all()
    known = values.dtype.kind in "bi" and not isinstance(
        ours, np.ndarray
    )  # an empty list makes NumPy say float
    assert not known or isinstance(ours, BoolArray) == (values.dtype == bool)


def assert_refused(error: Exception | None) -> None:
    """Assert that a refusal is one line in our own words."""
    assert isinstance(error, CpqueensError), repr(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 300
