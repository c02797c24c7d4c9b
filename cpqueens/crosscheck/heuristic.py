"""Heuristics as participants: every answer over every seed is checked, every rejection named."""

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker, read_assignment
from cpqueens.answers.outcome import Outcome
from cpqueens.answers.quality import Quality, quality, wilson_interval
from cpqueens.answers.runs import Runs
from cpqueens.answers.solution import Solution
from cpqueens.backends.base import Want
from cpqueens.crosscheck.compare import Case, objectives_text
from cpqueens.crosscheck.findings import NOT_OPTIMAL, HeuristicReport
from cpqueens.crosscheck.observe import NarrowedTo, Observation, Plan
from cpqueens.crosscheck.sets import SolutionStore, count_orbits
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.language.rows import IntArray, as_integers
from cpqueens.model import Model
from cpqueens.system.interrupts import listening
from cpqueens.text.plaintext import file_of, one_line, raised_text, shown

GRACE = 0.1
"""Seconds (and a tenth of the limit) by which a function's answer may be late."""


@dataclass(frozen=True)
class Attempt:
    """One run of a heuristic: an assignment, or why there is none."""

    seed: int
    seconds: float
    assignment: Any = None
    rejection: str | None = None
    message: str = ""
    steps: int | None = None
    row: IntArray | None = None  # where it was checked already


@dataclass
class Trials:
    """All runs of a heuristic, counted; one that a signal broke off is neither a success nor a failure."""

    asked: int
    successes: int = 0
    censored: int = 0
    rejections: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    reached: Counter[tuple[int, ...]] = field(default_factory=Counter)
    """How many runs ended with these values of the objectives."""

    @property
    def runs(self) -> int:
        """How many came to an end."""
        return self.successes + self.rejections.total()

    def succeed(self, checker: Checker, rows: IntArray) -> None:
        """Count runs that succeeded with these rows (batch, variables), one each."""
        self.successes += len(rows)
        if checker.model.objective is not None and len(rows):
            self.reached.update(map(tuple, checker.objectives(rows).tolist()))

    def fail(self, why: str, example: str) -> None:
        """Count a rejection; the first example of each kind is kept."""
        self.rejections[why] += 1
        if example:
            self.examples.setdefault(why, example)


