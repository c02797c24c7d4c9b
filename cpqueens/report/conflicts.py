"""Which drawn elements collide, as the checker sees it, and which values exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from cpqueens.answers.check import Violation
from cpqueens.answers.outcome import Solution
from cpqueens.errors import CpqueensError
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.language.statement import Statement

Place = TypeVar("Place", int, tuple[int, int])


def conflicting_pairs(solution: Solution, places: Mapping[str, Place]) -> tuple[tuple[Place, Place], ...]:
    """Return the pairs of places that collide, each once, in ascending order.

    A pair collides if AllDifferent names it, or if a violated constraint is about these two alone. So a
    toroidal or a superqueens board shows its own attacks, not those of plain queens.

    Parameters
    ----------
    places
        Where the variables stand, by name; others are not drawn.
    """
    check = solution.check()
    if check.ok:
        return ()
    found = {pair for violation in check.violations for pair in _pairs(violation, places)}
    return tuple(sorted(found))


def element_names(model: Statement, variable: str) -> list[str]:
    """Return the names of a variable's elements, row by row."""
    return [model.label_of(index) for index in model[variable].reshape(-1).variables[:, 0].tolist()]


def conflicting_elements(solution: Solution, variable: str) -> frozenset[int]:
    """Return the positions, row by row, of what violates a constraint: its pairs, else all its elements."""
    positions = {name: k for k, name in enumerate(element_names(solution.model, variable))}
    bad = {name for violation in solution.check().violations for name in _names(violation)}
    return frozenset(positions[name] for name in bad if name in positions)


def _names(violation: Violation) -> Iterable[str]:
    """Return the names of what collides, else of all variables."""
    pairs = [name.rsplit("=", 1)[0] for pair in violation.pairs for name in pair]
    return [name for name in pairs if name in violation.values] or violation.values


def _pairs(violation: Violation, places: Mapping[str, Place]) -> list[tuple[Place, Place]]:
    named = [(a.rsplit("=", 1)[0], b.rsplit("=", 1)[0]) for a, b in violation.pairs]
    if not named and len(violation.values) == 2:
        first, second = violation.values
        named = [(first, second)]
    placed = [(places[a], places[b]) for a, b in named if a in places and b in places]
    return [(a, b) if a <= b else (b, a) for a, b in placed]


# ---- which values of two variables exclude each other: for boards of a trace -----------------------------


@dataclass(frozen=True)
class PairRules:
    """AllDifferents over shifted variables, and pairs of variables with a forbidden difference."""

    pattern: Pattern

    def between(self, i: int, a: int, j: int, b: int) -> bool:
        """Say whether value ``a`` of variable ``i`` excludes value ``b`` of variable ``j``."""
        if i > j:
            i, a, j, b = j, b, i, a
        for group in self.pattern.groups:
            members = group.members()
            if members[i] and members[j]:
                distance = b - a - int(group.offsets[i] - group.offsets[j])
                if (distance % group.modulus if group.modulus else distance) == 0:
                    return True
        return any((i, j, b - a) == tuple(pair) for pair in self.pattern.pairs.tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data: groups of offsets, modulus and members, and pairs."""
        groups = [
            {
                "offsets": group.offsets.tolist(),
                "modulus": group.modulus,
                "members": None if group.rows is None else group.rows.tolist(),
            }
            for group in self.pattern.groups
        ]
        return {"groups": groups, "pairs": self.pattern.pairs.tolist()}


def attacks_of(model: Statement) -> PairRules | None:
    """Return what a model's constraints say of pairs, None if they are no lines of few values."""
    from cpqueens.lowered.structures.table import Structures

    try:
        pattern = Structures(model, "backtracking").find("shifted_board")
    except CpqueensError:
        return None
    return None if pattern is None else PairRules(pattern)
