"""Metamorphic relations hold for correct solvers and break for wrong ones."""

import numpy as np
import pytest
from conftest import make_queens
from seeds import sweep

from cpqueens import AllDifferent, AllDifferentExcept, Increasing, Model, NoOverlap2D
from cpqueens.answers.symmetry import QUEENS_BOARD, REVERSAL, Symmetry
from cpqueens.backends.named import BACKENDS
from cpqueens.crosscheck import derive, metamorphic as module, oracle
from cpqueens.crosscheck.metamorphic import RELATIONS, metamorphic
from cpqueens.errors import ModelError
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.ranges import LIMIT


@pytest.mark.parametrize("seed", sweep(3, 12))
def test_all_relations_hold_on_random_models(seed, optimizer):
    report = metamorphic(random_model(seed), optimizer, seed=seed)
    assert not report.disagreements, str(report)
    assert report.value is not None


@pytest.mark.parametrize("measure", ["count", "feasible"])
def test_queens_with_symmetries(measure, solver):
    report = metamorphic(make_queens(6), solver, measure=measure, symmetries=QUEENS_BOARD)
    assert not report.disagreements
    assert report.value == (4 if measure == "count" else 1)
    assert report.exit_code == 0


def test_derived_models_have_the_solutions_that_they_should():
    from random import Random

    for seed in sweep(12, 60):
        model, random = random_model(seed), Random(seed)
        count = oracle.solve(model).count
        equivalent = [
            derive.permuted(model, random),
            derive.shuffled(model, random),
            derive.shifted(model, random),
            derive.negated(model),
            derive.with_tautology(model, random),
            derive.decomposed(model),
        ]
        assert [oracle.solve(m).count for m in equivalent if m is not None] == [count] * sum(
            m is not None for m in equivalent
        )
        parts = derive.restricted(model, random)
        if parts:
            assert sum(oracle.solve(part).count for part in parts) == count


@pytest.fixture
def wrong(monkeypatch):
    """CP-SAT with a bug in the way in which it is asked: relations are told something else now and then."""

    def install(spoil):
        asked = []

        def measure(model, solver, time_limit):
            asked.append(model)
            answer = module.count_of(model, solver, time_limit)
            return spoil(answer, len(asked), model)

        monkeypatch.setitem(module.MEASURES, "count", measure)

    return install


def test_a_solver_that_loses_a_solution_of_larger_values_breaks_relations(wrong):
    def spoil(answer, run, model):
        lost = int(bool((model.lower[model.decisions] < 0).any()))
        return module.Answer(answer.value - lost, answer.solution)

    wrong(spoil)
    report = metamorphic(make_queens(5), "cpsat")
    assert "negated values" in {d.details["relation"] for d in report.disagreements}
    assert report.exit_code == 16


def test_every_relation_can_break(wrong):
    wrong(lambda answer, run, model: module.Answer(answer.value + (run > 1) * run * run, answer.solution))
    broken = {d.details["relation"] for d in metamorphic(make_queens(5), "cpsat").disagreements}
    assert broken == {
        "permuted variables",
        "shuffled constraints",
        "shifted values",
        "negated values",
        "added tautology",
        "duplicated constraint",
        "decomposed constraints",
        "case split",
        "blocked solution",
        "fixed solution",
    }


def test_a_false_symmetry_is_found():
    turned = Symmetry("roll", lambda q: np.roll(q, 1, axis=1))
    report = metamorphic(make_queens(6), "cpsat", symmetries=(*REVERSAL, turned))
    assert any(d.accused == "declared symmetries" for d in report.disagreements)


def test_what_does_not_finish_is_listed():
    report = metamorphic(make_queens(12), "python-constraint", time_limit=0.05)
    assert report.value is None
    assert report.exit_code == 3
    assert report.not_compared


def test_bad_measures_are_refused():
    with pytest.raises(ModelError, match="measure"):
        metamorphic(make_queens(4), measure="most")
    with pytest.raises(ModelError, match="measure"):
        metamorphic(make_queens(4), measure="optimum")
    assert len(set(RELATIONS.values())) == len(RELATIONS)
    assert BACKENDS


def test_a_decomposition_keeps_the_conditions_of_its_terms():
    """Its parts may have terms only within truths, which an undefined one makes false and no more."""
    model = Model()
    x, y = model.intvar(0, 3, name="x"), model.intvar(0, 1, name="y")
    model.add(AllDifferent([6 // y]), AllDifferentExcept([x // y, 1, x], [1]))
    truth = oracle.solve(model)
    assert 0 < truth.count < 4
    assert oracle.solve(derive.decomposed(model)).rows == truth.rows


def test_a_term_that_no_part_has_must_still_be_defined():
    model = Model()
    x, y = model.intvar(0, 3, name="x"), model.intvar(0, 1, name="y")
    model.add(Increasing([x // y]), NoOverlap2D(x // y, 1, y, 1))
    assert oracle.solve(derive.decomposed(model)).rows == oracle.solve(model).rows


def test_derived_models_out_of_range_are_not_compared():
    m = Model("far")
    x = m.intvar(domain=[-LIMIT, 0, LIMIT], shape=2, name="x")
    m.add(AllDifferent(x))
    for measure in ("count", "feasible"):
        report = metamorphic(m, "backtracking", measure=measure)
        assert report.exit_code == 0
        assert not report.disagreements
        assert any("out of range" in n.why or "narrow" in n.why for n in report.not_compared)
