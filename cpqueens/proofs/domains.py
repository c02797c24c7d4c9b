"""What is left of each variable while a step of a proof is looked at, and what a literal says of it."""

from __future__ import annotations

from cpqueens.errors import ModelError
from cpqueens.language.statement import Statement

Row = tuple[tuple[int, ...], tuple[int, ...], int]
"""A term: its variables, their coefficients, and a constant."""

Literal = tuple[int, str, int]
"""A variable, one of ``>= <= == !=``, and a value."""

DENIED_SIGN = {">=": "<=", "<=": ">=", "==": "!=", "!=": "=="}

MOST_GAPS = 1 << 16
"""Values that an explicit domain may leave out between its bounds."""


def denied(literal: Literal) -> Literal:
    """Return the literal that holds exactly where this one does not."""
    variable, operator, value = literal
    return variable, DENIED_SIGN[operator], value + {">=": -1, "<=": 1}.get(operator, 0)


class Domains:
    """Bounds of each variable and the values between them that are gone; all can be taken back.

    Attributes
    ----------
    low, high
        The bounds; a bound is never one of the values that are gone.
    gone
        The values that are gone, per variable (those outside the bounds may be among them).
    sums
        Terms whose values new variables have.
    """

    def __init__(self, low: list[int], high: list[int], gone: list[set[int]]) -> None:
        self.low, self.high, self.gone = low, high, gone
        self.sums: dict[Row, int] = {}
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
                    f"{model.label_of(variable)}: more than {MOST_GAPS} gaps, too many for a proof"
                )
            gone[variable] = set(range(low, high + 1)) - set(values.tolist())
        return cls(model.lower.tolist(), model.upper.tolist(), gone)

    def contains(self, variable: int, value: int) -> bool:
        """Say whether a variable may still have a value."""
        return self.low[variable] <= value <= self.high[variable] and value not in self.gone[variable]

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
        low, high, gone = self.low[variable], self.high[variable], self.gone[variable]
        new = value if operator == "!=" and value not in gone else None
        self._undo.append((variable, low, high, new))
        if operator == "!=":
            gone.add(value)
        if operator in (">=", "=="):
            low = max(low, value)
        if operator in ("<=", "=="):
            high = min(high, value)
        while low <= high and low in gone:
            low += 1
        while low <= high and high in gone:
            high -= 1
        self.low[variable], self.high[variable] = low, high
        return low <= high

    def add(self, low: int, high: int) -> None:
        """Take up one more variable."""
        self.low.append(low)
        self.high.append(high)
        self.gone.append(set())

    def mark(self) -> int:
        """Return a place to which `back` leads."""
        return len(self._undo)

    def back(self, mark: int) -> None:
        """Take back everything since a mark."""
        while len(self._undo) > mark:
            variable, self.low[variable], self.high[variable], value = self._undo.pop()
            if value is not None:
                self.gone[variable].discard(value)
