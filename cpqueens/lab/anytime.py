"""How objectives improve over time: incumbents of many runs with their spread, and how long targets take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cpqueens.lab.runfile import LIMITS, Ending, RunRecord
from cpqueens.lab.runlength import Interval, RunLengths, thin

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
