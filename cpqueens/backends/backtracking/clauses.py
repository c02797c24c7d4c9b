"""Clauses in columns, and how a search that learns takes them before its first decision.

Learned clauses on their way from a search to a later one: over variables that both models have.

What was learned follows from the constraints of the model as it was, and from the objective's limit where
there was one. Clauses over variables that only the network has are left out, since another one has others.
"""

from array import array
from itertools import chain

import numpy as np

from cpqueens.backends.known import MOST_WORDS, LearnedClauses
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.learning import literals as lit, literals as of
from cpqueens.language.rows import IntArray, Mask
from cpqueens.lowered.compiled import Compiled, offsets, stable_order

Clause = list[tuple[int, int, int]]
"""Variables, operators of `literals`, and values: one of these literals is true."""


class StatedClauses:
    """The clauses of a network, one after the other: large tables become 100,000."""

    def __init__(self) -> None:
        self._lengths, self._literals = array("q"), array("q")

    def add(self, clause: Clause) -> None:
        """Add a clause."""
        self._lengths.append(len(clause))
        self._literals.extend(chain.from_iterable(clause))

    def extend(self, lengths: IntArray, literals: IntArray) -> None:
        """Add clauses of so many literals each; ``literals`` has them in rows, as `Clause` has."""
        self._lengths.frombytes(lengths.tobytes())
        self._literals.frombytes(literals.astype(np.int64, copy=False).tobytes())

    def of_model(self) -> LearnedClauses:
        """Return them with places of variables: as of no level, for they are not learned."""
        lengths = np.array(self._lengths, dtype=np.int64)
        v, operator, value = np.array(self._literals, dtype=np.int64).reshape(-1, 3).T
        literals = np.stack([4 * at.X_WIDTH * v + operator, value], axis=1)
        return LearnedClauses(lengths, np.zeros_like(lengths), literals, None)


def entries(starts: IntArray, lengths: IntArray, step: int = 1) -> IntArray:
    """Return the numbers of all entries of parts that begin somewhere and have some lengths."""
    within = np.arange(lengths.sum()) - np.repeat(offsets(lengths)[:-1], lengths)
    return np.repeat(starts, lengths) + step * within


def all_of(clauses: LearnedClauses, good: Mask) -> IntArray:
    """Return the numbers of the clauses of which all literals are ``good``."""
    whole = np.ones(clauses.many, dtype=np.bool_)
    whole[np.repeat(np.arange(clauses.many), clauses.lengths)[~good]] = False
    return np.flatnonzero(whole)


def picked(clauses: LearnedClauses, which: IntArray) -> LearnedClauses:
    """Return the clauses numbered ``which``, in that order."""
    chosen = entries(offsets(clauses.lengths)[which], clauses.lengths[which])
    return clauses._replace(
        lengths=clauses.lengths[which], levels=clauses.levels[which], literals=clauses.literals[chosen]
    )


