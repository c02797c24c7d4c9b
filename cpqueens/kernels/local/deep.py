"""Move deltas through defined variables: any constraint of the kernel core, any definition.

Nodes are the decision variables followed by the definitions in order of creation. Every argument of a
definition or of a constraint of this layer is a *term* (a linear combination of nodes) with its value
kept up to date. A move first propagates: the changes of the moved variables reach terms, and the
definitions that they can reach (a static list per variable, merged for a swap) are re-evaluated in
order; then each changed term tells its constraint. Evaluation and application are the same walk; an
evaluation undoes its changes before it returns.

Layouts (flat): ``nodes`` term, coefficient; ``terms`` value, owner kind, owner, base; ``definitions``
kind, first term, number of terms, data offset, relation, unused; ``tables`` per constraint: first
term, number of terms, data offset, rows.
"""

from typing import Any

from cpqueens.kernels.exact import kinds
from cpqueens.kernels.exact.propagators.functions import divide
from cpqueens.kernels.jit.decorators import inlined, inner_kernel
from cpqueens.kernels.local import arena as parts, deep as codes
from cpqueens.kernels.local.apply import mark_scope
from cpqueens.kernels.local.arena import Ints
from cpqueens.kernels.local.plain import amount
from cpqueens.kernels.local.rows import move_term

# owners of a term
OWNER_ALL_DIFFERENT = 0  # base: counter of value 0
OWNER_LINEAR = 1
OWNER_CLAUSE = 2  # true when not 0
OWNER_COUNT = 3  # base: the value that is counted
OWNER_TABLE = 4
OWNER_DEFINITION = 5
OWNER_SIGNED_COUNT = 6  # like OWNER_COUNT, each match taken away

# kinds of constraints beyond those of the plain layer
CLAUSE = 4
TABLE = 5

# kinds of definitions beyond those of `kinds`
ELEMENT_CONSTANT = 17  # data: length, values
TRUTH_LINEAR = 18  # relation: EQUAL, AT_MOST or NOT_EQUAL

T_WIDTH = 4
D_WIDTH = 6


@inner_kernel
def violation(kind: int, activity: int) -> Any:
    """Return the violation of a constraint of any layer from its activity."""
    if kind == CLAUSE:
        return 1 if activity == 0 else 0
    if kind == TABLE or kind == 0:
        return activity
    return amount(kind, activity)


@inner_kernel
def term_value(t: int, terms: Ints, pending: Ints) -> Any:
    """Return the value of term ``t`` with its pending change."""
    return terms[t * T_WIDTH] + pending[t]


@inner_kernel
def define(d: int, definitions: Ints, terms: Ints, pending: Ints, data: Ints) -> Any:
    """Return the value of definition ``d`` for the pending values of its terms."""
    f = d * D_WIDTH
    kind = definitions[f]
    first = definitions[f + 1]
    number = definitions[f + 2]
    offset = definitions[f + 3]
    relation = definitions[f + 4]
    a = term_value(first, terms, pending) if number > 0 else 0
    if kind == kinds.ABS:
        return abs(a)
    if kind == kinds.PRODUCT:
        return a * term_value(first + 1, terms, pending)
    if kinds.QUOTIENT <= kind <= kinds.REMAINDER_TRUNCATED:
        b = term_value(first + 1, terms, pending)
        return divide(kind, a, b) if b != 0 else 0  # no meaning there: a condition of its own is false
    if kind == kinds.MINIMUM or kind == kinds.MAXIMUM:
        for t in range(first + 1, first + number):
            b = term_value(t, terms, pending)
            if (b < a) == (kind == kinds.MINIMUM):
                a = b
        return a
    if kind == kinds.ELEMENT:  # the index, then the entries
        return term_value(first + 1 + a, terms, pending) if 0 <= a < number - 1 else 0
    if kind == ELEMENT_CONSTANT:
        return data[offset + 1 + a] if 0 <= a < data[offset] else 0
    if kind == TRUTH_LINEAR:
        return 1 if amount(relation, a) == 0 else 0
    for t in range(first, first + number):  # TRUTH_OR
        if term_value(t, terms, pending) != 0:
            return 1
    return 0


