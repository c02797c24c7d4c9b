"""Clauses in an array, two watched literals each.

After Moskewicz, Madigan, Zhao, Zhang and Malik (2001), "Chaff: engineering an efficient SAT solver". The
lists of watching clauses are linked through the clauses. A clause is in the lists of its first two
literals, by variable and operator; a change of a variable looks at the lists of the operators that it can
make false.

A *watch* is twice a clause and which of its two first literals it is; 0 ends a list.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.learning import literals as lit, literals as of
from cpqueens.kernels.exact.learning.literals import Learner, make_true, standing
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put


@inner_kernel
def list_of(literal: int) -> Any:
    """Return where the list of the clauses that watch such literals begins."""
    return literal // (at.X_WIDTH << 2) * lit.OPERATORS + (literal & 3)


@inner_kernel
def watch(q: Learner, c: int, which: int) -> None:
    """Put a clause into the list of one of its two first literals."""
    head = list_of(entry(q.arena, c + of.C_LITERALS + 2 * which))
    put(q.arena, c + of.C_NEXT + which, entry(q.arena, head))
    put(q.arena, head, 2 * c + which)


@inner_kernel
def exchange(q: Learner, c: int, which: int, other: int) -> None:
    """Exchange two literals of a clause."""
    i, j = c + of.C_LITERALS + 2 * which, c + of.C_LITERALS + 2 * other
    literal, value = entry(q.arena, i), entry(q.arena, i + 1)
    put(q.arena, i, entry(q.arena, j))
    put(q.arena, i + 1, entry(q.arena, j + 1))
    put(q.arena, j, literal)
    put(q.arena, j + 1, value)


@inner_kernel
def other_watch(m: Memory, q: Learner, c: int) -> Any:
    """Return which literal of a clause behind the first two is not false, 0 if there is none."""
    place = c + of.C_LITERALS + 4
    for k in range(2, entry(q.arena, c + of.C_LENGTH)):
        if standing(m, entry(q.arena, place), entry(q.arena, place + 1)) != lit.FALSE:
            return k
        place += 2
    return 0


@inner_kernel
def visit(m: Memory, q: Learner, head: int) -> Any:
    """Look at the clauses of a list whose watched literals have become false; 0 at a failure."""
    link = head
    w = entry(q.arena, link)
    while w:
        c, which = w >> 1, w & 1
        own = c + of.C_LITERALS + 2 * which
        follows = c + of.C_NEXT + which
        if standing(m, entry(q.arena, own), entry(q.arena, own + 1)) == lit.FALSE:
            other = c + of.C_LITERALS + 2 - 2 * which
            literal, value = entry(q.arena, other), entry(q.arena, other + 1)
            found = standing(m, literal, value)
            if found != lit.TRUE:
                k = other_watch(m, q, c)
                if k:
                    w = entry(q.arena, follows)
                    put(q.arena, link, w)
                    exchange(q, c, which, k)
                    watch(q, c, which)
                    if link == head and entry(q.arena, head) == 2 * c + which:  # the same list
                        link = follows
                    continue
                m.stack[at.REASON] = (2 * c + 1 - which) * 4 + lit.BY_CLAUSE
                if found == lit.FALSE or not make_true(m, literal, value):
                    return 0
        link = follows
        w = entry(q.arena, link)
    return 1


@inner_kernel
def propagate_clauses(m: Memory, q: Learner) -> Any:
    """Look at the clauses that the next record of the log may have made false; 0 at a failure."""
    r = q.state[of.SEEN]
    q.state[of.SEEN] = r + at.R_WIDTH
    q.state[of.LOOKED] += 1
    v = entry(m.stack, r + at.R_VARIABLE)
    low, high = entry(m.stack, r + at.R_NEW_LOW), entry(m.stack, r + at.R_NEW_HIGH)
    first = list_of(v << 2)
    for operator in range(lit.OPERATORS):
        if operator == lit.AT_LEAST:
            touched = high < entry(m.stack, r + at.R_HIGH)
        elif operator == lit.AT_MOST:
            touched = low > entry(m.stack, r + at.R_LOW)
        else:
            touched = operator == lit.IS or low == high
        if touched and entry(q.arena, first + operator) and not visit(m, q, first + operator):
            return 0
    return 1


@inner_kernel
def is_needless(m: Memory, q: Learner, c: int) -> Any:
    """Say whether a clause holds before all decisions."""
    for place in range(c + of.C_LITERALS, clause_end(q, c), 2):
        if standing(m, entry(q.arena, place), entry(q.arena, place + 1)) == lit.TRUE:
            return 1
    return 0


@inner_kernel
def clause_end(q: Learner, c: int) -> Any:
    """Return where the next clause begins."""
    return c + of.C_LITERALS + 2 * entry(q.arena, c + of.C_LENGTH)


@inner_kernel
def levels_kept(q: Learner) -> Any:
    """Return a number of levels that at most half of the learned clauses do not pass, at least 2."""
    levels, left = 2, 1
    while left:
        left = below = 0
        c = q.state[of.FIRST_CLAUSE]
        while c < q.state[of.ARENA_TOP]:
            found = entry(q.arena, c + of.C_LEVELS)
            if found:
                left += found > levels + 1
                below += found <= levels + 1
            c = clause_end(q, c)
        if 2 * below > q.state[of.CLAUSES]:
            break
        levels += 1
    return levels


@inner_kernel
def forget_clauses(m: Memory, q: Learner, recent: int) -> None:
    """Keep, before all decisions, clauses that had few levels or were used since ``recent`` failures.

    Those that hold anyway go, too. The others move together, and are watched anew.
    """
    kept = levels_kept(q)
    for head in range(q.state[of.FIRST_CLAUSE]):
        put(q.arena, head, 0)
    c = top = q.state[of.FIRST_CLAUSE]
    many = 0
    while c < q.state[of.ARENA_TOP]:
        end = clause_end(q, c)
        levels = entry(q.arena, c + of.C_LEVELS)
        good = levels <= kept or (levels <= kept + 2 and entry(q.arena, c + of.C_USED) >= recent)
        if good and not is_needless(m, q, c):
            for k in range(end - c):
                put(q.arena, top + k, entry(q.arena, c + k))
            many += levels > 0
            rewatch(m, q, top)
            top = clause_end(q, top)
        elif levels:
            q.state[of.DELETED] += 1
        c = end
    q.state[of.ARENA_TOP], q.state[of.CLAUSES] = top, many


@inner_kernel
def rewatch(m: Memory, q: Learner, c: int) -> None:
    """Watch two literals of a clause that are not false: before all decisions there are such."""
    for which in range(2):
        for k in range(which, entry(q.arena, c + of.C_LENGTH)):
            place = c + of.C_LITERALS + 2 * k
            if standing(m, entry(q.arena, place), entry(q.arena, place + 1)) != lit.FALSE:
                exchange(q, c, which, k)
                break
    watch(q, c, 0)
    watch(q, c, 1)
