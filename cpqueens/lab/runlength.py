"""How long a solution takes: run-length distributions with censoring, expected lengths and restarts.

A run that met a limit is censored there. One that is stuck, or was rejected, finds a solution at no time, so
it stays at risk for ever: the distribution then ends at the success rate. With one limit for all runs, and
none interrupted, this is the plain share of runs that are solved by then.

Sources: Kaplan and Meier (1958); Hoos and Stuetzle, "Stochastic Local Search" (2004), for run-length
distributions; Luby, Sinclair and Zuckerman (1993) for cut-offs.

Restarts by Luby's sequence: what a solution is expected to take, computed from measured runs.

The sequence begins with its first half twice, then a cut-off twice as long: ``S(k) = S(k - 1) S(k - 1) 2^k``
from ``S(0) = 1``. So do expected work and the chance that all of it fails, whose limit is that of the whole.

Source: Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms" (1993).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.quality import wilson_interval
from cpqueens.answers.runs import Runs
from cpqueens.lab.runfile import LIMITS, Ending, RunRecord

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

_SAME = 1.1
"""How many times as long as the first one the last run may be that met the same limit, in seconds."""

_SAMPLES, _RESAMPLED = 400, 2000
"""Resamples for an interval, and runs beyond which lengths are no longer skew enough to need them."""

_UNITS = 60
"""Units of Luby's sequence that are compared."""

FEWEST = 8
"""Solved runs below which no shape, no cut-off and no expectation of restarts is told."""


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 95 % interval; an open end is infinite.

    Attributes
    ----------
    value, low, high
        The estimate, and the ends.
    """

    value: float
    low: float
    high: float

    @classmethod
    def share(cls, number: int, runs: int) -> Interval:
        """Return a share of runs with its Wilson interval; of none not a number."""
        return cls(number / runs if runs else math.nan, *wilson_interval(number, runs))

    def contains(self, value: float) -> bool:
        """Whether a value lies within."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Curve:
    """A distribution function: at ``x`` it jumps to ``y``, within ``low`` to ``high`` (95 %, pointwise).

    Attributes
    ----------
    x, y, low, high
        (jumps,) where it jumps, to what, and the ends of the interval.
    """

    x: Floats
    y: Floats
    low: Floats
    high: Floats

    def quantile(self, share: float) -> Interval:
        """Return where it reaches ``share``; infinite where it does not."""
        ends = [self._reached(values, share) for values in (self.y, self.high, self.low)]
        return Interval(*ends)

    def thinned(self, most: int) -> Curve:
        """Return it with at most so many jumps, evenly spread among its own."""
        at = thin(len(self.x), most)
        return Curve(self.x[at], self.y[at], self.low[at], self.high[at])

    def _reached(self, values: Floats, share: float) -> float:
        at = np.flatnonzero(values >= share - 1e-12)
        return float(self.x[at[0]]) if len(at) else math.inf


def thin(size: int, most: int) -> NDArray[np.intp]:
    """Return at most so many indices below ``size``, evenly spread, first and last included.

    >>> thin(7, 4).tolist(), thin(2, 4).tolist()
    ([0, 2, 4, 6], [0, 1])
    """
    return np.unique(np.linspace(0, size - 1, min(size, most)).round().astype(np.intp))


@dataclass(frozen=True)
class Restart:
    """The best fixed cut-off, and the expected length with it and without, on runs it was not chosen on.

    Attributes
    ----------
    cutoff, expected
        The best cut-off of all runs, and the expected length with one.
    plain
        The expected length without restarts.
    unit, luby
        The best unit of Luby's sequence, and the expected length with one.
    """

    cutoff: float
    expected: float
    plain: float
    unit: float
    luby: float

    @property
    def gain(self) -> float:
        """How many times longer it takes without the cut-off."""
        return self.plain / self.expected if self.expected > 0 else 1.0

    @property
    def gain_by_luby(self) -> float:
        """How many times longer it takes without, if restarts follow Luby's sequence."""
        return self.plain / self.luby if self.luby > 0 else 1.0


