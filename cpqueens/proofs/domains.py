"""What is left of each variable while a step of a proof is looked at, and what a literal says of it."""

from __future__ import annotations

from collections.abc import Iterable

from cpqueens.errors import ModelError
from cpqueens.language.statement import Statement

Literal = tuple[int, str, int]
"""A variable, one of ``>= <= == !=``, and a value."""

DENIED_SIGN = {">=": "<=", "<=": ">=", "==": "!=", "!=": "=="}

MOST_GAPS = 1 << 16
"""Values that an explicit domain may leave out between its bounds."""


def denied(literal: Literal) -> Literal:
    """Return the literal that holds exactly where this one does not."""
    variable, operator, value = literal
    shift = {">=": -1, "<=": 1}.get(operator, 0)
    return variable, DENIED_SIGN[operator], value + shift


class Domains:
    """Bounds of each variable and the values between them that are gone; all can be taken back.

    Attributes
    ----------
    low, high
        The bounds; a bound is never one of the values that are gone.
    gone
        The values that are gone, per variable (those outside the bounds may be among them).
    """

    def __init__(self, low: list[int], high: list[int], gone: list[set[int]]) -> None:
        self.low, self.high, self.gone = low, high, gone
        self._undo: list[tuple[int, int, int, int | None]] = []

    @classmethod
    def of(cls, model: Statement) -> Domains:
        """Return the domains that a model states.

        Raises
        ------
        ModelError
            For a domain with too many gaps.
        """
        gone: list[set[int]] = [set() for _ in range(model.variable_count)]
        for variable, values in model.domains.items():
            low, high = int(values[0]), int(values[-1])
            if high - low - len(values) >= MOST_GAPS:
                raise ModelError(
                    f"{model.label_of(variable)}: a domain with {high - low + 1 - len(values)} gaps, a proof "
                    f"takes at most {MOST_GAPS}"
                )
            gone[variable] = set(range(low, high + 1)) - set(values.tolist())
        return cls(model.lower.tolist(), model.upper.tolist(), gone)

    def contains(self, variable: int, value: int) -> bool:
        """Say whether a variable may still have a value."""
        return self.low[variable] <= value <= self.high[variable] and value not in self.gone[variable]

    def size(self, variable: int) -> int:
        """Return how many values are left of a variable."""
        low, high, gone = self.low[variable], self.high[variable], self.gone[variable]
        return max(0, high - low + 1 - (sum(low < v < high for v in gone) if gone else 0))

    def values(self, variable: int) -> list[int]:
        """Return the values that are left of a variable."""
        gone = self.gone[variable]
        return [v for v in range(self.low[variable], self.high[variable] + 1) if v not in gone]

    def holds(self, literal: Literal) -> bool | None:
        """Say whether a literal is true, false, or either."""
        variable, operator, value = literal
        low, high = self.low[variable], self.high[variable]
        if operator == ">=":
            return True if low >= value else False if high < value else None
        if operator == "<=":
            return True if high <= value else False if low > value else None
        if not self.contains(variable, value):
            return operator == "!="
        return operator == "==" if low == high else None

    def impose(self, literal: Literal) -> bool:
        """Make a literal true; say whether that leaves the variable a value."""
        variable, operator, value = literal
        old_low, old_high, gone = self.low[variable], self.high[variable], self.gone[variable]
        low, high, new = old_low, old_high, None
        if operator == "!=":
            if value not in gone:
                gone.add(value)
                new = value
        else:
            if operator != "<=":
                low = max(low, value)
            if operator != ">=":
                high = min(high, value)
        while low <= high and low in gone:
            low += 1
        while low <= high and high in gone:
            high -= 1
        self._undo.append((variable, old_low, old_high, new))
        self.low[variable], self.high[variable] = low, high
        return low <= high

    def mark(self) -> int:
        """Return a place to which `back` leads."""
        return len(self._undo)

    def back(self, mark: int) -> None:
        """Take back everything since a mark."""
        while len(self._undo) > mark:
            variable, self.low[variable], self.high[variable], value = self._undo.pop()
            if value is not None:
                self.gone[variable].discard(value)

    def settle(self) -> None:
        """Let everything so far stand for good."""
        self._undo.clear()


def impose_all(domains: Domains, literals: Iterable[Literal]) -> bool:
    """Make literals true; say whether that leaves all variables a value."""
    return all(domains.impose(literal) for literal in literals)
