"""Two heuristics on one problem: tests corrected for their number, with the power that they have.

Without an objective, how long solutions take is compared by log-rank tests; with one, the objectives at the
runs' ends by the test of Mann and Whitney.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from cpqueens.lab.performance import named
from cpqueens.lab.runlength import RunLengths
from cpqueens.lab.runtable import Ending, RunRecord

COMPARED = ("evaluations", "processor_seconds")
"""Units in which two heuristics are compared, the first that both have: their steps are not the same."""

OBJECTIVE = "objective"

_POWER = 0.8


@dataclass(frozen=True)
class Comparison:
    """A test of two heuristics' distributions of lengths, or of their objectives.

    Attributes
    ----------
    problem, first, second
        The problem, and the two solvers.
    p, holm
        Two-sided, of the hypothesis that the distributions are equal; ``holm`` is corrected for all
        comparisons of one report (Holm 1979).
    unit
        Of the lengths, or `OBJECTIVE`.
    ratio
        How many times the expected length of the second the first takes; infinite where it solves nothing.
        Of objectives the share of pairs of runs in which the first is better, a tie counting half.
    detectable
        The least ratio of rates that so many solved runs find in 80 % of cases (Schoenfeld 1981), alone; of
        objectives the least share above a half (Noether 1987).
    """

    problem: str
    first: str
    second: str
    unit: str
    p: float
    ratio: float
    detectable: float
    holm: float = 1.0

    @property
    def differs(self) -> bool:
        """Whether equality is refuted at 5 %."""
        return self.holm < 0.05


def compare_runs(problem: str, runs: Mapping[str, Sequence[RunRecord]]) -> Iterator[Comparison]:
    """Yield the tests of all pairs of heuristics on one problem, not corrected yet."""
    for first, second in combinations(runs, 2):
        for unit in COMPARED:
            one, other = (RunLengths.of(runs[name], unit) for name in (first, second))
            if one is not None and other is not None:
                yield _pair(problem, named(unit), first, second, one, other)
                break


def compare_objectives(
    problem: str, runs: Mapping[str, Sequence[RunRecord]], maximizing: bool
) -> Iterator[Comparison]:
    """Yield the tests of all pairs of heuristics' objectives; a run without a solution has the worst of all.

    They are those at the runs' ends, so that what is compared is what heuristics do within these limits.
    """
    from scipy.stats import mannwhitneyu

    costs = {name: _costs(rows, maximizing) for name, rows in runs.items()}
    for first, second in combinations(runs, 2):
        one, other = costs[first], costs[second]
        if one and other and math.isfinite(min(*one, *other)):
            test = mannwhitneyu(one, other, method="asymptotic")
            share = 1 - float(test.statistic) / (len(one) * len(other))
            p = 1.0 if math.isnan(test.pvalue) else float(test.pvalue)
            found = detectable_share(len(one), len(other))
            yield Comparison(problem, first, second, OBJECTIVE, p, share, found)


def _costs(rows: Sequence[RunRecord], maximizing: bool) -> list[float]:
    """Return objectives to be small, of all runs that were not broken off; infinite without a solution."""
    sign = -1.0 if maximizing else 1.0
    return [
        math.inf if row.objective is None else sign * row.objective
        for row in rows
        if row.ending is not Ending.INTERRUPTED
    ]


def detectable_share(first: int, second: int, power: float = _POWER) -> float:
    """Return the share of pairs above a half that Mann and Whitney's test finds with some power.

    >>> round(detectable_share(100, 100), 2)
    0.61
    """
    from scipy.stats import norm

    spread = 12 * first * second / (first + second)
    return min(1.0, 0.5 + float(norm.ppf(0.975) + norm.ppf(power)) / math.sqrt(spread))


def _pair(problem: str, unit: str, first: str, second: str, one: RunLengths, other: RunLengths) -> Comparison:
    from scipy.stats import logrank

    events = sum(int(runs.seen()[1].sum()) for runs in (one, other))
    p = float(logrank(one.data(), other.data()).pvalue) if events else 1.0
    values = one.expected().value, other.expected().value
    ratio = values[0] / values[1] if values[1] > 0 and math.isfinite(values[1]) else math.nan
    return Comparison(problem, first, second, unit, 1.0 if math.isnan(p) else p, ratio, detectable(events))


def detectable(events: int, power: float = _POWER) -> float:
    """Return the ratio of rates that a log-rank test of two equal groups finds with some power.

    >>> round(detectable(4000), 3)
    1.093
    """
    from scipy.stats import norm

    if events == 0:
        return math.inf
    return math.exp(2 * float(norm.ppf(0.975) + norm.ppf(power)) / math.sqrt(events))


def corrected(found: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons with Holm's correction for their number.

    >>> made = [Comparison("", "a", "b", "steps", p, 1.0, 1.0) for p in (0.03, 0.01, 0.04)]
    >>> [round(c.holm, 3) for c in corrected(made)]
    [0.06, 0.03, 0.06]
    """
    order = sorted(range(len(found)), key=lambda k: found[k].p)
    holm, largest = [1.0] * len(found), 0.0
    for rank, k in enumerate(order):
        largest = max(largest, min(1.0, found[k].p * (len(found) - rank)))
        holm[k] = largest
    return [replace(c, holm=p) for c, p in zip(found, holm, strict=True)]