@dataclass(frozen=True)
class RunLengths:
    """Lengths of runs in one unit.

    Runs that met a limit tell nothing of what lies beyond, and where the limit was in another unit, what is
    known beyond the least of them is biased: `horizon` is where all ends.

    Attributes
    ----------
    lengths
        (runs,) until the end.
    solved, limited, interrupted
        (runs,) whether it ended with a solution, at a limit, or was broken off; else it would never have
        found one.
    """

    lengths: Floats
    solved: Truths
    limited: Truths
    interrupted: Truths

    @classmethod
    def of(cls, runs: Iterable[RunRecord], unit: str) -> RunLengths | None:
        """Return the lengths in a column of the table; None where it is not counted, or there are no runs."""
        rows = [row for row in runs if row.ending is not Ending.INTERRUPTED or row.measure(unit) is not None]
        values = [row.measure(unit) for row in rows]
        own = [v for v, row in zip(values, rows, strict=True) if row.ending is not Ending.REJECTED]
        if any(value is None for value in own) or not any(own or values):
            return None
        kinds = (Ending.SOLVED, Ending.LIMIT, Ending.INTERRUPTED)
        marks = [np.array([row.ending is kind for row in rows]) for kind in kinds]
        return cls(np.array([value or 0.0 for value in values], dtype=np.float64), *marks)

    @classmethod
    def in_unit(cls, runs: Runs, unit: str) -> RunLengths:
        """Return the lengths of runs in steps, or in another unit that their solver counts."""
        work = runs.steps if unit == "steps" else runs.statistics[unit]
        limited = np.isin(runs.stop_reason, list(LIMITS)) & ~runs.solved
        return cls(np.asarray(work, dtype=np.float64), runs.solved, limited, runs.solved & False)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def never(self) -> Truths:
        """(runs,) whether it was stuck or rejected."""
        return ~(self.solved | self.limited | self.interrupted)

    @property
    def horizon(self) -> float:
        """The least length of a run that met a limit; infinite if none did."""
        return float(self.lengths[self.limited].min()) if self.limited.any() else math.inf

    def seen(self) -> tuple[Floats, Truths]:
        """Return from where on nothing is known of each run, and whether it is solved there.

        Those that are stuck are known to be unsolved for ever.
        """
        end = min(self.horizon, float(self.lengths.max()) + 1.0)
        lengths = np.where(self.never, end, np.minimum(self.lengths, end))
        return lengths, self.solved & (self.lengths <= end)

    def data(self) -> Any:
        """Return them as scipy's censored data."""
        from scipy.stats import CensoredData

        lengths, solved = self.seen()
        return CensoredData(uncensored=lengths[solved], right=lengths[~solved])

    def curve(self) -> Curve:
        """Return the share of runs that are solved, by length (Kaplan-Meier), with log-log intervals."""
        from scipy.stats import ecdf

        if not self.seen()[1].any():
            none = np.zeros(1)
            return Curve(np.array([self.lengths.max()]), none, none, np.array([_upper_of_none(len(self))]))
        found = ecdf(self.data()).sf
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # at 0 and 1 there is no such interval
            band = found.confidence_interval(method="log-log")
        within = found.quantiles <= self.lengths.max()
        high, low = (1 - np.asarray(b.probabilities)[within] for b in (band.low, band.high))
        share = 1 - np.asarray(found.probabilities)[within]
        low = np.where(np.isnan(low), np.where(share >= 1, _last(low), 0.0), low)
        high = np.where(np.isnan(high), np.where(share <= 0, _upper_of_none(len(self)), 1.0), high)
        return Curve(np.asarray(found.quantiles, dtype=np.float64)[within], share, low, high)

    def expected(self) -> Interval:
        """Return the expected length to a solution if runs follow each other: all lengths by all solutions.

        The interval is that of a ratio of means on a logarithmic scale: Student's, or where that goes further
        the studentised bootstrap's, which sees how skew the lengths are.
        """
        n, solved = len(self), int(self.solved.sum())
        total = float(self.lengths.sum())
        if solved == 0:
            return Interval(math.inf, total / max(1.0, n * _upper_of_none(n)), math.inf)
        value = total / solved
        if n < 2 or total == 0:
            return Interval(value, 0.0, math.inf)
        from scipy.stats import t as student

        residuals = self.lengths / self.lengths.mean() - self.solved / self.solved.mean()
        error = float(residuals.std(ddof=1)) / math.sqrt(n)
        far = float(student.ppf(0.975, n - 1))
        below, above = self._bootstrap() if n <= _RESAMPLED else (far, far)
        with np.errstate(over="ignore"):  # runs that took nearly the same go as far as no float does
            low, high = value * np.exp([-max(far, below) * error, max(far, above) * error])
        return Interval(value, float(low), float(high))

    def mean(self, chosen: Truths) -> Interval | None:
        """Return the mean length of the runs chosen with Student's interval; None of none."""
        from scipy.stats import t as student

        lengths = self.lengths[chosen]
        if len(lengths) == 0:
            return None
        value = float(lengths.mean())
        if len(lengths) == 1:
            return Interval(value, 0.0, math.inf)
        far = float(student.ppf(0.975, len(lengths) - 1))
        spread = far * float(lengths.std(ddof=1)) / math.sqrt(len(lengths))
        return Interval(value, max(0.0, value - spread), value + spread)

    def _bootstrap(self) -> tuple[float, float]:
        """Return how many standard errors the logarithm of the ratio goes down and up, by resampling."""
        n = len(self)
        chosen = np.random.default_rng(0).integers(0, n, (_SAMPLES, n))
        known = self.solved[chosen].any(axis=1) & self.lengths[chosen].any(axis=1)
        lengths, solved = self.lengths[chosen][known], self.solved[chosen][known].astype(np.float64)
        means = lengths.mean(axis=1, keepdims=True), solved.mean(axis=1, keepdims=True)
        errors = (lengths / means[0] - solved / means[1]).std(axis=1, ddof=1) / math.sqrt(n)
        away = np.log(means[0] / means[1])[:, 0] - math.log(self.lengths.mean() / self.solved.mean())
        scaled = np.divide(away, errors, out=np.zeros_like(away), where=errors > 0)
        low, high = np.quantile(scaled, [0.025, 0.975])
        return float(high), float(-low)

    def penalized(self, factor: float = 10.0) -> float | None:
        """Return the mean length with unsolved runs at so many times the limit.

        None without a limit in this unit, which is one that all limited runs met at about the same length.
        """
        at_limit = float(self.lengths[self.limited].max()) if self.limited.any() else math.inf
        if self.solved.all():
            return float(self.lengths.mean())
        if not at_limit <= _SAME * self.horizon < math.inf or self.interrupted.any():
            return None
        return float(np.where(self.solved, self.lengths, factor * at_limit).mean())

    def shape(self) -> Interval | None:
        """Return the Weibull shape of the lengths with its profile-likelihood interval.

        One means memoryless: a restart changes nothing. Below one it helps, above one it costs. None where
        runs are stuck or rejected, or too few are solved. A length counts as its middle, half a unit on, in
        whole units.
        """
        lengths, solved = self.seen()
        if int(solved.sum()) < FEWEST or self.never.any():
            return None
        whole = bool((lengths == np.floor(lengths)).all())
        return weibull_shape(lengths + 0.5 if whole else np.maximum(lengths, 1e-9), solved)

    def by_cutoff(self) -> tuple[Floats, Floats]:
        """Return cut-offs, the lengths of runs, and what a solution is expected to take if all end there."""
        order = np.argsort(self.lengths, kind="stable")
        lengths, solved = self.lengths[order], self.solved[order]
        at_most = np.cumsum(solved)
        spent = np.cumsum(lengths) + lengths * np.arange(len(lengths) - 1, -1, -1)
        last = np.append(np.diff(lengths) > 0, True) & (at_most > 0)
        known = last & (lengths <= self.horizon)
        cutoffs: Floats = lengths[known]
        return cutoffs, spent[known] / at_most[known]

    def by_luby_unit(self) -> tuple[Floats, Floats]:
        """Return units of Luby's sequence, lengths of runs, and what a solution is expected to take by it."""
        units, _ = self.by_cutoff()
        units = units[units > 0]
        units = units[thin(len(units), _UNITS)] if len(units) else units
        return units, expected_by_unit(units, self.lengths, self.solved, self.horizon)

    def restart(self) -> Restart | None:
        """Return the best cut-off and unit of all runs, their worth measured on runs not chosen on.

        Each half of the runs chooses for the other. None where too few are solved.
        """
        if int(self.solved.sum()) < 2 * FEWEST:
            return None
        halves = [self._part(slice(k, None, 2)) for k in (0, 1)]
        worth = []
        for mine, other in zip(halves, reversed(halves), strict=True):
            cutoff, unit = _least(mine.by_cutoff()), _least(mine.by_luby_unit())
            plain = float(other.lengths.sum()) / max(1, int(other.solved.sum()))
            worth.append((other._at(cutoff), plain, other._by_luby(unit)))
        fixed, plain, luby = np.mean(worth, axis=0).tolist()
        best = _least(self.by_cutoff()), _least(self.by_luby_unit())
        return Restart(best[0], fixed, plain, best[1], luby) if math.isfinite(fixed) else None

    def _part(self, chosen: slice) -> RunLengths:
        marks = (self.solved, self.limited, self.interrupted)
        return RunLengths(self.lengths[chosen], *(mark[chosen] for mark in marks))

    def _at(self, cutoff: float) -> float:
        """Return the expected length if all runs end at a cut-off."""
        solved = int((self.solved & (self.lengths <= cutoff)).sum())
        return float(np.minimum(self.lengths, cutoff).sum()) / solved if solved else math.inf

    def _by_luby(self, unit: float) -> float:
        """Return the expected length by Luby's sequence; infinite for no unit."""
        if math.isnan(unit):
            return math.inf
        return float(expected_by_unit(np.array([unit]), self.lengths, self.solved, self.horizon)[0])


