"""Killer sudoku: a sudoku whose only clues are the sums of cages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.language.views import Cages
from cpqueens.problems.boards import text_rows
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated

CAGES = (
    "AABBBCDEF", "GGHHCCDEF", "GGIICJKKF", "LMMINJKOF", "LPPQNJOOR", "SPTQNUVVR", "STTQWUUXX", "SYZWWaaXX",
    "SYZWbbbcc",
)  # fmt: skip
SUMS = (
    3, 15, 22, 4, 16, 15, 25, 17, 9, 8, 20, 6, 14, 17, 17,
    13, 20, 12, 27, 6, 20, 6, 10, 14, 8, 16, 15, 13, 17,
)  # fmt: skip


@validated
def killer_sudoku(
    cages: tuple[str, ...] = CAGES, sums: tuple[int, ...] = SUMS, box: Annotated[int, Between(1, 4)] = 3
) -> Model:
    """Fill a sudoku so that the numbers of each cage differ and add up to its sum.

    ``cages`` has one text a row, one letter a cell: cells of one letter are a cage. ``sums`` are the sums of
    the cages in the order in which their letters come.

    Source: The Times, London, which introduced it on 31 August 2005; the default is the one of Wikipedia's
    article *Killer sudoku*.

    >>> killer_sudoku(("AABB", "CCDD", "EEFF", "GGHH"), (3, 7, 7, 3, 3, 7, 7, 3), box=2).count(solver="cpsat")
    16
    """
    n = box * box
    rows = text_rows(cages, "cages", n)
    letters = list(dict.fromkeys("".join(rows)))
    if len(rows) != n or len(sums) != len(letters):
        raise ModelError(f"sums: {len(letters)} cages in {len(rows)} rows of {n} have {len(sums)} sums")
    m = Model("killer sudoku")
    x = m.intvar(1, n, shape=(n, n), name="x")
    m += [AllDifferent(line) for square in (x, x.T) for line in square]
    m += [AllDifferent(x[i : i + box, j : j + box].flat) for i in range(0, n, box) for j in range(0, n, box)]
    for letter, total in zip(letters, sums, strict=True):
        cage = x.flat[[k for k, name in enumerate("".join(rows)) if name == letter]]
        m += [AllDifferent(cage), cage.sum() == total]
    m.view = Cages("x", rows, totals=sums)
    return m


published = (Published("solutions", 1, "Wikipedia, Killer sudoku"),)


def verify(solution: Mapping[str, Any], cages: tuple[str, ...], sums: tuple[int, ...], box: int) -> list[str]:
    """Return what is wrong with the square ``solution["x"]``."""
    n = box * box
    rows = [[int(value) for value in row] for row in solution["x"]]
    lines = {f"row {i}": row for i, row in enumerate(rows)}
    lines |= {f"column {j}": [row[j] for row in rows] for j in range(n)}
    for i in range(0, n, box):
        for j in range(0, n, box):
            lines[f"the box at {(i, j)}"] = [rows[i + a][j + b] for a in range(box) for b in range(box)]
    wrong = [f"{name} is not 1..{n}" for name, line in lines.items() if sorted(line) != list(range(1, n + 1))]
    inside: dict[str, list[int]] = {}
    for r, row in enumerate(cages):
        for c, letter in enumerate("".join(row.split())):
            inside.setdefault(letter, []).append(rows[r][c])
    for (letter, numbers), total in zip(inside.items(), sums, strict=True):
        if sum(numbers) != total or len(set(numbers)) < len(numbers):
            wrong.append(f"cage {letter} has {numbers}, not different numbers of sum {total}")
    return wrong
