"""Each further question of the fuzzer notices the fault that it is asked for, and all of them are asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from liars import Scripted, lie_nothing, truth_about

from cpqueens import AllDifferent, Model
from cpqueens.answers.check import Checker
from cpqueens.answers.outcome import StopReason
from cpqueens.backends.base import Deliver, Ended, Feature, Request, Want
from cpqueens.crosscheck.participants import as_participants
from cpqueens.fuzzing import probes
from cpqueens.fuzzing.examine import FURTHER, USUAL, examine
from cpqueens.fuzzing.fuzz import fuzz
from cpqueens.fuzzing.generate import random_model, usage
from cpqueens.fuzzing.random_patterns import pattern_model
from cpqueens.fuzzing.subject import HEURISTIC_LIMIT, HOPELESS_LIMIT, Examination, Subject

MODELS = 60


class Resuming(Scripted):
    """Knows the truth, and gives the rows that are greater than ``after``, less what it skips."""

    def __init__(self, skips: int, late: bool = False) -> None:
        super().__init__("resuming")
        self.skips, self.late = skips, late
        self.features |= {Feature.RESUME, Feature.HINT}

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        rows = truth_about(model).solutions
        if request.after is not None:
            start = tuple(request.after.tolist())
            rows = np.array([r for r in rows.tolist() if tuple(r) > start], dtype=np.int64)[self.skips :]
        if request.hint is not None:
            rows = rows[self.skips :]
        if len(rows):
            deliver(rows.reshape(len(rows), len(model.decisions)))
        count = len(rows) if request.want is Want.COUNT else None
        reason = StopReason.TIME_LIMIT if self.late else StopReason.EXHAUSTED
        return Ended(not self.late, reason, count=count, statistics={"constraints": []})


def found_by(probe: Examination, solvers: list[Any]) -> set[tuple[str, str]]:
    """Ask one question about several models without objective; return what it found."""
    found = set()
    for seed in range(MODELS):
        model = random_model(seed)
        if model.objective is None:
            subject = Subject(model, as_participants(solvers), seed=seed)
            found |= {(str(d.code), d.accused) for d in probe(subject)}
    return found


@pytest.mark.parametrize(("probe", "code"), [(probes.resumed, "MISSING"), (probes.hinted, "MISSING")])
def test_a_solution_that_is_lost_on_the_way_is_noticed(probe: Examination, code: str) -> None:
    assert found_by(probe, [Resuming(0)]) == set()
    assert (code, "resuming") in found_by(probe, [Resuming(1)])


def test_who_had_no_time_to_resume_to_the_end_has_lost_nothing() -> None:
    assert found_by(probes.resumed, [Resuming(1, late=True)]) == set()


CHECKER_FAULTS = [
    (probes.outside_domains, Checker, "in_domain", lambda s, m: np.ones(m.shape, dtype=bool)),
    (probes.outside_domains, Checker, "in_domain", lambda s, m: m <= s._upper),
    (probes.outside_domains, Checker, "in_domain", lambda s, m: m >= s._lower),
    (probes.in_chunks, Checker, "_accepts", lambda s, m: np.ones(len(m), dtype=bool)),
    (probes.meanings, AllDifferent, "amounts", lambda s, v: np.zeros((len(v), 1), dtype=np.int64)),
    (probes.meanings, AllDifferent, "holds", lambda s, v: np.ones(len(v), dtype=bool)),
]


@pytest.mark.parametrize(("probe", "owner", "name", "fault"), CHECKER_FAULTS)
def test_a_fault_of_the_checker_is_noticed(
    probe: Examination, owner: type, name: str, fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, fault)
    assert found_by(probe, ["backtracking"]) == {("CHECKER_DOUBT", "checker")}


@pytest.mark.parametrize("probe", dict.fromkeys(probe for probe, *_ in CHECKER_FAULTS))
def test_a_checker_without_fault_raises_no_doubt(probe: Examination) -> None:
    assert found_by(probe, ["backtracking"]) == set()


def test_a_strategy_that_lies_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from cpqueens.backends.python_constraint.backend import PythonConstraint

    assert found_by(probes.strategies, ["python-constraint"]) == set()
    honest = PythonConstraint.run

    def lie(self: Any, model: Model, request: Request, deliver: Deliver) -> Ended:
        ended = honest(self, model, request, deliver)
        return replace(ended, exhausted=True) if request.strategy == "min-conflicts" else ended

    monkeypatch.setattr(PythonConstraint, "run", lie)
    accused = ("PARTIAL_AS_COMPLETE", "python-constraint:min-conflicts")
    assert accused in found_by(probes.strategies, ["python-constraint"])


def test_a_strategy_that_only_looks_for_one_solution_is_given_little_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from cpqueens.backends.python_constraint.backend import PythonConstraint

    limits = {}
    honest = PythonConstraint.run

    def note(self: Any, model: Model, request: Request, deliver: Deliver) -> Ended:
        ended = honest(self, model, request, deliver)  # refuses what the strategy is not made for
        limits[request.strategy] = request.clock.time_limit
        return ended

    monkeypatch.setattr(PythonConstraint, "run", note)
    assert found_by(probes.strategies, ["python-constraint"]) == set()
    assert limits["min-conflicts"] in (HEURISTIC_LIMIT, HOPELESS_LIMIT)
    assert limits["recursive"] > HEURISTIC_LIMIT


def test_a_further_question_is_put_to_one_solver_by_lot_and_deeply_to_all() -> None:
    participants = as_participants(["backtracking", "cpsat", "python-constraint"])
    for deep, many in ((None, 1), (True, 3)):
        asked = set()
        for seed in range(30):
            subject = Subject(random_model(seed), participants, seed=seed, deep=deep)
            chosen = subject.turn("count", subject.proving)
            assert len(chosen) == many
            assert chosen == subject.turn("count", subject.proving)
            asked |= {p.name for p in chosen}
        assert asked == {"backtracking", "cpsat", "python-constraint"}
    assert subject.turn("count", []) == []


def test_everything_is_asked_in_turn() -> None:
    report = fuzz(90, 5, ["backtracking", "python-constraint"], processes=0)
    assert report.exit_code == 0
    whats = {what for what, _ in report.asked}
    assert whats >= {"batches in chunks", "hint", "resuming", "values outside domains", "meaning of Linear"}
    assert whats >= {"count", "limit", "second run"}
    assert {w for w, s in report.asked if s == "python-constraint"} >= {
        "strategy backtracking",
        "strategy optimized",
        "strategy recursive",
    }
    assert "resuming" in str(report)


def test_the_turn_and_the_depth_decide_what_is_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noting(examination: Examination) -> Examination:
        def note(subject: Subject) -> Any:
            asked.append(examination.__name__)
            return iter(())

        return note

    every = list(dict.fromkeys((*USUAL, *FURTHER)))
    noted = {e: noting(e) for e in every}
    monkeypatch.setattr("cpqueens.fuzzing.examine.USUAL", tuple(noted[e] for e in USUAL))
    monkeypatch.setattr("cpqueens.fuzzing.examine.FURTHER", tuple(noted[e] for e in FURTHER))
    subject = Subject(random_model(0), [Scripted("honest", lie_nothing)], deep=False)
    examine(subject)
    assert asked == [e.__name__ for e in USUAL]
    asked.clear()
    examine(replace(subject, deep=True))
    assert asked == [e.__name__ for e in every]
    asked.clear()
    for index in range(3 * len(FURTHER)):
        examine(replace(subject, deep=None, seed=index))
    assert set(asked) == {e.__name__ for e in every}
    assert len(asked) < 3 * len(FURTHER) * (len(USUAL) + 4)


def test_shapes_that_were_never_drawn_are_drawn() -> None:
    met: set[tuple[str, str]] = set()
    for seed in range(400):
        met |= set(usage(random_model(seed)))
    kinds = ("AllDifferent", "AllEqual", "Count", "Table", "Increasing", "Inverse", "LexLess")
    assert met >= {(kind, shape) for kind in kinds for shape in ("scaled", "constant")}


def test_patterns_are_recognised_by_every_strategy_that_needs_one() -> None:
    from random import Random

    from cpqueens.errors import CpqueensError

    taken: set[str] = set()
    for seed in range(60):
        model = pattern_model(Random(seed))
        for strategy in ("bitmask", "rowmask", "sums", "table", "halves"):
            try:
                model.count(solver=f"backtracking:{strategy}")
            except CpqueensError:
                continue
            taken.add(strategy)
    assert taken == {"bitmask", "rowmask", "sums", "table", "halves"}
