"""What an evaluation found, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cpqueens.crosscheck.findings import broken
from cpqueens.lab.anytime import Anytime, ReachedTarget
from cpqueens.lab.comparing import Comparison
from cpqueens.lab.contenders import RunLimits
from cpqueens.lab.occupancy import Occupancy
from cpqueens.lab.performance import UNITS, Performance
from cpqueens.lab.reference import Coverage, Reference
from cpqueens.lab.runtable import RunTable
from cpqueens.text.plaintext import shown

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
