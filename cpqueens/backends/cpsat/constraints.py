"""Constraints and definitions in the form of CP-SAT: one small function per kind and context."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from cpqueens.backends.cpsat.writer import NativeWriter, Row, joined
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.constraints.table_rows import has_stars
from cpqueens.language.defined_functions import Element
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.domains import may_equal
from cpqueens.language.expressions import LinearArray
from cpqueens.language.ranges import Columns
from cpqueens.language.rows import IntArray, distinct, least

# ---- constraints in the plain context ------------------------------------------------------------------


def _linear(writer: NativeWriter, constraint: Any) -> None:
    _relations(writer, constraint.expression, constraint.relation)


def _relations(
    writer: NativeWriter, terms: LinearArray, relation: str, enforce: IntArray | None = None
) -> None:
    """Write an array of relations, all rows with equally many variables in one go.

    ``enforce`` are CP-SAT's literals, (rows, literals), under which each holds.
    """
    e = terms.reshape(-1)
    present = e.coefficients != 0
    if present.all():  # most have equally many each
        writer.rows(writer.positions[e.variables], e.coefficients, e.constants, relation, enforce)
        return
    widths = present.sum(axis=1)
    for width in distinct(widths).tolist():
        mine = widths == width
        chosen = present[mine]
        variables = writer.positions[e.variables[mine][chosen]].reshape(int(mine.sum()), width)
        coefficients = e.coefficients[mine][chosen].reshape(len(variables), width)
        under = None if enforce is None else enforce[mine]
        writer.rows(variables, coefficients, e.constants[mine], relation, under)


def _connective(writer: NativeWriter, constraint: Any) -> None:
    writer.booleans(f"bool_{constraint.kind.lower()}", _literals(writer, constraint))


def _literals(writer: NativeWriter, constraint: Any) -> IntArray:
    """Return CP-SAT's literals of a connective, (size, literals)."""
    return writer.literal_array(constraint.literals).reshape(constraint.size, constraint.literals.shape[-1])


def _all_different(writer: NativeWriter, constraint: Any) -> None:
    if constraint.listed is None:
        writer.expressions("all_diff", constraint.terms)
    else:
        writer.variables("all_diff", constraint.listed[1])


def _table(writer: NativeWriter, constraint: Any) -> None:
    if not len(constraint.rows):
        writer.boolean("bool_or", [])
    elif constraint.terms.size:
        negated = constraint.kind == "NegativeTable"
        writer.table(constraint.terms, constraint.rows.reshape(-1).tolist(), negated)


def _inverse(writer: NativeWriter, constraint: Any) -> None:
    first, second = (writer.names(side.variables[:, 0].tolist()) for side in constraint.arguments)
    writer.parts.append(f"constraints{{inverse{{f_direct:[{first}]f_inverse:[{second}]}}}}")


def _circuit(writer: NativeWriter, constraint: Any) -> None:
    """Write the arcs that may be, each with the literal that its tail has that successor."""
    rows = list(constraint.successor.rows())
    possible = may_equal(constraint.successor, np.arange(len(rows)))
    if constraint.kind == "Circuit" and constraint.depots:
        _routes(writer, rows, possible, constraint.depots)
        return
    if constraint.kind == "Circuit" and len(rows) > 1:
        np.fill_diagonal(possible, False)
    groups: dict[int, list[dict[int, int]]] = {}  # by each of their variables
    for group in _groups(writer) if any(len(row[0]) > 1 for row in rows) else ():
        for v in group:
            groups.setdefault(v, []).append(group)
    chosen = [_literals_of(writer, row, groups.get(row[0][0], []) if row[0] else []) for row in rows]
    for i, known in enumerate(chosen):
        possible[i] &= [not known or j in known for j in range(len(rows))]
    if not (possible.any(axis=0) & possible.any(axis=1)).all():  # CP-SAT knows only nodes that have arcs
        writer.boolean("bool_or", [])
        return
    arcs = np.argwhere(possible).tolist()
    leads = [
        chosen[i][j] if chosen[i] else writer.truth((*rows[i][:2], rows[i][2] - j), "==") for i, j in arcs
    ]
    tails, heads = (joined(side) for side in np.array(arcs).reshape(-1, 2).T.tolist())
    writer.parts.append(f"constraints{{circuit{{tails:[{tails}]heads:[{heads}]literals:[{joined(leads)}]}}}}")


