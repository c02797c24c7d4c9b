"""Rows of 0/1 variables of which exactly one is 1: one variable says which, so that the row always holds.

The 0/1 variables become truths about it, which other constraints have in their places.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import EQ, Compiled, DefinitionBlock, Terms, side_by_side
from cpqueens.lowered.evaluation import affines
from cpqueens.lowered.presolve.cliques import with_cliques
from cpqueens.lowered.presolve.reduction import Reduced, reduced
from cpqueens.lowered.presolve.substitution import Domain
from cpqueens.lowered.structures.table import find

FEWEST = 3
"""0/1 variables of a row."""
MOST = 20_000
"""And of all rows: each is a truth to be evaluated."""


def smaller_model(
    compiled: Compiled, domains: Sequence[Domain], without: Container[str] = ()
) -> Reduced | None:
    """Return a model without what is fixed, computed or chosen by a row of 0/1 variables; None if nothing is.

    Disequalities that are cliques become AllDifferents, unless a kernel has them pair by pair. Passes in
    ``without`` are left out: ``substitution``, ``choices``, ``cliques``.
    """
    less = _fewer_variables(compiled, domains, without)
    whole = None if "cliques" in without else with_cliques(compiled)
    if whole is None or find("pairs", compiled if less is None else less.compiled) is not None:
        return less
    # from the first: where a member is computed, a clique is none any more
    less = _fewer_variables(whole, domains, without) or _unchanged(whole)
    many = len(whole.different_start) - len(compiled.different_start)
    return replace(less, facts={**less.facts, "cliques": many})


def _fewer_variables(
    compiled: Compiled, domains: Sequence[Domain], without: Container[str]
) -> Reduced | None:
    """Return a model without what is fixed, computed or chosen by a row of 0/1 variables; None if nothing is.

    Rows stay as they are where there are few, or where a kernel exchanges within them.
    """
    only = frozenset[int]() if "substitution" in without else None
    if "choices" in without or not _are_many(compiled, list(_disjoint(compiled))):
        return reduced(compiled, domains, only)
    spared = frozenset(t for t, _ in _rows(compiled))
    less = reduced(compiled, domains, only, spared) or _unchanged(compiled)
    rows = list(_disjoint(less.compiled))
    if not _are_many(less.compiled, rows):
        return reduced(compiled, domains, only)
    return _Chooser(less, [row for row, _ in rows], [members for _, members in rows]).written()


def _are_many(compiled: Compiled, rows: list[tuple[int, IntArray]]) -> bool:
    """Say whether at least half of the variables are chosen by rows, and not too many."""
    count = 2 * sum(len(members) for _, members in rows)
    return bool(rows) and compiled.decision_count <= count <= 2 * MOST and not _is_exchanged(compiled)


def _unchanged(compiled: Compiled) -> Reduced:
    """Return a model as what it was reduced to."""
    n = compiled.decision_count
    same = Terms(np.arange(n + 1), np.arange(n), np.ones(n, dtype=np.int64), np.zeros(n, dtype=np.int64))
    return Reduced(compiled, np.arange(n), same, {"fixed": 0, "computed": 0, "searched": n})


def _is_exchanged(c: Compiled) -> bool:
    """Say whether a model is an objective under linear rows, for which there is a kernel that exchanges."""
    return c.objective is not None and len(c.objective) == 1 and c.is_linear


def _rows(c: Compiled) -> Iterator[tuple[int, IntArray]]:
    """Yield the relations that say that exactly one of some 0/1 variables is 1, and these."""
    n = c.decision_count
    binary = (c.lower[:n] == 0) & (c.upper[:n] == 1)
    for t in np.flatnonzero(c.relation == EQ).tolist():
        variables, coefficients, constant = c.linear.row(t)
        if len(variables) < FEWEST or (variables >= n).any() or len(set(variables.tolist())) < len(variables):
            continue
        if abs(coefficients[0]) == 1 and (coefficients == -constant).all() and binary[variables].all():
            yield t, variables


def _disjoint(c: Compiled) -> Iterator[tuple[int, IntArray]]:
    """Yield rows that share no variable: first those whose members stand together elsewhere, long ones."""
    rows = list(_rows(c))
    if not rows:
        return
    together = _together(c, [members for _, members in rows])
    order = sorted(range(len(rows)), key=lambda k: (-together[k], -len(rows[k][1]), k))
    taken = np.zeros(c.decision_count, dtype=bool)
    for k in order:
        t, members = rows[k]
        if not taken[members].any():
            taken[members] = True
            yield t, members


def _together(c: Compiled, rows: list[IntArray]) -> IntArray:
    """Return how many members of each row stand in a term with another one, in all but such rows."""
    of: dict[int, list[int]] = defaultdict(list)
    for k, members in enumerate(rows):
        for v in members.tolist():
            of[v].append(k)
    found = np.zeros(len(rows), dtype=np.int64)
    for terms in (c.linear, c.literals, *(d.terms for d in c.definitions)):
        for parts, _ in affines(terms):
            met = Counter(k for v in parts for k in of.get(v, ()))
            for k, times in met.items():
                found[k] += times - 1
    return found


class _Chooser:
    """Numbers what is left of a model: other variables, one for each row, truths, definitions."""

    def __init__(self, reduced: Reduced, rows: list[int], members: list[IntArray]) -> None:
        self.reduced, self.old, self.rows, self.members = reduced, reduced.compiled, rows, members
        n = self.old.decision_count
        free = np.ones(n, dtype=bool)
        free[np.concatenate(members)] = False
        self.others = np.flatnonzero(free)
        self.count = len(self.others) + len(members)
        self.number = np.zeros(self.old.variable_count, dtype=np.int64)
        self.number[self.others] = np.arange(len(self.others))
        self.number[np.concatenate(members)] = self.count + np.arange(n - len(self.others))
        self.number[n:] = self.count + (n - len(self.others)) + np.arange(self.old.variable_count - n)

    def written(self) -> Reduced:
        """Return the model."""
        old, others, number = self.old, self.others, self.number
        sizes = np.array([len(m) for m in self.members], dtype=np.int64)
        lengths = np.concatenate([sizes, np.ones(int(sizes.sum()), dtype=np.int64) + 1])
        zeros = np.zeros(len(lengths), dtype=np.int64)
        left = np.delete(np.arange(len(old.relation)), self.rows)
        definitions = [
            replace(block, results=number[block.results], terms=self._terms(block.terms))
            for block in old.definitions.blocks
        ]
        compiled = replace(
            old,
            decision_count=self.count,
            lower=np.concatenate([old.lower[others], zeros, old.lower[old.decision_count :]]),
            upper=np.concatenate([old.upper[others], lengths - 1, old.upper[old.decision_count :]]),
            domains={int(number[v]): d for v, d in old.domains.items() if v not in self._all_members},
            linear=self._terms(old.linear.picked(left)),
            relation=old.relation[left],
            literals=self._terms(old.literals),
            different=self._terms(old.different),
            tables=[(self._terms(terms), rows) for terms, rows in old.tables],
            counts=[(self._terms(a), self._terms(b), r, self._terms(c)) for a, b, r, c in old.counts],
            definitions=side_by_side([*self._truths(), *definitions]),
            objective=None if old.objective is None else self._terms(old.objective),
        )
        extreme = self.reduced.extreme
        return replace(
            self.reduced,
            compiled=compiled,
            recover=self._terms(self.reduced.recover),
            extreme=None if extreme is None else (*extreme[:2], self._terms(extreme[2])),
            kept=self.reduced.kept[others],
            choices=tuple(self.reduced.kept[m] for m in self.members),
            facts={**self.reduced.facts, "searched": self.count, "choices": len(self.members)},
        )

    @property
    def _all_members(self) -> set[int]:
        return set(np.concatenate(self.members).tolist())

    def _terms(self, terms: Terms) -> Terms:
        return replace(terms, variable=self.number[terms.variable])

    def _truths(self) -> Iterator[DefinitionBlock]:
        """Yield what each 0/1 variable of a row says of the row's variable."""
        start, one = np.array([0, 1]), np.ones(1, dtype=np.int64)
        for k, members in enumerate(self.members, len(self.others)):
            for place, v in enumerate(members.tolist()):
                terms = Terms(start, k * one, one, -place * one)
                yield DefinitionBlock("truth_linear", self.number[[v]], terms, 1, EQ)
