"""What comparing two models has shown, also up to symmetries: a verdict, witnesses, and who proved what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

import numpy as np

from cpqueens.answers.symmetry import LARGEST, Group, as_group, canonical, orbit_sizes
from cpqueens.backends.clock import now
from cpqueens.errors import ModelError
from cpqueens.language.rows import IntArray
from cpqueens.model import Model

# ---- two sets of solutions up to declared symmetries -----------------------------------------------------
# A symmetry is a map of whole solutions, no term, so there is no model of "no image of this is accepted":
# both sets are listed, and claims are made of what was listed to its end alone.

SECONDS = 10.0
Value = TypeVar("Value")


@dataclass(frozen=True)
class OrbitComparison:
    """How the orbits of two sets of solutions compare; of a pair the first is that of ``a``.

    Attributes
    ----------
    symmetries
        How many are declared: the order of the group, unless they generate a larger one.
    orbits
        How many each set meets, None where not all its solutions could be listed.
    lost
        How many orbits of the other set each one does not meet, None where that is not known. Where the other
        set was not listed to its end there may be more.
    examples
        A solution of an orbit that is lost, by name; None where none is.
    solutions
        How many each set has, None where they could not be listed.
    closed
        Whether each set has all images of its solutions; that of a model that breaks symmetries has not.
    """

    symmetries: int
    orbits: tuple[int | None, int | None]
    lost: tuple[int | None, int | None]
    examples: tuple[Mapping[str, int] | None, Mapping[str, int] | None]
    solutions: tuple[int | None, int | None]
    closed: tuple[bool | None, bool | None]

    @property
    def equal(self) -> bool:
        """Whether both are proved to meet the same orbits."""
        return None not in self.orbits and self.lost == (0, 0)

    def __str__(self) -> str:
        sizes = ["an unknown number of" if n is None else str(n) for n in self.orbits]
        lines = [f"up to {self.symmetries} symmetries: a has {sizes[0]} orbits, b {sizes[1]}"]
        for name, other, lost, example in zip("ab", "ba", self.lost, self.examples, strict=True):
            if lost is None:
                lines.append(
                    f"    whether {name} loses an orbit of {other} was not decided in the time given"
                )
            elif lost:
                least = "" if self.orbits["ba".index(name)] is not None else "at least "
                of = f"of the orbits of {other}, such as that of {values_text(example or {})}"
                lines.append(f"    {name} loses {least}{lost} {of}")
        if self.equal:
            lines.append("    no orbit is lost")
        return "\n".join(lines)


class _Listed(NamedTuple):
    """Distinct solutions over the compared variables, their canonical forms, and whether these are all."""

    forms: IntArray
    size: int
    closed: bool
    complete: bool


def compare_orbits(
    a: Model,
    b: Model,
    shared: Mapping[str, tuple[int, int]],
    group: Group,
    *,
    time_limit: float,
    solvers: Sequence[str],
) -> OrbitComparison:
    """Compare two models up to symmetries.

    Parameters
    ----------
    a, b
        Two models.
    shared
        For each name the variable in ``a`` and that in ``b``, in the order that the symmetries mean.
    group
        The symmetries, see `cpqueens.answers.symmetry`.
    time_limit
        Wall seconds.
    solvers
        Those that list; the first one that lists all is believed.

    Raises
    ------
    ModelError
        If there is no symmetry, or one is not defined for the solutions.
    """
    if not as_group(group):
        raise ModelError("symmetries: a group has the identity at least; none is given")
    end = now() + time_limit
    left = _listed(a, [v for v, _ in shared.values()], group, time_limit / 2, solvers)
    right = _listed(b, [w for _, w in shared.values()], group, end - now(), solvers)
    sides = ((left, right), (right, left))
    lost = [_missing(mine, other) for mine, other in sides]
    examples = [
        dict(zip(shared, rows[0].tolist(), strict=True)) if rows is not None and len(rows) else None
        for rows in lost
    ]
    return OrbitComparison(
        len(group),
        _pair(len(side.forms) if side.complete else None for side, _ in sides),
        _pair(None if rows is None else len(rows) for rows in lost),
        _pair(examples),
        _pair(side.size if side.complete else None for side, _ in sides),
        _pair(side.closed if side.complete else None for side, _ in sides),
    )


def _pair(values: Iterable[Value]) -> tuple[Value, Value]:
    first, second = values
    return first, second


def _missing(mine: _Listed, other: _Listed) -> IntArray | None:
    """Return the orbits of the other set that one does not meet; None if that is not known."""
    if not mine.complete:
        return None
    missing = _difference(other.forms, mine.forms)
    return missing if other.complete or len(missing) else None


def orbits_without(
    model: Model, position: int, group: Group, seconds: float, solvers: Sequence[str]
) -> OrbitComparison | None:
    """Compare a model with the same without a constraint; None if that refuses more than orbits."""
    shared = {model.name_of(v): (v, v) for v in model.decisions.tolist()}
    other = model.without([position])
    try:
        return compare_orbits(model, other, shared, group, time_limit=seconds, solvers=solvers)
    except ModelError:  # without it there are solutions that have no images
        return None


def _listed(
    model: Model, variables: Sequence[int], group: Group, seconds: float, solvers: Sequence[str]
) -> _Listed:
    """List the solutions by the first solver that gets to the end."""
    columns = np.searchsorted(model.decisions, variables)
    rows: IntArray = np.zeros((0, len(variables)), dtype=np.int64)
    complete = False
    end = now() + seconds
    for solver in solvers:
        left = end - now()
        if complete or left <= 0:
            break
        outcome = model.enumerate(solver=solver, time_limit=left, solution_limit=LARGEST)
        rows = np.unique(outcome.solutions.matrix[:, columns], axis=0)
        complete = outcome.complete
    forms = np.unique(canonical(rows, group), axis=0)
    return _Listed(forms, len(rows), int(orbit_sizes(forms, group).sum()) == len(rows), complete)


def _difference(rows: IntArray, others: IntArray) -> IntArray:
    """Return the rows that are not among others."""
    known = set(map(bytes, others))
    kept = [k for k, row in enumerate(rows) if bytes(row) not in known]
    return rows[kept]


Best = int | tuple[int, ...]
"""A best value; of several objectives all of them."""

_LISTED = 12  # values and constraints of a text


class ModelRelation(StrEnum):
    """The relation of two sets of solutions, as far as it is known."""

    EQUAL = "EQUAL"
    """The same solutions."""
    A_IN_B = "A_IN_B"
    """Every solution of the first is one of the second, which has more."""
    B_IN_A = "B_IN_A"
    """The other way round."""
    OVERLAP = "OVERLAP"
    """Some in common, and each has others."""
    DISJOINT = "DISJOINT"
    """None in common."""
    DIFFERENT = "DIFFERENT"
    """They differ; how is not decided."""
    NO_DIFFERENCE_FOUND = "NO_DIFFERENCE_FOUND"
    """Nothing is proved."""


_WORDS = {
    ModelRelation.EQUAL: "both accept the same assignments",
    ModelRelation.A_IN_B: "every assignment that a accepts b accepts too, and b accepts more",
    ModelRelation.B_IN_A: "every assignment that b accepts a accepts too, and a accepts more",
    ModelRelation.OVERLAP: "each accepts what the other does not, and some assignments are accepted by both",
    ModelRelation.DISJOINT: "no assignment is accepted by both",
    ModelRelation.DIFFERENT: "they differ; how was not decided in the time given",
    ModelRelation.NO_DIFFERENCE_FOUND: "no difference was found in the time given, which proves nothing",
}


def values_text(values: Mapping[str, int]) -> str:
    """Return the first of some values as text."""
    parts = [f"{name} = {value}" for name, value in list(values.items())[:_LISTED]]
    more = "" if len(values) <= _LISTED else f" and {len(values) - _LISTED} more"
    return ", ".join(parts) + more


@dataclass(frozen=True)
class Difference:
    """An assignment to the shared variables that one model accepts and the other does not.

    Attributes
    ----------
    values
        By name.
    accepted, refused
        ``"a"`` or ``"b"``.
    reasons
        The constraints that refuse it, with names and lines; or who proved that no values of the refusing
        model's own variables go with it.
    """

    values: Mapping[str, int]
    accepted: str
    refused: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.accepted} accepts and {self.refused} does not: {values_text(self.values)}"]
        lines += [f"    {self.refused}: {reason}" for reason in self.reasons[:_LISTED]]
        return "\n".join(lines)


@dataclass(frozen=True)
class ModelComparison:
    """How two models compare.

    >>> from cpqueens import Model, compare
    >>> a, b = Model("a"), Model("b")
    >>> x, y = a.intvar(1, 3, name="x"), b.intvar(1, 4, name="x")
    >>> found = compare(a, b)
    >>> found.verdict.value, found.exit_code, found.differences[0].values
    ('A_IN_B', 1, {'x': 4})

    Attributes
    ----------
    verdict
        See `ModelRelation`.
    shared
        The names of the variables compared; all others are projected away.
    differences
        One witness a direction, as far as there are any.
    proofs
        For each question that was settled by proof, the solvers that proved it.
    optima
        The proved best values of both objectives, None where there is no objective or no proof.
    seconds
        What it took.
    orbits
        How they compare up to symmetries, where these were given.
    optimal
        How the sets of optimal solutions compare; None unless both have objectives and their best values are
        proved, or proved to be the same.
    objectives
        Whether each has an objective.
    common
        An assignment that both accept, where that was looked for: each accepts what the other does not.
    """

    verdict: ModelRelation
    shared: tuple[str, ...]
    differences: tuple[Difference, ...]
    proofs: Mapping[str, tuple[str, ...]]
    optima: tuple[Best | None, Best | None] = (None, None)
    seconds: float = 0.0
    orbits: OrbitComparison | None = None
    optimal: ModelComparison | None = None
    objectives: tuple[bool, bool] = (False, False)
    common: Mapping[str, int] | None = None

    @property
    def equal(self) -> bool:
        """Whether the sets of solutions are proved equal.

        Where both have objectives, the best values and the sets of optimal solutions, too.
        """
        if self.verdict is not ModelRelation.EQUAL or not all(self.objectives):
            return self.verdict is ModelRelation.EQUAL
        return self.optima[0] == self.optima[1] and self.optimal is not None and self.optimal.equal

    @property
    def different(self) -> bool:
        """Whether a difference is proved."""
        if self.differences or (None not in self.optima and self.optima[0] != self.optima[1]):
            return True
        return self.optimal is not None and self.optimal.different

    @property
    def exit_code(self) -> int:
        """0 equal, 1 proved different, 3 undecided."""
        return 0 if self.equal else 1 if self.different else 3

    def __str__(self) -> str:
        lines = [f"{self.verdict}: {_WORDS[self.verdict]}", f"compared over {len(self.shared)} variables"]
        lines += [str(difference) for difference in self.differences]
        lines += [] if self.common is None else [f"both accept: {values_text(self.common)}"]
        lines += [f"proved: {question} ({', '.join(by)})" for question, by in self.proofs.items()]
        lines += self._about_objectives()
        if self.orbits is not None:
            lines.append(str(self.orbits))
        return "\n".join(lines)

    def _about_objectives(self) -> list[str]:
        if not all(self.objectives):
            one = [name for name, has in zip("ab", self.objectives, strict=True) if has]
            return [f"only {one[0]} has an objective, which is compared with nothing"] if one else []
        known = ["not proved" if value is None else str(value) for value in self.optima]
        lines = [f"best value: {known[0]} of a, {known[1]} of b"]
        if self.optimal is None:
            return [*lines, "optimal solutions: not compared, because the best values were not proved"]
        lines.append(f"optimal solutions: {self.optimal.verdict}: {_WORDS[self.optimal.verdict]}")
        lines += [f"    {line}" for d in self.optimal.differences for line in str(d).splitlines()]
        return lines + [f"    proved: {what} ({', '.join(by)})" for what, by in self.optimal.proofs.items()]