@dataclass(frozen=True)
class Heuristic:
    """A user's function ``f(model, seed, time_limit) -> assignment or None`` as a participant.

    An assignment is ``{variable or name: value(s)}``, a `Solution`, or an array of the decision
    variables' values in the order of their creation.
    """

    function: Callable[..., Any]
    label: str | None = None

    def __post_init__(self) -> None:
        try:
            known = signature(self.function)
        except (TypeError, ValueError):
            return  # one of C's may have none, and says itself how it is called
        try:
            known.bind(None, 0, None)
        except TypeError:
            raise ModelError(
                f"heuristic {self.name}{known}: it is called with three arguments, f(model, seed, time_limit)"
            ) from None

    @property
    def name(self) -> str:
        """The label, or the function's own name."""
        return self.label or str(getattr(self.function, "__name__", type(self.function).__name__))

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it once for each seed."""
        return collect_runs(
            model, self.name, "heuristic", plan, lambda s: self.attempt(model, s, plan.time_limit)
        )

    def attempt(self, model: Model, seed: int, time_limit: float | None) -> Attempt:
        """Run it with one seed; whatever it raises is a rejection."""
        started = time.monotonic()
        try:
            with model.under_way():  # what it changed would be checked, and given to the others, changed
                answer = self.function(model, seed, time_limit)
        except (Exception, SystemExit) as error:
            text = raised_text(error, file_of(self.function))
            return Attempt(seed, time.monotonic() - started, rejection="raised", message=text)
        seconds = time.monotonic() - started
        if time_limit is not None and seconds > 1.1 * time_limit + GRACE:
            return Attempt(
                seed, seconds, rejection="late", message=f"{seconds:.2f} s of {time_limit} s allowed"
            )
        if answer is None:
            return Attempt(seed, seconds, rejection="no answer", message="it returned None")
        return Attempt(seed, seconds, answer)


def collect_runs(
    model: Model,
    name: str,
    role: str,
    plan: Plan,
    attempt: Callable[[int], Attempt],
    made: Runs | None = None,
) -> Observation:
    """Run a heuristic over all seeds and check every answer, unless it has ``made`` all runs in one call."""
    started = time.monotonic()
    store, checker, tally = SolutionStore(plan.packing), Checker.of(model), Trials(len(plan.seeds))
    best: tuple[int, IntArray] | None = None
    with listening() as interrupt:
        if made is not None:
            _enter(made, checker, store, tally)
            if plan.progress is not None:
                plan.progress(name, tally.successes, time.monotonic() - started)
        for seed in interrupt.until_seen(plan.seeds if made is None else ()):
            tried = interrupt.attempt(partial(attempt, seed))
            row, why, message = (None, "", "") if tried is None else judge(model, checker, tried, plan.target)
            if row is not None:
                tally.succeed(checker, row[None, :])
                store.add(row[None, :])
                best = better_of(checker, best, row[None, :])
            elif interrupt.seen:
                tally.censored += 1
            else:
                tally.fail(why, f"{why}, seed {seed}: {message}" if message else "")
            if plan.progress is not None:
                plan.progress(name, tally.successes, time.monotonic() - started)
    store.finish()
    return Observation(
        name=name, families=frozenset({name}), role=role, want=Want.ONE, proves=False, store=store,
        count=store.distinct, invalid=tally.rejections["invalid"], best=best, heuristic=tally,
        seed=plan.seeds[0], seconds=time.monotonic() - started,
        interrupted=interrupt.seen or (made is not None and made.ended_by is not None),
    )  # fmt: skip


def _enter(made: Runs, checker: Checker, store: SolutionStore, tally: Trials) -> None:
    """Count runs that were made in one call."""
    store.add(made.matrix[made.solved])
    tally.succeed(checker, made.matrix[made.solved])
    for reason in made.stop_reason[~made.solved].tolist():
        tally.fail(reason, "")
    tally.censored += made.ended_by is not None


def judge(
    model: Model, checker: Checker, attempt: Attempt, target: NarrowedTo | None = None
) -> tuple[IntArray | None, str, str]:
    """Return the checked row of an attempt, or None with a named rejection and the reason."""
    if attempt.row is not None or attempt.rejection is not None:
        return attempt.row, attempt.rejection or "", attempt.message
    row, problem = read_answer(model, attempt.assignment)
    if row is None:
        return None, _kind_of(problem), problem
    if not checker.accepts(row[None, :])[0]:
        if target is not None:
            stated = Checker.of(target.stated)
            if stated.accepts(row[None, :])[0]:
                values = stated.objectives(row[None, :])[0].tolist()
                return None, NOT_OPTIMAL, target.missed_by(objectives_text(values))
            checker = stated
        return None, "invalid", str(checker.explain(row)).splitlines()[0]
    return row, "", ""


def _kind_of(problem: str) -> str:
    counted = re.search(r"(\d+) values?(?: are needed)?, got (\d+)", problem)
    few = counted is not None and int(counted[2]) < int(counted[1])
    return "partial" if few or problem.startswith("no value for") else "bad assignment"


def read_answer(model: Model, answer: Any) -> tuple[IntArray | None, str]:
    """Return the decision values of any form of assignment, or None and what is wrong with it."""
    if isinstance(answer, Outcome):
        answer = answer.solution
    if isinstance(answer, Solution):
        answer = answer.as_dict()
    try:
        if isinstance(answer, Mapping):
            row, problems = read_assignment(model, answer)
            return row, (problems or [""])[0]
        return _read_flat(model, answer)
    except (CpqueensError, TypeError, ValueError) as error:
        return None, one_line(str(error))


def _read_flat(model: Model, answer: Any) -> tuple[IntArray | None, str]:
    values = as_integers(answer, "answer")
    if values.ndim == 0:
        return None, f"an assignment is needed, got {shown(answer)}"
    values = values.reshape(-1)
    wanted = len(model.decisions)
    if values.size != wanted:
        return None, f"{wanted} values are needed, got {values.size}"
    return values.astype(np.int64), ""


def better_of(
    checker: Checker, best: tuple[int, IntArray] | None, rows: IntArray
) -> tuple[int, IntArray] | None:
    """Return the better of the best so far and new rows (batch, variables); None without an objective."""
    if checker.model.objective is None or not len(rows):
        return best
    candidates = rows if best is None else np.concatenate([best[1][None, :], rows])  # the first of equals
    values = checker.objectives(candidates)
    signs = np.array([-1 if goal.maximizing else 1 for goal in checker.model.goals])
    at = int(np.lexsort((signs * values).T[::-1])[0])
    return int(values[at, 0]), candidates[at].copy()


def summarize(case: Case, o: Observation) -> HeuristicReport:
    """Return how a heuristic did, held against what the exact solvers proved."""
    runs: Trials = o.heuristic
    low, high = wilson_interval(runs.successes, runs.runs)
    complete = [p for p in case.observations if p.claims_all and p.want is Want.ALL]
    orbits, all_orbits = _orbits(case, o, complete)
    return HeuristicReport(
        name=o.name,
        runs=runs.runs,
        successes=runs.successes,
        rate=runs.successes / runs.runs if runs.runs else 0.0,
        low=low,
        high=high,
        rejections=dict(runs.rejections),
        distinct=o.store.distinct if o.store is not None else 0,
        of_all=case.sets.union if complete else None,
        orbits=orbits,
        orbits_of_all=all_orbits,
        quality=quality_of(case, [value[0] for value in runs.reached.elements()]),
        at_best=None if o.best is None else runs.reached[case.objectives(o.best[1])],
        examples=tuple(runs.examples.values()),
        asked=runs.asked,
        censored=runs.censored,
    )


def quality_of(case: Case, values: Sequence[int]) -> Quality | None:
    """Return how good objectives are, held against what is proved; None where there are none."""
    goals = case.model.goals
    return quality(values, goals[0].maximizing, *_proved(case), len(goals) == 1) if goals else None


def _proved(case: Case) -> tuple[int | None, int | None]:
    """Return the optimum that exact solvers proved, and the best bound on it; None where there is none."""
    optima = (o.best[0] for o in case.observations if o.claims_all and o.want is Want.BEST and o.best)
    bounds = [o.objective_bound for o in case.observations if o.objective_bound is not None]
    tightest = min if case.model.goals and case.model.goals[0].maximizing else max
    return next(optima, None), tightest(bounds, default=None)


def _orbits(case: Case, o: Observation, complete: list[Observation]) -> tuple[int | None, int | None]:
    """Return how many classes under the problem's symmetries were found, and how many exist."""
    if o.store is None or not case.symmetries:
        return None, None
    known = case.published.up_to_symmetry if case.published is not None else None
    if known is None and complete and complete[0].store is not None:
        known = count_orbits(case.symmetries, complete[0].store)
    return count_orbits(case.symmetries, o.store), known
