"""Which models have the AllDifferent pattern, and that the pattern means the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cpqueens.models.costas_array import costas_array
from cpqueens.models.graph_colouring import graph_colouring
from cpqueens.models.langford import langford
from cpqueens.models.latin_square import latin_square
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from cpqueens.models.superqueens import superqueens
from cpqueens.models.toroidal_queens import toroidal_queens
from each import each

from cpqueens import AllDifferent, Model, UnsupportedRequest
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.lowered.forms import DECOMPOSED, compiled_of
from cpqueens.lowered.structures.table import find


def found(model: Model) -> Pattern | None:
    return find("shifted_board", compiled_of(model, DECOMPOSED))


def holes() -> Model:
    m = Model()
    x = m.intvar(domain=[-4, -1, 0, 2, 5], shape=4, name="x")
    m += AllDifferent(x + np.array([0, 1, 3, 2]))
    return m


def offsets() -> Model:
    m = Model()
    x = m.intvar(-2, 3, shape=4, name="x")
    m += [AllDifferent(x - 7), AllDifferent(np.array([3, -1, 0, 9]) - x), x[0] != x[3] + 2]
    return m


def modulus() -> Model:
    m = Model()
    x = m.intvar(-3, 4, shape=4, name="x")
    m += [AllDifferent((x + np.arange(4)) % 5), AllDifferent(x)]
    return m


def repeated() -> Model:
    m = Model()
    x = m.intvar(0, 6, shape=3, name="x")
    m += AllDifferent(x[0], x[1], x[0] + 2, x[2], x[1] + 3)
    return m


def same_term_twice() -> Model:
    m = Model()
    x = m.intvar(0, 6, shape=3, name="x")
    m += AllDifferent(x[0], x[1], x[0])
    return m


def conditions() -> Model:
    m = Model()
    x = m.intvar(0, 9, shape=4, name="x")
    m += [AllDifferent(x), x[0] >= 2, 3 * x[1] <= 14, -2 * x[2] + 8 != 0, x[3] == 7]
    return m


def free() -> Model:
    m = Model()
    m.intvar(0, 2, shape=3, name="x")
    return m


def widest() -> Model:
    m = Model()
    x = m.intvar(0, 63, shape=2, name="x")
    m += AllDifferent(x)
    return m


def constant_rows() -> Model:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m += [AllDifferent(x), 0 * x[0] <= 1]
    return m


WITH: dict[str, Callable[[], Model]] = {
    "queens": lambda: queens(6),
    "queens with given squares": lambda: queens(7, given=((0, 2), (3, 3))),
    "queens with blocked squares": lambda: queens(6, blocked=((0, 1), (5, 4))),
    "toroidal queens": lambda: toroidal_queens(7),
    "superqueens": lambda: superqueens(7),
    "Langford": lambda: langford(4),
    "Latin squares": lambda: latin_square(3),
    "graph colouring": lambda: graph_colouring("cycle", 5, 3),
    "holes": holes,
    "offsets": offsets,
    "modulus": modulus,
    "repeated variables": repeated,
    "the same term twice": same_term_twice,
    "conditions on one variable": conditions,
    "no constraint": free,
    "64 values": widest,
    "constant rows": constant_rows,
}


@each("name", WITH)
def test_models_with_the_pattern(name: str) -> None:
    model = WITH[name]()
    assert found(model) is not None
    general = model.enumerate(solver="backtracking:forward")
    for strategy in ("bitmask", "check", "rowmask", "table"):
        special = model.enumerate(solver=f"backtracking:{strategy}")
        assert special.solutions.matrix.tolist() == general.solutions.matrix.tolist()
        assert special.statistics["strategy"] == strategy


def _with(*post: Callable[[Any], Any], **domain: Any) -> Callable[[], Model]:
    def build() -> Model:
        m = Model()
        x = m.intvar(**{"lower": 0, "upper": 5, **domain}, shape=4, name="x")
        m.add(AllDifferent(x))
        for function in post:
            m.add(function(x))
        return m

    return build


def objective() -> Model:
    m = queens(5)
    m.minimize(m["q"][0])
    return m


def mixed_moduli() -> Model:
    m = Model()
    x = m.intvar(0, 5, shape=3, name="x")
    m += AllDifferent(x[0] % 3, x[1] % 4, x[2] % 3)
    return m


def large_pairs() -> Model:
    m = Model()
    x = m.intvar(0, 63, shape=600, name="x")
    m += [AllDifferent(x[[0, 599]]), AllDifferent(x[[1, 300]])]
    return m


WITHOUT: dict[str, Callable[[], Model]] = {
    "a sum": _with(lambda x: x.sum() <= 9),
    "an order": _with(lambda x: x[0] < x[1]),
    "an equality of two": _with(lambda x: x[0] == x[1] + 1),
    "a factor": _with(lambda x: 2 * x[0] != x[1]),
    "factors in an AllDifferent": _with(lambda x: AllDifferent(2 * x)),
    "mixed signs": _with(lambda x: AllDifferent(x[0], -x[1])),
    "a truth": _with(lambda x: (x[0] == 1) | (x[1] == 2)),
    "an absolute value": _with(lambda x: abs(x[0] - x[1]) >= 2),
    "a remainder with terms": _with(lambda x: AllDifferent(x % (x[0] + 7))),
    "65 values": _with(upper=64),
    "far values": _with(lower=0, upper=2**40),
    "Costas arrays": lambda: costas_array(5),
    "magic squares": lambda: magic_square(3),
    "different moduli": mixed_moduli,
    "a conflict table that is too large": large_pairs,
}


@each("name", WITHOUT)
def test_models_without_the_pattern(name: str) -> None:
    assert found(WITHOUT[name]()) is None


def test_an_objective_does_not_fit() -> None:
    model = objective()
    assert found(model) is None
    outcome = model.solve(solver="backtracking")
    assert outcome.objective == 0
    assert outcome.statistics["strategy"] == "forward"


def test_large_patterns_run_without_a_conflict_table() -> None:
    m = Model()
    x = m.intvar(0, 63, shape=700, name="x")
    m += AllDifferent(x[:8])
    m += x[8:] == 1
    pattern = found(m)
    assert pattern is not None
    assert not pattern.has_table
    for solver in ("bitmask", "check", "forward"):
        outcome = m.enumerate(solver=f"backtracking:{solver}", solution_limit=3)
        assert outcome.solutions.matrix[2, :9].tolist() == [0, 1, 2, 3, 4, 5, 6, 9, 1]


def test_many_groups_of_few_of_many_variables_are_no_board() -> None:
    def groups(count: int) -> Model:
        m = Model()
        m.add(*(AllDifferent(row) for row in m.intvar(0, 9, shape=(count, 3), name="x")))
        return m

    assert found(groups(500)) is not None
    assert found(groups(600)) is None  # 600 groups times 1,800 variables


def test_auto_says_what_it_chose() -> None:
    def chosen(model: Model, **options: Any) -> Any:
        return model.enumerate(solver="backtracking", solution_limit=1, **options).statistics["strategy"]

    assert chosen(queens(8)) == "bitmask"
    assert chosen(costas_array(5)) == "sums"
    assert chosen(magic_square(3)) == "forward"
    assert chosen(queens(8), variable_order="smallest-domain") == "forward"
    assert queens(8).solve(solver="backtracking").statistics["chosen"] == "auto"
    assert queens(30).solve(solver="backtracking").statistics["strategy"] == "forward"
    assert queens(8).solve(solver="backtracking:table").statistics["chosen"] == "asked for"


@pytest.mark.parametrize("options", [{"variable_order": "smallest-domain"}, {"value_order": "random"}])
def test_patterned_strategies_have_one_order(options: dict[str, str]) -> None:
    with pytest.raises(UnsupportedRequest, match="has one order"):
        queens(6).enumerate(solver="backtracking:bitmask", **options)


@pytest.mark.parametrize("model", [toroidal_queens(7), queens(23)], ids=["toroidal", "23 queens"])
def test_halves_count_plain_queens_only(model: Model) -> None:
    with pytest.raises(UnsupportedRequest, match="counts plain queens"):
        model.count(solver="backtracking:halves")


def test_halves_do_not_list() -> None:
    with pytest.raises(UnsupportedRequest, match="counts plain queens"):
        queens(8).enumerate(solver="backtracking:halves")
