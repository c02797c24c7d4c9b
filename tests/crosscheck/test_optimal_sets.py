"""Cross-checks of optimal sets and of several objectives: who lies about them is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from liars import Scripted

from cpqueens import Model, ModelError, cross_check
from cpqueens.backends.clock import by_processor
from cpqueens.crosscheck.findings import Evidence
from cpqueens.crosscheck.given import GivenSolutions


@pytest.fixture
def pairs() -> Model:
    """Two digits of sum 7 at least: 4 pairs of sum 7, 3 of sum 8."""
    model = Model("pairs")
    x = model.intvar(0, 5, shape=2, name="x")
    model += x.sum() >= 7
    model.minimize(x.sum())
    return model


def without_one(answer: Any, model: Model, request: Any) -> None:
    """Leave one solution out of a listing."""
    if not model.goals:
        answer.rows = answer.rows[1:]


def test_optimal_sets_agree(pairs: Model) -> None:
    report = cross_check(pairs, optimal=True)
    assert report.agree
    assert (report.verdict.optimum, report.verdict.count) == (7, 4)
    assert report.verdict.evidence is Evidence.INDEPENDENT
    assert report.verdict.text == "optimum 7, reached by 4 solutions, and no more"


def test_sets_within_a_gap_agree(pairs: Model) -> None:
    report = cross_check(pairs, ["cpsat", "exhaustive"], gap=1)
    assert (report.agree, report.verdict.count) == (True, 7)
    assert "at most 1 from it" in report.verdict.text


def test_an_optimal_solution_that_is_missing(pairs: Model) -> None:
    report = cross_check(pairs, [Scripted("honest"), Scripted("liar", without_one)], optimal=True)
    (found,) = report.disagreements
    assert (str(found.code), found.accused, found.total) == ("MISSING", "liar", 1)
    assert sum(found.witnesses[0].values["x"]) == 7


def test_a_false_optimum_is_found_before_the_sets_are_asked_for(pairs: Model) -> None:
    def worse(answer: Any, model: Model, request: Any) -> None:
        answer.rows = np.array([[5, 3]])
        answer.objective = answer.bound = 8

    report = cross_check(pairs, ["cpsat", Scripted("liar", worse)], optimal=True)
    assert {(str(d.code), d.accused) for d in report.disagreements} == {("OPT_CROSSED", "liar")}
    assert report.want == "best"


def test_a_heuristic_takes_part_in_what_it_can(pairs: Model) -> None:
    with by_processor():
        report = cross_check(pairs, ["cpsat", "backtracking", "local-search"], optimal=True, time_limit=0.5)
    assert (report.agree, report.verdict.count) == (True, 4)


def test_several_objectives_are_compared_all(pairs: Model) -> None:
    x = pairs["x"]
    pairs.then_maximize(x[0])
    report = cross_check(pairs, ["cpsat", "backtracking", "python-constraint", "exhaustive"])
    assert (report.agree, report.verdict.optima) == (True, (7, 5))
    assert report.verdict.text == "optimum [7, 5]"
    listed = cross_check(pairs, ["cpsat", "exhaustive"], optimal=True)
    assert (listed.agree, listed.verdict.count) == (True, 1)


def test_a_false_second_objective_is_crossed(pairs: Model) -> None:
    def second(answer: Any, model: Model, request: Any) -> None:
        if model.goals[0].maximizing:
            answer.rows = np.array([[3, 4]])
            answer.objective = answer.bound = 3

    pairs.then_maximize(pairs["x"][0])
    report = cross_check(pairs, ["cpsat", Scripted("liar", second)])
    (found,) = report.disagreements
    assert (str(found.code), found.accused) == ("OPT_CROSSED", "liar")
    assert "[7, 3] is optimal" in found.message
    assert "[7, 5]" in found.message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"optimal": 1}, "optimal: True or False"),
        ({"gap": -1}, "gap: an integer of at least 0"),
        ({"optimal": True, "want": "best"}, "want: of optimal solutions"),
    ],
)
def test_what_makes_no_sense_is_refused(pairs: Model, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        cross_check(pairs, **options)


def test_a_gap_is_of_one_objective(pairs: Model) -> None:
    pairs.then_maximize(pairs["x"][0])
    with pytest.raises(ModelError, match="one objective is needed, this one has 2"):
        cross_check(pairs, gap=1)


def test_sets_of_a_model_without_objective_are_not_optimal() -> None:
    with pytest.raises(ModelError, match="needs a model with an objective"):
        cross_check(Model(), optimal=True)


def fixed(*answers: Any) -> Any:
    """Return a heuristic that answers these in turn."""
    return lambda model, seed, time_limit: answers[seed % len(answers)]


def test_a_valid_answer_that_is_not_optimal_is_a_miss_and_not_invalid(pairs: Model) -> None:
    report = cross_check(pairs, ["cpsat", fixed([5, 5], [2, 5])], optimal=True, seeds=4)
    (found,) = report.heuristics
    assert (found.successes, found.rejections, found.wrong) == (2, {"not optimal": 2}, 0)
    assert found.examples == ("not optimal, seed 0: valid, but its objective is 10, the best is 7",)
    assert (report.agree, report.exit_code) == (True, 4)
    found = cross_check(pairs, ["cpsat", fixed([5, 5])], gap=1).heuristics[0]
    assert found.examples[0].endswith("its objective is 10, the best is 7, allowed are 1 more or less")


def test_an_invalid_answer_stays_one_where_optimal_ones_are_asked_for(pairs: Model) -> None:
    report = cross_check(pairs, ["cpsat", fixed([5, 5], [0, 0])], optimal=True, seeds=2)
    (found,) = report.heuristics
    assert found.rejections == {"invalid": 1}  # which ends the comparison before optimal ones are asked for
    assert report.exit_code == 10
    assert "x[0] + x[1] >= 7" in found.examples[0]  # what the user wrote, and not the limit of the objective


def test_given_solutions_that_are_not_optimal_are_no_findings(pairs: Model) -> None:
    given = GivenSolutions([[2, 5], [5, 5]], "notebook")
    report = cross_check(pairs, ["cpsat", given], optimal=True)
    assert report.agree
    assert "not compared: notebook: 1 solution (valid, but not as good" in str(report)
    complete = GivenSolutions([[2, 5], [5, 5]], "all", complete=True)
    assert {d.accused for d in cross_check(pairs, ["cpsat", complete], optimal=True).disagreements} == {"all"}


def test_how_many_runs_reach_the_best_is_said(pairs: Model) -> None:
    report = cross_check(pairs, ["cpsat", fixed([5, 5], [2, 5], [5, 2])], seeds=6)
    (found,) = report.heuristics
    assert (found.at_best, found.successes) == (4, 6)
    assert "4 of 6 runs are optimal; best 7, reached by 4 of 6 runs; gap to the optimum 7: " in str(report)
    assert "solution sets" not in str(report)


def test_who_says_nothing_has_no_evidence() -> None:
    model = Model("none")
    x = model.intvar(0, 1, shape=2, name="x")
    model += x.sum() >= 3
    with by_processor():
        report = cross_check(model, ["cpsat", "local-search"], time_limit=0.2)
    assert not report["local-search"].says_anything
    assert report["cpsat"].says_anything
    assert "claim" not in str(report)