def _groups(writer: NativeWriter) -> list[dict[int, int]]:
    """Return the groups of Booleans of which exactly one counts: 1 if it does where true, -1 where false."""
    lower, upper = writer.store.lower, writer.store.upper
    return [
        dict(zip(variables, signs, strict=True))
        for stated in writer.stated
        if isinstance(stated, Linear) and stated.relation == "=="
        for variables, signs, constant in stated.expression.rows()
        if constant == signs.count(-1) - 1 and {*signs} <= {1, -1}
        if all(lower[v] == 0 and upper[v] == 1 for v in variables)
    ]


def _literals_of(writer: NativeWriter, row: Row, groups: list[dict[int, int]]) -> dict[int, int]:
    """Return the literal for each value of a term over one group, as successors are in models of arcs.

    Nothing is returned for other terms, and where two literals stand for one value.
    """
    factors = dict(zip(*row[:2], strict=True))
    for group in groups:
        if factors.keys() <= group.keys():
            rest = row[2] + sum(factors.get(v, 0) for v, sign in group.items() if sign < 0)  # none counts
            values = {rest + sign * factors.get(v, 0): v for v, sign in group.items()}
            if len(values) == len(group):
                return {
                    k: writer.index[v] if group[v] > 0 else -writer.index[v] - 1 for k, v in values.items()
                }
    return {}


def _routes(writer: NativeWriter, rows: Any, possible: Any, depots: tuple[int, ...]) -> None:
    """Write arcs of which all depots are node 0, and that both ends of an arc are on the tour of one depot.

    A depot's arc to itself is none: nothing else may lead there then, since what does is on its tour.
    """
    place = {node: k for k, node in enumerate(depots)}
    others = [node for node in range(len(rows)) if node not in place]
    for k, node in enumerate(others, 1):
        possible[node, node], place[node] = False, k
    possible[np.ix_(depots, depots)] &= np.eye(len(depots), dtype=bool)
    tour = {node: writer.new_variable(0, len(depots) - 1) for node in others}
    tails, heads, literals = [], [], []
    for i, row in enumerate(rows):
        leads = np.flatnonzero(possible[i]).tolist()
        mine = [writer.truth((*row[:2], row[2] - j), "==") for j in leads]
        writer.boolean("exactly_one", mine)
        for j, literal in zip(leads, mine, strict=True):
            if i == j:
                continue
            tails.append(0 if i in depots else place[i])
            heads.append(0 if j in depots else place[j])
            literals.append(literal)
            ends = [tour[node] for node in (i, j) if node in tour]
            known = [place[node] for node in (i, j) if node in depots]
            signs = [1, -1][: len(ends)]
            writer.raw_linear(joined(ends), signs, -sum(known), "==", literal)
    everywhere = set(range(len(others) + 1))
    if others and not set(tails) == set(heads) == everywhere:  # CP-SAT knows only nodes that have arcs
        writer.boolean("bool_or", [])
    elif others:
        sides = (joined(side) for side in (tails, heads, literals))
        writer.parts.append("constraints{{routes{{tails:[{}]heads:[{}]literals:[{}]}}}}".format(*sides))


def _no_overlap(writer: NativeWriter, constraint: Any) -> None:
    kept = constraint.present.bounds()[1].nonzero()[0]
    sides = [_intervals(writer, constraint, kept, *names) for names in constraint.dimensions]
    if constraint.kind == "NoOverlap":
        writer.another("no_overlap.intervals", sides[0])
    else:
        inner = f"x_intervals:[{joined(sides[0])}]y_intervals:[{joined(sides[1])}]"
        writer.parts.append(f"constraints{{no_overlap_2d{{{inner}}}}}")


