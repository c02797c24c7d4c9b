"""Packing and cutting: bars cut from as few stock lengths as possible, and sheets placed on a plate.

python examples/23_cutting.py [pieces, 9 by default]
"""

from __future__ import annotations

import sys

import numpy as np

from cpqueens import BinPacking, Groups, Model, NoOverlap2D, ValuePrecede, cross_check

LENGTHS = [44, 35, 32, 26, 21, 18, 16, 14, 12, 11, 9, 7]
STOCK = 60
SHEETS = [(4, 2), (3, 3), (2, 4), (3, 2), (2, 2), (1, 3)]


def cutting(pieces: int = 9, stock: int = STOCK) -> Model:
    """Return the bar that each piece is cut from; as few bars as possible."""
    lengths = LENGTHS[:pieces]
    m = Model("cutting", view=Groups("bar", weights=tuple(lengths)))
    bar = m.intvar(0, pieces - 1, shape=pieces, name="bar")
    m.add(BinPacking(bar, lengths, [stock] * pieces, "<="))
    m.add(ValuePrecede(bar, range(pieces)), name="bars are numbered as they are first used")
    m.minimize(bar.max() + 1)
    return m


def packing(width: int = 7) -> Model:
    """Return the place and the rotation of each sheet on a plate; the plate is as short as possible."""
    m = Model("plate")
    many = len(SHEETS)
    x, y = m.intvar(0, width, shape=many, name="x"), m.intvar(0, 12, shape=many, name="y")
    turned = m.boolvar(shape=many, name="turned")
    wide, high = np.array(SHEETS).T
    dx, dy = wide + turned * (high - wide), high + turned * (wide - high)
    m.add(NoOverlap2D(x, dx, y, dy), x + dx <= width)
    m.minimize((y + dy).max())
    return m


def drawn(width: int, boxes: list[tuple[int, ...]]) -> str:
    """Return the plate, with the number of a sheet on each of its squares."""
    plate = np.full((max(y + dy for _, y, _, dy in boxes), width), ".")
    for k, (x, y, dx, dy) in enumerate(boxes):
        plate[y : y + dy, x : x + dx] = k
    return "\n".join("".join(row) for row in plate)


def main(pieces: int = 9) -> int:
    """Cut, pack, and compare three solvers on the bars."""
    outcome = cutting(pieces).solve(solver="cpsat", time_limit=20)
    print(f"{outcome.status}: {outcome.objective} bars of {STOCK}\n")
    print(outcome.solution)

    outcome = packing().solve(solver="cpsat", time_limit=20)
    boxes = [
        (int(x), int(y), *(sheet[::-1] if turned else sheet))
        for x, y, turned, sheet in zip(outcome["x"], outcome["y"], outcome["turned"], SHEETS, strict=True)
    ]
    print(f"\n{outcome.status}: a plate of 7 x {outcome.objective}\n")
    print(drawn(7, boxes))

    report = cross_check(cutting(min(pieces, 7)), ["cpsat", "backtracking", "local-search"], time_limit=5)
    print(f"\n{report}")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
