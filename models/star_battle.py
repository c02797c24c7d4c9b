"""Region puzzles: Star Battle (Hans Eendebak 2003) and "Queens", its form with one star a region."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import Count, Model, ModelError
from cpqueens.language.views import Pieces
from cpqueens.problems.boards import text_rows
from cpqueens.problems.published import Published, from_index
from cpqueens.problems.signatures import Between, validated

EXAMPLE = ("DDDAAA", "DBCCAA", "DDCCCA", "DDCCCA", "DDCCEA", "DDFCCC")


@validated
def star_battle(
    regions: tuple[str, ...] = EXAMPLE,
    stars: Annotated[int, Between(1, 10)] = 1,
    touching: bool = False,
    viewpoint: Literal["booleans", "rows"] = "booleans",
) -> Model:
    """Put stars on a square board: so many in each row, each column and each region.

    ``regions`` has one text a row, one letter a square: squares of one letter are a region, and there are as
    many regions as rows. Two stars do not stand on neighbouring squares, corners included, unless
    ``touching``. ``x[i, j]`` is 1 where a star is. ``viewpoint="rows"`` decides the columns of the stars of
    each row instead, ``q[row, star]``, from left to right.

    Where the regions are the rows, they say nothing new, and the numbers of solutions are published: of
    permutations without neighbours (Hertzsprung's problem) and of squares of zeros and two ones a line.

    Source: H. Eendebak for the World Puzzle Championship in Arnhem (2003).

    >>> star_battle().count(solver="cpsat")
    1
    >>> star_battle(("AAAA", "BBBB", "CCCC", "DDDD")).count(solver="cpsat")
    2
    """
    rows = read_regions(regions)
    n = len(rows)
    m = Model("star battle")
    x = m.boolvar(shape=(n, n), name="x")
    if viewpoint == "rows":
        q = m.intvar(0, n - 1, shape=(n, stars), name="q")
        m += [
            q[:, 1:] >= q[:, :-1] + (1 if touching else 2),
            x == (q[:, :, None] == np.arange(n)).sum(axis=1),
        ]
        m += [Count(q.flat, column, "==", stars) for column in range(n)]
        if not touching:
            m += [abs(q[:-1, a] - q[1:, b]) >= 2 for a in range(stars) for b in range(stars)]
    else:
        m.add(x.sum(axis=1) == stars, x.sum(axis=0) == stars)
    letters = "".join(rows)
    for letter in dict.fromkeys(letters):
        m.add(x.flat[[k for k, name in enumerate(letters) if name == letter]].sum() == stars)
    if not touching and viewpoint == "booleans":
        m.add(x[:-1, :-1] + x[:-1, 1:] + x[1:, :-1] + x[1:, 1:] <= 1)
    m.view = Pieces("x", "queen" if stars == 1 else "star", rows)
    return m


def read_regions(regions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the rows of letters without spaces.

    Raises
    ------
    ModelError
        If they make no square, or there are not as many regions as rows.
    """
    rows = text_rows(regions, "regions", len(regions))
    found = sorted(set("".join(rows)))
    if len(found) != len(rows):
        raise ModelError(
            f"regions: {len(rows)} are needed on {len(rows)} rows, got {len(found)}: {' '.join(found)}"
        )
    return rows


def stripes(n: int) -> tuple[str, ...]:
    """Return the board whose regions are its rows."""
    return tuple(chr(ord("A") + r) * n for r in range(n))


published = (
    *(
        Published("solutions", value, "OEIS A002464, Hertzsprung's problem", {"regions": stripes(n)})
        for n, value in from_index(4, 2, 14, 90, 646, 5242).items()
    ),
    *(
        Published("solutions", value, "OEIS A001499", {"regions": stripes(n), "stars": 2, "touching": True})
        for n, value in from_index(2, 1, 6, 90, 2040).items()
    ),
)


def verify(
    solution: Mapping[str, Any],
    regions: tuple[str, ...],
    stars: int,
    touching: bool,
    viewpoint: str = "booleans",
) -> list[str]:
    """Return what is wrong with the board ``solution["x"]``."""
    rows = ["".join(row.split()) for row in regions]
    squares = [(r, c) for r, row in enumerate(solution["x"]) for c, cell in enumerate(row) if int(cell)]
    counts: dict[str, int] = {}
    for r, c in squares:
        for line in (f"row {r}", f"column {c}", f"region {rows[r][c]}"):
            counts[line] = counts.get(line, 0) + 1
    lines = [f"{kind} {k}" for kind in ("row", "column") for k in range(len(rows))]
    lines += [f"region {letter}" for letter in dict.fromkeys("".join(rows))]
    wrong = [f"{line} has {counts.get(line, 0)} of {stars}" for line in lines if counts.get(line, 0) != stars]
    for k, (a, b) in enumerate(squares):
        for c, d in squares[k + 1 :]:
            if not touching and max(abs(a - c), abs(b - d)) == 1:
                wrong.append(f"those at {(a, b)} and {(c, d)} touch")
    if viewpoint == "rows" and not wrong:
        told = [[c for r, c in squares if r == row] for row in range(len(rows))]
        wrong += (
            [] if [list(map(int, row)) for row in solution["q"]] == told else ["q and x do not fit together"]
        )
    return wrong
