"""Models of CP-SAT (OR-Tools) as models of cpqueens, read from the protocol buffer one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.exchange.origin import Domain, Imported, declared
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.circuit import Inverse, SubCircuit
from cpqueens.language.constraints.connective import Xor
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap, NoOverlap2D
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import NegativeTable, Table
from cpqueens.language.functions import all_, any_, div_trunc, element, maximum, mod_trunc
from cpqueens.language.term import Term
from cpqueens.model import Model
from cpqueens.system.requirements import need
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.plaintext import one_line

_LISTED = 10**5
"""Values up to which a domain with gaps is listed; in larger ones the gaps are constraints."""


@explaining_keywords
def from_cpsat(model: Any) -> Imported:
    """Import a CP-SAT model, with the names of its variables and constraints.

    Hints, search strategies and symmetries are ignored; assumptions become constraints. CP-SAT's variables
    hold no values: `write_back` asks CP-SAT whether it accepts them.

    >>> from ortools.sat.python import cp_model
    >>> from cpqueens import from_cpsat
    >>> theirs = cp_model.CpModel()
    >>> x, y = theirs.new_int_var(0, 9, "x"), theirs.new_int_var(0, 9, "y")
    >>> _ = theirs.add_multiplication_equality(12, x, y)
    >>> ours = from_cpsat(theirs)
    >>> ours.model.count(), ours.write_back(ours.model.solve())
    (4, {'x': 2, 'y': 6})

    Parameters
    ----------
    model
        An ``ortools.sat.python.cp_model.CpModel``, or its protocol buffer. It is not changed. Variables
        without a name are called ``#`` and their index.

    Raises
    ------
    MissingLibrary
        If OR-Tools is not installed.
    ModelError
        If it is not such a model, CP-SAT calls it invalid, or its objective is not integral.

    Examples
    --------
    """
    native = _native(model)
    proto = native.proto
    variables = [_domain(v.domain) for v in proto.variables]
    names = _names([v.name for v in proto.variables])
    ours = Model(proto.name if proto.name.isprintable() and proto.name else "from CP-SAT")
    terms = declared(ours, {name: _listed(d) for name, d in zip(names, variables, strict=True)})
    reader = _ProtoReader(ours, list(terms.values()), proto.constraints)
    for term, domain in zip(reader.terms, variables, strict=True):
        if _listed(domain) == (domain[0][0], domain[-1][1]):
            ours.add(reader.within(term, domain))
    for constraint in proto.constraints:
        label = constraint.name if constraint.name.isprintable() and len(constraint.name) <= 1000 else None
        for truth in reader.read(constraint):
            ours.add(truth, name=label or None)
    ours.add([reader.literal(k) for k in proto.assumptions])
    _set_objective(ours, reader, proto)
    return Imported(ours, terms, lambda values: _refused(native, values))


def _native(model: Any) -> Any:
    """Return a copy of a model or a protocol buffer as a `CpModel`."""
    cp_model = need("ortools", "ortools.sat.python.cp_model")
    proto = getattr(model, "proto", model)
    if type(proto).__name__ != "CpModelProto":
        raise ModelError(
            f"from_cpsat: a CpModel or its protocol buffer is needed, got {type(model).__name__}"
        )
    native = cp_model.CpModel()
    if isinstance(proto, type(native.proto)):
        native.proto.copy_from(proto)
    else:  # of the class that protoc generates: both have the same text
        native.proto.parse_text_format(str(proto))
    wrong = native.validate().strip()
    if wrong:
        raise ModelError(f"from_cpsat: CP-SAT refuses the model: {one_line(wrong)[:200]}")
    if native.proto.has_floating_point_objective():
        raise ModelError("from_cpsat: an objective with fractions; multiply it to have integers")
    return native


def _refused(native: Any, values: Mapping[str, int]) -> list[str]:
    """Return that CP-SAT refuses values, if it does, in a list."""
    from ortools.sat.python import cp_model

    fixed = native.clone()
    fixed.clear_objective()
    for variable, value in zip(fixed.proto.variables, values.values(), strict=True):
        domain = cp_model.Domain.from_flat_intervals(list(variable.domain))
        if not domain.contains(value):
            return [f"{variable.name} = {value} is not in its domain"]
        variable.domain.clear()
        variable.domain.extend([value, value])
    solver = cp_model.CpSolver()
    solver.parameters.cp_model_presolve = False  # 9.15 takes routes that skip all nodes for infeasible in it
    status = solver.solve(fixed)
    return [] if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else ["CP-SAT finds them infeasible"]


def _set_objective(model: Model, reader: _ProtoReader, proto: Any) -> None:
    """Set the objective: CP-SAT minimises ``sum + offset`` and shows it times a factor, -1 for a maximum."""
    if not proto.has_objective():
        return
    goal = proto.objective
    factor, offset = goal.scaling_factor or 1.0, goal.offset
    if factor != int(factor) or offset != int(offset):
        raise ModelError(f"from_cpsat: an objective with fractions, {factor} * (... + {offset})")
    total = reader.sum(goal.vars, goal.coeffs)
    if len(goal.domain):
        model.add(reader.within(total, _domain(goal.domain)))
    value = int(factor) * (total + int(offset))
    (model.minimize if factor > 0 else model.maximize)(value)


# ---- names and domains -----------------------------------------------------------------------------------

Pairs = list[tuple[int, int]]
"""The closed intervals of a domain."""


def _domain(flat: Sequence[int]) -> Pairs:
    ends = list(flat)
    return list(zip(ends[::2], ends[1::2], strict=True))


def _listed(domain: Pairs) -> Domain:
    """Return a domain as its values if it has gaps and they are few enough, else as its ends."""
    if len(domain) > 1 and sum(high - low + 1 for low, high in domain) <= _LISTED:
        return [value for low, high in domain for value in range(low, high + 1)]
    return domain[0][0], domain[-1][1]


def _names(given: Sequence[str]) -> list[str]:
    """Return a name of its own for each variable: its index where it has none, or had it not alone."""
    seen: dict[str, int] = {}
    for name in given:
        seen[name] = seen.get(name, 0) + 1
    return [name if name and seen[name] == 1 else f"#{k}" for k, name in enumerate(given)]


# ---- constraints -----------------------------------------------------------------------------------------


class _ProtoReader:
    """Turns constraints of the protocol buffer into ours."""

    def __init__(self, model: Model, terms: Sequence[Any], constraints: Sequence[Any]) -> None:
        self.model, self.terms = model, terms
        self._numbers = [next(term.rows())[0][0] for term in terms]
        self._constraints = constraints

    def read(self, constraint: Any) -> Iterator[Any]:
        """Yield what holds if the constraint does, each part under the literals that enforce it."""
        kind = next((kind for kind in _KINDS if getattr(constraint, f"has_{kind}")()), None)
        if kind is None:  # empty, which is always true
            return
        unless = [self.literal(-k - 1) for k in constraint.enforcement_literal]
        for part in _KINDS[kind](self, getattr(constraint, kind)):
            clause = part if isinstance(part, list) else [part]
            yield any_([*unless, *clause]) if unless or clause is part else part

    # ---- terms ----

    def sum(self, variables: Sequence[int], coefficients: Sequence[int], constant: int = 0) -> Term:
        """Return a linear term; a variable may come several times."""
        total: dict[int, int] = {}
        for v, a in zip(variables, coefficients, strict=True):
            sign, v = (1, v) if v >= 0 else (-1, -v - 1)
            total[v] = total.get(v, 0) + sign * a
        kept = {self._numbers[v]: a for v, a in total.items() if a}
        return Term(self.model, tuple(kept), tuple(kept.values()), constant)

    def term(self, expression: Any) -> Term:
        """Return a linear expression as a term."""
        return self.sum(expression.vars, expression.coeffs, expression.offset)

    def listed(self, holder: Any) -> list[Term]:
        """Return the expressions of a constraint, or the variables that older models have instead."""
        found = [self.term(e) for e in holder.exprs]
        return found or [self.sum([v], [1]) for v in holder.vars]

    def literal(self, reference: int) -> Term:
        """Return a literal as a 0/1 term; ``-k - 1`` is the negation of variable k."""
        return self.sum([reference], [1], int(reference < 0))

    def weighted(self, literals: Sequence[int], weights: Sequence[int]) -> Term:
        """Return a sum of literals times weights."""
        return self.sum(literals, weights, sum(a for k, a in zip(literals, weights, strict=True) if k < 0))

    def total(self, literals: Sequence[int]) -> Term:
        """Return how many literals are true."""
        return self.weighted(literals, [1] * len(literals))

    def within(self, term: Any, domain: Pairs) -> list[Any]:
        """Return that a term is in a domain: between its ends, and in none of its gaps."""
        if not domain:
            return [any_([])]
        low, high = domain[0][0], domain[-1][1]
        if low == high:
            return [term == low]
        least, most = (int(end[0]) for end in term.bounds())
        found = ([term >= low] if least < low else []) + ([term <= high] if most > high else [])
        for (_, before), (after, _) in itertools.pairwise(domain):
            if before + 2 == after:
                found.append(term != before + 1)
            elif before < most and after > least:
                found.append((term <= before) | (term >= after))
        return found

    def spans(self, places: Sequence[int]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return starts and sizes of some intervals, and the truths under which each is there."""
        stated = [self._constraints[place] for place in places]
        starts, sizes = ([self.term(getattr(c.interval, side)) for c in stated] for side in ("start", "size"))
        return starts, sizes, [[self.literal(k) for k in c.enforcement_literal] for c in stated]


