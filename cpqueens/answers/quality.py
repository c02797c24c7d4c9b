"""Rates of success with their intervals, and how good objectives are, held against what is proved."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution


def wilson_interval(successes: int, runs: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a success rate (E. B. Wilson, JASA 22, 1927).

    >>> low, high = wilson_interval(100, 100)
    >>> f"{low:.3f} {high:.3f}"
    '0.963 1.000'
    >>> wilson_interval(0, 0)
    (0.0, 1.0)

    Parameters
    ----------
    successes, runs
        How many of how many runs succeeded.
    z
        The normal quantile; by default for 95 %.
    """
    if runs == 0:
        return 0.0, 1.0
    rate, square = successes / runs, z * z
    centre = (rate + square / (2 * runs)) / (1 + square / runs)
    spread = z * math.sqrt(rate * (1 - rate) / runs + square / (4 * runs * runs)) / (1 + square / runs)
    low = 0.0 if successes == 0 else centre - spread
    high = 1.0 if successes == runs else centre + spread
    return low, high


def gap(value: float, proved: int, maximizing: bool) -> float:
    """Return by which share of the proved value an objective is worse; below 0 if it is better.

    Of a proved 0 no share is taken: the gap is the difference itself.

    >>> gap(120, 100, maximizing=False), gap(120, 100, maximizing=True), gap(3, 0, maximizing=False)
    (0.2, -0.2, 3.0)
    """
    worse = proved - value if maximizing else value - proved
    return worse / (abs(proved) or 1)


def gap_text(value: float, proved: int, maximizing: bool) -> str:
    """Return a gap in percent, or of a proved 0 the difference.

    >>> gap_text(123, 100, maximizing=False), gap_text(3, 0, maximizing=False), gap_text(9, 9, True)
    ('23.0 %', '3', '0 %')
    """
    found = gap(value, proved, maximizing)
    return f"{found:g}" if proved == 0 else f"{100 * found:.1f} %" if found else "0 %"


@dataclass(frozen=True)
class Quality:
    """The objectives of valid solutions, and what is proved about the best.

    Attributes
    ----------
    best, median, worst
        Of the runs that found a solution.
    proved
        The optimum, or a bound on it; None where nothing is proved.
    is_optimum
        Whether ``proved`` is the optimum.
    optimal
        How many runs reached the optimum; None where that is not known.
    maximizing
        Whether large objectives are good.
    """

    best: int
    median: float
    worst: int
    proved: int | None = None
    is_optimum: bool = False
    optimal: int | None = None
    maximizing: bool = False

    @property
    def refutes(self) -> bool:
        """Whether the best value is better than the proved bound: then the proof is wrong."""
        return self.proved is not None and gap(self.best, self.proved, self.maximizing) < 0

    @property
    def gaps(self) -> str:
        """The gap of the median run, and those of the best and the worst; to a bound it is at most that."""
        if self.proved is None:
            return ""
        best, median, worst = (
            gap_text(value, self.proved, self.maximizing) for value in (self.best, self.median, self.worst)
        )
        spread = f" ({best} to {worst})" if best != worst else ""
        return ("" if self.is_optimum else "<= ") + median + spread


def quality(
    values: Iterable[int], maximizing: bool, optimum: int | None, bound: int | None, whole: bool = True
) -> Quality | None:
    """Return how good objectives are; None where there are none.

    Parameters
    ----------
    values
        The first objective of each run that found a solution.
    optimum, bound
        What is proved; None where it is not.
    whole
        Whether there is no second objective: else equal values of the first need not be optimal.
    """
    found = sorted(values, reverse=maximizing)
    if not found:
        return None
    proved = bound if optimum is None else optimum
    reached = found.count(optimum) if optimum is not None and whole else None
    middle = statistics.median(found)
    return Quality(found[0], middle, found[-1], proved, optimum is not None, reached, maximizing)


def objectives_text(outcome: Any) -> str:
    """Return the values of an outcome's objectives; of several not all proved, which are, and bounds.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=2, name="x")
    >>> m.minimize(x.sum(), x[0])
    >>> objectives_text(m.solve(time_limit=10))
    '2, then 1'
    """
    values = outcome.objectives or (outcome.objective,)
    if len(outcome.bounds) < 2 or outcome.complete:
        return ", then ".join(map(str, values))
    each = zip(values, outcome.bounds, strict=True)
    known = ("proved" if v == b else "open" if b is None else f"open, bound {b}" for v, b in each)
    return ", then ".join(f"{value} ({said})" for value, said in zip(values, known, strict=True))
