"""What the problems of the library are tested with, a row for each: small sizes, values, faults, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """The tests of one problem.

    Attributes
    ----------
    small
        Parameters of instances so small that every assignment can be tried, with the number of solutions
        where it is known otherwise (None: that solver and ``verify`` agree is all that is asked for).
    value
        Published values are compared where they are at most this, and their parameters are not in ``heavy``.
    faults
        A raw solution, its parameters, and a part of what ``verify`` says.
    refused
        Parameters, and a part of the message.
    """

    small: tuple[tuple[Parameters, int | None], ...]
    faults: tuple[tuple[dict[str, Any], Parameters, str], ...]
    refused: tuple[tuple[Parameters, str], ...]
    value: int = 800
    heavy: tuple[Parameters, ...] = ()


THREE = {"n": 3}
CROWD = {"x": [[1, 1, 0], [0, 0, 0], [0, 0, 1]]}
"""Two neighbours, and one a knight's move from the second."""

LIBRARY: dict[str, Row] = {
    "bin_packing": Row(
        small=(({"weights": (3, 3, 2, 2), "capacity": 5}, None),),
        faults=(({"x": [0, 0], "used": 1}, {"weights": (2, 3), "capacity": 4}, "bin 0 holds 5"),),
        refused=(({"weights": (200,)}, "of weight 1 to the capacity 100"), ({"capacity": 0}, "from 1 to")),
    ),
    "bishops": Row(
        small=((THREE, None), ({"n": 3, "pieces": 4}, 8)),
        faults=((CROWD, THREE, "the bishops at (0, 0) and (2, 2) attack each other"),),
        refused=(({"n": 0}, "from 1 to 100"),),
        value=128,
    ),
    "block_design": Row(
        small=(({"v": 3, "k": 2, "lam": 1}, 1), ({"v": 3, "k": 2, "lam": 1, "ordered": "none"}, 6)),
        faults=(
            ({"x": [[0, 1], [1, 0]]}, {"v": 2, "k": 2, "lam": 1}, "block 0 has 1 points instead of 2"),
            ({"x": [[1], [0]]}, {"v": 2, "k": 2, "lam": 1}, "points 0 and 1 are together in 0 blocks"),
        ),
        refused=(({"v": 8}, "no block design has v=8, k=3, lam=1"),),
        value=100,
    ),
    "car_sequencing": Row(
        small=(({"demand": (2, 2), "options": ((1, 0),), "windows": ((1, 2),)}, 3),),
        faults=(
            (
                {"x": [0, 0, 1]},
                {"demand": (2, 1), "options": ((1, 0),), "windows": ((1, 2),)},
                "of cars 0 to 1 2 have option 0, allowed are 1",
            ),
        ),
        refused=(
            ({"demand": ()}, "at least one car"),
            ({"options": ()}, "5 rows"),
            ({"options": ((2,) * 6,) * 5}, "only 0 and 1"),
            ({"windows": ((1, 0),) * 5}, "length from 1"),
        ),
    ),
    "dominating_queens": Row(
        small=((THREE, None),),
        faults=(({"x": [[1, 0, 0], [0] * 3, [0] * 3]}, THREE, "no queen sees the square (1, 2)"),),
        refused=(({"n": 61}, "from 1 to 60"),),
        heavy=tuple({"n": n} for n in (7, 8, 9, 10)),
    ),
    "independent_queens": Row(
        small=(({"n": 3, "pieces": 2}, 8), ({"n": 3, "pieces": 1}, 9)),
        faults=(
            (CROWD, {"n": 3, "pieces": 3}, "the queens at (0, 0) and (0, 1) attack each other"),
            (CROWD, {"n": 3, "pieces": 2}, "3 queens instead of 2"),
        ),
        refused=(({"pieces": 101}, "from 0 to 100"),),
        value=350,
    ),
    "job_shop": Row(
        small=(({"instance": "own", "jobs": (((0, 2), (1, 1)), ((1, 1), (0, 1)))}, None),),
        faults=(
            (
                {"start": [[0, 0], [0, 5]]},
                {"instance": "own", "jobs": (((0, 2), (1, 1)), ((1, 1), (0, 1)))},
                "task 0 of job 1 and task 1 of job 0 are on machine 1",
            ),
        ),
        refused=(
            ({"jobs": (((0, 1),),)}, "write instance=own"),
            ({"instance": "own"}, "at least one job"),
            ({"instance": "own", "jobs": (((0, 0),),)}, "durations from 1"),
        ),
    ),
    "killer_sudoku": Row(
        small=(),
        faults=(
            (
                {"x": [[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]},
                {"cages": ("AAAA", "BBBB", "CCCC", "DDDD"), "sums": (10, 10, 10, 11), "box": 2},
                "cage D has [4, 3, 2, 1], not different numbers of sum 11",
            ),
        ),
        refused=(
            ({"sums": (3,)}, "29 cages in 9 rows of 9 have 1 sums"),
            ({"cages": ("AB", "A"), "sums": (1, 2), "box": 1}, "row 1, 'AB', has 2 squares instead of 1"),
        ),
    ),
    "kings": Row(
        small=((THREE, None), ({"n": 3, "pieces": 4}, 1)),
        faults=((CROWD, THREE, "the kings at (0, 0) and (0, 1) attack each other"),),
        refused=(({"n": 101}, "from 1 to 100"),),
    ),
    "knights": Row(
        small=((THREE, None), ({"n": 3, "pieces": 5}, None)),
        faults=((CROWD, THREE, "the knights at (0, 1) and (2, 2) attack each other"),),
        refused=(({"pieces": -1}, "from 0 to 10000"),),
        heavy=({"n": 9}, {"n": 10}),
    ),
    "knights_tour": Row(
        small=(({"rows": 2, "columns": 2, "closed": False}, 0), ({"rows": 2, "columns": 3}, 0)),
        faults=(
            ({"next": [1, 0]}, {"rows": 1, "columns": 2}, "from square 0 to square 1 is no knight's move"),
            ({"next": [0, 1]}, {"rows": 1, "columns": 2}, "not one tour"),
        ),
        refused=(({"rows": 0}, "from 1 to 60"),),
    ),
    "latin_queens": Row(
        small=(({"n": 1}, 1), ({"n": 2}, 0), (THREE, 0)),
        faults=(
            ({"x": [[0, 1], [1, 0]]}, {"n": 2}, "the queens of colour 0 at (0, 0) and (1, 1) attack"),
            ({"x": [[1, 0], [0, 1]]}, {"n": 2}, "does not name the colours"),
        ),
        refused=(({"n": 0}, "from 1 to 100"),),
        heavy=({"n": 9}, {"n": 10}),
    ),
    "nonogram": Row(
        small=(({"rows": ((1,), (1, 1), ()), "columns": ((1,), (1,), (1,))}, 1),),
        faults=(({"x": [[1, 0]]}, {"rows": ((2,),), "columns": ((1,), (1,))}, "row 0 has blocks of [1]"),),
        refused=(({"rows": ()}, "at least one of each"), ({"rows": ((0,),)}, "lengths from 1")),
    ),
    "number_partitioning": Row(
        small=(({"n": 8}, 1), ({"n": 8, "equal": "sums"}, 7), ({"n": 8, "equal": "numbers"}, None)),
        faults=(({"x": [0, 0, 1, 1]}, {"n": 4}, "sums: 3 on side 0, 7 on side 1"),),
        refused=(({"equal": "cubes"}, "sums, numbers, squares"),),
    ),
    "project_scheduling": Row(
        small=(
            (
                {
                    "instance": "own",
                    "activities": ((2, (1,), (3,)), (1, (1,), (3,)), (0, (0,), ())),
                    "capacities": (1,),
                },
                None,
            ),
        ),
        faults=(
            ({"start": [0, 0, 3, 5, 7, 10]}, {}, "of resource 0 are in use, there are 4"),
            ({"start": [0, 3, 5, 2, 9, 10]}, {}, "activity 4 starts before 1 ends"),
        ),
        refused=(
            ({"capacities": (1,)}, "write instance=own"),
            ({"instance": "own", "activities": ((1, (), (2,)),)}, "the successors of 1 are of 1..1"),
            ({"instance": "own", "activities": ((1, (2,), ()),)}, "needs a duration and 0 demands"),
        ),
    ),
    "quasigroup_completion": Row(
        small=(({"n": 3, "holes": 9}, 12), ({"n": 2, "holes": 0}, 1)),
        faults=(({"x": [[0, 1], [0, 1]]}, {"n": 2, "holes": 4}, "column 0 is not 0..1"),),
        refused=(({"n": 3, "holes": 10}, "at most the 9 cells"),),
    ),
    "queens_completion": Row(
        small=(
            ({"board": ("Q...", "....", "....", "....")}, 0),
            ({"board": (".Q..", "....", "....", "...-")}, 1),
        ),
        faults=(
            ({"q": [1, 3, 0, 2]}, {"board": ("...Q", *["...."] * 3)}, "no queen on the given square"),
            (
                {"q": [1, 3, 0, 2]},
                {"board": (".-..", "....", "....", "....")},
                "a queen on the closed square",
            ),
            ({"q": [0, 1, 3, 2]}, {"board": ("....",) * 4}, "queens in rows 0 and 1 attack each other"),
        ),
        refused=(
            ({"board": ()}, "at least one row"),
            ({"board": ("..", ".")}, "row 2, '.', has 1 squares instead of 2"),
            ({"board": ("x.", "..")}, "'x' at (0, 0): allowed are Q, . and -"),
        ),
    ),
    "queens_no_three_in_line": Row(
        small=(({"n": 4}, 2), ({"n": 5}, 0)),
        faults=(({"q": [0, 2, 4, 1, 3]}, {"n": 5}, "the queens in rows 0, 1 and 2 stand on a line"),),
        refused=(({"n": 61}, "from 0 to 60"),),
        heavy=tuple({"n": n} for n in (10, 11, 12)),
    ),
    "rectangular_queens": Row(
        small=(({"rows": 3, "columns": 5}, 14), ({"rows": 2, "columns": 4}, 6)),
        faults=(({"q": [0, 1]}, {"rows": 2, "columns": 3}, "queens in rows 0 and 1 attack each other"),),
        refused=(({"rows": 5, "columns": 4}, "at least as many as rows (5)"),),
        value=140,
    ),
    "rooks": Row(
        small=(({"n": 0}, 1), ({"n": 4}, 24)),
        faults=(({"q": [0, 0]}, {"n": 2}, "column 0 has 2 rooks"),),
        refused=(({"n": -1}, "from 0 to"),),
    ),
    "social_golfers": Row(
        small=(
            ({"groups": 2, "size": 2, "weeks": 2}, 3),
            ({"groups": 2, "size": 2, "weeks": 3}, 1),
            ({"groups": 3, "size": 1, "weeks": 2}, 1),
        ),
        faults=(
            (
                {"x": [[0, 0, 1, 1]] * 2},
                {"groups": 2, "size": 2, "weeks": 2},
                "golfers 0 and 1 meet in weeks",
            ),
            ({"x": [[1, 1, 0, 0]]}, {"groups": 2, "size": 2, "weeks": 1}, "not numbered by their first"),
        ),
        refused=(({"weeks": 0}, "from 1 to 50"),),
        value=100,
    ),
    "star_battle": Row(
        small=(
            ({"regions": ("AAA", "BBB", "CCC")}, 0),
            ({"regions": ("AAA", "BBB", "CCC"), "touching": True}, 6),
            ({"regions": ("AAB", "ABB", "CCC"), "touching": True}, None),
            ({"regions": ("AAA", "BBB", "CCC"), "stars": 2, "touching": True}, 6),
        ),
        faults=(
            ({"x": [[1, 0], [0, 1]]}, {"regions": ("AA", "BB")}, "those at (0, 0) and (1, 1) touch"),
            ({"x": [[1, 0], [1, 0]]}, {"regions": ("AA", "BB"), "touching": True}, "column 0 has 2 of 1"),
        ),
        refused=(
            ({"regions": ("AA", "AA")}, "2 are needed on 2 rows, got 1: A"),
            ({"regions": ("AAB", "BB")}, "row 1, 'AAB', has 3 squares instead of 2"),
        ),
    ),
    "still_life": Row(
        small=(({"n": 1}, 1), ({"n": 2}, 2), (THREE, None)),
        faults=(({"x": [[1, 1], [1, 0]]}, {"n": 2}, "a cell is born at (1, 1)"),),
        refused=(({"n": 51}, "from 1 to 50"),),
        heavy=tuple({"n": n} for n in range(6, 11)),
    ),
    "sudoku": Row(
        small=(({"clues": "", "box": 1}, 1),),
        faults=(({"x": [[1, 2], [2, 1]]}, {"clues": "", "box": 2}, "not a square of 4 by 4"),),
        refused=(
            ({"clues": "12"}, "81 cells are needed, got 2"),
            ({"clues": "5" + "." * 15, "box": 2}, "'5' in row 0, column 0 is no number of 1..4"),
        ),
    ),
    "travelling_salesman": Row(
        small=(({"cities": 5}, 24),),
        faults=(({"next": [1, 0, 2]}, {"cities": 3}, "the trip from city 0 sees 2 of 3"),),
        refused=(({"cities": 1}, "from 2 to 500"),),
    ),
}
