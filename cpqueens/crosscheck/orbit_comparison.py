"""Two sets of solutions up to declared symmetries: does one lose an orbit of the other, and how many?

A symmetry is a map of whole solutions, no term, so there is no model of "no image of this is accepted": both
sets are listed, and claims are made of what was listed to its end alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from cpqueens.answers.symmetry import LARGEST, Group, as_group, canonical, orbit_sizes
from cpqueens.backends.clock import limited, now
from cpqueens.errors import ModelError
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.solving.request import positive_seconds

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
                values = ", ".join(f"{key} = {value}" for key, value in list((example or {}).items())[:12])
                least = "" if self.orbits["ba".index(name)] is not None else "at least "
                lines.append(
                    f"    {name} loses {least}{lost} of the orbits of {other}, such as that of {values}"
                )
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


def symmetry_breaking(
    model: Model, group: Group, *, time_limit: float | None = None, solvers: Sequence[str] = ("cpsat",)
) -> tuple[int, ...]:
    """Return the positions of the constraints that refuse solutions, but of no orbit all, each taken alone.

    What is not decided in the time is not returned.

    >>> from cpqueens.answers.symmetry import QUEENS_BOARD
    >>> from cpqueens.crosscheck.orbit_comparison import symmetry_breaking
    >>> from cpqueens.models.queens import queens
    >>> m = queens(6)
    >>> m += m["q"][0] < m["q"][5]
    >>> symmetry_breaking(m, QUEENS_BOARD) == (m.constraint_count - 1,)
    True

    Parameters
    ----------
    model
        Any model whose solutions can be listed.
    group
        Its symmetries, on all its variables.
    time_limit
        Wall seconds for all; by default 10 seconds of processor time.
    solvers
        Those that list.

    Examples
    --------
    """
    plain = model.copy()
    plain.drop_objectives()
    with limited(positive_seconds(time_limit, "time_limit"), SECONDS) as seconds:
        return tuple(_breaking(plain, group, now() + seconds, solvers))


def _breaking(plain: Model, group: Group, end: float, solvers: Sequence[str]) -> Iterator[int]:
    """Yield the positions of those that are known in time."""
    shared = {plain.name_of(v): (v, v) for v in plain.decisions.tolist()}
    for k in range(len(plain.constraints)):
        left = end - now()
        if left <= 0:
            break
        if plain.posted(k).source is None:
            continue
        try:
            orbits = compare_orbits(
                plain, plain.without([k]), shared, group, time_limit=left, solvers=solvers
            )
        except ModelError:  # without it there are solutions that have no images: it refuses more than orbits
            continue
        if orbits.equal and orbits.solutions[0] != orbits.solutions[1]:
            yield k


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
