"""The sources' programs, mistakes included, written anew from what is known of them, to be measured.

Nobody else uses them: the strategies of this package have none of these mistakes. Each is a switch, so that
what one of them costs is a difference between two measurements of one program. Boards are lists, and all of
it is plain Python: a run of 8 queens takes milliseconds.
"""

import math
import random
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from cpqueens.lab.runlength import RunLengths

SOLVED, MISSED, FAILED = "solved", "missed", "failed"
"""How a run of a program ended; what is missed is solved, and was reported as a failure."""

Squares = tuple[tuple[int, int], ...]


class Played(NamedTuple):
    """How a run of a program ended, and what it took: steps, restarts or rows, as its text counts."""

    end: str
    taken: int


class Program(Hashable, Protocol):
    """What can be run; equal ones do the same."""

    def play(self, n: int, rng: random.Random) -> Played:
        """Run it once on n queens."""


@cache
def played(program: Program, n: int, runs: int) -> tuple[Played, ...]:
    """Return runs of a program."""
    rng = random.Random(0)
    return tuple(program.play(n, rng) for _ in range(runs))


def lengths(runs: tuple[Played, ...]) -> RunLengths:
    """Return what runs took, and which were solved."""
    solved = np.array([run.end == SOLVED for run in runs])
    return RunLengths(
        np.array([run.taken for run in runs], dtype=np.float64), solved, ~solved, solved & False
    )


# ---- hill climbing with random neighbour ------------------------------------------------------------------


@cache
def _rays(n: int, row: int, column: int) -> tuple[Squares, ...]:
    """Return the squares that a queen sees to either side in her row and on her diagonals, nearest first."""
    ways = [(dr, dc) for dc in (-1, 1) for dr in (-1, 0, 1)]
    lines = [[(row + k * dr, column + k * dc) for k in range(1, n)] for dr, dc in ways]
    return tuple(tuple((r, c) for r, c in line if 0 <= r < n and 0 <= c < n) for line in lines)


def _seen(board: list[list[int]], state: list[int]) -> int:
    """Return half of the queens that are seen from queens, as that program counts conflicts."""
    rays = (ray for column, row in enumerate(state) for ray in _rays(len(state), row, column))
    return sum(any(board[r][c] for r, c in ray) for ray in rays) // 2


def _board(state: list[int], aliased: bool = False) -> list[list[int]]:
    """Return a board with a queen in each column; its rows may be one and the same list."""
    n = len(state)
    board = [[0] * n] * n if aliased else [[0] * n for _ in range(n)]
    for column, row in enumerate(state):
        board[row][column] = 1
    return board


def _best_of_aliased(state: list[int]) -> list[int]:
    """Return the neighbour that a listing chooses whose boards have one row in all places."""
    best, least = list(state), _seen(_board(state), state)
    moved, board = list(state), _board(state, aliased=True)
    for column, was in enumerate(state):
        for row in (row for row in range(len(state)) if row != was):
            moved[column] = row
            board[row][column], board[was][column] = 1, 0
            seen = _seen(board, moved)
            if seen <= least:
                best, least = list(moved), seen
            board[row][column], board[was][column] = 0, 1
        moved[column] = was
    return best


def _best_neighbour(state: list[int]) -> list[int]:
    """Return the last one of the best among all neighbours that are no worse than the state."""
    lines, best = _Lines(state, surplus=True), list(state)
    least = lines.cost
    for column, was in enumerate(state):
        lines.take(column, was)
        for row in (row for row in range(lines.n) if row != was):
            cost = lines.cost + lines.attackers(column, row)
            if cost <= least:
                best, least = [*state[:column], row, *state[column + 1 :]], cost
        lines.put(column, was)
    return best


