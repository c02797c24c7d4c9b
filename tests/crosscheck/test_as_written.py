"""The oracle for expressions as they were written notices what the language layer loses of them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import oracle
import pytest
from seeds import sweep

from cpqueens.answers.check import Checker
from cpqueens.crosscheck import as_written
from cpqueens.crosscheck.oracle import element
from cpqueens.errors import ModelError
from cpqueens.fuzzing import written
from cpqueens.fuzzing.examine import widened
from cpqueens.fuzzing.generate import CONTEXTS, usage, written_model
from cpqueens.fuzzing.written import Script
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.language.rows import checked_multiply, normalise
from cpqueens.language.store import VariableStore
from cpqueens.model import Model


def drawn(seed: int, **options: Any) -> tuple[Model, Script]:
    model, script = written_model(Random(seed), cancelling=True, **options)
    assert script is not None
    return model, script


def accepted(model: Model) -> set[tuple[int, ...]]:
    grid = oracle.assignments(model)
    return {tuple(row) for row in grid[Checker(model).accepts(grid)].tolist()}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_means_what_was_written_also_over_wider_domains(kind: str) -> None:
    refused = 0
    for seed, context in enumerate(CONTEXTS * len(sweep(2, 4))):
        model, script = drawn(seed, kinds=[kind], contexts=[context], constraints=2)
        truth = as_written.solve(model, script).rows
        assert accepted(model) == truth, (seed, context)
        try:
            wider = widened(script, Random(seed))
        except ModelError:  # for size or range
            refused += 1
            continue
        assert accepted_within(wider, model) == truth, (seed, context)
    assert refused <= 6


def accepted_within(wider: Model, model: Model) -> set[tuple[int, ...]]:
    grid = oracle.assignments(model)
    return {tuple(row) for row in grid[Checker(wider).accepts(grid)].tolist()}


def test_an_entry_without_a_value_makes_an_element_undefined() -> None:
    """Whatever position is asked for: all entries must be defined."""
    entries = np.array([[5, 5], [7, 7]]), np.array([[True, True], [True, False]])
    found, defined = element(zip(*entries, strict=True), (np.array([0, 0]), np.array([True, True])))
    assert (found.tolist(), defined.tolist()) == ([5, 5], [True, False])


def test_every_function_is_among_them() -> None:
    from cpqueens.language.defined_functions import DEFINITION_KINDS

    met = {kind for seed in range(80) for kind, where in usage(drawn(seed)[0]) if where == "defined"}
    assert set(DEFINITION_KINDS) <= met


def test_what_is_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def merged(self: Any, variables: Any, coefficients: Any, factors: Any = None) -> Any:
        scaled = coefficients if factors is None else checked_multiply(coefficients, factors[:, None])
        return normalise(variables, scaled)

    monkeypatch.setattr(VariableStore, "remaining", lambda self, total: {v: a for v, a in total.items() if a})
    monkeypatch.setattr(VariableStore, "merged", merged)
    pairs = [drawn(seed) for seed in range(100)]
    assert sum(accepted(model) != as_written.solve(model, script).rows for model, script in pairs) >= 5


def test_single_functions_have_the_values_that_python_gives() -> None:
    model = Model()
    script = Script()
    x = script.variable(model, [-2, 0, 1, 3], "x")
    y = script.variable(model, [-1, 0, 2], "y")
    grid = oracle.assignments(model)
    table = as_written.AsWritten([x, y], grid)

    def values(node: Any) -> list[Any]:
        found, defined = table.term(node)
        return [int(v) if ok else None for v, ok in zip(found.tolist(), defined.tolist(), strict=True)]

    pairs = grid.tolist()
    assert values(x // y) == [a // b if b else None for a, b in pairs]
    assert values(0 * (x % y) - 3) == [-3 if b else None for _, b in pairs]
    assert values(-(x**3) + 1) == [1 - a**3 for a, _ in pairs]
    assert values(written.minimum(x, y, 1)) == [min(a, b, 1) for a, b in pairs]
    assert values(written.element([5, y, 7], x)) == [(5, b, 7)[a] if 0 <= a < 3 else None for a, b in pairs]
    assert values((written.stack([x, x // y]) * [1, 0]).sum()) == [a if b else None for a, b in pairs]
    assert values((x // y == 1).truth() + (x > 1) * 2) == [
        int(b != 0 and a // b == 1) + 2 * (a > 1) for a, b in pairs
    ]
    assert table.truth(~(x // y == x // y)).tolist() == [b == 0 for _, b in pairs]
    assert table.truth((x < y).implies((x != 1) ^ (y == 2))).tolist() == [
        a >= b or (a != 1) != (b == 2) for a, b in pairs
    ]


def test_numbers_beyond_64_bits_do_not_wrap() -> None:
    model, script = Model(), Script()
    x = script.variable(model, [2**40, 2**40 + 1], "x")
    table = as_written.AsWritten([x], oracle.assignments(model))
    found, _ = table.term(x)
    assert found.tolist() == [2**40, 2**40 + 1]
    square, _ = table._function(x.__class__("product", None, (x, 2**40), {}, None))  # type: ignore[arg-type]
    assert [int(v) for v in square] == [2**80, 2**80 + 2**40]
    assert np.asarray(square).dtype == object
