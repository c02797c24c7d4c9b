"""What is proved of a problem, and how the solutions that runs found lie in the set of all."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpqueens.answers.symmetry import Group, orbits
from cpqueens.backends.clock import limited
from cpqueens.errors import CpqueensError
from cpqueens.language.rows import IntArray
from cpqueens.model import Model

MOST = 200_000
"""Solutions of a set that is enumerated."""

SECONDS = 2.0
MORE = "--reference-time SECONDS (reference_time=) gives more"

EXPECTED = 5
"""Runs that a solution must be expected in before uniformity is tested."""


@dataclass(frozen=True)
class Reference:
    """The result of an exact solver: the optimum, or all solutions.

    Attributes
    ----------
    problem, solver
        Of which problem, and the solver that proved it.
    optimum, bound
        The best value, and what was proved about it; None without an objective or a proof.
    solutions
        (solutions, variables), checked; None if they are not all known, or there is an objective.
    infeasible
        Whether it is proved that there is none.
    unknown
        Why there is nothing to compare with; empty if there is.
    """

    problem: str
    solver: str = ""
    solutions: IntArray | None = field(default=None, repr=False)
    optimum: int | None = None
    bound: int | None = None
    infeasible: bool = False
    unknown: str = ""

    def __str__(self) -> str:
        if self.unknown:
            return f"{self.problem}: {self.unknown}"
        if self.infeasible:
            return f"{self.problem}: no solution exists, proved by {self.solver}"
        if self.optimum is not None:
            return f"{self.problem}: the optimum is {self.optimum}, proved by {self.solver}"
        if self.solutions is not None:
            return f"{self.problem}: {len(self.solutions):,} solutions, all there are, by {self.solver}"
        return f"{self.problem}: a solution exists"


def prove(model: Model, title: str, seconds: float | None) -> Reference:
    """Return what exact solvers prove of a model within some seconds, by default `SECONDS` of a processor."""
    if seconds == 0:
        return Reference(title, unknown="no exact solver was asked")
    with limited(seconds, SECONDS) as limit:
        return _proved(model, title, limit)


def _proved(model: Model, title: str, seconds: float) -> Reference:
    try:
        if model.objective is not None:
            best = model.solve(time_limit=seconds)
            proved = best.objective if best.complete else None
            said = "" if best.complete else f"no optimum proved in {seconds:g} s; {MORE}"
            infeasible = best.status == "INFEASIBLE"
            return Reference(title, best.solver, None, proved, best.bound, infeasible, said)
        found = model.enumerate(time_limit=seconds, solution_limit=MOST)
    except CpqueensError as error:
        return Reference(title, unknown=f"no exact solver takes it: {error}")
    if not found.complete:
        why = f"not all found in {seconds:g} s; {MORE}"
        if found.stop_reason == "solution_limit":
            why = f"more than {MOST:,}"
        return Reference(title, found.solver, unknown=f"its solutions are not all known: {why}")
    rows = found.solutions.matrix
    return Reference(title, found.solver, solutions=rows, infeasible=not len(rows))


@dataclass(frozen=True)
class Uniformity:
    """A chi-square test that all solutions (or orbits) are equally often found.

    ``p`` is None where there are too few samples: ``needed`` says how many it takes.

    Attributes
    ----------
    statistic, p
        Of the test; None where there are too few samples.
    needed
        How many samples it takes.
    """

    statistic: float | None
    p: float | None
    needed: int

    def __str__(self) -> str:
        if self.p is None:
            return f"not enough samples: {self.needed:,} are needed"
        verdict = "not uniform" if self.p < 0.05 else "no sign of not being uniform"
        return f"{verdict} (chi-square, p = {self.p:.2g})"


@dataclass(frozen=True)
class Coverage:
    """The share of all solutions that the runs found.

    Attributes
    ----------
    heuristic, problem
        The solver and the problem.
    samples, distinct
        Solved runs, and different solutions among them.
    of_all
        How many solutions exist; None if that is not known.
    ceiling
        The distinct solutions expected if all were equally likely.
    chao1
        An estimate of how many the heuristic can find, from those found once and twice (Chao 1984).
    outside
        Solutions that are not in the enumerated set: the exact solver was wrong.
    uniform, uniform_orbits
        Whether all are equally often found (`Uniformity`), and all orbits; None where that is not known.
    orbits, orbits_of_all
        Orbits met, of how many; None without declared symmetries.
    """

    heuristic: str
    problem: str
    samples: int
    distinct: int
    chao1: float
    of_all: int | None = None
    ceiling: float | None = None
    outside: int = 0
    uniform: Uniformity | None = None
    orbits: int | None = None
    orbits_of_all: int | None = None
    uniform_orbits: Uniformity | None = None


def coverage(heuristic: str, reference: Reference, found: IntArray, group: Group) -> Coverage:
    """Return how solutions (samples, variables), in any order and with repetitions, lie in the set of all."""
    rows, counts = np.unique(found, axis=0, return_counts=True)
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    about: dict[str, Any] = {
        "heuristic": heuristic, "problem": reference.problem, "samples": len(found), "distinct": len(rows),
        "chao1": len(rows) + once * (once - 1) / (2 * (twice + 1)),
    }  # fmt: skip
    everything = reference.solutions
    if everything is None:
        return Coverage(**about)
    if not len(everything):
        return Coverage(**about, of_all=0, ceiling=0.0, outside=len(rows))
    known = {row.tobytes(): k for k, row in enumerate(np.ascontiguousarray(everything))}
    at = [known.get(row.tobytes(), -1) for row in np.ascontiguousarray(rows)]
    observed = np.zeros(len(everything))
    for k, number in zip(at, counts, strict=True):
        observed[k] += number if k >= 0 else 0
    n, size = len(found), len(everything)
    about |= {"of_all": size, "ceiling": size * (1 - (1 - 1 / size) ** n), "outside": at.count(-1)}
    return Coverage(
        **about, uniform=_uniform(observed, np.ones(size)), **_by_orbits(everything, observed, group)
    )


def _by_orbits(everything: IntArray, observed: Any, group: Group) -> dict[str, Any]:
    if not group:
        return {}
    classes = orbits(everything, group)
    by_class = np.bincount(classes.labels, weights=observed, minlength=len(classes.sizes))
    return {
        "orbits": int((by_class > 0).sum()),
        "orbits_of_all": len(classes.sizes),
        "uniform_orbits": _uniform(by_class, np.bincount(classes.labels).astype(float)),
    }


def _uniform(observed: Any, weights: Any) -> Uniformity:
    """Test that so many were seen in cells of these weights."""
    from scipy.stats import chisquare

    expected = weights / weights.sum() * observed.sum()
    needed = int(np.ceil(EXPECTED * weights.sum() / weights.min()))
    if observed.sum() < needed or len(weights) < 2:
        return Uniformity(None, None, needed)
    test = chisquare(observed, expected)
    return Uniformity(float(test.statistic), float(test.pvalue), needed)
