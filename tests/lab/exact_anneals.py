"""How many row-anneals the survey's schedule takes in the mean: exact, from its chain over all placements.

Run as ``python tests/lab/exact_anneals.py [N]``: minutes for 8 queens, whose chain has 16,777,216 states.
What a mean of runs scatters about, and which reading of the source a published mean can belong to.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.local_search.annealing import rowwise_course

Floats = NDArray[np.float64]
Rule = Callable[[Floats], Floats]
"""The chance of a worse move, of exp(-change / T)."""

RULES: Mapping[str, Rule] = {
    "coarse": lambda chance: np.ceil(10 * chance) / 100,
    "metropolis": lambda chance: chance,
}
_SETTLED = 1e-6  # by which the share that a round leaves unsolved still changes: 0.5 of 2,000 row-anneals
_CHUNK = 1 << 16


def attackers(n: int, row: int) -> NDArray[np.int8]:
    """Return how many queens of other rows attack each square of a row, (placements of the others, n)."""
    columns = np.arange(n)
    total = np.zeros((n,) * (n - 1) + (n,), dtype=np.int8)
    others = [k for k in range(n) if k != row]
    for axis, other in enumerate(others):
        lines = np.abs(columns[:, None] - columns[None, :])
        attacks = ((lines == 0) | (lines == abs(other - row))).astype(np.int8)  # (her column, square)
        shape = [1] * n
        shape[axis], shape[-1] = n, n
        total += attacks.reshape(shape)
    return total.reshape(-1, n)


def courses(seen: NDArray[np.int8], rule: Rule) -> Floats:
    """Return the chances to go from a column to another in a row's whole course, (kinds, from, to)."""
    kinds, n = seen.shape
    columns = np.ascontiguousarray(seen.T.astype(np.intp))
    chances = np.zeros((n, n, kinds))  # (to, from, kinds)
    for column in range(n):
        chances[column, column] = 1.0
    for temperature in rowwise_course():
        changes = np.arange(-n, n + 1)
        taken = np.where(changes <= 0, 1.0, rule(np.exp(-np.maximum(changes, 0) / temperature)))
        for to in range(n):
            for column in range(n):
                if column != to:
                    flow = chances[column] * taken[columns[to] - columns[column] + n]
                    chances[column] -= flow
                    chances[to] += flow
    return np.ascontiguousarray(chances.transpose(2, 1, 0))


class Board:
    """Placements of one queen in each row, and the kinds of what the others of a row see of it.

    Attributes
    ----------
    seen
        (kinds, n) attackers of a row's squares, less the least.
    kinds
        For each row (placements of the others,) the kind.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        weights = n ** np.arange(n)
        codes = []
        for row in range(n):
            seen = attackers(n, row)
            codes.append((seen - seen.min(axis=1, keepdims=True)) @ weights)
        known = np.unique(np.concatenate([np.unique(code) for code in codes]))
        self.seen = (known[:, None] // weights % n).astype(np.int8)
        self.kinds = [np.searchsorted(known, code).astype(np.int32) for code in codes]
        self.starts = list(permutations(range(n)))
        self.solved = [p for p in self.starts if self._is_solution(p)]

    @staticmethod
    def _is_solution(columns: tuple[int, ...]) -> bool:
        rows = range(len(columns))
        return all(abs(columns[i] - columns[j]) != j - i for j in rows for i in range(j))


class Chain:
    """The chances of all placements while one row after the other is annealed."""

    def __init__(self, board: Board, ways: Floats) -> None:
        self.n, self.board, self.ways = board.n, board, ways
        self.chances = np.zeros((board.n,) * board.n)
        for start in board.starts:
            self.chances[start] = 1 / len(board.starts)

    def drop_solved(self) -> None:
        """Take away what is solved: these runs are at their end."""
        for place in self.board.solved:
            self.chances[place] = 0

    def anneal(self, row: int) -> None:
        """Anneal one row."""
        kind = self.board.kinds[row]
        moved = np.ascontiguousarray(np.moveaxis(self.chances, row, -1)).reshape(-1, 1, self.n)
        for begin in range(0, len(moved), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            moved[part] = moved[part] @ self.ways[kind[part]]
        self.chances = np.ascontiguousarray(np.moveaxis(moved.reshape((self.n,) * self.n), -1, row))


def left_unsolved(chain: Chain, each_row: bool) -> Iterator[float]:
    """Yield the share of runs that go on after each row-anneal, from none on; solved ones end there."""
    chain.drop_solved()
    while True:
        for row in range(chain.n):
            yield float(chain.chances.sum())
            chain.anneal(row)
            if each_row or row == chain.n - 1:
                chain.drop_solved()


def expected(board: Board, ways: Floats, each_row: bool = True) -> float:
    """Return the mean number of row-anneals until solved is seen.

    Rounds are summed up until each leaves the same share of the one before; what then follows is a geometric
    series.
    """
    shares = left_unsolved(Chain(board, ways), each_row)
    total, before, ratio = 0.0, math.inf, math.inf
    while True:
        rounds = sum(next(shares) for _ in range(board.n))
        total += rounds
        if abs(rounds / before - ratio) < _SETTLED:
            ratio = rounds / before
            return total + rounds * ratio / (1 - ratio)
        before, ratio = rounds, rounds / before


def main() -> None:
    """Print the means of both rules, with solved looked for after each row and after each round."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    board = Board(n)
    for rule, chance in RULES.items():
        ways = courses(board.seen, chance)
        for each_row in (True, False):
            when, mean = "row" if each_row else "round", expected(board, ways, each_row)
            print(f"{n} queens, {rule}, looked for each {when}: {mean:,.2f}", flush=True)


if __name__ == "__main__":
    main()