@dataclass(frozen=True)
class ClimbProgram:
    """Hill climbing with random neighbour as in its listings, on boards whose rows may be ``aliased``.

    An array of rows that is filled with one row has that row everywhere: a queen that is put on a square is
    on all squares of her column. The state itself is looked at on a board of its own.

    >>> ClimbProgram().play(4, random.Random(3)).end, ClimbProgram(True).play(4, random.Random(3)).end
    ('solved', 'failed')
    """

    aliased: bool = False

    def play(self, n: int, rng: random.Random, most: int = 10_000) -> Played:
        """Run it once, for at most so many steps."""
        state = [rng.randrange(n) for _ in range(n)]
        taken = 0
        while taken < most:
            best = _best_of_aliased(state) if self.aliased else _best_neighbour(state)
            if best == state:
                break
            if _surplus(best) == _surplus(state):  # a shoulder: anywhere
                best[rng.randrange(n)] = rng.randrange(n)
            state, taken = best, taken + 1
        return Played(SOLVED if _surplus(state) == 0 else FAILED, taken)


def _surplus(state: list[int]) -> int:
    return _Lines(state, surplus=True).cost


# ---- counters of lines, for the others -----------------------------------------------------------------


class _Lines:
    """How many queens each column and diagonal has, with one queen in each row.

    ``cost`` counts attacking pairs, or as ``surplus`` neighbours on a line.
    """

    def __init__(self, columns: list[int], surplus: bool = False) -> None:
        self.n = len(columns)
        self.at = [[0] * (2 * self.n) for _ in range(3)]
        self.cost, self.most = 0, 1 if surplus else self.n
        for row, column in enumerate(columns):
            self.put(row, column)

    def _places(self, row: int, column: int) -> tuple[int, int, int]:
        return column, row + column, row - column + self.n - 1

    def put(self, row: int, column: int) -> None:
        """Put a queen on a square."""
        for line, place in zip(self.at, self._places(row, column), strict=True):
            self.cost += min(line[place], self.most)
            line[place] += 1

    def take(self, row: int, column: int) -> None:
        """Take one away."""
        for line, place in zip(self.at, self._places(row, column), strict=True):
            line[place] -= 1
            self.cost -= min(line[place], self.most)

    def attackers(self, row: int, column: int) -> int:
        """Return how many queens attack a square, or as surplus on how many lines."""
        return sum(
            min(line[place], self.most)
            for line, place in zip(self.at, self._places(row, column), strict=True)
        )


# ---- limited sideways moves ------------------------------------------------------------------------


@dataclass(frozen=True)
class SidewaysProgram:
    """Steepest descent with limited sideways moves, with any of four mistakes.

    >>> SidewaysProgram(limit=10).play(8, random.Random(5)).end
    'failed'

    Attributes
    ----------
    limit
        Sideways moves in a row.
    counts_starts
        The first state of each path counts as one.
    forgets_last
        At the limit the state that the last try has reached is not looked at.
    rounds
        Columns of the start are rounded, which halves the share of those at the borders.
    rounds_choice
        So is the number of the move among the best ones, which halves the share of the first and the last.
    """

    limit: int
    counts_starts: bool = False
    forgets_last: bool = False
    rounds: bool = False
    rounds_choice: bool = False

    def play(self, n: int, rng: random.Random) -> Played:
        """Run it once."""
        columns = [_chosen(n, rng, self.rounds) for _ in range(n)]
        lines = _Lines(columns)
        first = sideways = int(self.counts_starts)
        taken = 0
        while lines.cost:
            before, (best, moves) = lines.cost, _best_moves(columns, lines)
            if best > before or (sideways >= self.limit and best == before):
                return Played(FAILED, taken)
            if sideways >= self.limit and self.forgets_last:
                return Played(FAILED if best else MISSED, taken)
            row, column = moves[_chosen(len(moves), rng, self.rounds_choice)]
            taken += 1
            lines.take(row, columns[row])
            lines.put(row, column)
            columns[row] = column
            sideways = sideways + 1 if best == before else first
        return Played(SOLVED, taken)


def _chosen(n: int, rng: random.Random, rounded: bool) -> int:
    """Return a number below n at random, or one that is rounded to it."""
    return int(rng.random() * (n - 1) + 0.5) if rounded else rng.randrange(n)


def _best_moves(columns: list[int], lines: _Lines) -> tuple[int, list[tuple[int, int]]]:
    """Return the least number of pairs after a move of one queen within her row, and all such moves."""
    best, moves = 1 << 30, list[tuple[int, int]]()
    for row, was in enumerate(columns):
        lines.take(row, was)
        rest = lines.cost
        for column in range(lines.n):
            pairs = rest + lines.attackers(row, column)
            if column != was and pairs <= best:
                moves = moves if pairs == best else []
                moves.append((row, column))
                best = pairs
        lines.put(row, was)
    return best, moves


