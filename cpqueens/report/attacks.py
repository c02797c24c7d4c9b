"""Which values of two variables exclude each other, where a model's lines say it: for boards of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cpqueens.errors import CpqueensError
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.language.statement import Statement


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
