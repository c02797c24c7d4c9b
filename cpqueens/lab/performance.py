"""What the runs of one heuristic on one problem say, as figures with their intervals."""

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.quality import Quality, quality
from cpqueens.crosscheck.findings import WRONG
from cpqueens.lab.reference import Reference
from cpqueens.lab.runfile import LIMITS, Ending, RunRecord
from cpqueens.lab.runlength import Interval, Restart, RunLengths, thin
from cpqueens.language.objectives import Goal

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


# ---- how objectives improve over time: incumbents of many runs, and how long targets take ----------------

POINTS = 100
"""Moments of a curve, evenly spread among those at which some run got better."""

QUANTILES = {"good": 0.1, "median": 0.5, "poor": 0.9}
"""Shares of the runs that are at least as good, and what the curves with them are called."""

TARGETS = (0.0, 0.01, 0.05, 0.1)
"""Gaps to the optimum, or to the best that is known, which runs are asked to reach."""


@dataclass(frozen=True)
class Anytime:
    """The incumbents of the runs of one heuristic over time.

    Attributes
    ----------
    heuristic, problem, maximizing
        The solver, the problem, and whether more is better.
    runs
        Those that were not broken off.
    seconds
        (moments,) of a run, from its beginning.
    share
        (moments,) of the runs that have a solution by then.
    good, median, poor
        (moments,) objectives which 10, 50 and 90 % of all runs have reached by then; infinitely bad where
        fewer have any solution.
    """

    heuristic: str
    problem: str
    maximizing: bool
    runs: int
    seconds: NDArray[np.float64] = field(repr=False)
    share: NDArray[np.float64] = field(repr=False)
    good: NDArray[np.float64] = field(repr=False)
    median: NDArray[np.float64] = field(repr=False)
    poor: NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True)
class ReachedTarget:
    """How often, and how soon, runs of one heuristic reach an objective.

    Attributes
    ----------
    heuristic, problem
        The solver and the problem.
    gap, value
        Share of the reference's objective that may be missing, and the objective that is asked for.
    of_optimum
        Whether the reference is proved; else it is the best that any run found.
    reached
        Share of the runs with its Wilson interval.
    median, expected
        Seconds until half of the runs reach it, and what reaching it takes if runs follow each other.
    lengths
        Seconds until it is reached, or until the run ended.
    """

    heuristic: str
    problem: str
    gap: float
    value: int
    of_optimum: bool
    reached: Interval
    median: Interval
    expected: Interval
    lengths: RunLengths = field(repr=False)

    @property
    def known_until(self) -> float:
        """The least time at which a run that had not reached it met a limit."""
        return self.lengths.horizon

    @property
    def name(self) -> str:
        """The target in words."""
        best = "the optimum" if self.of_optimum else "the best known"
        return f"{best} {self.value:,}" if self.gap == 0 else f"{self.value:,} ({100 * self.gap:g} % off)"


def anytime(rows: Sequence[RunRecord], maximizing: bool) -> Anytime | None:
    """Return the curves of one heuristic's runs on one problem; None where none has a solution."""
    counted = [row for row in rows if row.ending is not Ending.INTERRUPTED]
    events = sorted({at for row in counted for at, _ in row.incumbents or ()})
    if not events:
        return None
    last = max(events[-1], *(row.wall_seconds for row in counted))
    chosen = np.array(events)[thin(len(events), POINTS)]
    moments = np.append(chosen, last) if last > chosen[-1] else chosen
    sign = -1.0 if maximizing else 1.0
    costs = np.sort([sign * _incumbent(row, moments, maximizing) for row in counted], axis=0)
    at = {name: math.ceil(share * len(counted)) - 1 for name, share in QUANTILES.items()}
    curves = {name: sign * costs[k] for name, k in at.items()}
    share = np.isfinite(costs).mean(axis=0)
    who = counted[0]
    return Anytime(who.heuristic, who.problem, maximizing, len(counted), moments, share, **curves)


def _incumbent(row: RunRecord, moments: NDArray[np.float64], maximizing: bool) -> NDArray[np.float64]:
    """Return the best objective (moments,) that a run has by then; infinitely bad before the first."""
    found = np.array(row.incumbents or (), dtype=np.float64).reshape(-1, 2)
    better = (np.maximum if maximizing else np.minimum).accumulate(found[:, 1])
    values = np.concatenate([[-math.inf if maximizing else math.inf], better])
    result: NDArray[np.float64] = values[np.searchsorted(found[:, 0], moments, side="right")]
    return result


def targets(
    runs: Mapping[str, Sequence[RunRecord]], problem: str, maximizing: bool, optimum: int | None
) -> Iterator[ReachedTarget]:
    """Yield the targets of all heuristics on one problem, the hardest first; none where nothing was found."""
    best = optimum
    if best is None:
        found = [row.objective for rows in runs.values() for row in rows if row.objective is not None]
        if not found:
            return
        best = max(found) if maximizing else min(found)
    sign = -1 if maximizing else 1
    values = {best + sign * math.floor(gap * abs(best)): gap for gap in reversed(TARGETS)}
    for heuristic, rows in runs.items():
        counted = [row for row in rows if row.ending is not Ending.INTERRUPTED]
        for value, gap in reversed(values.items()):
            if counted:
                about = (heuristic, problem, gap, value, optimum is not None)
                yield _target(about, [_reached(row, sign, value) for row in counted])


def _reached(row: RunRecord, sign: int, value: int) -> tuple[float, bool, bool]:
    """Return when a run reached a value, or ended; whether it did, and whether a limit ended it."""
    first = next((at for at, found in row.incumbents or () if sign * found <= sign * value), None)
    if first is not None:
        return first, True, False
    last = max([row.wall_seconds, *(at for at, _ in row.incumbents or ())])
    return last, False, row.stop_reason in LIMITS


def _target(
    about: tuple[str, str, float, int, bool], runs: Sequence[tuple[float, bool, bool]]
) -> ReachedTarget:
    ends, reached, limited = (np.array(part) for part in zip(*runs, strict=True))
    lengths = RunLengths(ends.astype(np.float64), reached, limited, np.zeros(len(runs), dtype=np.bool_))
    share = Interval.share(int(reached.sum()), len(runs))
    return ReachedTarget(*about, share, lengths.curve().quantile(0.5), lengths.expected(), lengths)
