"""What the runs of one heuristic on one problem say, as figures with their intervals."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cpqueens.answers.quality import Quality, quality
from cpqueens.crosscheck.findings import WRONG
from cpqueens.lab.reference import Reference
from cpqueens.lab.runfile import Ending, RunRecord
from cpqueens.lab.runlength import Interval, Restart, RunLengths
from cpqueens.language.goals import Goal

UNITS = ("steps", "evaluations", "processor_seconds")
"""In what runs are measured unless something else is asked for; what depends on no machine first."""


def named(unit: str) -> str:
    """Return a unit as it stands in a sentence."""
    return unit.replace("_", " ")


@dataclass(frozen=True)
class Lengths:
    """Run lengths in one unit, summed up.

    Attributes
    ----------
    median
        Until half of the runs are solved; infinite where fewer are, by ``known_until``.
    known_until
        The least length of a run that met a limit: nothing is known beyond. Infinite if none did.
    expected
        All lengths by all solutions: what a solution takes if runs follow each other.
    mean, if_solved, if_unsolved
        Means of all runs, and of each kind, as in the classical table; None without such runs.
    par10
        The mean with unsolved runs at ten times the limit; None without a limit.
    shape, restart
        Of a Weibull distribution fitted to the lengths, below 1 where restarts help; the best restarts. None
        where there are too few runs.
    """

    median: Interval
    known_until: float
    expected: Interval
    mean: Interval | None
    if_solved: Interval | None
    if_unsolved: Interval | None
    par10: float | None
    shape: Interval | None
    restart: Restart | None

    @property
    def restarts_help(self) -> str:
        """What the shape says of restarts, in words."""
        if self.shape is None:
            return ""
        if self.shape.contains(1.0):
            return "no sign that restarts matter"
        return "restarts help" if self.shape.high < 1 else "restarts cost"


@dataclass(frozen=True)
class Performance:
    """The results of a heuristic on a problem.

    Attributes
    ----------
    heuristic, problem, size
        The solver, the problem, and the number that varies, or None.
    asked, runs, interrupted
        Runs that were wanted; ``runs`` of them ended, ``interrupted`` were broken off, the rest did not run.
    solved
        Runs with a checked solution.
    rate
        The share of solved runs among those that ended, with its Wilson interval.
    rejections, examples
        Numbers by name, and the first of each in words.
    limited, stuck
        Unsolved runs that met a limit, and that ended by a rule of their own.
    lengths
        By unit, as far as it is counted; none for models with an objective, whose runs go on to their limits.
    restarts
        What a run makes of them in the mean; None where they are not counted.
    quality
        How good the objectives of the solved runs are (`Quality`); None without an objective.
    optimises
        Whether the problem has an objective.
    lost
        Why it could not run at all; empty if it could.
    """

    heuristic: str
    problem: str
    size: int | None
    asked: int
    runs: int
    solved: int
    rate: Interval
    limited: int
    stuck: int
    interrupted: int
    rejections: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    lengths: Mapping[str, Lengths] = field(default_factory=dict)
    restarts: float | None = None
    quality: Quality | None = None
    optimises: bool = False
    lost: str = ""

    @property
    def optimal(self) -> Interval | None:
        """The share of runs that reached the proved optimum; None where that is not known."""
        if self.quality is None or self.quality.optimal is None:
            return None
        return Interval.share(self.quality.optimal, self.runs)

    @property
    def wrong(self) -> int:
        """Runs that claimed a wrong solution."""
        return sum(number for why, number in self.rejections.items() if why in WRONG)

    @property
    def not_run(self) -> int:
        """Runs that were requested but not made."""
        return self.asked - self.runs - self.interrupted


def summed_up(
    heuristic: str, problem: str, size: int | None, asked: int, rows: Sequence[RunRecord],
    goals: Sequence[Goal], reference: Reference, lost: str = "", units: Sequence[str] = UNITS,
) -> Performance:  # fmt: skip
    """Return the figures of one heuristic on one problem, which has these objectives, in some units."""
    kinds = Counter(row.ending for row in rows)
    runs, solved = len(rows) - kinds[Ending.INTERRUPTED], kinds[Ending.SOLVED]
    rejected = [row for row in rows if row.ending is Ending.REJECTED or row.stop_reason == "late"]
    restarts = [row.restarts for row in rows if row.restarts is not None]
    return Performance(
        heuristic, problem, size, asked, runs, solved, Interval.share(solved, runs),
        limited=kinds[Ending.LIMIT], stuck=kinds[Ending.STUCK], interrupted=kinds[Ending.INTERRUPTED],
        rejections=Counter(row.stop_reason for row in rejected),
        examples={row.stop_reason: f"seed {row.seed}: {row.message}" for row in reversed(rejected)},
        lengths={} if goals else _all_lengths(rows, units),
        restarts=statistics.fmean(restarts) if restarts else None,
        quality=_quality(rows, goals, reference), optimises=bool(goals), lost=lost,
    )  # fmt: skip


def _all_lengths(rows: Sequence[RunRecord], units: Sequence[str]) -> dict[str, Lengths]:
    found = {unit: RunLengths.of(rows, unit) for unit in units}
    known = {unit: lengths for unit, lengths in found.items() if lengths is not None}
    return {unit: _lengths(lengths, unit == next(iter(known))) for unit, lengths in known.items()}


def _lengths(runs: RunLengths, first: bool) -> Lengths:
    """Return the figures in a unit; of restarts something is said in the ``first`` only."""
    mean, if_solved, if_unsolved = (
        runs.mean(chosen) for chosen in (runs.solved | True, runs.solved, ~runs.solved)
    )
    return Lengths(
        runs.curve().quantile(0.5), runs.horizon, runs.expected(), mean, if_solved, if_unsolved,
        runs.penalized(), runs.shape() if first else None, runs.restart() if first else None,
    )  # fmt: skip


def _quality(rows: Sequence[RunRecord], goals: Sequence[Goal], reference: Reference) -> Quality | None:
    if not goals:
        return None
    values = [row.objective for row in rows if row.objective is not None]
    return quality(values, goals[0].maximizing, reference.optimum, reference.bound, len(goals) == 1)
