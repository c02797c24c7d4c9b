"""A count held against the published value, if the problem has one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpqueens.answers.outcome import Outcome
    from cpqueens.problems.catalog import Instance


@dataclass(frozen=True)
class Comparison:
    """A published value and whether the count agrees; None if the count is not complete."""

    value: int
    source: str
    agrees: bool | None

    @property
    def text(self) -> str:
        """One line."""
        words = {True: "agrees", False: "DISAGREES", None: "not compared: the count is not complete"}
        return f"{self.value:,} ({self.source}): {words[self.agrees]}"

    @property
    def fields(self) -> dict[str, Any]:
        """The same for a JSON document."""
        return {"value": self.value, "source": self.source, "agrees": self.agrees}


def compared(instance: Instance, outcome: Outcome, orbits: int | None = None) -> Comparison | None:
    """Return the comparison of a count, or, given ``orbits``, of the number up to symmetry."""
    entry = instance.published("solutions" if orbits is None else "fundamental")
    if entry is None:
        return None
    found = outcome.count if orbits is None else orbits
    return Comparison(entry.value, entry.source, found == entry.value if outcome.complete else None)
