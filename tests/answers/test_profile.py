"""Profiles: counted by hand on models that propagation decides, and held against the search's own counts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cpqueens.models.all_interval import all_interval
from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.job_shop import job_shop
from cpqueens.models.magic_square import magic_square
from cpqueens.models.queens import queens
from cpqueens.models.travelling_salesman import travelling_salesman
from each import each

from cpqueens import AllDifferent, Model, Or, UnsupportedRequest
from cpqueens.answers.profile import (
    COUNTED,
    NOT_STATED,
    ConstraintProfile,
    Profile,
    Tallies,
    Walked,
    profile_of,
)
from cpqueens.backends.local_search import tracing
from cpqueens.backends.local_search.tracing import WatchedStates
from cpqueens.errors import CpqueensError


def wheel(spokes: int) -> Model:
    """Return the colouring of an odd wheel in three colours, which is one too few, and a row that is idle."""
    m = Model()
    x = m.intvar(0, 2, shape=spokes + 1, name="x")
    for i in range(1, spokes + 1):
        m.add(x[0] != x[i], name=f"hub {i}")
        m.add(x[i] != x[i % spokes + 1], name=f"rim {i}")
    m.add(x.sum() >= 0, name="idle")
    return m


def by_name(profile: Profile) -> dict[str, ConstraintProfile]:
    return {c.name or c.constraint: c for c in profile.constraints}


def test_what_propagation_alone_decides_is_counted_by_hand() -> None:
    m = Model()
    x = m.intvar(0, 9, name="x")
    m.add(x >= 4, name="least")  # takes 0..3
    m.add(x <= 6, name="most")  # takes 7..9
    m.add(x != 5, name="not")  # takes 5
    m.add(x <= 40, name="idle")
    found = by_name(
        m.enumerate(solver="backtracking:forward", variable_order="lexicographic", profile=True).profile
    )
    assert [found[name].removed for name in ("least", "most", "not", "idle")] == [4, 3, 1, 0]
    assert all(c.failures == 0 for c in found.values())
    assert all(found[name].runs >= 1 and found[name].parts == 1 for name in ("least", "most", "not"))
    assert found["most"].where.endswith(f"test_profile.py:{found['least'].where.rpartition(':')[2]}") is False
    assert found["least"].constraint == "x >= 4"
    assert "test_profile.py:" in found["least"].where


def test_a_failure_is_of_the_constraint_that_finds_it() -> None:
    m = Model()
    x = m.intvar(0, 9, name="x")
    m.add(x >= 6, name="high")
    m.add(x <= 3, name="low")
    m.add(m.intvar(0, 3, name="y") <= 2, name="other")
    found = by_name(m.solve(solver="backtracking:forward", profile=True).profile)
    assert found["high"].failures + found["low"].failures == 1
    assert found["other"].failures == 0
    assert {found["high"].removed, found["low"].removed} == {0, 6}  # one took six values, the other failed


def test_an_all_different_counts_the_values_that_fixed_ones_take() -> None:
    m = Model()
    x = m.intvar(0, 20, shape=3, name="x")  # so many values that nothing else is said of them
    m.add(x[0] == 7, name="seven")
    m.add(x[1] <= 7, name="small")
    m.add(x[2] == 9, name="nine")
    m.add(AllDifferent(x), name="all differ")
    m.add(x[1] >= 6, name="large")
    found = by_name(m.solve(solver="backtracking:forward", profile=True).profile)
    assert sum(c.removed for c in found.values()) == 3 * 20  # all but 7, 6 and 9
    assert (found["seven"].removed, found["large"].removed) == (20, 6)
    assert found["all differ"].removed in range(1, 4)  # 7 of the others, before or after they lose it


@each("order", ["lexicographic", "smallest-domain"])
def test_the_sums_are_what_the_search_counts(order: str) -> None:
    """A refutation is a binary tree, whose leaves are failures: one more than there are decisions."""
    outcome = wheel(9).solve(solver="backtracking:forward", variable_order=order, profile=True)
    profile, counts = outcome.profile, outcome.statistics
    assert outcome.status == "INFEASIBLE"
    assert sum(c.runs for c in profile.constraints) == counts["propagations"]
    assert sum(c.failures for c in profile.constraints) == counts["decisions"] + 1
    assert sum(v.decisions for v in profile.variables) == counts["decisions"] > 0
    assert sum(v.share for v in profile.variables) == pytest.approx(1)
    assert by_name(profile)["idle"].did_nothing
    assert sum(c.share for c in profile.constraints) == pytest.approx(1)


@each("solver", ["backtracking:forward", "backtracking:learning"])
def test_a_profiled_run_is_the_run_that_it_would_have_been(solver: str) -> None:
    for model in (wheel(7), queens(7)):
        plain, profiled = (model.solve(solver=solver, profile=p) for p in (False, True))
        assert plain.profile is None
        assert plain.status == profiled.status
        for name in {"nodes", "failures", "propagations", "decisions"} & plain.statistics.keys():
            assert plain.statistics[name] == profiled.statistics[name], name
        again = model.solve(solver=solver, profile=True).profile
        counts = [[(c.label, c.runs, c.removed, c.failures) for c in sorted(p.constraints, key=str)]
                  for p in (again, profiled.profile)]  # fmt: skip
        assert sorted(counts[0]) == sorted(counts[1])


def test_learned_clauses_name_what_their_conflicts_were_traced_back_to() -> None:
    m = wheel(9)
    outcome = m.solve(solver="backtracking:learning", profile=True)
    found = by_name(outcome.profile)
    assert outcome.statistics["clauses_learned"] > 0
    assert found["idle"].reasons == 0
    assert sum(c.reasons for name, c in found.items() if name.startswith(("hub", "rim"))) > 0
    clauses = found[NOT_STATED[-5]]
    assert clauses.runs > 0
    m = Model()
    x = m.intvar(0, 30, shape=6, name="x")
    m.add(AllDifferent(x), name="all differ")
    m.add(x.sum() <= 14, name="too small")  # 0 + 1 + ... + 5 == 15
    outcome = m.solve(solver="backtracking:learning", profile=True)
    assert outcome.status == "INFEASIBLE"
    assert by_name(outcome.profile)["too small"].reasons > 0


@each("solver", ["backtracking:forward", "local-search"])
def test_what_a_model_gets_later_changes_no_profile(solver: str) -> None:
    """Texts are made when they are asked for; so are those of ten thousand constraints, one by one."""
    m = wheel(4)
    outcome = m.solve(solver=solver, profile=True, step_limit=50)
    y = m.intvar(0, 9, name="later")
    m.add(y > m["x"][0], name="added later")
    m.minimize(y)
    found = outcome.profile
    assert "added later" not in by_name(found)
    assert len([c for c in found.constraints if c.where]) == 9
    assert {v.name for v in found.variables} <= {f"x[{k}]" for k in range(5)}
    assert found.to_dict()["constraints"][0]["constraint"] == found.constraints[0].constraint


def test_parts_of_a_constraint_are_counted_as_its_own() -> None:
    """Definitions belong to the only constraint that needs them, and to nobody where several do."""
    m = Model()
    x = m.intvar(0, 9, shape=3, name="x")
    m.add(abs(x[0] - x[1]) >= 3, name="far")
    m.add(Or(x[0] == 1, x[2] == 2), name="either")
    product = x[1] * x[2]
    m.add(product >= 6, name="large")
    m.add(product <= 40, name="small")
    m.add((x[0] > x[1]).implies(x[2] > 3), name="then")
    profile = m.solve(solver="backtracking:forward", profile=True).profile
    found = by_name(profile)
    assert found["far"].parts >= 2
    assert found["either"].parts >= 3
    assert found["then"].parts >= 3
    assert found["large"].parts == found["small"].parts == 1
    assert found[NOT_STATED[-1]].parts >= 1


def test_an_optimum_names_its_bound_apart() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=3, name="x")
    m.add(AllDifferent(x), name="all differ")
    m.minimize(x.sum())
    outcome = m.solve(solver="backtracking:forward", profile=True)
    assert outcome.objective == 3
    assert by_name(outcome.profile)[NOT_STATED[-3]].runs > 0


def test_local_search_tells_violations_over_time() -> None:
    m = Model()
    x = m.intvar(0, 4, shape=6, name="x")
    m.add(AllDifferent(x), name="never")  # six variables, five values
    m.add(x.sum() >= 0, name="always")
    m.add(x[0] * x[1] >= 0, name="product")
    outcome = m.solve(solver="local-search", profile=True, step_limit=500, random_seed=1)
    found = by_name(outcome.profile)
    assert outcome.profile.measure == "violation"
    assert found["never"].violated == 1
    assert found["never"].share == 1
    assert min(found["never"].history) >= 1
    assert found["always"].violated == found["always"].share == 0
    assert "Never satisfied: never" in str(outcome.profile)
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(x[0] < x[1], name="rising")
    states = np.array([[3, 0], [2, 1], [0, 1], [1, 1]])  # violated by 4, 2, 0 and 1
    (rising,) = profile_of(m, Walked(np.arange(4), states)).constraints
    assert (rising.history, rising.violated, rising.share) == ((4, 2, 0, 1), 0.75, 1.0)


@pytest.mark.parametrize(
    ("model", "strategy", "steps"),
    [
        (all_interval(30), "auto", 60_000),  # a kernel for paths
        (magic_square(7), "exchange", 20_000),
        (queens(40), "sosic-gu-4", 2_000),
        (queens(12), "tabu", 2_000),
        (golomb_ruler(7), "jump", 20_000),  # without the variable that is its objective
        (golomb_ruler(7), "auto", 40_000),  # presolved
        (job_shop(), "auto", 20_000),
        (travelling_salesman(), "auto", 20_000),
    ],
)
def test_a_profiled_local_search_walks_where_it_would_have_walked(
    model: Model, strategy: str, steps: int
) -> None:
    asked = {"solver": f"local-search:{strategy}", "step_limit": steps, "random_seed": 5}
    plain, profiled = model.solve(**asked), model.solve(**asked, profile=True)
    for name in ("trajectory", "steps", "moves", "evaluations"):
        assert plain.statistics[name] == profiled.statistics[name], name
    assert profiled.profile.samples > 0
    both = model.solve(**{**asked, "step_limit": 200}, profile=True, trace=50)
    assert both.profile.samples > 0
    assert both.trace is not None


def test_a_course_of_its_own_is_profiled_too() -> None:
    asked = {"solver": "local-search:annealing", "schedule": "rowwise", "random_seed": 1, "step_limit": 3000}
    plain, profiled = queens(9).solve(**asked), queens(9).solve(**asked, profile=True)
    assert plain.statistics["trajectory"] == profiled.statistics["trajectory"]
    assert profiled.profile.samples > 0


def test_states_of_a_smaller_model_are_shown_in_the_variables_of_the_whole() -> None:
    model = golomb_ruler(7)
    outcome = model.solve(solver="local-search:jump", step_limit=20_000, random_seed=5, profile=True)
    starts = by_name(outcome.profile)["x[0] == 0"]
    assert starts.violated < 1
    assert len(outcome.profile.constraints) == model.constraint_count


def test_states_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_NUMBERS", 90)
    watched = WatchedStates()
    for step in range(100):
        watched.see(step, np.full(10, step))
    found = watched.walked(10)
    assert len(found.steps) < 9
    assert (found.states == found.steps[:, None]).all()
    assert (np.diff(found.steps, n=2) == 0).all()


def test_remarks_name_what_is_dear_and_in_vain() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=2, name="x")
    for name in ("dear", "good", "idle"):
        m.add(x[0] <= x[1], name=name)
    rows = {
        0: (9000, 12, 0, 0, 1, 70),
        1: (100, 50, 9, 3, 1, 30),
        2: (5, 0, 0, 0, 1, 0),
    }
    assert len(rows[0]) == len(COUNTED)
    tallies = Tallies({k: np.array(row) for k, row in rows.items()}, np.array([3, 1, 0]), 100)
    profile = profile_of(m, tallies)
    assert [c.name for c in profile.constraints[:2]] == ["dear", "good"]
    assert [(v.name, v.decisions, v.share) for v in profile.variables] == [
        ("x[0]", 3, 0.75),
        ("x[1]", 1, 0.25),
    ]
    dear, idle = profile.remarks
    assert dear.startswith("dear test_profile.py:")
    assert dear.endswith("took 70% of the time and refuted nothing.")
    assert idle.startswith("Removed and refuted nothing: idle test_profile.py:")
    assert json.loads(json.dumps(profile.to_dict()))["remarks"] == list(profile.remarks)
    page = profile._repr_html_()
    assert "width:112px" in page  # 70 % of 160
    assert "took 70% of the time and refuted nothing" in page


def test_a_table_fits_eighty_columns() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=40, name="a_variable_with_a_long_name")
    for k in range(30):
        m.add(x[k:].sum() + 3 * x[0] >= k, name="a constraint with a name that goes on and on and on " * 2)
    for solver in ("backtracking:forward", "local-search"):
        lines = str(m.solve(solver=solver, profile=True).profile).split("\n")
        table = [line for line in lines if "%" in line and "Removed" not in line]
        assert max(map(len, table)) < 80
        assert any("... and" in line for line in lines)
        assert "\x1b" not in "\n".join(lines)


def test_what_cannot_tell_refuses_in_one_line() -> None:
    m = queens(6)
    for solver, word in (
        ("cpsat", "cpsat has no parameter 'profile'; known to"),
        ("backtracking:bitmask", "backtracking:forward and backtracking:learning do"),
    ):
        with pytest.raises(CpqueensError) as refused:
            m.solve(solver=solver, profile=True)
        assert word in str(refused.value)
        assert "\n" not in str(refused.value)
    assert issubclass(UnsupportedRequest, CpqueensError)
    assert m.solve(profile=True).solver == "backtracking"
    assert m.count(profile=True) == 4
