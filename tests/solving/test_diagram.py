"""Decision diagrams of all solutions: counts, solutions and shares are those of brute force."""

from __future__ import annotations

import numpy as np
import pytest
from cpqueens.models.queens import queens
from each import each

from cpqueens import AllDifferent, Count, GlobalCardinality, Model, Regular, Table
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.solving import diagram
from cpqueens.solving.diagram import Diagram


def compare(model: Model) -> Diagram:
    """Compare a model's diagram with all its solutions, each of which has one number."""
    found, space = Diagram.of(model), oracle.solve(model).solutions
    assert found is not None
    assert found.count == len(space)
    rows = found.rows(list(range(found.count)))
    assert np.array_equal(np.unique(rows, axis=0), np.unique(space, axis=0))
    for column, (v, numbers) in enumerate(found.numbers().items()):
        assert v == model.decisions[column]
        values, many = np.unique(space[:, column], return_counts=True)
        assert numbers == dict(zip(values.tolist(), many.tolist(), strict=True))
    return found


@each("seed", range(40))
def test_random_models_have_the_solutions_of_brute_force(seed: int) -> None:
    compare(random_model(seed))


def test_each_kind_that_states_are_kept_of() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=(2, 4), name="x")
    y = m.intvar(domain=[-4, 0, 3], name="y")
    m.add(Regular(x[0], [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 2, 1)], 0, [0, 1]))
    m.add(GlobalCardinality(x[:, 1:].reshape(-1), [0, 1], lower=[1, 2], upper=[3, 4]))
    m.add(Count(x[1], 2, "<=", 2), Table(x[:, 0], [[0, 1], [1, 2], [2, 0]]))
    m.add(x.sum() != 7, x[0].sum() + y > -2, x[1].sum() - y < 6, abs(x[1, 3] - x[0, 3]) >= 1)
    assert compare(m).count > 20
    for n in (3, 4, 6):
        compare(queens(n))


def test_counts_of_several_words_are_exact() -> None:
    m = Model()
    x = m.intvar(1, 7, shape=60, name="x")
    m.add(x[:30].sum() == 2 * m.intvar(0, 200, name="half"))
    found = Diagram.of(m)
    assert found is not None
    even = (7**30 + (3 - 4) ** 30) // 2  # three of seven values are even, four are odd
    assert found.count == even * 7**30
    last = found.rows([found.count - 1, 0, found.count // 3])
    assert last.min() >= 1
    assert (last[:, :30].sum(axis=1) % 2 == 0).all()
    assert found.numbers()[int(m.decisions[59])] == dict.fromkeys(range(1, 8), even * 7**29)


def test_what_is_too_wide_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Diagram.of(queens(30)) is None
    m = Model()
    m.intvar(0, 5000, name="x")
    assert Diagram.of(m) is None
    assert Diagram.of(Model()) is None
    for name in ("ARCS", "ARCS_OF_LAYER"):
        with monkeypatch.context() as patch:
            patch.setattr(diagram, name, 20)
            assert Diagram.of(queens(6)) is None


def test_parts_of_a_layer_make_the_same_diagram(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Diagram.of(queens(7))
    for name in ("_ARCS_AT_ONCE", "_TABLED", "_CELLS"):
        monkeypatch.setattr(diagram, name, 3)
    parts = Diagram.of(queens(7))
    assert whole is not None
    assert parts is not None
    assert np.array_equal(whole.rows(list(range(40))), parts.rows(list(range(40))))
    compare(random_model(3))


def test_what_has_no_solution_has_none() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=4, name="x")
    m.add(AllDifferent(x))
    assert compare(m).count == 0
