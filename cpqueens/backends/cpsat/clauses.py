"""Clauses for CP-SAT with the truths written out that stand nowhere else.

In ``not b or t``, where ``t`` is the truth of a relation, ``t`` needs no variable if nothing else speaks of
it: CP-SAT takes the relation itself, enforced by ``b``. A disjunction in a clause becomes part of the clause.
Solutions stay the same, and as many: the truth would follow from the others.

A bound or a value of one variable is not written out in a longer clause: CP-SAT has a literal for it anyway,
and learns from clauses of literals what it does not from relations under several (a roster is solved
in a quarter of the time).

Here a literal is a variable of the store, ``v``, or its negation, ``-v - 1``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask, distinct
from cpqueens.language.store import VariableStore

_ENFORCEABLE = {("Linear", False), ("Linear", True), ("And", False), ("Or", True)}
"""Kinds of truths, and whether negated, that can be enforced by other literals of their clause."""
_PARTS = {("Or", False), ("And", True)}
"""Those that are a part of a clause."""


@dataclass(frozen=True)
class Enforced:
    """Elements of a constraint, or their negations, each under literals, (elements, literals)."""

    constraint: Constraint
    negated: bool
    literals: IntArray


@dataclass
class Clauses:
    """What was made of the clauses: plain ones as arrays of literals, and constraints under literals.

    ``written_out`` says which variables are needed no more.
    """

    written_out: Mask
    plain: list[IntArray] = field(default_factory=list)
    enforced: list[Enforced] = field(default_factory=list)


def plain_literals(array: LinearArray, store: VariableStore) -> tuple[IntArray, Mask]:
    """Return 0/1 terms as literals, and which of them are one, both in the shape of ``array``."""
    literals, known = array.as_literals()
    if array.width:
        variables = np.where(literals < 0, -literals - 1, literals)
        known &= (store.lower[variables] == 0) & (store.upper[variables] == 1)
    return literals.reshape(array.shape), known.reshape(array.shape)


class _Truths:
    """Where each truth is defined, and how often each variable stands anywhere."""

    def __init__(
        self,
        clauses: Sequence[IntArray],
        truths: Sequence[Truth],
        arrays: Iterable[LinearArray],
        store: VariableStore,
    ) -> None:
        count = store.variable_count
        self.blocks = truths
        self.block, self.row = np.full((2, count), -1, dtype=np.int64)
        self.simple = np.zeros(count, dtype=bool)  # relations over one variable
        self.literals: list[IntArray] = []
        sorts = sorted(_ENFORCEABLE | _PARTS)
        self._fits = {key: np.zeros(count, dtype=bool) for key in sorts}
        for k, truth in enumerate(truths):
            self.block[truth.results], self.row[truth.results] = k, np.arange(truth.size)
            known: Any = np.ones(truth.size, dtype=bool)
            literals: IntArray = np.zeros((truth.size, 0), dtype=np.int64)
            if truth.constraint.kind == "Linear":
                self.simple[truth.results] = (truth.arguments[0].coefficients != 0).sum(axis=1) == 1
            if truth.constraint.kind in ("And", "Or"):
                shape = truth.size, -1
                found, each = plain_literals(truth.arguments[0], store)
                literals, known = found.reshape(shape), each.reshape(shape).all(axis=1)
            self.literals.append(literals)
            for kind, negated in sorts:
                if kind == truth.constraint.kind:
                    self._fits[kind, negated][truth.results[known]] = True
        scopes = [a.variables[a.coefficients != 0] for a in arrays]
        scopes += [np.where(found < 0, -found - 1, found).reshape(-1) for found in clauses]
        none = np.zeros(0, dtype=np.int64)
        self.uses = np.bincount(np.concatenate([none, *scopes]), minlength=count)

    def suitable(self, literals: IntArray, sorts: set[tuple[str, bool]]) -> Mask:
        """Return which literals are truths of these sorts that stand nowhere else."""
        negated = literals < 0
        variables = np.where(negated, -literals - 1, literals)
        found = np.zeros(literals.shape, dtype=bool)
        for kind, sign in sorts:
            found |= self._fits[kind, sign][variables] & (negated == sign)
        return found & (self.uses[variables] == 1)


def written_out(
    clauses: Sequence[IntArray], truths: Sequence[Truth], arrays: Iterable[LinearArray], store: VariableStore
) -> Clauses:
    """Write out the truths that stand in one clause only.

    Parameters
    ----------
    clauses
        Literals, (clauses, literals of each).
    truths
        The definitions of truths.
    arrays
        All other terms of the model, the arguments of definitions included.
    """
    result = Clauses(np.zeros(store.variable_count, dtype=bool))
    if not clauses or not truths:
        result.plain = list(clauses)
        return result
    known = _Truths(clauses, truths, arrays, store)
    pending = list(clauses)
    while pending:
        literals = pending.pop()
        parts = known.suitable(literals, _PARTS)
        for rest, variables, negated, block in _split(literals, parts, known, result):
            inner = known.literals[block][known.row[variables]]
            pending.append(np.concatenate([rest, -inner - 1 if negated else inner], axis=1))
        literals = literals[~parts.any(axis=1)]
        others = known.suitable(literals, _ENFORCEABLE)
        if literals.shape[1] > 2:
            others &= ~known.simple[np.where(literals < 0, -literals - 1, literals)]
        for rest, variables, negated, block in _split(literals, others, known, result):
            constraint = known.blocks[block].constraint.take(known.row[variables])
            result.enforced.append(Enforced(constraint, negated, -rest - 1))
        literals = literals[~others.any(axis=1)]
        if len(literals):
            result.plain.append(literals)
    return result


def _split(
    literals: IntArray, chosen: Mask, known: _Truths, result: Clauses
) -> Iterator[tuple[IntArray, IntArray, bool, int]]:
    """Yield, per block and sign, clauses without their first chosen literal, and that literal's variables."""
    mine = np.flatnonzero(chosen.any(axis=1))
    if not mine.size:
        return
    columns = chosen[mine].argmax(axis=1)
    picked = literals[mine, columns]
    others = np.arange(literals.shape[1]) != columns[:, None]
    rest = literals[mine][others].reshape(len(mine), literals.shape[1] - 1)
    negated = picked < 0
    variables = np.where(negated, -picked - 1, picked)
    result.written_out[variables] = True
    sorts = 2 * known.block[variables] + negated
    for sort in distinct(sorts).tolist():
        same = sorts == sort
        yield rest[same], variables[same], bool(sort % 2), sort // 2


def split_clauses(
    constraints: Iterable[Constraint], store: VariableStore
) -> tuple[list[Constraint], list[IntArray]]:
    """Return the constraints without the clauses of plain literals, and these as arrays of literals."""
    others: list[Constraint] = []
    clauses: list[IntArray] = []
    for constraint in constraints:
        if constraint.kind != "Or" or not constraint.size:
            others.append(constraint)
            continue
        literals, known = plain_literals(constraint.arguments[0], store)
        shape = constraint.size, constraint.arguments[0].shape[-1]
        plain = known.reshape(shape).all(axis=1)
        if not plain.all():
            others.append(constraint.take(np.flatnonzero(~plain)))
        clauses.append(literals.reshape(shape)[plain])
    return others, clauses
