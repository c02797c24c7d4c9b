"""Which assumptions contradict the model, or each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cpqueens.text.plaintext import counted


@dataclass(frozen=True)
class Assumption:
    """One assumption: its position among those given (elements of arrays one by one), name and text.

    Attributes
    ----------
    position
        Among those given, elements of arrays one by one.
    name, text
        Its name, or None, and what it says.
    """

    position: int
    name: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text}" if self.name else self.text


@dataclass(frozen=True)
class AssumptionCore:
    """Assumptions under which the model is proved to have no solution; none where it never has one.

    ``minimal`` says that every one of them is needed: without it there is a solution. Where that would have
    taken long it was not looked for, and some may be superfluous.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=2, name="x")
    >>> core = m.solve(solver="backtracking", assumptions=[x[0] == 1, x[1] == 2, x[0] == 3]).core
    >>> core.positions, core.minimal
    ((0, 2), True)

    Attributes
    ----------
    assumptions
        Those to blame (`Assumption`).
    minimal
        Whether each of them is needed.
    """

    assumptions: tuple[Assumption, ...]
    minimal: bool

    @property
    def positions(self) -> tuple[int, ...]:
        """Positions of the assumptions among those given."""
        return tuple(assumption.position for assumption in self.assumptions)

    @property
    def names(self) -> tuple[str | None, ...]:
        """Names of the assumptions, None where they have none."""
        return tuple(assumption.name for assumption in self.assumptions)

    def __len__(self) -> int:
        return len(self.assumptions)

    def __iter__(self) -> Iterator[Assumption]:
        return iter(self.assumptions)

    def __str__(self) -> str:
        kind = "a minimal core" if self.minimal else "a core, perhaps not minimal"
        return "\n".join(
            [f"{kind}: {counted(len(self), 'assumption')}", *(f"  {a}" for a in self.assumptions)]
        )
