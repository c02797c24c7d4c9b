"""Two heuristics on one problem: log-rank tests, corrected for their number, with the power they have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from cpqueens.lab.performance import UNITS
from cpqueens.lab.runlength import RunLengths
from cpqueens.lab.runtable import RunRecord

COMPARED = ("evaluations", "processor_seconds")
"""Units in which two heuristics are compared, the first that both have: their steps are not the same."""

_POWER = 0.8


@dataclass(frozen=True)
class Comparison:
    """A log-rank test of two heuristics' distributions of lengths.

    Attributes
    ----------
    p
        Two-sided, of the hypothesis that the distributions are equal; ``holm`` is corrected for all
        comparisons of one report (Holm 1979).
    ratio
        How many times the expected length of the second the first takes; infinite where it solves nothing.
    detectable
        The least ratio of rates that so many solved runs find in 80 % of cases (Schoenfeld 1981), alone.
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
                yield _pair(problem, UNITS[unit], first, second, one, other)
                break


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
