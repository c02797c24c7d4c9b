"""There and back again: models of every kind and style, compared as sets of solutions, by every way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import styles
import test_from_cpmpy as foreign

from cpqueens import Model, compare, from_cpmpy, from_cpsat, from_flatzinc, to_cpmpy
from cpqueens.backends.minizinc.flat import flatzinc_text
from cpqueens.crosscheck import oracle
from cpqueens.files.modelfile import dump_model, parse_model
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS

cp = pytest.importorskip("cpmpy", reason="CPMpy is not installed")


@pytest.mark.parametrize("name", sorted(foreign.CASES)[:32])
def test_of_models_in_the_style_of_cpmpy(name: str) -> None:
    x, b, y = foreign.variables()
    ours = from_cpmpy(cp.Model(foreign.CASES[name](x, b, y))).model
    back = from_cpmpy(to_cpmpy(ours).model).model
    assert compare(ours, back, time_limit=600).verdict == "EQUAL"


# ---- from our own models, by every way ---------------------------------------------------------------------

Back = tuple[Model, list[Any]]
"""What came back, and its terms that are the variables of the model."""


def by_cpmpy(model: Model) -> Back:
    there = to_cpmpy(model)
    back = from_cpmpy(there.model)
    return back.model, [back.names[v.name] for v in there.variables.values()]


def by_cpsat(model: Model) -> Back:
    there = model.to_cpsat()
    back = from_cpsat(there.model)
    terms = list(back.names.values())
    return back.model, [terms[column] for column in there.columns.values()]


def by_flatzinc(model: Model) -> Back:
    back = from_flatzinc(flatzinc_text(model))
    places = {o.name: o.items for o in back.outputs}
    return back.model, [term for b in model.blocks for term in places.get(b.name, places.get(f"X_{b.first}"))]


def by_file(model: Model) -> Back:
    text = dump_model(model)
    back = parse_model(text)
    assert dump_model(back) == text
    return back, [term for b in model.blocks for term in back[b.name].reshape(-1)]


WAYS: dict[str, Callable[[Model], Back]] = {
    "CPMpy": by_cpmpy,
    "CP-SAT": by_cpsat,
    "FlatZinc": by_flatzinc,
    "model file": by_file,
}


def solutions(model: Model, terms: list[Any]) -> set[tuple[int, ...]]:
    """What the terms are in all solutions, of which no two have the same."""
    found = [tuple(int(s[t]) for t in terms) for s in model.enumerate(solver="backtracking").solutions]
    assert len(found) == len(set(found)), "what was defined may vary"
    return set(found)


def models() -> Iterator[tuple[str, Model, set[tuple[int, ...]]]]:
    """One of each style, and one of each kind of constraint, with its solutions."""
    for name in styles.STYLES:
        model = styles.styled(name)
        yield name, model, set(map(tuple, model.enumerate(solver="backtracking").solutions.matrix.tolist()))
    for kind in sorted(KINDS):
        model = random_model(2, kinds=[kind], constraints=2)
        if len(model.goals) > 1:
            model.drop_objectives()
        yield kind, model, oracle.solve(model).rows


def test_of_every_style_and_kind() -> None:
    """The same solutions, each once, the same best ones; and what came back is written and read as it is."""
    lost = []
    for name, model, expected in models():
        best = model.solve(solver="backtracking").objective if model.goals else None
        for way, go in WAYS.items():
            back, terms = go(model)
            text = dump_model(back)
            if solutions(back, terms) != expected or dump_model(parse_model(text)) != text:
                lost.append((way, name))
            assert [g.maximizing for g in back.goals] == [g.maximizing for g in model.goals]
            if best is not None and back.solve(solver="backtracking").objective != best:
                lost.append((way, f"the best of {name}"))
    assert not lost


def test_comparing_says_so() -> None:
    for way, go in WAYS.items():
        for name in ("knapsack", "configuration"):
            model = styles.styled(name)
            assert compare(model, go(model)[0], time_limit=600).equal, (way, name)


def test_a_constant_of_an_objective_that_is_no_double_is_kept() -> None:
    for sense in ("maximize", "minimize"):
        m = Model()
        getattr(m, sense)(2 * m.intvar(0, 3, name="x") + 2**54 + 1)
        back, _ = by_cpsat(m)
        assert back.solve(solver="backtracking").objective == m.solve(solver="backtracking").objective


def test_flatzinc_that_was_read_is_written_as_it_was() -> None:
    """Once it is in these words; but functions that may be undefined are made defined anew each time."""
    partial = {"quotients", "quotients_that_cancel", "outside_an_array"}
    for name in styles.STYLES.keys() - partial:
        text = flatzinc_text(from_flatzinc(flatzinc_text(styles.styled(name))).model)
        assert flatzinc_text(from_flatzinc(text).model) == text, name


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
