"""Permutations under equations of sums over lines of cells: magic squares and the like.

A swap of a cell of line L with a cell of line M in which the other lines of both are the same changes the
sums of L and M only, by the difference of the two values. One such swap, or two at once, that bring L to its
sum exactly are found without scanning the partners: the first has the difference that is wanted, of two the
second has what the first leaves, looked up by difference in O(1). Moved between lines with errors of
opposite sign the total error never grows. Where no such exchange exists (the diagonals of a square) the line
is mended by the best single swap with exactly the wanted difference, found through the places of the values.
"""

from __future__ import annotations

from typing import Any

from cpqueens.kernels.jit import kernel
from cpqueens.kernels.random import below
from cpqueens.kernels.search_plain import Ints

# entries of ``info``
STEPS = 0
HASH = 1
EVALUATIONS = 2
MOVES = 3
FORCED = 4  # moves that are not exchanges between two lines
STALL = 5
LEAST = 6
STAMP = 7
LENGTH = 8

TRIES = 4  # second lines looked at per step
SAMPLE = 32  # random swaps looked at where no swap has the wanted difference


@kernel
def total_error(errors: Ints) -> Any:
    """Return the sum of the absolute errors."""
    total = 0
    for k in range(errors.shape[0]):
        total += abs(errors[k])
    return total


@kernel
def swap_change(a: int, b: int, x: Ints, cell_start: Ints, cell_lines: Ints, errors: Ints) -> Any:
    """Return the change of the total error by swapping the values of two cells (reads only)."""
    d = x[b] - x[a]
    p = cell_start[a]
    q = cell_start[b]
    change = 0
    while p < cell_start[a + 1] or q < cell_start[b + 1]:
        if q >= cell_start[b + 1] or (p < cell_start[a + 1] and cell_lines[p] < cell_lines[q]):
            error = errors[cell_lines[p]]
            change += abs(error + d) - abs(error)
            p += 1
        elif p >= cell_start[a + 1] or cell_lines[q] < cell_lines[p]:
            error = errors[cell_lines[q]]
            change += abs(error - d) - abs(error)
            q += 1
        else:
            p += 1
            q += 1
    return change


@kernel
def apply_exchange(
    a: int, b: int, x: Ints, place: Ints, cell_start: Ints, cell_lines: Ints, errors: Ints, info: Ints
) -> None:
    """Swap the values of two cells."""
    d = x[b] - x[a]
    for p in range(cell_start[a], cell_start[a + 1]):
        errors[cell_lines[p]] += d
    for p in range(cell_start[b], cell_start[b + 1]):
        errors[cell_lines[p]] -= d
    value = x[a]
    x[a] = x[b]
    x[b] = value
    place[x[a]] = a
    place[x[b]] = b
    info[MOVES] += 1
    info[HASH] = ((info[HASH] ^ (a * 65537 + b)) * 16777619) & 0xFFFFFFFF


@kernel
def aligned(a: int, b: int, one: int, other: int, cell_start: Ints, cell_lines: Ints) -> Any:
    """Say whether the lines of ``a`` without ``one`` are those of ``b`` without ``other``."""
    p = cell_start[a]
    q = cell_start[b]
    if cell_start[a + 1] - p != cell_start[b + 1] - q:
        return False
    while True:
        if p < cell_start[a + 1] and cell_lines[p] == one:
            p += 1
        if q < cell_start[b + 1] and cell_lines[q] == other:
            q += 1
        if p >= cell_start[a + 1] or q >= cell_start[b + 1]:
            return p >= cell_start[a + 1] and q >= cell_start[b + 1]
        if cell_lines[p] != cell_lines[q]:
            return False
        p += 1
        q += 1


