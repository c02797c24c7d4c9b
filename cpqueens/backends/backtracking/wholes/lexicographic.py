"""Lexicographic orders of two arrays, and chains of them, for the exact engine."""

from itertools import pairwise

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact import domains as at
from cpqueens.language.constraints.lexicographic import LexChain, Lexicographic


def _add_order(first: list[int], second: list[int], strict: bool, parts: Parts) -> None:
    pairs = [v for pair in zip(first, second, strict=True) for v in pair]
    order = Propagator(
        "lexicographic", pairs, constant=int(strict), words=(0,), events=at.BOUND, queue=at.QUICK
    )
    parts.propagator(order)


def _lay_out_pair(constraint: Lexicographic, parts: Parts) -> None:
    first, second = parts.variables(constraint.first), parts.variables(constraint.second)
    _add_order(first, second, constraint.strict, parts)


def _lay_out_chain(constraint: LexChain, parts: Parts) -> None:
    rows = [parts.variables(row) for row in constraint.matrix]
    for first, second in pairwise(rows):
        _add_order(first, second, constraint.order.strict, parts)


PAIR = WholeKind(_lay_out_pair)
CHAIN = WholeKind(_lay_out_chain)
