"""Published values, typed in by hand from their sources and never computed by a solver.

They stand here a second time, beside the ``published`` names of the problems, so that a slip of the pen in
one place is noticed. Keys are the parameter of the sequence (n, or what is said).
"""

from __future__ import annotations


def _from(first: int, *values: int) -> dict[int, int]:
    return dict(enumerate(values, first))


# Placements of n queens, none attacking another: OEIS A000170.
QUEENS = _from(
    0, 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104,
    666090624, 4968057848, 39029188884, 314666222712, 2691008701644, 24233937684440, 227514171973736,
    2207893435808352, 22317699616364044, 234907967154122528,
)  # fmt: skip

# The same up to the eight symmetries of the board: OEIS A002562.
QUEENS_FUNDAMENTAL = _from(1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341, 1787, 9233, 45752)

# Placements that half a turn leaves as they are: OEIS A032522.
QUEENS_FIXED_BY_180 = _from(1, 1, 0, 0, 2, 2, 4, 8, 4, 16, 12, 48, 80, 136, 420)

# Placements that a quarter turn leaves as they are: OEIS A033148.
QUEENS_FIXED_BY_90 = _from(1, 1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 8, 8, 0)

# Partial placements of k queens in the first k rows of the 8 by 8 board, by k: OEIS A319284.
QUEENS_TREE_8 = _from(0, 1, 8, 42, 140, 344, 568, 550, 312, 92)

# The lexicographically first placement, columns from 1, by n: OEIS A141843.
QUEENS_FIRST = {
    8: (1, 5, 8, 6, 3, 7, 2, 4),
    10: (1, 3, 6, 8, 10, 5, 9, 2, 4, 7),
    12: (1, 3, 5, 8, 10, 12, 6, 11, 2, 7, 9, 4),
}

# Queens on a torus: OEIS A051906.
TOROIDAL_QUEENS = _from(1, 1, 0, 0, 0, 10, 0, 28, 0, 0, 0, 88, 0, 4524)

# The same up to shifts, turns and mirrors: OEIS A053994.
TOROIDAL_FUNDAMENTAL = {1: 1, 3: 0, 5: 1, 7: 1, 9: 0, 11: 2, 13: 11}

# n queens on the usual board, congruent (A062164) or similar (A062165) ones on the torus counted once.
CONGRUENT_ON_TORUS = _from(1, 1, 0, 0, 1, 1, 1, 3, 6, 20, 40)
SIMILAR_ON_TORUS = _from(1, 1, 0, 0, 1, 1, 1, 3, 4, 13, 36)

# Queens that are knights as well: OEIS A051223.
SUPERQUEENS = _from(2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 44, 156, 1876)

# The same up to the eight symmetries of the board: OEIS A051224.
SUPERQUEENS_FUNDAMENTAL = _from(2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 22, 239)

# Largest size of two equal armies of queens at peace: OEIS A250000.
PEACEABLE_QUEENS = _from(1, 0, 0, 1, 2, 4, 5, 7)

# Costas arrays: OEIS A008404.
COSTAS = _from(1, 1, 2, 4, 12, 40, 116, 200, 444, 760, 2160)

# Langford pairings, one of each and its reversal: OEIS A014552.
LANGFORD = {3: 1, 4: 1, 5: 0, 6: 0, 7: 26, 8: 150, 11: 17792, 12: 108144}

# Latin squares: OEIS A002860.
LATIN_SQUARES = _from(1, 1, 2, 12, 576, 161280)

# Main classes of Latin squares: OEIS A003090.
LATIN_MAIN_CLASSES = _from(1, 1, 1, 1, 2, 2)

# Magic squares up to turning and mirroring: OEIS A006052.
MAGIC_SQUARES = _from(1, 1, 0, 1, 880)

# All-interval series with absolute differences: OEIS A006967.
ALL_INTERVAL = _from(1, 1, 2, 4, 4, 8, 24, 32, 40, 120, 296)

# Length of the shortest Golomb ruler, by the number of marks: OEIS A003022.
GOLOMB = _from(2, 1, 3, 6, 11, 17, 25, 34, 44, 55)

# What the problem of each name declares: (what, other parameters) -> (parameter, published table).
DECLARED: dict[str, dict[tuple[str, tuple[tuple[str, object], ...]], tuple[str, dict[int, int]]]] = {
    "queens": {("solutions", ()): ("n", QUEENS), ("fundamental", ()): ("n", QUEENS_FUNDAMENTAL)},
    "toroidal_queens": {
        ("solutions", ()): ("n", TOROIDAL_QUEENS),
        ("fundamental", ()): ("n", TOROIDAL_FUNDAMENTAL),
    },
    "superqueens": {
        ("solutions", ()): ("n", SUPERQUEENS),
        ("fundamental", ()): ("n", SUPERQUEENS_FUNDAMENTAL),
    },
    "peaceable_queens": {("optimum", ()): ("n", PEACEABLE_QUEENS)},
    "costas_array": {("solutions", ()): ("n", COSTAS)},
    "langford": {
        ("fundamental", ()): ("n", LANGFORD),
        ("solutions", (("one_direction", True),)): ("n", LANGFORD),
        ("solutions", ()): ("n", {n: 2 * v for n, v in LANGFORD.items()}),
    },
    "latin_square": {
        ("fundamental", ()): ("n", LATIN_MAIN_CLASSES),
        ("solutions", ()): ("n", LATIN_SQUARES),
        ("solutions", (("fixed", "row"),)): ("n", {1: 1, 2: 1, 3: 2, 4: 24, 5: 1344}),
        ("solutions", (("fixed", "reduced"),)): ("n", {1: 1, 2: 1, 3: 1, 4: 4, 5: 56}),
    },
    "magic_square": {
        ("fundamental", ()): ("n", MAGIC_SQUARES),
        ("solutions", (("normal", True),)): ("n", MAGIC_SQUARES),
        ("solutions", ()): ("n", {1: 1, 2: 0, 3: 8, 4: 7040}),
    },
    "all_interval": {("solutions", ()): ("n", ALL_INTERVAL)},
    "golomb_ruler": {("optimum", ()): ("marks", GOLOMB)},
}
