"""Cells in a frame, with lines only where one region ends and another begins; as text and as a path."""

from collections.abc import Sequence

from cpqueens.report import svg

# by the arms that meet: 1 up, 2 down, 4 left, 8 right
_UNICODE = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
_ASCII = " |||-+++-+++-+++"

Regions = Sequence[str]
"""One text a row, one letter a cell; none for a single region."""


def lattice_text(cells: Sequence[Sequence[str]], regions: Regions = (), *, unicode: bool = True) -> str:
    """Return cells of one width between the borders of their regions.

    >>> print(lattice_text([[" 1 ", " 2 "], [" 2 ", " 1 "]], ("AB", "BB"), unicode=False))
    +---+---+
    | 1 | 2 |
    +---+   |
    | 2   1 |
    +-------+
    """
    rows, columns = len(cells), len(cells[0]) if cells else 0
    width = max((len(cell) for row in cells for cell in row), default=0)
    walls = _Walls(rows, columns, regions)
    signs = _UNICODE if unicode else _ASCII
    across, down = signs[12], signs[3]
    lines = []
    for r in range(rows + 1):
        rule = ""
        for c in range(columns + 1):
            rule += signs[walls.arms(r, c)]
            rule += (across if walls.above(r, c) else " ") * width if c < columns else ""
        lines.append(rule)
        if r < rows:
            parts = [(down if walls.left(r, c) else " ") + cells[r][c].rjust(width) for c in range(columns)]
            lines.append("".join(parts) + down)
    return "\n".join(line for k, line in enumerate(lines) if k % 2 or (line.strip() and _has_rule(line)))


def _has_rule(line: str) -> bool:
    return any(sign in line for sign in "─-")


def borders(rows: int, columns: int, regions: Regions) -> str:
    """Return the borders between regions, and around all, as an SVG path; a cell is one unit."""
    walls = _Walls(rows, columns, regions)
    n = svg.number
    flat = [f"M{n(c)} {n(r)}h1" for r in range(rows + 1) for c in range(columns) if walls.above(r, c)]
    steep = [f"M{n(c)} {n(r)}v1" for r in range(rows) for c in range(columns + 1) if walls.left(r, c)]
    return "".join(flat + steep)


class _Walls:
    """Where two neighbours are of different regions; what lies outside is a region of its own."""

    def __init__(self, rows: int, columns: int, regions: Regions) -> None:
        self.label = {(r, c): regions[r][c] if regions else " " for r in range(rows) for c in range(columns)}

    def above(self, r: int, c: int) -> bool:
        return self.label.get((r - 1, c)) != self.label.get((r, c))

    def left(self, r: int, c: int) -> bool:
        return self.label.get((r, c - 1)) != self.label.get((r, c))

    def arms(self, r: int, c: int) -> int:
        """Return which walls meet at the corner above and left of a cell."""
        up, down = self.left(r - 1, c), self.left(r, c)
        return up + 2 * down + 4 * self.above(r, c - 1) + 8 * self.above(r, c)
