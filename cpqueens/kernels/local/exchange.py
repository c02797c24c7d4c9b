"""Permutations under equations of sums over lines of cells: magic squares and the like.

A swap of a cell of line L with a cell of line M in which the other lines of both are the same changes the
sums of L and M only, by the difference of the two values. One such swap, or two at once, that bring L to its
sum exactly are found without scanning the partners: the first has the difference that is wanted, of two the
second has what the first leaves, looked up by difference in O(1). Moved between lines with errors of
opposite sign the total error never grows. Where no such exchange exists (the diagonals of a square) the line
is mended by the best single swap with exactly the wanted difference, found through the places of the values.
"""

from typing import Any, NamedTuple

from cpqueens.kernels.jit.decorators import inner_kernel, kernel
from cpqueens.kernels.jit.random import below
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.arena import Ints

# entries of ``info`` beyond those of search_info
FORCED = at.LENGTH  # moves that are not exchanges between two lines
STAMP = at.LENGTH + 1
LENGTH = at.LENGTH + 2

TRIES = 4  # second lines looked at per step
SAMPLE = 32  # random swaps looked at where no swap has the wanted difference


class Lines(NamedTuple):
    """A permutation, the lines of its cells, and the state of a search (int64 throughout)."""

    x: Ints  # (cells,) the values, 0 to cells - 1
    place: Ints  # (cells,) the inverse
    line_start: Ints  # (lines + 1,)
    line_cells: Ints
    cell_start: Ints  # (cells + 1,)
    cell_lines: Ints
    cross: Ints  # (lines * lines,) a common cell of each two, -1: none
    errors: Ints  # (lines,) sums minus what they should be
    seen: Ints  # (2 * cells,) see `find_exchange`
    partner: Ints  # (4 * cells,)
    info: Ints
    random: Ints
    found: Ints  # (4,) the cells of one swap or two


@inner_kernel
def total_error(errors: Ints) -> Any:
    """Return the sum of the absolute errors."""
    total = 0
    for k in range(errors.shape[0]):
        total += abs(errors[k])
    return total


@inner_kernel
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


@inner_kernel
def apply_exchange(a: int, b: int, s: Any) -> None:
    """Swap the values of two cells."""
    d = s.x[b] - s.x[a]
    for p in range(s.cell_start[a], s.cell_start[a + 1]):
        s.errors[s.cell_lines[p]] += d
    for p in range(s.cell_start[b], s.cell_start[b + 1]):
        s.errors[s.cell_lines[p]] -= d
    value = s.x[a]
    s.x[a] = s.x[b]
    s.x[b] = value
    s.place[s.x[a]] = a
    s.place[s.x[b]] = b
    s.info[at.MOVES] += 1
    s.info[at.HASH] = at.mixed(a * 65537 + b, s.info[at.HASH])


@inner_kernel
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


@inner_kernel
def find_exchange(one: int, other: int, s: Any) -> Any:
    """Set ``found`` to one or two swaps between two lines that mend the first; return how many.

    ``seen[d + n]`` holds the cell of the first line whose swap has difference d, if its entry in
    ``partner`` carries the current stamp; ``partner`` has two entries per difference: stamp, other cell.
    """
    n = s.x.shape[0]
    lines = s.errors.shape[0]
    found = s.found
    partner = s.partner
    wanted = -s.errors[one]
    s.info[STAMP] += 1
    stamp = s.info[STAMP]
    first = s.line_start[one]
    size = s.line_start[one + 1] - first
    offset = below(s.random, size)
    for q in range(size):
        a = s.line_cells[first + (q + offset) % size]
        for p in range(s.cell_start[a], s.cell_start[a + 1]):
            b = s.cross[s.cell_lines[p] * lines + other]
            if s.cell_lines[p] == one or b < 0 or b == a:
                continue
            if not aligned(a, b, one, other, s.cell_start, s.cell_lines):
                continue
            s.info[at.EVALUATIONS] += 1
            d = s.x[b] - s.x[a]
            found[0] = a
            found[1] = b
            if d == wanted:
                return 1
            rest = wanted - d + n
            if 0 < rest < 2 * n and partner[2 * rest] == stamp:
                found[2] = s.seen[rest]
                found[3] = partner[2 * rest + 1]
                if found[2] != a and found[3] != b:
                    return 2
            s.seen[d + n] = a
            partner[2 * (d + n)] = stamp
            partner[2 * (d + n) + 1] = b
            break
    return 0


@inner_kernel
def find_swap(one: int, s: Any) -> None:
    """Set ``found`` to the best single swap that mends line ``one``, else to the best of some random ones."""
    n = s.x.shape[0]
    first = s.line_start[one]
    size = s.line_start[one + 1] - first
    ties = 0
    least = 0
    for q in range(size + SAMPLE):
        if q < size:
            a = s.line_cells[first + q]
            value = s.x[a] - s.errors[one]
            if value < 0 or value >= n:
                continue
            b = s.place[value]
        elif ties > 0 and q == size:
            break
        else:
            a = s.line_cells[first + below(s.random, size)]
            b = below(s.random, n)
            if b == a:
                continue
        s.info[at.EVALUATIONS] += 1
        change = swap_change(a, b, s.x, s.cell_start, s.cell_lines, s.errors)
        if ties == 0 or change < least:
            least = change
            ties = 0
        if change == least:
            ties += 1
            if ties == 1 or below(s.random, ties) == 0:
                s.found[0] = a
                s.found[1] = b


@inner_kernel
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


@inner_kernel
def find_move(one: int, s: Any) -> Any:
    """Set ``found`` to what mends line ``one``, with another line if possible; return the number of swaps."""
    for k in range(TRIES):
        other = choose_line(-s.errors[one], s.errors, s.random)
        if other < 0 or k == TRIES - 1:
            other = below(s.random, s.errors.shape[0])
        if other != one:
            number = find_exchange(one, other, s)
            if number > 0:
                return number
    s.info[FORCED] += 1
    find_swap(one, s)
    return 1


@kernel
def exchange_search(steps: int, stall: int, s: Any) -> Any:
    """Search for ``steps`` steps; return how the call ended: after ``stall`` without progress, too."""
    for _ in range(steps):
        s.info[at.COST] = total_error(s.errors)
        ended = at.next_step(s.info, max(1, stall), True)
        if ended != at.BUDGET:
            return ended
        number = find_move(choose_line(0, s.errors, s.random), s)
        for k in range(number):
            apply_exchange(s.found[2 * k], s.found[2 * k + 1], s)
    return at.SOLVED if total_error(s.errors) == 0 else at.BUDGET