@inner_kernel
def table_mismatches(c: int, deep: Any) -> Any:
    """Return the violation of table ``c`` for the pending values of its terms.

    It is the least number of terms that differ from a row (the number of terms plus 1 if no rows).
    """
    first = deep.tables[4 * c]
    number = deep.tables[4 * c + 1]
    offset = deep.tables[4 * c + 2]
    end = offset + deep.tables[4 * c + 3] * number
    best = number + 1
    for row in range(offset, end, number):
        wrong = 0
        for q in range(number):
            if deep.data[row + q] != term_value(first + q, deep.terms, deep.pending):
                wrong += 1
                if wrong >= best:
                    break
        best = min(best, wrong)
        if best == 0:
            break
    return best


@inlined
def touch(node: int, change: int, deep: Any) -> None:
    """Add ``change`` of a node to the terms that it is in. ``touched[0]`` counts them."""
    for s in range(deep.node_start[node], deep.node_start[node + 1], 2):
        t = deep.nodes[s]
        if deep.seen[t] == 0:
            deep.seen[t] = 1
            deep.touched[0] += 1
            deep.touched[deep.touched[0]] = t
        deep.pending[t] += deep.nodes[s + 1] * change


@inner_kernel
def propagate(i: int, di: int, j: int, dj: int, n: int, deep: Any) -> None:
    """Collect the pending changes when ``i`` changes by ``di`` and ``j`` (if not -1) by ``dj``."""
    reach = deep.reach
    deep.touched[0] = 0
    touch(i, di, deep)
    p = deep.reach_start[i]
    end_p = deep.reach_start[i + 1]
    r = 0
    end_r = 0
    if j >= 0:
        touch(j, dj, deep)
        r = deep.reach_start[j]
        end_r = deep.reach_start[j + 1]
    while p < end_p or r < end_r:
        if p < end_p and (r >= end_r or reach[p] <= reach[r]):
            d = reach[p]
            if r < end_r and reach[r] == d:
                r += 1
            p += 1
        else:
            d = reach[r]
            r += 1
        new = define(d, deep.definitions, deep.terms, deep.pending, deep.data)
        if new != deep.value[d]:
            touch(n + d, new - deep.value[d], deep)


@inlined
def is_owned(t: int, deep: Any) -> Any:
    """Say whether a term changes, and is one of a constraint rather than of a definition."""
    return deep.pending[t] != 0 and deep.terms[t * T_WIDTH + 1] != OWNER_DEFINITION


@inlined
def try_change(t: int, deep: Any, arena: Ints, measure: int) -> Any:
    """Tell the constraint of term ``t`` its pending change; return the change of weighted violation.

    That of a table is known only once all its terms have their values: it is marked.
    """
    f = t * T_WIDTH
    owner = deep.terms[f + 1]
    c = deep.terms[f + 2]
    w = arena[arena[parts.WEIGHT] + c]
    if owner == OWNER_ALL_DIFFERENT:
        k = arena[parts.COUNT] + deep.terms[f + 3] + deep.terms[f]
        new = k + deep.pending[t]
        arena[k] -= 1
        step = arena[new] - arena[k] if measure == 1 else (arena[new] > 0) + 0 - (arena[k] > 0)
        arena[new] += 1
        return step * w
    if owner == OWNER_TABLE:
        deep.stale[c] = 1
        return 0
    here = arena[parts.ACTIVITY] + c
    before = violation(deep.kinds[c], arena[here])
    arena[here] += activity_change(owner, deep.terms[f], deep.pending[t], deep.terms[f + 3])
    return (violation(deep.kinds[c], arena[here]) - before) * w


@inlined
def take_back(t: int, deep: Any, arena: Ints) -> Any:
    """Undo `try_change`; return the change of weighted violation of a table that is marked, else 0."""
    f = t * T_WIDTH
    owner = deep.terms[f + 1]
    c = deep.terms[f + 2]
    if owner == OWNER_ALL_DIFFERENT:
        k = arena[parts.COUNT] + deep.terms[f + 3] + deep.terms[f]
        arena[k + deep.pending[t]] -= 1
        arena[k] += 1
    elif owner == OWNER_TABLE:
        if deep.stale[c] != 0:
            deep.stale[c] = 0
            change = table_mismatches(c, deep) - arena[arena[parts.ACTIVITY] + c]
            return change * arena[arena[parts.WEIGHT] + c]
    else:
        change = activity_change(owner, deep.terms[f], deep.pending[t], deep.terms[f + 3])
        arena[arena[parts.ACTIVITY] + c] -= change
    return 0


