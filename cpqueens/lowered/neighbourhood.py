"""Deriving the neighbourhood: which AllDifferents are kept by swaps, everything else by assignment."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cpqueens.kernels.local.state import Space
from cpqueens.language.rows import IntArray, distinct
from cpqueens.lowered.columns import blocks
from cpqueens.lowered.compiled import Compiled, Terms, offsets
from cpqueens.lowered.structures.shifted_permutation import plain_variables

Permutation = Callable[[int], IntArray]
"""Returns a random permutation of 0 .. size - 1."""

MAX_SPARE = 200_000  # values more than members; above that an AllDifferent is not worth keeping


@dataclass(frozen=True)
class SwapGroup:
    """Variables kept all different: swaps, and replacements by one of ``spare`` further values."""

    variables: IntArray
    values: IntArray  # union of the domains
    uniform: bool

    @property
    def spare(self) -> int:
        """How many values no member has at any time."""
        return len(self.values) - len(self.variables)


@dataclass(frozen=True)
class Neighbourhood:
    """The groups, and the positions of the AllDifferents that they keep satisfied."""

    groups: tuple[SwapGroup, ...]
    kept: frozenset[int]

    def report(self) -> dict[str, int]:
        """Return what the statistics say about it."""
        swapped = sum(len(g.variables) for g in self.groups)
        return {"groups": len(self.groups), "swapped_variables": swapped, "kept_constraints": len(self.kept)}


def values_of(compiled: Compiled, variable: int) -> IntArray:
    """Return the values of a variable, ascending."""
    if variable in compiled.domains:
        return compiled.domains[variable]
    return np.arange(compiled.lower[variable], compiled.upper[variable] + 1)


def plain_scope(terms: Terms, decision_count: int) -> IntArray | None:
    """Return the variables of terms a*x + c, a and c common to all, if they are distinct decisions."""
    return plain_variables(terms.singles(0, len(terms)), decision_count) if len(terms) > 1 else None


def derive(compiled: Compiled, assignment_only: bool = False) -> Neighbourhood:
    """Choose variable-disjoint AllDifferents over plain variables, the largest first.

    ``assignment_only`` overrides the choice: every variable moves by assignment.
    """
    if assignment_only or not len(compiled.different):
        return Neighbourhood((), frozenset())
    different = blocks(compiled.different, compiled.different_start)
    scopes = [(i, plain_scope(terms, compiled.decision_count)) for i, terms in enumerate(different)]
    found = sorted(((i, s) for i, s in scopes if s is not None), key=lambda item: (-len(item[1]), item[0]))
    taken = np.zeros(compiled.decision_count, dtype=bool)
    groups: list[SwapGroup] = []
    kept: set[int] = set()
    for index, scope in found:
        if taken[scope].any():
            continue
        group = _group(compiled, scope)
        if group is None:
            continue
        taken[scope] = True
        kept.add(index)
        groups.append(group)
    return Neighbourhood(tuple(groups), frozenset(kept))


def _group(compiled: Compiled, scope: IntArray) -> SwapGroup | None:
    """Return the group of ``scope``, None if it has too few values or very many."""
    lower, upper = compiled.lower[scope], compiled.upper[scope]
    holes = bool(compiled.domains) and any(v in compiled.domains for v in scope.tolist())
    if int(upper.max()) - int(lower.min()) + 1 - len(scope) > MAX_SPARE:
        return None
    if not holes and (lower == lower[0]).all() and (upper == upper[0]).all():
        values, uniform = np.arange(lower[0], upper[0] + 1), True
    else:
        each = [values_of(compiled, v) for v in scope.tolist()]
        values = distinct(np.concatenate(each))
        uniform = all(np.array_equal(e, each[0]) for e in each)
    if len(values) < len(scope) or (not uniform and matching(compiled, scope, values, None) is None):
        return None
    return SwapGroup(scope, values, uniform)


def matching(
    compiled: Compiled,
    scope: IntArray,
    values: IntArray,
    permutation: Permutation | None,
    wish: IntArray | None = None,
) -> IntArray | None:
    """Return distinct values of the domains for ``scope``, None if there are none (augmenting paths).

    ``permutation`` shuffles the order in which variables and values are tried; ``wish`` is tried first.
    """
    index = {value: k for k, value in enumerate(values.tolist())}
    domains = []
    for position, v in enumerate(scope.tolist()):
        choice = [index[value] for value in values_of(compiled, v).tolist()]
        if permutation is not None:
            choice = [choice[k] for k in permutation(len(choice))]
        if wish is not None and int(wish[position]) in index:
            first = index[int(wish[position])]
            if first in choice:
                choice.remove(first)
                choice.insert(0, first)
        domains.append(choice)
    holder: dict[int, int] = {}
    order = range(len(scope)) if permutation is None or wish is not None else permutation(len(scope)).tolist()
    for start in order:
        if not _augment(start, domains, holder):
            return None
    result = np.zeros(len(scope), dtype=np.int64)
    for k, v in holder.items():
        result[v] = values[k]
    return result


def _augment(start: int, domains: list[list[int]], holder: dict[int, int]) -> bool:
    """Give ``start`` a value, moving others along an augmenting path (breadth first, iterative)."""
    came: dict[int, int] = {}  # value -> the variable that asked for it
    queue = [start]
    for variable in queue:
        for k in domains[variable]:
            if k in came:
                continue
            came[k] = variable
            if k not in holder:
                while True:
                    taker = came[k]
                    previous = (
                        next((q for q, h in holder.items() if h == taker), None) if taker != start else None
                    )
                    holder[k] = taker
                    if previous is None:
                        return True
                    k = previous
            queue.append(holder[k])
    return False


def build_space(compiled: Compiled, neighbourhood: Neighbourhood) -> Space:
    """Return the kernels' arrays of domains and groups; the spare values are set by a start."""
    n = compiled.decision_count
    listed = sorted(v for v in compiled.domains if v < n)
    sizes = np.zeros(n, dtype=np.int64)
    values = [compiled.domains[v] for v in listed]
    sizes[listed] = list(map(len, values))
    empty = np.zeros(0, dtype=np.int64)
    groups = neighbourhood.groups
    members = [g.variables for g in groups]
    group = np.full(n, -1, dtype=np.int64)
    for g, mine in enumerate(members):
        group[mine] = g
    spare_start = offsets([g.spare for g in groups])
    return Space(
        compiled.lower[:n].copy(), compiled.upper[:n].copy(), offsets(sizes),
        np.concatenate([empty, *values]), group, offsets(list(map(len, members))),
        np.concatenate([empty, *members]),
        np.array([g.uniform for g in groups], dtype=np.int64), spare_start,
        np.zeros(int(spare_start[-1]), dtype=np.int64),
    )  # fmt: skip
