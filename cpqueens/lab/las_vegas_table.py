"""The published table of Las Vegas search on queens, and where it differs from the exact expectations."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from cpqueens.lab.las_vegas_expectations import Expectations, rounded

DIGITS = {"p": 4, "s": 2, "e": 2, "t": 2}
"""Decimals of each column as printed."""

# Deng and Zhu (2006), after Brassard and Bratley: by boards and stops, the printed cells; `-` where a column
# means nothing. Cells that are not in the copies that remain are left out.
PUBLISHED: dict[int, dict[int, dict[str, str]]] = {
    8: {
        0: {"p": "1.0000", "s": "114.00", "e": "-", "t": "114.00"},
        1: {"p": "1.0000", "s": "39.63", "e": "-", "t": "39.63"},
        2: {"p": "0.8750", "s": "22.53", "e": "39.67", "t": "28.20"},
        3: {"p": "0.4931", "s": "13.48", "e": "15.10", "t": "29.01"},
        4: {"p": "0.2618", "s": "10.31", "e": "8.79", "t": "35.10"},
        5: {"p": "0.1624", "s": "9.33", "e": "7.29", "t": "46.92"},
        6: {"p": "0.1375", "s": "9.05", "e": "6.98", "t": "53.50"},
        7: {"p": "0.1293", "s": "9.00", "e": "6.97", "t": "55.93"},
        8: {"p": "0.1293", "s": "9.00", "e": "6.97", "t": "55.93"},
    },
    12: {
        0: {"p": "1.0000", "s": "262.00", "e": "-", "t": "262.00"},
        5: {"s": "33.88", "e": "47.23"},
        12: {"s": "13.00", "e": "10.20"},
    },
}


@dataclass(frozen=True)
class Finding:
    """A printed cell that is not the exact expectation, with what the rest of its row says of it."""

    n: int
    stop_vegas: int
    column: str
    printed: str
    exact: str
    evidence: str = ""

    def __str__(self) -> str:
        place = f"N={self.n}, k={self.stop_vegas}"
        return f"{place}: {self.column} is printed as {self.printed}, exact is {self.exact}{self.evidence}"


def cells(found: Expectations) -> dict[str, str]:
    """Return p, s, e and t as the table prints them, a half rounded up."""
    return {column: rounded(getattr(found, column), digits) for column, digits in DIGITS.items()}


def findings(n: int, exact: Sequence[Expectations]) -> list[Finding]:
    """Return the printed cells of the board of n that differ from the exact expectations."""
    found = []
    for stop, printed in PUBLISHED.get(n, {}).items():
        computed = cells(exact[stop])
        for column, value in printed.items():
            if value != computed[column]:
                evidence = _evidence(column, printed, computed)
                found.append(Finding(n, stop, column, value, computed[column], evidence))
    return found


def _evidence(column: str, printed: dict[str, str], exact: dict[str, str]) -> str:
    """Return what t the printed row gives with either value of the column; nothing for a row with gaps."""
    if column == "t" or not set(DIGITS) <= set(printed) or "-" in printed.values():
        return ""
    with_exact, with_printed = _t({**printed, column: exact[column]}), _t(printed)
    return (
        f"; s + (1 - p) e / p of the printed row is {with_exact} with the exact value and {with_printed} "
        f"with the printed one, where t = {printed['t']} is printed"
    )


def _t(row: dict[str, str]) -> str:
    p, s, e = (Decimal(row[column]) for column in ("p", "s", "e"))
    return str((s + (1 - p) * e / p).quantize(Decimal("0.01"), ROUND_HALF_UP))