@inner_kernel
def deep_delta(deep: Any, arena: Ints, measure: int) -> Any:
    """Return the change of weighted violation of the pending changes, and forget them."""
    total = 0
    size = deep.touched[0]
    for q in range(1, size + 1):
        t = deep.touched[q]
        if is_owned(t, deep):
            total += try_change(t, deep, arena, measure)
    for q in range(size, 0, -1):
        t = deep.touched[q]
        if is_owned(t, deep):
            total += take_back(t, deep, arena)
    for q in range(1, size + 1):
        deep.pending[deep.touched[q]] = 0
        deep.seen[deep.touched[q]] = 0
    return total


@inner_kernel
def activity_change(owner: int, old: int, change: int, base: int) -> Any:
    """Return by how much a term of value ``old`` changes its constraint's activity."""
    if owner == OWNER_LINEAR:
        return change
    if owner == OWNER_CLAUSE:
        return (old + change != 0) + 0 - (old != 0)
    step = (old + change == base) + 0 - (old == base)
    return step if owner == OWNER_COUNT else -step


# ---- moves of the deep layer: evaluation of whole candidate lists, and application on acceptance ------


@inner_kernel
def deep_deltas(
    v: int, candidates: Ints, size: int, swap: bool, out: Ints, deep: Any, core: Any, measure: int
) -> None:
    """Add to ``out[q]`` the change of weighted violation by each candidate move of ``v``.

    ``candidates`` are variables to swap with (``swap``) or values to take.
    """
    x = core.x
    for q in range(size):
        j = candidates[q] if swap else -1
        d = (x[j] if swap else candidates[q]) - x[v]
        if d != 0:
            codes.propagate(v, d, j, -d, x.shape[0], deep)
            out[q] += codes.deep_delta(deep, core.arena, measure)


@inner_kernel
def commit_definitions(v: int, deep: Any) -> None:
    """Set the values of the definitions that ``v`` reaches from the pending changes."""
    for p in range(deep.reach_start[v], deep.reach_start[v + 1]):
        d = deep.reach[p]
        deep.value[d] = codes.define(d, deep.definitions, deep.terms, deep.pending, deep.data)


@inlined
def apply_activity(c: int, activity: int, deep: Any, arena: Ints) -> Any:
    """Give constraint ``c`` its new activity, mark its variables; return the change of weighted violation."""
    here = arena[parts.ACTIVITY] + c
    before = codes.violation(deep.kinds[c], arena[here])
    arena[here] = activity
    change = (codes.violation(deep.kinds[c], activity) - before) * arena[arena[parts.WEIGHT] + c]
    mark_scope(c, change, arena)
    return change


@inlined
def apply_term(t: int, step: int, deep: Any, arena: Ints, measure: int) -> Any:
    """Add ``step`` to term ``t`` and tell its constraint; return the change of weighted violation."""
    f = t * codes.T_WIDTH
    owner = deep.terms[f + 1]
    c = deep.terms[f + 2]
    old = deep.terms[f]
    here = arena[parts.ACTIVITY] + c
    deep.terms[f] = old + step
    if step == 0 or owner == codes.OWNER_DEFINITION:
        return 0
    if owner == codes.OWNER_TABLE:
        deep.stale[c] = 1
        return 0
    if owner == codes.OWNER_ALL_DIFFERENT:
        k = deep.terms[f + 3] + old
        w = arena[arena[parts.WEIGHT] + c]
        change = move_term(t, k, k + step, w, deep.support_start, deep.support, deep.supports, arena, measure)
        arena[here] += change
        return change * w
    return apply_activity(
        c, arena[here] + codes.activity_change(owner, old, step, deep.terms[f + 3]), deep, arena
    )


@inner_kernel
def deep_apply(v: int, old: int, new: int, deep: Any, core: Any, measure: int) -> Any:
    """Change ``v`` from ``old`` to ``new`` in this layer; return the change of weighted violation."""
    codes.propagate(v, new - old, -1, 0, core.x.shape[0], deep)
    commit_definitions(v, deep)
    total = 0
    size = deep.touched[0]
    for q in range(1, size + 1):
        t = deep.touched[q]
        step = deep.pending[t]
        deep.pending[t] = 0
        deep.seen[t] = 0
        total += apply_term(t, step, deep, core.arena, measure)
    for q in range(1, size + 1):
        c = deep.terms[deep.touched[q] * codes.T_WIDTH + 2]
        if deep.terms[deep.touched[q] * codes.T_WIDTH + 1] == codes.OWNER_TABLE and deep.stale[c] != 0:
            deep.stale[c] = 0
            total += apply_activity(c, codes.table_mismatches(c, deep), deep, core.arena)
    return total
