"""NumPy's array functions on terms do what they do on the terms' positions."""

from __future__ import annotations

import numpy as np
import pytest

from cpqueens import Model


@pytest.fixture
def x():
    return Model().intvar(0, 9, shape=(3, 4), name="x")


INDEX = np.arange(12).reshape(3, 4)
REARRANGING = [
    lambda a: np.concatenate([a, a[:1]]),
    lambda a: np.concatenate([a, a], axis=1),
    lambda a: np.stack([a, a], axis=1),
    lambda a: np.vstack([a, a]),
    lambda a: np.hstack([a, a]),
    lambda a: np.column_stack([a[:, 0], a[:, 1]]),
    lambda a: np.transpose(a),
    lambda a: np.flip(a, axis=1),
    lambda a: np.fliplr(a),
    lambda a: np.rot90(a),
    lambda a: np.roll(a, 1, axis=0),
    lambda a: np.diag(a[:, :3]),
    lambda a: np.diagonal(a),
    lambda a: np.ravel(a),
    lambda a: np.reshape(a, (4, 3)),
    lambda a: np.repeat(a, 2, axis=0),
    lambda a: np.tile(a, 2),
    lambda a: np.take(a, [0, 2], axis=0),
    lambda a: np.delete(a, 1, axis=0),
    lambda a: np.expand_dims(a, 0),
    lambda a: np.squeeze(a[:1]),
    lambda a: np.swapaxes(a, 0, 1),
    lambda a: np.moveaxis(a, 0, 1),
    lambda a: np.broadcast_to(a, (2, 3, 4)),
    lambda a: np.block([[a], [a]]),
]


@pytest.mark.parametrize("function", range(len(REARRANGING)))
def test_rearranging(x, function: int) -> None:
    picked, expected = REARRANGING[function](x), REARRANGING[function](INDEX)
    assert picked.shape == expected.shape
    assert picked.variables.reshape(-1).tolist() == expected.reshape(-1).tolist()


@pytest.mark.parametrize("split", [lambda a: np.split(a, 2, axis=1), lambda a: np.array_split(a, 2)])
def test_splitting(x, split) -> None:
    for part, expected in zip(split(x), split(INDEX), strict=True):
        assert part.shape == expected.shape
        assert part.variables.reshape(-1).tolist() == expected.reshape(-1).tolist()


COMPUTING = [
    lambda a: np.sum(a),
    lambda a: np.sum(a, axis=0),
    lambda a: np.sum(a, axis=(0, 1)),
    lambda a: np.diff(a),
    lambda a: np.diff(a, axis=0),
    lambda a: np.diff(a, n=2),
    lambda a: np.dot(a, np.array([1, 2, 3, 4])),
    lambda a: np.inner(a, np.array([1, 2, 3, 4])),
    lambda a: np.trace(a),
    lambda a: np.trace(a, 1),
    lambda a: np.cumsum(a, axis=1),
    lambda a: np.cumsum(a),
]


@pytest.mark.parametrize("function", range(len(COMPUTING)))
def test_computing(x, function: int) -> None:
    values = np.array([[3, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]])
    terms, expected = COMPUTING[function](x), COMPUTING[function](values)
    assert terms.shape == np.shape(expected)
    assert (terms.evaluate(values.reshape(1, -1)).reshape(terms.shape) == expected).all()


def test_shape_functions(x) -> None:
    assert (np.shape(x), np.ndim(x), np.size(x)) == ((3, 4), 2, 12)


def test_constants_among_the_terms(x) -> None:
    joined = np.concatenate([x[0], [7, 8]])
    assert joined.shape == (6,)
    assert joined.constants.tolist() == [0, 0, 0, 0, 7, 8]


@pytest.mark.parametrize("name", ["sort", "argmax", "linalg.det", "mean", "where"])
def test_others_are_refused_with_advice(x, name: str) -> None:
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    with pytest.raises(TypeError, match="does not work on terms; use arithmetic"):
        function(x)


def test_models_do_not_mix(x) -> None:
    with pytest.raises(ValueError, match="two different models"):
        np.concatenate([x[0], Model().intvar(0, 1, shape=2)])
