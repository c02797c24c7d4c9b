"""What an evaluation found, as data; heuristics compared, and where samples put values."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.crosscheck.findings import broken
from cpqueens.lab.contenders import RunLimits
from cpqueens.lab.performance import UNITS, Anytime, Performance, ReachedTarget, named
from cpqueens.lab.reference import Coverage, Reference
from cpqueens.lab.runfile import Ending, RunRecord, RunTable
from cpqueens.lab.runlength import RunLengths
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.text.plaintext import shown

MOST_CELLS = 4096
"""Variables times values of a model whose cells are told."""

FEWEST = 20
"""Samples below which nothing is told."""


@dataclass(frozen=True)
class Occupancy:
    """How often each variable takes each value, in samples and in the set of all solutions.

    Attributes
    ----------
    heuristic, problem
        The solver and the problem.
    samples
        Checked solutions of runs.
    variables, values
        Names of rows, and values of columns of what follows.
    seen, exact
        (variables, values) shares of the samples, and of all solutions.
    p
        Of the hypothesis that samples are drawn uniformly: the least of the cells' binomial tests, times
        their number (Bonferroni).
    cell_p
        (variables, values) of each of these tests.
    board
        Rows and columns, where each variable is a square that is taken (1) or not.
    """

    heuristic: str
    problem: str
    samples: int
    variables: tuple[str, ...]
    values: tuple[int, ...]
    p: float
    board: tuple[int, int] | None
    seen: NDArray[np.float64] = field(repr=False)
    exact: NDArray[np.float64] = field(repr=False)
    cell_p: NDArray[np.float64] = field(repr=False)

    @property
    def farthest(self) -> tuple[int, int]:
        """Variable and value, by their numbers, that the test finds least likely."""
        least = np.lexsort((-np.abs(self.seen - self.exact).ravel(), self.cell_p.ravel()))[0]
        row, column = np.unravel_index(least, self.seen.shape)
        return int(row), int(column)

    @property
    def farthest_said(self) -> str:
        """That cell in words."""
        row, column = self.farthest
        seen, exact = 100 * self.seen[row, column], 100 * self.exact[row, column]
        name = f"{self.variables[row]} = {self.values[column]}"
        return f"{name}: {seen:.1f} % of samples, {exact:.1f} % of solutions"

    def __str__(self) -> str:
        verdict = "not uniform" if self.p < 0.05 else "no sign of not being uniform"
        return f"{verdict} (binomial tests of {self.seen.size:,} cells, p = {self.p:.2g})"


def occupancy(
    heuristic: str, problem: str, model: Statement, found: IntArray, everything: IntArray | None
) -> Occupancy | None:
    """Return where samples (samples, variables) and all solutions (solutions, variables) put values.

    None where not all solutions are known, cells are too many or samples too few.
    """
    if everything is None or not len(everything) or len(found) < FEWEST:
        return None
    low, high = int(min(everything.min(), found.min())), int(max(everything.max(), found.max()))
    if (high - low + 1) * found.shape[1] > MOST_CELLS:
        return None
    from scipy.stats import binom

    seen, exact = (_shares(rows, low, high) for rows in (found, everything))
    n = len(found)
    hits = np.rint(seen * n)
    cell_p = np.minimum(2 * np.minimum(binom.cdf(hits, n, exact), binom.sf(hits - 1, n, exact)), 1.0)
    tests = int(((exact > 0) & (exact < 1)).sum())
    names = tuple(model.label_of(v) for v in model.decisions.tolist())
    return Occupancy(
        heuristic, problem, n, names, tuple(range(low, high + 1)), min(1.0, float(cell_p.min()) * tests),
        _board(model) if (low, high) == (0, 1) else None, seen, exact, cell_p,
    )  # fmt: skip


def _shares(rows: IntArray, low: int, high: int) -> NDArray[np.float64]:
    """Return how large a share of rows (rows, variables) has each value from low to high."""
    return np.stack([(rows == value).mean(axis=0) for value in range(low, high + 1)], axis=1)


def _board(model: Statement) -> tuple[int, int] | None:
    """Return the shape of a model's variables if they are squares."""
    shapes = [block.shape for block in model.blocks if block.size]
    return shapes[0] if len(shapes) == 1 and len(shapes[0]) == 2 else None


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


BELOW, WRONG_ANSWER, FALSE_UNSAT, MISSING, CROSSED = 4, 10, 11, 12, 13
INTERRUPTED, NOTHING, BROKEN = 130, 20, 30


@dataclass(frozen=True)
class ProblemHead:
    """A problem of an evaluation.

    Attributes
    ----------
    title, size
        Such as ``queens(n=8)``, and the number that varies, or None.
    scope
        What is in it: variables and constraints.
    digest
        Of the model; None where it has none.
    """

    title: str
    size: int | None
    scope: str
    digest: str | None


@dataclass(frozen=True)
class Evaluated:
    """How heuristics did: runs, figures, comparisons, and what was not compared. Nothing is a proof."""

    heuristics: tuple[str, ...]
    problems: tuple[ProblemHead, ...]
    budget: RunLimits
    seeds: tuple[int, int]
    machines: tuple[str, ...]
    versions: Mapping[str, str]
    performances: tuple[Performance, ...]
    references: tuple[Reference, ...]
    coverages: tuple[Coverage, ...]
    occupancies: tuple[Occupancy, ...]
    anytimes: tuple[Anytime, ...]
    targets: tuple[ReachedTarget, ...]
    comparisons: tuple[Comparison, ...]
    runs: RunTable = field(repr=False)
    units: tuple[str, ...] = UNITS
    seconds: float = 0.0
    interrupted: bool = False

    def __getitem__(self, key: Any) -> Performance:
        """Return how a heuristic did, by its name and the title of a problem where there are several.

        Raises
        ------
        KeyError
            If there is no such pair, or several problems and none is named.
        """
        name, problem = key if isinstance(key, tuple) else (key, None)
        found = [p for p in self.performances if p.heuristic == name and problem in (None, p.problem)]
        if len(found) != 1:
            pairs = ", ".join(f"({p.heuristic!r}, {p.problem!r})" for p in self.performances)
            raise KeyError(f"{shown(key, 80)} names {len(found)} of {pairs}")
        return found[0]

    @property
    def wrong(self) -> int:
        """Runs that claimed a wrong solution."""
        return sum(p.wrong for p in self.performances)

    def below(self, rate: float) -> list[Performance]:
        """Return where the success rate is below a bound, or where nothing ran."""
        return [p for p in self.performances if not p.rate.value >= rate]

    def exit_code(self, require: float | None = None) -> int:
        """Return the exit code of the command line.

        10 if a wrong answer was given, 11, 12 or 13 if an exact solver is refuted, 30 if every run of a
        heuristic broke down or answered what cannot be read, 130 if interrupted, 20 if nothing could run, 4
        if a success rate is below ``require``, else 0.
        """
        refuted = [FALSE_UNSAT if c.of_all == 0 else MISSING for c in self.coverages if c.outside]
        refuted += [CROSSED for p in self.performances if p.quality is not None and p.quality.refutes]
        if self.wrong or refuted:
            return min([WRONG_ANSWER] * bool(self.wrong) + refuted)
        if any(broken(p.rejections, p.runs) for p in self.performances):
            return BROKEN
        if self.interrupted:
            return INTERRUPTED
        if not self.runs:
            return NOTHING
        return BELOW if require is not None and self.below(require) else 0