def attach(m: at.Memory, q: of.Learner, clauses: LearnedClauses) -> bool:
    """Put clauses behind those that there are, and make single literals true; say whether they can hold.

    The lists of watching clauses are linked as `clauses.watch` does it, one clause after the other.
    """
    clauses = _without_always(_once(clauses))
    while True:
        clauses = picked(clauses, all_of(clauses, _standing(m, clauses.literals) != lit.TRUE))
        is_open = _standing(m, clauses.literals) == lit.OPEN
        owner = np.repeat(np.arange(clauses.many), clauses.lengths)
        lengths = np.bincount(owner[is_open], minlength=clauses.many)
        single = clauses.literals[is_open & (lengths[owner] == 1)].tolist()
        if not lengths.all() or not all(
            of.standing(m, *one) == lit.TRUE or (of.standing(m, *one) == lit.OPEN and of.make_true(m, *one))
            for one in single
        ):
            return False
        if not single:
            break
    starts = int(q.state[of.ARENA_TOP]) + offsets(of.C_LITERALS + 2 * lengths)
    q.state[of.ARENA_TOP], starts = starts[-1], starts[:-1]
    q.state[of.CLAUSES] += np.count_nonzero(clauses.levels)
    q.arena[starts + of.C_LENGTH], q.arena[starts + of.C_LEVELS] = lengths, clauses.levels
    pairs = entries(starts + of.C_LITERALS, lengths, 2)
    q.arena[pairs], q.arena[pairs + 1] = clauses.literals[is_open].T
    first, which = np.repeat(starts, 2), np.tile([0, 1], len(starts))
    literals = q.arena[first + of.C_LITERALS + 2 * which]
    lists = literals // (at.X_WIDTH << 2) * lit.OPERATORS + (literals & 3)
    order = stable_order(lists)
    lists, watches, links = lists[order], (2 * first + which)[order], (first + of.C_NEXT + which)[order]
    before = np.concatenate([np.zeros(1, dtype=np.int64), watches])[:-1]
    same = np.append(False, lists[1:] == lists[:-1])[: len(lists)]
    q.arena[links] = np.where(same, before[: len(lists)], q.arena[lists])
    q.arena[lists] = watches  # of several the last one
    return True


def _standing(m: at.Memory, literals: IntArray) -> IntArray:
    """Return which literals are true, false or open, as `literals.standing` says of each."""
    v, operator, value = literals[:, 0] >> 2, literals[:, 0] & 3, literals[:, 1]
    low, high, first = m.x[v + at.LOW], m.x[v + at.HIGH], m.x[v + at.FIRST]
    there = (low <= value) & (value <= high)
    by_value = there & (operator >= lit.IS)
    for k in np.flatnonzero(by_value & (first < 0)).tolist():
        there[k] = at.contains(m, int(v[k]), int(value[k]))
    listed = np.flatnonzero(by_value & (first >= 0))
    there[listed] = m.cells[first[listed] + value[listed] - m.x[v[listed] + at.BASE]] != 0
    above, below = operator == lit.AT_LEAST, operator == lit.AT_MOST
    holds = np.where(above, low >= value, np.where(below, high <= value, there & (low == high)))
    fails = np.where(above, high < value, np.where(below, low > value, ~there))
    is_not = operator == lit.IS_NOT
    holds, fails = np.where(is_not, fails, holds), np.where(is_not, holds, fails)
    return np.where(holds, lit.TRUE, np.where(fails, lit.FALSE, lit.OPEN))


def _once(clauses: LearnedClauses) -> LearnedClauses:
    """Return clauses with each literal once, at its first place."""
    owner = np.repeat(np.arange(clauses.many), clauses.lengths)
    order = np.lexsort((clauses.literals[:, 1], clauses.literals[:, 0], owner))
    keys = np.column_stack([owner, clauses.literals])[order]
    again = order[1:][(keys[1:] == keys[:-1]).all(axis=1)]
    if not len(again):
        return clauses
    first = np.ones(len(owner), dtype=np.bool_)
    first[again] = False
    lengths = np.bincount(owner[first], minlength=clauses.many)
    return clauses._replace(lengths=lengths, literals=clauses.literals[first])


def _without_always(clauses: LearnedClauses) -> LearnedClauses:
    """Leave out clauses of which two literals, on both sides of a variable, leave out no value."""
    owner = np.repeat(np.arange(clauses.many), clauses.lengths)
    v, operator, value = clauses.literals[:, 0] >> 2, clauses.literals[:, 0] & 3, clauses.literals[:, 1]
    above, below = np.flatnonzero(operator == lit.AT_LEAST), np.flatnonzero(operator == lit.AT_MOST)
    places = int(v.max(initial=0)) + 1
    least = dict(zip((owner[above] * places + v[above]).tolist(), value[above].tolist(), strict=True))
    always = {
        key // places
        for key, most in zip((owner[below] * places + v[below]).tolist(), value[below].tolist(), strict=True)
        if key in least and least[key] <= most + 1
    }
    return picked(clauses, np.setdiff1d(np.arange(clauses.many), list(always))) if always else clauses