def _least(curve: tuple[Floats, Floats]) -> float:
    """Return where a curve is least; NaN where there is none.

    A cut-off of no length does not count: starts that are solutions would be had for nothing.
    """
    x, y = (part[curve[0] > 0] for part in curve)
    return float(x[int(y.argmin())]) if len(x) else math.nan


def _last(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else 0.0


def _upper_of_none(n: int) -> float:
    """Return the upper end of the 95 % interval of a share of which none was seen, about 3 / n one-sided."""
    return wilson_interval(0, n)[1]


def weibull_shape(lengths: Floats, seen: NDArray[np.bool_]) -> Interval:
    """Return the Weibull shape with the 95 % interval of its profile likelihood.

    Parameters
    ----------
    lengths
        (runs,) positive.
    seen
        (runs,) whether it ended there; else it is censored there. At least one is seen.
    """
    from scipy.optimize import brentq, minimize_scalar
    from scipy.stats import chi2

    logs = np.log(lengths) - math.log(float(lengths.max()))
    events, summed = int(seen.sum()), float(logs[seen].sum())

    def profile(log_shape: float) -> float:
        shape = math.exp(log_shape)
        return events * math.log(shape / float(np.exp(shape * logs).sum())) + (shape - 1) * summed

    best = float(minimize_scalar(lambda s: -profile(s), bounds=(-6.0, 6.0), method="bounded").x)
    drop = profile(best) - float(chi2.ppf(0.95, 1)) / 2

    def end(to: float) -> float:
        return float(brentq(lambda s: profile(s) - drop, best, to)) if profile(to) < drop else to

    return Interval(*(math.exp(s) for s in (best, end(-8.0), end(8.0))))


# ---- Luby's sequence -------------------------------------------------------------------------------------


_DOUBLINGS = 64
"""Of the unit: far beyond any run, and so often that a chance of one in a million is met."""


def expected_by_unit(
    units: NDArray[np.float64], lengths: NDArray[np.float64], solved: NDArray[np.bool_], longest: float
) -> NDArray[np.float64]:
    """Return the expected length to a solution if runs end at 1, 1, 2, 1, 1, 2, 4, ... units.

    >>> expected_by_unit(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.array([True, True]), 9.0).tolist()
    [1.875, 1.5]

    Parameters
    ----------
    units
        (units,) positive.
    lengths, solved
        (runs,) until the end, and whether it was a solution.
    longest
        The longest cut-off: of longer runs nothing is known, and the sequence has it instead.
    """
    order = np.argsort(lengths, kind="stable")
    ends = lengths[order]
    found, spent = (np.concatenate([[0.0], np.cumsum(part[order])]) for part in (solved, lengths))

    def run(cutoff: Any) -> tuple[Any, Any]:
        """Return the chance that a run with this cut-off fails, and its expected length."""
        ended = np.searchsorted(ends, cutoff, side="right")
        length = (spent[ended] + cutoff * (len(ends) - ended)) / len(ends)
        return 1 - found[ended] / len(ends), length

    fails, cost = run(np.minimum(units, longest))
    for k in range(1, _DOUBLINGS):
        last_fails, last_cost = run(np.minimum(units * 2.0**k, longest))
        cost = cost + fails * cost + fails**2 * last_cost
        fails = fails**2 * last_fails
    result: NDArray[np.float64] = np.where(fails < 0.5, cost, np.inf)
    return result