Parts = list[Any]
"""What all must hold: truths, and clauses as lists of literals, which stay clauses under others."""


def _linear(reader: _ProtoReader, c: Any) -> Parts:
    return reader.within(reader.sum(c.vars, c.coeffs), _domain(c.domain))


def _function(make: Callable[[list[Any]], Any]) -> Callable[[_ProtoReader, Any], Parts]:
    """Read ``target == function of expressions``."""

    def read(reader: _ProtoReader, c: Any) -> Parts:
        terms = [reader.term(e) for e in c.exprs]
        return [reader.term(c.target) == make(terms)]

    return read


def _largest(terms: list[Any]) -> Any:
    if len(terms) == 2 and (-terms[0]).key() == terms[1].key():
        return abs(terms[0])
    return maximum(*terms) if len(terms) > 1 else terms[0]


def _element(reader: _ProtoReader, c: Any) -> Parts:
    linear = c.has_linear_index()
    index = reader.term(c.linear_index) if linear else reader.sum([c.index], [1])
    target = reader.term(c.linear_target) if linear else reader.sum([c.target], [1])
    terms = reader.listed(c)
    ends = [term.ends() for term in terms]  # numbers may be variables of one value
    plain = [low if low == high else term for term, (low, high, _) in zip(terms, ends, strict=True)]
    return [element(plain, index) == target]