MOST_VALUES = 1 << 16
"""Listed values that are looked through for those that were removed."""


def exported(
    compiled: Compiled, m: at.Memory, q: of.Learner, limit: int | None, last: int = 0
) -> LearnedClauses | None:
    """Return what a search before its first decision has learned, the best clauses first; None if nothing.

    The clause at ``last`` is left out: it says of a solution that it is not wanted.
    """
    c, top, starts = int(q.state[of.FIRST_CLAUSE]), int(q.state[of.ARENA_TOP]), list[int]()
    words = memoryview(q.arena.data)  # in plain Python much faster than NumPy, one by one
    while c < top:
        if words[c] and words[c + of.C_LEVELS] and c != last:
            starts.append(c)
        c += of.C_LITERALS + 2 * words[c]
    places = np.array(starts, dtype=np.int64)
    lengths, levels = q.arena[places], q.arena[places + of.C_LEVELS]
    pairs = entries(places + of.C_LITERALS, lengths, 2)
    facts = np.array(_facts(compiled, m), dtype=np.int64).reshape(-1, 2)
    literals = np.concatenate([facts, np.stack([q.arena[pairs], q.arena[pairs + 1]], axis=1)])
    ones = np.ones(len(facts), dtype=np.int64)
    clauses = LearnedClauses(np.concatenate([ones, lengths]), np.concatenate([ones, levels]), literals, limit)
    clauses = _renumbered(clauses, compiled.stated, at.X_WIDTH, 1)
    order = np.lexsort((clauses.lengths, clauses.levels))
    order = order[np.cumsum(2 + 2 * clauses.lengths[order]) <= MOST_WORDS]
    return picked(clauses, order) if len(order) else None


def imported(compiled: Compiled, m: at.Memory, clauses: LearnedClauses) -> LearnedClauses:
    """Return clauses for a network; one with a variable, or listed values, that it lacks is left out."""
    number = np.full(int(compiled.stated.max(initial=-1)) + 1, -1, dtype=np.int64)
    there = np.flatnonzero(compiled.stated >= 0)
    number[compiled.stated[there]] = there
    found = _renumbered(clauses, number, 1, at.X_WIDTH)
    v, operator = found.literals[:, 0] >> 2, found.literals[:, 0] & 3
    return picked(found, all_of(found, (operator < lit.IS) | (m.x[v + at.FIRST] >= 0)))


def _renumbered(clauses: LearnedClauses, number: IntArray, before: int, after: int) -> LearnedClauses:
    """Return clauses under other numbers of variables, -1 for none; both are multiplied by something."""
    if not clauses.many:
        return clauses
    v, operator = (clauses.literals[:, 0] >> 2) // before, clauses.literals[:, 0] & 3
    new = np.append(number, -1)[np.minimum(v, len(number))]
    literals = np.stack([4 * after * new + operator, clauses.literals[:, 1]], axis=1)
    return picked(clauses._replace(literals=literals), all_of(clauses, new >= 0))


def _facts(compiled: Compiled, m: at.Memory) -> list[tuple[int, int]]:
    """Return literals of the model's variables that are true by now and were not at first."""
    found: list[tuple[int, int]] = []
    left = MOST_VALUES
    for v in np.flatnonzero(compiled.stated >= 0).tolist():
        place = v * at.X_WIDTH
        low, high, first = m.x[[place + at.LOW, place + at.HIGH, place + at.FIRST]].tolist()
        if low > compiled.lower[v]:
            found.append((4 * place + lit.AT_LEAST, low))
        if high < compiled.upper[v]:
            found.append((4 * place + lit.AT_MOST, high))
        left -= high - low
        if first >= 0 and high > low + 1 and left > 0 and v not in compiled.domains:
            cells = m.cells[first - int(m.x[place + at.BASE]) + low + 1 :][: high - low - 1]
            found += [(4 * place + lit.IS_NOT, low + 1 + k) for k in np.flatnonzero(cells == 0).tolist()]
    return found
