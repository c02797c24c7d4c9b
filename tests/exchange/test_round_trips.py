"""There and back again: models of CPMpy's style and of every kind here, compared as sets of solutions."""

from __future__ import annotations

import pytest
import test_from_cpmpy as foreign

from cpqueens import compare, from_cpmpy, from_cpsat, to_cpmpy
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS

cp = pytest.importorskip("cpmpy", reason="CPMpy is not installed")


@pytest.mark.parametrize("name", sorted(foreign.CASES)[:32])
def test_of_models_in_the_style_of_cpmpy(name: str) -> None:
    x, b, y = foreign.variables()
    ours = from_cpmpy(cp.Model(foreign.CASES[name](x, b, y))).model
    back = from_cpmpy(to_cpmpy(ours).model).model
    assert compare(ours, back, time_limit=60).verdict == "EQUAL"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_of_every_kind(kind: str) -> None:
    model = random_model(1, kinds=[kind], constraints=2)
    model.drop_objectives()
    back = from_cpmpy(to_cpmpy(model).model).model
    assert compare(model, back, time_limit=60).verdict == "EQUAL"


@pytest.mark.parametrize("values", [[0, 2, 5, 9], [-4, -1, 0], [1, 4, 6, 7, 11], [0, 12]])
def test_gaps_of_every_width_in_the_domain_of_a_sum(values: list[int]) -> None:
    cp_model = pytest.importorskip("ortools.sat.python.cp_model")
    native = cp_model.CpModel()
    x, y = native.new_int_var(-3, 8, "x"), native.new_int_var(0, 4, "y")
    native.add_linear_expression_in_domain(x + y, cp_model.Domain.from_values(values))
    ours = from_cpsat(native).model
    expected = {(i, j) for i in range(-3, 9) for j in range(5) if i + j in values}
    found = ours.enumerate(solver="backtracking").solutions.matrix.tolist()
    assert set(map(tuple, found)) == expected