def _successors(reader: _ProtoReader, c: Any, nodes: Sequence[int]) -> tuple[dict[int, Any], Parts]:
    """Return for each node, numbered in their order, the one its arc leads to, and that there is one arc."""
    place = {node: k for k, node in enumerate(nodes)}
    arcs: dict[int, tuple[list[int], list[int]]] = {node: ([], []) for node in nodes}
    for tail, head, literal in zip(c.tails, c.heads, c.literals, strict=True):
        arcs[tail][0].append(literal)
        arcs[tail][1].append(place[head])
    following = {node: reader.weighted(*leaving) for node, leaving in arcs.items()}
    return following, [reader.total(literals) == 1 for literals, _ in arcs.values()]


def _circuit(reader: _ProtoReader, c: Any) -> Parts:
    following, single = _successors(reader, c, sorted({*c.tails, *c.heads}))
    return [*single, SubCircuit(list(following.values()))] if single else []


def _routes(reader: _ProtoReader, c: Any) -> Parts:
    """Read routes from and to node 0: each other node is left once and entered once, and leads there.

    Where arcs lead after 1, 2, 4, ... steps are defined terms, so nothing is added that could vary.
    """
    nodes = sorted({*c.tails, *c.heads})
    if not nodes:
        return []
    arcs = list(zip(c.tails, c.heads, c.literals, strict=True))
    entered: dict[int, list[int]] = {node: [] for node in nodes}
    for _, head, literal in arcs:
        entered[head].append(literal)
    parts = [reader.total(entered[node]) == 1 for node in nodes[1:]]
    following, left = _successors(reader, c, nodes)
    for tail, head, literal in arcs:
        if tail == head:  # skipped: as if it led to node 0
            following[tail] = following[tail] - tail * reader.literal(literal)
    steps = [reader.sum([], []), *(following[node] for node in nodes[1:])]
    for _ in range((len(nodes) - 1).bit_length()):
        steps = [element(steps, step) for step in steps]
    return [*parts, *left[1:], *(step == 0 for step in steps[1:])]


