"""Functions and solution files as participants: every claim checked, every rejection named."""

import json
import random
import time

import pytest
from conftest import make_queens
from liars import Scripted, lie_nothing

from cpqueens import Model, cross_check
from cpqueens.answers.symmetry import QUEENS_BOARD
from cpqueens.crosscheck.findings import Code
from cpqueens.crosscheck.given import GivenSolutions, SolutionFile
from cpqueens.errors import ModelError
from cpqueens.problems.published import Published

HONEST = Scripted("honest")
SOLUTION = [1, 3, 5, 0, 2, 4]


def guess(model, seed, time_limit):
    """Answer a random permutation."""
    q = list(range(6))
    random.Random(seed).shuffle(q)
    return {"q": q}


def test_success_rate_distinct_solutions_and_orbits(queens6):
    report = cross_check(queens6, [HONEST, guess], seeds=240, symmetries=QUEENS_BOARD)
    (found,) = report.heuristics
    answers = [guess(None, s, None) for s in range(240)]
    checked = [queens6.check(answer).ok for answer in answers]
    right = {tuple(a["q"]) for a, ok in zip(answers, checked, strict=True) if ok}
    assert found.successes == sum(checked) > 0
    assert found.rejections == {"invalid": 240 - sum(checked)}
    assert found.rate == sum(checked) / 240
    assert found.low < found.rate < found.high
    assert (found.distinct, found.of_all) == (len(right), 4)
    assert (found.orbits, found.orbits_of_all) == (1, 1)
    assert (report.agree, report.exit_code) == (False, 10)
    (wrong,) = report.disagreements
    assert (wrong.code, wrong.accused, wrong.total) == (Code.INVALID_SOLUTION, "guess", 240 - sum(checked))
    assert report.verdict.text == "DISAGREEMENT: INVALID_SOLUTION"
    assert "AllDifferent" in wrong.message


def test_the_published_number_of_orbits_is_preferred(queens6):
    published = Published("fundamental", 1, "OEIS A002562", {})
    report = cross_check(queens6, [guess], seeds=5, published=published, symmetries=QUEENS_BOARD)
    assert report.heuristics[0].orbits_of_all == 1
    assert report.heuristics[0].of_all is None


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "no answer"),
        ({"q": [1, 3]}, "partial"),
        ({}, "partial"),
        ([1, 3, 5], "partial"),
        ({"z": 1}, "bad assignment"),
        ({"q": [0.5] * 6}, "bad assignment"),
        ("1350", "bad assignment"),
        (object(), "bad assignment"),
        ([1, 3, 5, 0, 2, 4, 4], "bad assignment"),
        ({"q": [0] * 6}, "invalid"),
    ],
)
def test_rejections_have_names(queens6, answer, reason):
    report = cross_check(queens6, [lambda model, seed, time_limit: answer])
    assert report.heuristics[0].rejections == {reason: 1}


def test_raising_and_lateness_are_rejections(queens6):
    def fails(model, seed, time_limit):
        raise ValueError("boom")

    def sleeps(model, seed, time_limit):
        time.sleep(0.3)
        return SOLUTION

    report = cross_check(queens6, [fails, sleeps], time_limit=0.05)
    assert [h.rejections for h in report.heuristics] == [{"raised": 1}, {"late": 1}]
    line = fails.__code__.co_firstlineno + 1
    expected = f"raised, seed 0: ValueError: boom (line {line} of test_heuristic.py)"
    assert report.heuristics[0].examples[0] == expected
    assert (report.exit_code, report.agree) == (30, False)  # every run of one broke down
    assert [(d.code, d.accused, d.total) for d in report.disagreements] == [(Code.CRASH, "fails", 1)]


def test_a_heuristic_cannot_change_the_model_that_others_are_given(queens6):
    def fixes(model, seed, time_limit):
        model.add(model["q"][0] == 1)
        return SOLUTION

    report = cross_check(queens6, [fixes, "backtracking"])
    assert report.heuristics[0].rejections == {"raised": 1}
    assert "change model.copy()" in report.heuristics[0].examples[0]
    assert (queens6.constraint_count, queens6.count()) == (3, 4)


def test_the_line_of_the_users_own_file_is_named_where_a_library_raises(queens6):
    def asks(model, seed, time_limit):
        return json.loads("{") if seed else SOLUTION

    report = cross_check(queens6, [HONEST, asks], seeds=2)
    line = asks.__code__.co_firstlineno + 1
    assert report.heuristics[0].examples[0].endswith(f"(line {line} of test_heuristic.py)")
    assert (report.exit_code, report.agree) == (0, True)  # one of the runs did well


def test_best_objective_against_the_optimum(triangle):
    def corner(model, seed, time_limit):
        return {"x": seed, "y": 4 if seed < 2 else 0}

    (found,) = cross_check(triangle, [HONEST, corner], seeds=3).heuristics
    assert found.quality is not None
    assert (found.quality.best, found.quality.proved, found.quality.is_optimum) == (7, 7, True)
    assert (found.successes, found.quality.optimal) == (3, 1)


def test_a_solution_better_than_the_proved_optimum_refutes_it(triangle):
    def worse(answer, model, request):
        answer.rows, answer.objective, answer.bound = answer.rows * 0, -2, -2

    report = cross_check(triangle, [Scripted("liar", worse), lambda m, s, t: {"x": 1, "y": 4}])
    assert [(str(d.code), d.accused) for d in report.disagreements] == [("OPT_CROSSED", "liar")]


def test_given_solutions_are_checked_and_held_against_claims(queens6):
    given = GivenSolutions([SOLUTION, [0] * 6, [1, 2]], "notebook")
    none = Scripted("liar", lambda a, m, r: setattr(a, "rows", a.rows[:0]))
    found = {(str(d.code), d.accused) for d in cross_check(queens6, [none, given]).disagreements}
    assert found == {
        ("FALSE_UNSAT", "liar"),
        ("INVALID_SOLUTION", "notebook"),
        ("BAD_ASSIGNMENT", "notebook"),
    }


def test_a_file_of_solutions_takes_part(queens6, tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text(json.dumps({"q": SOLUTION}) + "\n")
    report = cross_check(queens6, [HONEST, SolutionFile(path)])
    assert report.agree
    assert report["some.jsonl"].distinct == 1
    complete = cross_check(queens6, [HONEST, SolutionFile(path, complete=True)])
    assert [(str(d.code), d.total) for d in complete.disagreements] == [("MISSING", 3)]
    with pytest.raises(ModelError, match="nothere"):
        cross_check(queens6, [SolutionFile(tmp_path / "nothere.jsonl")])


def test_a_backend_that_does_not_prove_runs_once_for_each_seed():
    weak = Scripted("weak", lie_nothing, proves=False)
    report = cross_check(make_queens(4), [HONEST, weak], seeds=5)
    assert weak.runs == 5
    assert report["weak"].runs == 5
    assert report.heuristics[0].successes == 5
    assert not report["weak"].complete


@pytest.mark.parametrize("heuristic", [lambda: [0], lambda a, b: [0], lambda a, b, c, d: [0]])
def test_a_function_of_other_arguments_is_refused_before_anything_runs(heuristic) -> None:
    m = Model()
    m.intvar(0, 3, name="x")
    with pytest.raises(ModelError, match=r"lambda>\(.*three arguments, f\(model, seed, time_limit\)"):
        cross_check(m, solvers=["cpsat", heuristic])
