"""Sudokus: 17 clues, hard ones, one without a solution, one of cages, and the small square of order 4."""

from __future__ import annotations

from collection.instance import ALL, Instance
from cpqueens import AllDifferent, Model

ROYLE = "Royle's list of minimum sudokus: one solution each"
CLUES_17 = (
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
    "000000010400000000020000000000050604008000300001090000300400200050100000000807000",
    "000000012000035000000600070700000300000400800100000000000120000080000040050000600",
    "000000012003600000000007000410020000000500300700000600280000040000300500000000000",
)
INKALA_2006 = "100007090030020008009600500005300900010080002600004000300000010040000007007000300"
INKALA_2010 = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
INKALA_2012 = "005300000800000020070010500400005300010070006003200080060500009004000030000009700"
NORVIG_IMPOSSIBLE = "000005080000601043000000000010500000000106000300000005530000061000000004000000000"


def sudoku(clues: str, box: int = 3) -> Model:
    """Rows, columns and boxes; ``clues`` row by row, 0 where there is none."""
    n = box * box
    m = Model("sudoku")
    x = m.intvar(1, n, shape=(n, n), name="x")
    m += [AllDifferent(line) for square in (x, x.T) for line in square]
    corners = range(0, n, box)
    m += [AllDifferent(x[i : i + box, j : j + box].flat) for i in corners for j in corners]
    m += [x.flat[k] == int(clue) for k, clue in enumerate(clues) if clue != "0"]
    return m


CAGES = "AABBBCDEFGGHHCCDEFGGIICJKKFLMMINJKOFLPPQNJOORSPTQNUVVRSTTQWUUXXSYZWWaaXXSYZWbbbcc"
SUMS = (
    3, 15, 22, 4, 16, 15, 25, 17, 9, 8, 20, 6, 14, 17, 17,
    13, 20, 12, 27, 6, 20, 6, 10, 14, 8, 16, 15, 13, 17,
)  # fmt: skip


def killer(cages: str, sums: tuple[int, ...]) -> Model:
    """A sudoku without clues: the different digits of each cage add up to its sum."""
    m = sudoku("")
    x = m["x"].flat
    for cage, total in zip(dict.fromkeys(cages), sums, strict=True):
        inside = x[[k for k, name in enumerate(cages) if name == cage]]
        m += [AllDifferent(inside), inside.sum() == total]
    return m


INSTANCES = (
    *(
        Instance(f"sudoku, 17 clues ({k})", lambda clues=clues: sudoku(clues), ROYLE, 1)  # type: ignore[misc]
        for k, clues in enumerate(CLUES_17, 1)
    ),
    Instance("sudoku, Inkala 2006", lambda: sudoku(INKALA_2006), "AI Escargot (Inkala 2006)", 1),
    Instance("sudoku, Inkala 2010", lambda: sudoku(INKALA_2010), "Inkala 2010", 1),
    Instance("sudoku, Inkala 2012", lambda: sudoku(INKALA_2012), "Inkala 2012", 1),
    Instance("sudoku, impossible", lambda: sudoku(NORVIG_IMPOSSIBLE), "Norvig, Solving Every Sudoku", 0),
    Instance("sudoku, killer", lambda: killer(CAGES, SUMS), "Wikipedia, Killer sudoku", 1, exact=ALL),
    Instance("sudoku of order 4, empty", lambda: sudoku("", 2), "OEIS A107739", 288),
)
