"""The exact expectations of Las Vegas search on queens and their relatives, and the published table.

Every random prefix is enumerated with its probability, in fractions; nothing is sampled and no solver asked.
An attempt with stop k places the first k variables at random among their safe values and backtracks below
them to the first solution or to failure (backend ``las-vegas``). Its nodes are the root, the variables placed
at random, and the tree under them.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from cpqueens.errors import UnsupportedRequest
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.model import Model


@dataclass(frozen=True)
class Expectations:
    """What one attempt with ``stop_vegas`` random variables is worth.

    Attributes
    ----------
    p
        The probability that it succeeds.
    s, e
        The mean nodes of a success and of a failure, None where there is none.
    """

    stop_vegas: int
    p: Fraction
    s: Fraction | None
    e: Fraction | None

    @property
    def t(self) -> Fraction | None:
        """The mean nodes until the first success, ``s + (1 - p) e / p``; None if there is no success."""
        if self.s is None:
            return None
        return self.s if self.e is None else self.s + (1 - self.p) * self.e / self.p

    def all_fail(self, attempts: int) -> Fraction:
        """Return the probability that so many attempts all fail, ``(1 - p) ** attempts``."""
        return (1 - self.p) ** attempts


def las_vegas_expectations(model: Model) -> tuple[Expectations, ...]:
    """Return the expectations for every stop, from 0 to the number of variables.

    The whole tree of safe placements is walked once, 2,057 nodes for 8 queens and 856,189 for 12 (seconds).

    >>> import numpy as np
    >>> from cpqueens import AllDifferent, Model
    >>> m = Model("queens")
    >>> q, i = m.intvar(0, 3, shape=4, name="q"), np.arange(4)
    >>> m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    >>> [str(found.p) for found in las_vegas_expectations(m)]
    ['1', '1/2', '1/2', '1/2', '1/2']

    Raises
    ------
    UnsupportedRequest
        If the model is not AllDifferents over shifted variables with at most 64 values, as queens is.
    """
    from cpqueens.lowered.structures.table import Structures

    pattern = Structures(model, "las-vegas").find("shifted_board")
    if pattern is None:
        raise UnsupportedRequest(
            "exact expectations need AllDifferents over shifted variables of at most 64 values, as in queens"
        )
    return _Walk(pattern).expectations()


class _Walk:
    """One walk over the tree of safe placements, for all stops at once.

    Attempts that share the product of their numbers of safe values are equally likely; per stop and outcome
    they are added up as integers under that product.
    """

    def __init__(self, pattern: Pattern) -> None:
        self.n = pattern.n
        self.allowed = [int(word) for word in pattern.allowed]
        self.conflict = [[_columns(pattern, i, v) for v in range(pattern.width)] for i in range(self.n)]
        stops = range(self.n + 1)
        self.numbers: list[list[dict[int, int]]] = [[defaultdict(int) for _ in range(2)] for _ in stops]
        self.nodes: list[list[dict[int, int]]] = [[defaultdict(int) for _ in range(2)] for _ in stops]

    def expectations(self) -> tuple[Expectations, ...]:
        """Walk, and turn the sums into fractions."""
        self._visit(0, self.allowed, 1)
        return tuple(self._at(stop) for stop in range(self.n + 1))

    def _at(self, stop: int) -> Expectations:
        chances = [_total(numbers) for numbers in self.numbers[stop]]
        means = [
            _total(nodes) / chance if chance else None
            for nodes, chance in zip(self.nodes[stop], chances, strict=True)
        ]
        return Expectations(stop, chances[1], means[1], means[0])

    def _visit(self, depth: int, free: list[int], product: int) -> tuple[bool, int]:
        """Return whether backtracking from here finds a solution, and the nodes that it visits below.

        ``free`` are the safe values of the variables from ``depth`` on, ``product`` the inverse of the
        probability that a random prefix is this one.
        """
        if depth == self.n:
            self._book(depth, True, depth + 1, product)
            return True, 0
        values = _bits(free[0])
        if not values:  # dead: at this stop, and at every later one
            for stop in range(depth, self.n + 1):
                self._book(stop, False, depth + 1, product)
            return False, 0
        found, below = False, 0
        for value in values:
            later = [f & ~c for f, c in zip(free[1:], self.conflict[depth][value], strict=True)]
            succeeds, nodes = self._visit(depth + 1, later, product * len(values))
            if not found:
                found, below = succeeds, below + 1 + nodes
        self._book(depth, found, depth + 1 + below, product)
        return found, below

    def _book(self, stop: int, success: bool, nodes: int, product: int) -> None:
        self.numbers[stop][success][product] += 1
        self.nodes[stop][success][product] += nodes


def _columns(pattern: Pattern, row: int, value: int) -> list[int]:
    """Return the words of columns that ``value`` in ``row`` forbids the later rows."""
    return [int(word) for word in pattern.conflict[row, row + 1 :, value]]


def _bits(word: int) -> list[int]:
    values = []
    while word:
        lowest = word & -word
        values.append(lowest.bit_length() - 1)
        word ^= lowest
    return values


def _total(sums: dict[int, int]) -> Fraction:
    """Return the sum of ``value / product`` over ``{product: value}``."""
    return sum((Fraction(value, product) for product, value in sums.items()), Fraction(0))


def rounded(value: Fraction | None, digits: int) -> str:
    """Return a non-negative number with so many decimals, a half rounded up; ``-`` for None.

    >>> rounded(Fraction(317, 8), 2), rounded(Fraction(7, 8), 4), rounded(None, 2)
    ('39.63', '0.8750', '-')
    """
    if value is None:
        return "-"
    units = (value * 10**digits * 2 + 1) // 2
    whole, part = divmod(units, 10**digits)
    return f"{whole}.{part:0{digits}d}"