def _cumulative(writer: NativeWriter, constraint: Any) -> None:
    kept = constraint.present.bounds()[1].nonzero()[0]
    places = _intervals(writer, constraint, kept, "start", "duration")
    demand, (limit,) = constraint.demand._pick(kept), constraint.capacity.rows()
    demands = [f"demands{{{writer.affine(row)}}}" for row in demand.rows()]
    if limit[0] and demand.coefficients.any():
        # OR-Tools 9.15 loses solutions where both vary (tests/backends/test_cpsat.py): a task that lasts all
        # the time demands what the capacity is below its largest value.
        first = int(constraint.start.bounds()[0].min())
        end = max(first + 1, int((constraint.start + constraint.duration).bounds()[1].max()))
        most = max(0, writer.bounds(limit)[1])
        places.append(writer.interval(([], [], first), ([], [], end - first), ([], [], end), ([], [], 1)))
        demands.append(f"demands{{{writer.affine((limit[0], [-a for a in limit[1]], most - limit[2]))}}}")
        limit = [], [], most
    inner = f"capacity{{{writer.affine(limit)}}}intervals:[{joined(places)}]{''.join(demands)}"
    writer.parts.append(f"constraints{{cumulative{{{inner}}}}}")


def _intervals(writer: NativeWriter, constraint: Any, kept: IntArray, origin: str, size: str) -> list[int]:
    """Return the places of intervals with the given fields as their starts and sizes."""
    sides = [getattr(constraint, name) for name in (origin, size, "present")]
    start, length, present = sides if len(kept) == sides[0].size else [side._pick(kept) for side in sides]
    if start.width == 1 and start.coefficients.all() and not (length.width or present.width):
        return writer.plain_intervals(start, length.constants)
    columns = (start, length, start + length, present)
    return [writer.interval(*rows) for rows in zip(*(a.rows() for a in columns), strict=True)]


def _regular(writer: NativeWriter, constraint: Any) -> None:
    arcs, start, accepting, _ = constraint.numbered()
    tails, labels, heads = (joined(column) for column in arcs.T.tolist())
    ends = f"starting_state:{start} final_states:[{joined(accepting.tolist())}]"
    steps = f"transition_tail:[{tails}]transition_label:[{labels}]transition_head:[{heads}]"
    writer.expressions("automaton", constraint.terms, ends + steps)


PLAIN: dict[str, Callable[[NativeWriter, Any], None]] = {
    "AllDifferent": _all_different,
    "Circuit": _circuit,
    "Cumulative": _cumulative,
    "Inverse": _inverse,
    "Linear": _linear,
    "NegativeTable": _table,
    "NoOverlap": _no_overlap,
    "NoOverlap2D": _no_overlap,
    "Or": _connective,
    "Regular": _regular,
    "SubCircuit": _circuit,
    "Table": _table,
    "Xor": _connective,
}


# ---- constraints, or their negations, under literals ---------------------------------------------------


def _linear_under(writer: NativeWriter, constraint: Any, negated: bool, literals: IntArray) -> None:
    relation = OPPOSITE[constraint.relation] if negated else constraint.relation
    _relations(writer, constraint.expression, relation, literals)


def _connective_under(writer: NativeWriter, constraint: Any, negated: bool, literals: IntArray) -> None:
    own = _literals(writer, constraint)
    conjunction = (constraint.kind == "And") != negated
    writer.booleans("bool_and" if conjunction else "bool_or", -own - 1 if negated else own, literals)


UNDER: dict[str, Callable[[NativeWriter, Any, bool, IntArray], None]] = {
    "And": _connective_under,
    "Linear": _linear_under,
    "Or": _connective_under,
}
"""Write each element, or its negation, where CP-SAT's literals hold, (elements, literals)."""


