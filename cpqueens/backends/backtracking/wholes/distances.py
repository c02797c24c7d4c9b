"""What an AllDifferent over distances gets where the order of the marks is known: Golomb rulers."""

from collections.abc import Iterable, Sequence, Set
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from cpqueens.backends.backtracking.rows import LazyRows
from cpqueens.backends.backtracking.wholes.fractional import SIGNS, Row
from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators.distances import distance_data
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ

FEWEST, MOST = 4, 64
"""Marks: with fewer bounds say it all, with more a look at all their distances costs too much."""

Pair = tuple[int, int]
"""Two variables: the second less the first is a term, or the first is less than the second."""


def _ascending_pairs(linear: Iterable[tuple[Row, int]]) -> set[Pair]:
    """Return the pairs of variables of which rows say that the first is less than the second."""
    found = set()
    for (variables, coefficients, constant), relation in linear:
        for sign in SIGNS.get(relation, ()) if sorted(coefficients) == [-1, 1] else ():
            if sign * constant >= 1:  # x - y + constant <= 0
                less = coefficients.index(sign)
                found.add((variables[less], variables[1 - less]))
    return found


def _defined_distances(linear: Iterable[tuple[Row, int]]) -> dict[int, Pair]:
    """Return by variable the pair whose difference it is by an equation, the last one that says so."""
    found: dict[int, Pair] = {}
    for (variables, coefficients, constant), relation in linear:
        if relation != EQ or len(variables) != 3 or constant:
            continue
        for k, a in enumerate(coefficients):
            others = {coefficients[j]: variables[j] for j in range(3) if j != k}
            if abs(a) == 1 and others.keys() == {1, -1}:
                found[variables[k]] = others[a], others[-a]
    return found


def _longest_chain(edges: Iterable[Pair]) -> list[int]:
    """Return the nodes of a longest path; none if there are circles."""
    before: dict[int, list[int]] = {}
    for a, b in sorted(edges):
        before.setdefault(b, []).append(a)
    try:
        order = list(TopologicalSorter(before).static_order())
    except CycleError:
        return []
    chains: dict[int, list[int]] = {}
    for node in order:
        chains[node] = [*max((chains[a] for a in before.get(node, [])), key=len, default=[]), node]
    return max(chains.values(), key=len, default=[])


def _reach(marks: list[int], distances: set[Pair]) -> int:
    """Return over how many steps all distances are known."""
    reach = 1
    while reach + 1 < len(marks) and distances.issuperset(zip(marks, marks[reach + 1 :], strict=False)):
        reach += 1
    return reach


class Orders:
    """What linear rows, with their relations, say of orders and differences of two variables."""

    def __init__(self, linear: LazyRows | Sequence[tuple[Row, int]]) -> None:
        self._linear = linear

    @cached_property
    def _ascending(self) -> set[Pair]:
        return _ascending_pairs(self._linear)

    @cached_property
    def _defined(self) -> dict[int, Pair]:
        return _defined_distances(self._linear)

    def add(self, terms: Iterable[Row], parts: Parts) -> list[int]:
        """Add bounds of those terms of an AllDifferent that are differences; return the marks, ascending."""
        pairs: dict[int, set[Pair]] = {}
        for variables, coefficients, constant in terms:
            if sorted(coefficients) == [-1, 1]:
                less = coefficients.index(-1)
                pairs.setdefault(constant, set()).add((variables[less], variables[1 - less]))
        return self._add(max(pairs.values(), key=len, default=set()), parts)

    def add_defined(self, terms: IntArray, parts: Parts) -> None:
        """Add the same for rows (variable, coefficient, constant), of variables that are differences."""
        if len(terms) < FEWEST or not self._defined:
            return
        same = terms[(terms[:, 1] == 1) & (terms[:, 2] == terms[0, 2]), 0].tolist()
        named = {self._defined[d]: d for d in same if d in self._defined}
        positive = {pair for pair, d in named.items() if parts.bounds(d)[0] > 0}
        self._add(set(named), parts, positive)

    def _add(self, known: set[Pair], parts: Parts, positive: Set[Pair] = frozenset()) -> list[int]:
        """Add bounds of the distances of some pairs, all different in one direction or the other."""
        for distances in (known, {(b, a) for a, b in known}):
            ascending = distances & (self._ascending | positive)
            ascending |= {(a, b) for a, b in distances if parts.bounds(a)[1] < parts.bounds(b)[0]}
            marks = _longest_chain(ascending)
            if FEWEST <= len(marks) <= MOST:
                numbers = distance_data(len(marks), _reach(marks, distances))
                parts.propagator(Propagator("distances", marks, numbers=numbers, events=at.BOUND))
                return marks
        return []