# ---- minimisation of conflicts by swaps ------------------------------------------------------------


@dataclass(frozen=True)
class SwapProgram:
    """Sosic and Gu's QS1, with any of three mistakes of the survey's program.

    >>> [program.play(8, random.Random(1)).end for program in (SwapProgram(), SwapProgram(True, True))]
    ['solved', 'solved']

    Attributes
    ----------
    later_only
        A queen counts as attacked only if one in a later row attacks her.
    each_pass
        After every pass that leaves conflicts all queens are shuffled, each swapped with any: a bias.
    stale
        Swaps are tried on a trial board, which is not refreshed when the current one is shuffled. Those
        that leave it fewer conflicts than are held to be left are made on both; others refresh it.
    """

    later_only: bool = False
    each_pass: bool = False
    stale: bool = False

    def play(self, n: int, rng: random.Random, most: int = 100_000) -> Played:
        """Run it once, for at most so many new permutations."""
        columns = list(range(n))
        rng.shuffle(columns)
        trial = list(columns)
        for number in range(most):
            while self._pass(columns, trial) and not self.each_pass:
                pass
            if not _Lines(columns).cost:
                return Played(SOLVED, number)
            self._shuffle(columns, rng)
            if not self.stale:
                trial = list(columns)
        return Played(FAILED, most)

    def _shuffle(self, columns: list[int], rng: random.Random) -> None:
        if not self.each_pass:
            rng.shuffle(columns)
            return
        for i in range(len(columns)):
            j = rng.randrange(len(columns))
            columns[i], columns[j] = columns[j], columns[i]

    def _pass(self, columns: list[int], trial: list[int]) -> bool:
        """Go over all pairs of queens once; say whether any were swapped."""
        least, lines = _Lines(columns).cost, _Lines(trial)
        swapped = False
        for i, j in ((k, j) for k in range(lines.n) for j in range(k + 1, lines.n)):
            if not (self._attacked(i, columns) or self._attacked(j, columns)):
                continue
            _swap(i, j, trial, lines)
            if lines.cost < least:
                columns[i], columns[j] = columns[j], columns[i]
                swapped, least = True, lines.cost
                continue
            _swap(i, j, trial, lines)
            if trial != columns:
                trial[:] = columns
                lines = _Lines(trial)
        return swapped

    def _attacked(self, row: int, columns: list[int]) -> bool:
        others = range(row + 1 if self.later_only else 0, len(columns))
        return any(abs(columns[k] - columns[row]) == abs(k - row) for k in others if k != row)


def _swap(i: int, j: int, columns: list[int], lines: _Lines) -> None:
    for row in (i, j):
        lines.take(row, columns[row])
    columns[i], columns[j] = columns[j], columns[i]
    for row in (i, j):
        lines.put(row, columns[row])


# ---- annealing, row after row --------------------------------------------------------------------------


@dataclass(frozen=True)
class RowsProgram:
    """The survey's annealing: all temperatures in one row, then in the next, round and round.

    >>> RowsProgram().play(8, random.Random(1)).end
    'solved'
    """

    def play(self, n: int, rng: random.Random, most: int = 100_000) -> Played:
        """Run it once, for at most so many rows; whether it is solved is asked after each."""
        columns = list(range(n))
        rng.shuffle(columns)
        lines = _Lines(columns)
        for number in range(most):
            if not lines.cost:
                return Played(SOLVED, number)
            self._anneal(number % n, columns, lines, rng)
        return Played(FAILED, most)

    def _anneal(self, row: int, columns: list[int], lines: _Lines, rng: random.Random) -> None:
        heat = 100.0
        while heat > 1:
            for column in range(lines.n):
                before = lines.cost
                lines.take(row, columns[row])
                worse = lines.cost + lines.attackers(row, column) - before
                if worse <= 0 or math.exp(-worse / heat) > rng.randrange(100) / 10:  # one of 0, 0.1, ..., 9.9
                    columns[row] = column
                lines.put(row, columns[row])
            heat *= 0.8