def _table(reader: _ProtoReader, c: Any) -> Parts:
    terms = reader.listed(c)
    if not terms:
        return []
    rows = np.array(list(c.values), dtype=np.int64).reshape(-1, len(terms))
    return [(NegativeTable if c.negated else Table)(terms, rows)]


def _automaton(reader: _ProtoReader, c: Any) -> Parts:
    terms, ends = reader.listed(c), list(c.final_states)
    if not terms:
        return [] if c.starting_state in ends else [any_([])]
    arcs = list(zip(c.transition_tail, c.transition_label, c.transition_head, strict=True))
    return [Regular(terms, arcs, c.starting_state, ends)]


def _inverse(reader: _ProtoReader, c: Any) -> Parts:
    sides = [[reader.sum([v], [1]) for v in side] for side in (c.f_direct, c.f_inverse)]
    return [Inverse(*sides)] if sides[0] else []


def _reservoir(reader: _ProtoReader, c: Any) -> Parts:
    """Read that the level stays between its ends at the time of each event that is active."""
    times, changes = [[reader.term(e) for e in side] for side in (c.time_exprs, c.level_changes)]
    active = [reader.literal(k) for k in c.active_literals] or [reader.sum([], [], 1)] * len(times)
    parts: Parts = []
    for now, here in zip(times, active, strict=True):
        so_far = [all_([there, time <= now]) * 1 for time, there in zip(times, active, strict=True)]
        level = sum(map(math.prod, zip(changes, so_far, strict=True)), reader.sum([], []))
        parts += [any_([1 - here, bound]) for bound in (level >= c.min_level, level <= c.max_level)]
    return parts


def _interval(reader: _ProtoReader, c: Any) -> Parts:
    start, size, end = map(reader.term, (c.start, c.size, c.end))
    return [size >= 0, start + size == end]


def _there(present: list[list[Any]]) -> list[Any]:
    """Return for each interval that it is there; True where it always is."""
    return [all_(truths) if truths else True for truths in present]


def _no_overlap(reader: _ProtoReader, c: Any) -> Parts:
    starts, sizes, present = reader.spans(c.intervals)
    return [NoOverlap(starts, sizes, _there(present))] if starts else []


def _no_overlap_2d(reader: _ProtoReader, c: Any) -> Parts:
    (x, dx, here), (y, dy, there) = map(reader.spans, (c.x_intervals, c.y_intervals))
    both = [all_([*a, *b]) for a, b in zip(here, there, strict=True)]
    return [NoOverlap2D(x, dx, y, dy, both)] if x else []


def _cumulative(reader: _ProtoReader, c: Any) -> Parts:
    (starts, sizes, present), limit = reader.spans(c.intervals), reader.term(c.capacity)
    if not starts:
        return [limit >= 0]
    return [Cumulative(starts, sizes, [reader.term(e) for e in c.demands], limit, _there(present))]


_KINDS: dict[str, Callable[[_ProtoReader, Any], Parts]] = {
    "linear": _linear,
    "bool_or": lambda r, c: [list(map(r.literal, c.literals))],
    "bool_and": lambda r, c: list(map(r.literal, c.literals)),
    "all_diff": lambda r, c: [AllDifferent([r.term(e) for e in c.exprs])] if c.exprs else [],
    "at_most_one": lambda r, c: [r.total(c.literals) <= 1],
    "automaton": _automaton,
    "bool_xor": lambda r, c: [Xor(list(map(r.literal, c.literals))) if c.literals else any_([])],
    "circuit": _circuit,
    "cumulative": _cumulative,
    "element": _element,
    "exactly_one": lambda r, c: [r.total(c.literals) == 1],
    "int_div": _function(lambda terms: div_trunc(*terms)),
    "int_mod": _function(lambda terms: mod_trunc(*terms)),
    "int_prod": _function(math.prod),
    "interval": _interval,
    "inverse": _inverse,
    "lin_max": lambda r, c: _function(_largest)(r, c) if c.exprs else [any_([])],
    "no_overlap": _no_overlap,
    "no_overlap_2d": _no_overlap_2d,
    "reservoir": _reservoir,
    "routes": _routes,
    "table": _table,
}
"""The kinds of constraints by their names in the protocol buffer; the most frequent ones first."""