# ---- what is supported ---------------------------------------------------------------------------------


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether CP-SAT takes the constraint as it is in this context."""
    if context != "plain":
        return constraint.kind in UNDER
    only_if = ONLY_IF.get(constraint.kind)
    return constraint.kind in PLAIN and (only_if is None or only_if(constraint))


def _listed(constraint: Any) -> bool:
    # OR-Tools 9.15 loses solutions of others, see test_historic
    return _fits_32_bits(constraint.arguments[0])


def _never_negative(*fields: str) -> Callable[[Any], bool]:
    return lambda c: all(int(least(getattr(c, name).bounds()[0], initial=0)) >= 0 for name in fields)


def _may_vanish(boxes: Any) -> bool:
    """Say whether boxes may be absent, and some may have no area: OR-Tools 9.15 loses solutions of such."""
    sizes = (*boxes.dx.bounds()[0], *boxes.dy.bounds()[0])
    return bool((boxes.present.bounds()[0] == 0).any()) and min(sizes, default=1) == 0


ONLY_IF: dict[str, Callable[[Any], bool]] = {
    "Cumulative": _never_negative("duration", "demand"),
    "Inverse": lambda c: all(side.are_variables for side in c.arguments),
    "NegativeTable": lambda c: bool(c.rows.size) and not has_stars(c.rows) and _listed(c),
    "NoOverlap": lambda c: not c.has_setup and _never_negative("duration")(c),
    "NoOverlap2D": lambda c: _never_negative("dx", "dy")(c) and not _may_vanish(c),
    "Regular": lambda c: bool(c.terms.size) and c.deterministic and _listed(c),
    "Table": _listed,
}
"""When CP-SAT takes a plain constraint of a kind, if not always."""


def _fits_32_bits(array: LinearArray) -> bool:
    scope = array.scope()
    ends = (array.registry.lower[scope], array.registry.upper[scope], *array.bounds())
    return all(int(np.abs(end).max(initial=0)) < 2**31 for end in ends)


# ---- definitions: the functions and truths that other variables stand for -------------------------------


def write_definition(writer: NativeWriter, definition: Definition) -> None:
    """Write what a block of defined variables stands for."""
    if isinstance(definition, Truth):
        literals = writer.positions[definition.results][:, None]
        for negated in (False, True):  # the negated constraint holds where the truth does not
            write = UNDER[definition.constraint.kind]
            write(writer, definition.constraint, negated, -literals - 1 if negated else literals)
    elif definition.kind in BLOCKS:
        BLOCKS[definition.kind](writer, definition)
    else:
        _functions(writer, definition)


def write_encodings(writer: NativeWriter, truths: Iterable[Any]) -> None:
    """Write that a variable has exactly one of its values, where each of them has a literal.

    It follows from what the literals stand for, but CP-SAT does not see it in its clauses and its relaxation.
    """
    literals = dict[int, dict[int, int]]()
    for constraint, results in ((truth.constraint, truth.results) for truth in truths):
        is_value = isinstance(constraint, Linear) and constraint.relation in ("==", "!=")
        if not is_value or constraint.expression.width != 1:
            continue
        e, places = constraint.expression, writer.positions[results]
        own = places if constraint.relation == "==" else -places - 1
        columns = (column.tolist() for column in (e.variables[:, 0], e.coefficients[:, 0], e.constants, own))
        for v, a, c, literal in zip(*columns, strict=True):
            if a and c % a == 0:
                literals.setdefault(v, {}).setdefault(-c // a, literal)
    store = writer.store
    for v, known in literals.items():
        low, high = store.lower.item(v), min(store.upper.item(v), store.lower.item(v) + len(known))
        values = store.domains[v].tolist() if v in store.domains else range(low, high + 1)
        if len(values) > 2 and known.keys() >= {*values}:
            writer.another("exactly_one.literals", [known[value] for value in values])


# ---- total functions, a block at a time ----------------------------------------------------------------


def _functions(writer: NativeWriter, definition: Definition) -> None:
    """Write a block of functions, in one go if no term is padded and CP-SAT takes terms so wide."""
    name, sign, terms = DEFINED[definition.kind]
    arguments = definition.arguments
    writer.extremes |= name == "lin_max"
    if all(a.coefficients.all() and (a.width < 2 or name == "lin_max") for a in arguments):
        columns = terms([(a.variables, a.coefficients, a.constants) for a in arguments])
        writer.functions(name, writer.positions[definition.results], sign, columns)
        return
    rows = zip(*(list(a.rows()) for a in arguments), strict=True)
    for result, row in zip(definition.results.tolist(), rows, strict=True):
        parts = terms([(np.array(v), np.array(a), np.array(c)) for v, a, c in row])
        lists: Iterable[Row] = ((v.tolist(), a.tolist(), c.item()) for v, a, c in parts)
        writer.function(name, writer.index[result], sign, writer.affines(lists))


def _negated(term: Columns) -> Columns:
    return term[0], -term[1], -term[2]


DEFINED: dict[str, tuple[str, int, Callable[[list[Columns]], list[Columns]]]] = {
    "abs": ("lin_max", 1, lambda terms: [terms[0], _negated(terms[0])]),
    "maximum": ("lin_max", 1, list),
    "minimum": ("lin_max", -1, lambda terms: [_negated(term) for term in terms]),
    "product": ("int_prod", 1, list),
}
"""From kind to CP-SAT's function: its name, the sign of the result, and its terms."""