@kernel
def find_exchange(
    one: int,
    other: int,
    x: Ints,
    line_start: Ints,
    line_cells: Ints,
    cell_start: Ints,
    cell_lines: Ints,
    cross: Ints,
    errors: Ints,
    seen: Ints,
    partner: Ints,
    info: Ints,
    random: Ints,
    found: Ints,
) -> Any:
    """Set ``found`` to one or two swaps between two lines that mend the first; return how many.

    ``seen[d + n]`` holds the cell of the first line whose swap has difference d, if its entry in
    ``partner`` carries the current stamp; ``partner`` has two entries per difference: stamp, other cell.
    """
    n = x.shape[0]
    lines = errors.shape[0]
    wanted = -errors[one]
    info[STAMP] += 1
    stamp = info[STAMP]
    first = line_start[one]
    size = line_start[one + 1] - first
    offset = below(random, size)
    for q in range(size):
        a = line_cells[first + (q + offset) % size]
        for p in range(cell_start[a], cell_start[a + 1]):
            b = cross[cell_lines[p] * lines + other]
            if cell_lines[p] == one or b < 0 or b == a:
                continue
            if not aligned(a, b, one, other, cell_start, cell_lines):
                continue
            info[EVALUATIONS] += 1
            d = x[b] - x[a]
            found[0] = a
            found[1] = b
            if d == wanted:
                return 1
            rest = wanted - d + n
            if 0 < rest < 2 * n and partner[2 * rest] == stamp:
                found[2] = seen[rest]
                found[3] = partner[2 * rest + 1]
                if found[2] != a and found[3] != b:
                    return 2
            seen[d + n] = a
            partner[2 * (d + n)] = stamp
            partner[2 * (d + n) + 1] = b
            break
    return 0


@kernel
def find_swap(
    one: int,
    x: Ints,
    place: Ints,
    line_start: Ints,
    line_cells: Ints,
    cell_start: Ints,
    cell_lines: Ints,
    errors: Ints,
    info: Ints,
    random: Ints,
    found: Ints,
) -> None:
    """Set ``found`` to the best single swap that mends line ``one``, else to the best of some random ones."""
    n = x.shape[0]
    first = line_start[one]
    size = line_start[one + 1] - first
    ties = 0
    least = 0
    for q in range(size + SAMPLE):
        if q < size:
            a = line_cells[first + q]
            value = x[a] - errors[one]
            if value < 0 or value >= n:
                continue
            b = place[value]
        elif ties > 0 and q == size:
            break
        else:
            a = line_cells[first + below(random, size)]
            b = below(random, n)
            if b == a:
                continue
        info[EVALUATIONS] += 1
        change = swap_change(a, b, x, cell_start, cell_lines, errors)
        if ties == 0 or change < least:
            least = change
            ties = 0
        if change == least:
            ties += 1
            if ties == 1 or below(random, ties) == 0:
                found[0] = a
                found[1] = b


@kernel
def choose_line(sign: int, errors: Ints, random: Ints) -> Any:
    """Return a random line whose error has ``sign`` (0: any but no error), -1 if there is none."""
    chosen = -1
    ties = 0
    for k in range(errors.shape[0]):
        if errors[k] * sign > 0 or (sign == 0 and errors[k] != 0):
            ties += 1
            if ties == 1 or below(random, ties) == 0:
                chosen = k
    return chosen


@kernel
def exchange_search(
    steps: int,
    stall: int,
    x: Ints,
    place: Ints,
    line_start: Ints,
    line_cells: Ints,
    cell_start: Ints,
    cell_lines: Ints,
    cross: Ints,
    errors: Ints,
    seen: Ints,
    partner: Ints,
    info: Ints,
    random: Ints,
    found: Ints,
) -> Any:
    """Search for ``steps`` steps; return 1 if solved, 2 after ``stall`` steps without progress, else 0."""
    for _ in range(steps):
        error = total_error(errors)
        if error == 0:
            return 1
        if error < info[LEAST]:
            info[LEAST] = error
            info[STALL] = 0
        elif info[STALL] >= stall:
            return 2
        info[STALL] += 1
        info[STEPS] += 1
        one = choose_line(0, errors, random)
        number = 0
        for k in range(TRIES):
            other = choose_line(-errors[one], errors, random)
            if other < 0 or k == TRIES - 1:
                other = below(random, errors.shape[0])
            if other == one:
                continue
            number = find_exchange(
                one, other, x, line_start, line_cells, cell_start, cell_lines, cross, errors,
                seen, partner, info, random, found,
            )  # fmt: skip
            if number > 0:
                break
        if number == 0:
            info[FORCED] += 1
            number = 1
            find_swap(
                one, x, place, line_start, line_cells, cell_start, cell_lines, errors, info, random, found
            )
        for k in range(number):
            apply_exchange(found[2 * k], found[2 * k + 1], x, place, cell_start, cell_lines, errors, info)
    return 1 if total_error(errors) == 0 else 0
