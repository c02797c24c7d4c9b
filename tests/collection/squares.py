"""Magic squares and the magic hexagon: one AllDifferent and many sums."""

from __future__ import annotations

from cpqueens.models.magic_square import magic_square

from collection.instance import Instance
from cpqueens import AllDifferent, Model

HEXAGON = (3, 4, 5, 4, 3)


def magic_hexagon() -> Model:
    """1..19 in a hexagon of side 3, all lines of three directions sum to 38; one of twelve positions."""
    m = Model("magic hexagon")
    x = m.intvar(1, 19, shape=19, name="x")
    starts = [sum(HEXAGON[:r]) for r in range(6)]
    cell = {(r, c + max(0, r - 2)): starts[r] + c for r, size in enumerate(HEXAGON) for c in range(size)}
    m += AllDifferent(x)
    # in skewed coordinates (row, column) the three directions are rows, columns and row - column
    for direction in (lambda r, c: r, lambda r, c: c, lambda r, c: r - c):
        lines: dict[int, list[int]] = {}
        for (r, c), k in cell.items():
            lines.setdefault(direction(r, c), []).append(k)
        m.add(*(x[line].sum() == 38 for line in lines.values()))
    corners = [x[k] for k in (0, 2, 11, 18, 16, 7)]
    m.add(*(corners[0] < corner for corner in corners[1:]), corners[1] < corners[5])
    return m


INSTANCES = (
    Instance("magic square of order 3", lambda: magic_square(3), "OEIS A006052, eight positions", 8),
    Instance(
        "magic squares of order 4, normal", lambda: magic_square(4, normal=True), "OEIS A006052", 880,
        slow=("enumerate", "count"),
    ),
    Instance("magic square of order 4", lambda: magic_square(4), "Durer 1514"),
    Instance("magic square of order 5", lambda: magic_square(5), "Frenicle 1693: for every n > 2"),
    Instance("magic square of order 7", lambda: magic_square(7), "for every n > 2"),
    Instance("magic square of order 2", lambda: magic_square(2), "OEIS A006052", 0),
    Instance("magic hexagon", magic_hexagon, "Trigg 1964: one, in twelve positions", 1),
)  # fmt: skip