# ---- partial functions, a result at a time ------------------------------------------------------------


def _division(writer: NativeWriter, definition: Definition) -> None:
    floored, wants_quotient = _DIVISIONS[definition.kind]
    results = [writer.index[v] for v in definition.results.tolist()]
    rows = zip(*(a.rows() for a in definition.arguments), strict=True)
    for result, arguments, partial in zip(results, rows, definition.partial().tolist(), strict=True):
        nonzero = writer.truth(arguments[1], "!=") if partial else None
        quotient, remainder = (result, None) if wants_quotient else (None, result)
        _divide(writer, list(arguments), floored, quotient, remainder, nonzero)


_DIVISIONS = {
    "quotient": (True, True),
    "quotient_truncated": (False, True),
    "remainder": (True, False),
    "remainder_truncated": (False, False),
}
"""From kind to whether it rounds down (else towards 0), and whether it is the quotient (or the remainder)."""


def _divide(
    writer: NativeWriter,
    rows: list[Row],
    floored: bool,
    quotient: int | None,
    remainder: int | None,
    nonzero: int | None,
) -> None:
    """Write ``x = d*q + r`` with ``r`` smaller than ``d`` and of the right sign, for the given results.

    ``quotient`` and ``remainder`` are CP-SAT indices; the one not given becomes an auxiliary variable. Where
    the literal ``nonzero`` is false (None: nowhere), ``d`` is 0, both results are 0 and ``x`` is free.
    """
    (x_low, x_high), (d_low, d_high) = writer.bounds(rows[0]), writer.bounds(rows[1])
    farthest = max(abs(x_low), abs(x_high))
    most = max(abs(d_low), abs(d_high)) - 1
    least = max(d_low, -d_high, 1)  # the smallest size of the divisor
    if quotient is None:
        quotient = writer.new_variable(-farthest // least - 1, farthest // least + 1)
    if remainder is None:
        remainder = writer.new_variable(-max(most, 0), max(most, 0))
    if not rows[1][0]:
        product, size = quotient, -rows[1][2]
    else:
        size = -1
        reach = farthest + max(most, 0)  # d*q is x - r
        product = writer.new_variable(-reach, reach)
        inner = f"exprs{{vars:{quotient} coeffs:1}}exprs{{{writer.affine(rows[1])}}}"
        writer.function("int_prod", product, 1, inner)
    names = writer.names(rows[0][0], product, remainder)
    writer.raw_linear(names, [*rows[0][1], size, -1], rows[0][2], "==", nonzero)
    if nonzero is not None:
        for result in (quotient, remainder):
            writer.raw_linear(str(result), [1], 0, "==", -nonzero - 1)
    _limit_remainder(writer, rows[0] if not floored else None, rows[1], remainder)


def _limit_remainder(writer: NativeWriter, signed: Row | None, divisor: Row, remainder: int) -> None:
    """Bound the remainder by the divisor; its sign is that of ``signed``, or of the divisor if None."""
    names = joined([remainder, *(writer.index[v] for v in divisor[0])])
    for sign, enforce in _signs(writer, divisor, 1):
        if signed is None:  # 0 <= sign*r < |d|
            writer.raw_linear(str(remainder), [sign], 0, ">=", enforce)
        for way in (sign,) if signed is None else (1, -1):
            numbers = [way, *[-sign * a for a in divisor[1]]]
            writer.raw_linear(names, numbers, -sign * divisor[2], "<", enforce)
    for sign, enforce in () if signed is None else _signs(writer, signed, 0):
        writer.raw_linear(str(remainder), [sign], 0, ">=", enforce)


def _signs(writer: NativeWriter, row: Row, least: int) -> Iterator[tuple[int, int | None]]:
    """Yield each sign for which ``sign * row >= least`` can be, and the literal, None if it is certain."""
    low, high = writer.bounds(row)
    for sign, nearest, farthest in ((1, low, high), (-1, -high, -low)):
        if farthest >= least:
            yield sign, None if nearest >= least else _sign_literal(writer, row, sign, least)


def _sign_literal(writer: NativeWriter, row: Row, sign: int, least: int) -> int:
    """Return a literal that is true exactly where ``sign * row >= least``."""
    return writer.truth((row[0], [sign * a for a in row[1]], sign * row[2] - least), ">=")


def _element(writer: NativeWriter, definition: Definition) -> None:
    assert isinstance(definition, Element)
    table, many = definition.table, definition.entries
    written = writer.tables(table)
    columns = (a.tolist() for a in (definition.results, definition.which, definition.partial()))
    for row, result, which, partial in zip(definition.position.rows(), *columns, strict=True):
        inside = _inside_literal(writer, row, many) if partial else None
        place, target = None, writer.index[result]
        if inside is not None:  # outside, CP-SAT's own position is 0, and so is the result
            place = _where(writer, row, many - 1, inside), 1, 0
            low, high = (ends.reshape(-1, many)[which] for ends in table.bounds())
            target = writer.new_variable(int(low.min()), int(high.max()))
            writer.raw_linear(f"{writer.index[result]},{target}", [1, -1], 0, "==", inside)
            writer.raw_linear(str(writer.index[result]), [1], 0, "==", -inside - 1)
        writer.element(place or writer.place(row, written[which]), written[which], target)


def _inside_literal(writer: NativeWriter, position: Row, entries: int) -> int | None:
    """Return a literal that is true exactly where a position is in the table, None if it always is."""
    low, high = writer.bounds(position)
    sides = ((low < 0, 1, 0), (high >= entries, -1, 1 - entries))
    ends = [_sign_literal(writer, position, sign, least) for is_open, sign, least in sides if is_open]
    if len(ends) < 2:
        return ends[0] if ends else None
    literal = writer.new_variable(0, 1)
    writer.boolean("bool_and", ends, literal)
    writer.boolean("bool_or", [-k - 1 for k in ends], -literal - 1)
    return literal


def _where(writer: NativeWriter, position: Row, last: int, inside: int) -> int:
    """Return a variable in 0..last: the position where it is inside, else 0."""
    safe = writer.new_variable(0, last)
    writer.raw_linear(writer.names(position[0], safe), [*position[1], -1], position[2], "==", inside)
    writer.raw_linear(str(safe), [1], 0, "==", -inside - 1)
    return safe


BLOCKS: dict[str, Callable[[NativeWriter, Definition], None]] = {
    "element": _element,
    **dict.fromkeys(_DIVISIONS, _division),
}
"""The partial functions, which are written a block at a time."""
