"""Writing a lowered model in the text format of CP-SAT's protocol buffer.

OR-Tools parses text faster than Python can fill the fields one by one. Each constraint kind and each
definition is one small function that returns the text of one or more ``constraints { ... }``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.joining import join_linear
from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.constraints.table import Table
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, row_bounds
from cpqueens.language.store import VariableStore
from cpqueens.lowered.lowering import Lowered

LOWEST = -(2**63)
Row = tuple[list[int], list[int], int]
SMALL = 2**30  # up to it the sums of rows are bounded roughly


class Writer:
    """Collects the text of one model; ``index`` maps our variables to CP-SAT's."""

    def __init__(self, store: VariableStore, used: np.typing.NDArray[np.bool_]) -> None:
        self.store = store
        self.parts: list[str] = []
        self.positions = np.cumsum(used) - 1
        self.index: list[int] = self.positions.tolist()
        self.count = int(used.sum())
        span = max((int(np.abs(b).max()) for b in (store.lower, store.upper) if b.size), default=0)
        self.span = span
        self.offset = 0  # of the objective
        self.extremes = False  # whether there is a ``lin_max``
        self.reach = span  # the largest absolute value of any variable and of what any row may sum up to
        self._literals: dict[Any, int] = {}
        self._write_variables(used)

    def _write_variables(self, used: np.typing.NDArray[np.bool_]) -> None:
        store = self.store
        kept = np.flatnonzero(used)
        bounds = zip(store.lower[kept].tolist(), store.upper[kept].tolist(), strict=True)
        self.sizes = np.maximum(np.abs(store.lower[kept]), np.abs(store.upper[kept])).tolist()
        texts = [f"variables{{domain:[{a},{b}]}}" for a, b in bounds]
        for variable, values in store.domains.items():
            if used[variable]:
                texts[self.index[variable]] = f"variables{{domain:[{intervals(values)}]}}"
        self.parts += texts

    # ---- pieces ---------------------------------------------------------------------------------

    def new_variable(self, low: int, high: int) -> int:
        """Add an auxiliary variable whose value the constraints must determine; return its index."""
        self.parts.append(f"variables{{domain:[{low},{high}]}}")
        self.sizes.append(max(abs(low), abs(high)))
        self.span = max(self.span, self.sizes[-1])
        self.reach = max(self.reach, self.span)
        self.count += 1
        return self.count - 1

    def bounds(self, row: Row) -> tuple[int, int]:
        """Return the bounds of one term."""
        variables, coefficients = (np.array([part], dtype=np.int64) for part in row[:2])
        constants = np.array([row[2]], dtype=np.int64)
        low, high = row_bounds(variables, coefficients, constants, self.store.lower, self.store.upper)
        return int(low[0]), int(high[0])

    def linear(self, row: Row, relation: str, enforce: int | None = None) -> None:
        """Write ``row relation 0``, enforced by a literal if one is given."""
        variables, coefficients, constant = row
        names = ",".join([str(self.index[v]) for v in variables])
        self.raw_linear(names, coefficients, constant, relation, enforce)

    def raw_linear(
        self, names: str, coefficients: list[int], constant: int, relation: str, enforce: int | None = None
    ) -> None:
        """Write a relation over CP-SAT's own indices, given as text."""
        reach = self.span * sum(map(abs, coefficients)) + abs(constant) + 1
        if reach >= SMALL:
            sizes = (self.sizes[int(name)] for name in names.split(","))
            reach = sum(abs(a) * end for a, end in zip(coefficients, sizes, strict=True)) + abs(constant) + 1
            self.reach = max(self.reach, reach)
        ends, shifts = _DOMAIN[relation]
        domain = ends.format(-reach, reach) % tuple(shift - constant for shift in shifts)
        written = ",".join([str(a) for a in coefficients])
        enforced = "" if enforce is None else f"enforcement_literal:{enforce} "
        self.parts.append(
            f"constraints{{{enforced}linear{{vars:[{names}]coeffs:[{written}]domain:[{domain}]}}}}"
        )

    def rows(self, variables: IntArray, coefficients: IntArray, constants: IntArray, relation: str) -> None:
        """Write ``row relation 0`` for rows of equal width, given CP-SAT's indices, each (rows, width)."""
        reach = self.span * np.abs(coefficients.astype(np.float64)).sum(axis=1) + np.abs(constants * 1.0) + 1
        if float(reach.max(initial=0)) >= SMALL:
            for v, a, c in zip(variables.tolist(), coefficients.tolist(), constants.tolist(), strict=True):
                self.raw_linear(_join(v), a, c, relation)
            return
        places = ",".join(["%d"] * variables.shape[1])
        sizes, columns = places, [variables, coefficients]
        if (coefficients == coefficients[:1]).all():  # as in x - y != c: written once
            sizes, columns = _join(coefficients[0].tolist()), [variables]
        ends, shifts = _DOMAIN[relation]
        most = int(reach.max(initial=0))
        columns += [shift - constants for shift in shifts]
        one = f"constraints{{linear{{vars:[{places}]coeffs:[{sizes}]domain:[{ends.format(-most, most)}]}}}}"
        self.parts.append(one * len(constants) % tuple(np.column_stack(columns).reshape(-1).tolist()))

    def affine(self, row: Row) -> str:
        """Return the text of a term ``a*x + b``, through an auxiliary variable if it has several."""
        variables, coefficients, constant = row
        if len(variables) > 1:
            return f"vars:{self.auxiliary(row)} coeffs:1"
        if not variables:
            return f"offset:{constant}"
        return f"vars:{self.index[variables[0]]} coeffs:{coefficients[0]} offset:{constant}"

    def auxiliary(self, row: Row) -> int:
        """Return a variable equal to the term."""
        variables, coefficients, constant = row
        low, high = self.bounds(row)
        new = self.new_variable(low, high)
        names = ",".join([str(self.index[v]) for v in variables] + [str(new)])
        self.raw_linear(names, [*coefficients, -1], constant, "==")
        return new

    def literal(self, row: Row) -> int:
        """Return the literal of a 0/1 term: a Boolean variable, its negation or an auxiliary one."""
        variables, coefficients, constant = row
        if (
            len(variables) == 1
            and self.store.lower[variables[0]] == 0
            and self.store.upper[variables[0]] == 1
        ):
            index = self.index[variables[0]]
            if coefficients == [1] and constant == 0:
                return index
            if coefficients == [-1] and constant == 1:
                return -index - 1
        key = (tuple(variables), tuple(coefficients), constant)
        if key not in self._literals:
            if variables:
                self._literals[key] = self.auxiliary(row)
            else:
                self._literals[key] = self.new_variable(constant, constant)
        return self._literals[key]

    def literals(self, array: LinearArray) -> list[int]:
        """Return the literals of 0/1 terms."""
        return [self.literal(row) for row in array.rows()]

    def boolean(self, kind: str, literals: list[int], enforce: int | None = None) -> None:
        """Write ``bool_or``, ``bool_and``, ``bool_xor``, ``at_most_one`` or ``exactly_one``."""
        enforced = "" if enforce is None else f"enforcement_literal:{enforce} "
        self.parts.append(f"constraints{{{enforced}{kind}{{literals:[{_join(literals)}]}}}}")

    def expressions(self, kind: str, array: LinearArray, target: str = "") -> None:
        """Write a constraint over affine expressions, perhaps with a target."""
        if array.width == 1 and array.coefficients.all():
            columns = [self.positions[array.variables[:, 0]], array.coefficients[:, 0], array.constants]
            numbers = tuple(np.column_stack(columns).reshape(-1).tolist())
            inner = "exprs{vars:%d coeffs:%d offset:%d}" * array.size % numbers
        else:
            inner = "".join([f"exprs{{{self.affine(row)}}}" for row in array.rows()])
        self.parts.append(f"constraints{{{kind}{{{target}{inner}}}}}")

    def text(self) -> str:
        """Return the text of the whole model."""
        return "".join(self.parts)


def _join(numbers: Any) -> str:
    return ",".join([str(n) for n in numbers])


def intervals(values: np.typing.NDArray[np.int64]) -> str:
    """Return ascending values as CP-SAT's list of closed intervals."""
    gaps = np.flatnonzero(np.diff(values) > 1)
    starts = values[np.concatenate([[0], gaps + 1])]
    ends = values[np.concatenate([gaps, [len(values) - 1]])]
    return _join(chain.from_iterable(zip(starts.tolist(), ends.tolist(), strict=True)))


_DOMAIN: dict[str, tuple[str, tuple[int, ...]]] = {
    "==": ("%d,%d", (0, 0)),
    "!=": ("{0},%d,%d,{1}", (-1, 1)),
    "<=": ("{0},%d", (0,)),
    "<": ("{0},%d", (-1,)),
    ">=": ("%d,{1}", (0,)),
    ">": ("%d,{1}", (1,)),
}
"""The intervals allowed by ``sum + constant relation 0``: as text, with the ends of everything as ``{0}``
and ``{1}``, and what the places have to be added to ``-constant``."""


# ---- constraints in the plain context ------------------------------------------------------------------


def _linear(writer: Writer, constraint: Any) -> None:
    """Write an array of relations, all rows with equally many variables in one go."""
    e = constraint.expression.reshape(-1)
    present = e.coefficients != 0
    widths = present.sum(axis=1)
    for width in np.unique(widths).tolist():
        mine = widths == width
        chosen = present[mine]
        variables = writer.positions[e.variables[mine][chosen]].reshape(int(mine.sum()), width)
        coefficients = e.coefficients[mine][chosen].reshape(len(variables), width)
        writer.rows(variables, coefficients, e.constants[mine], constraint.relation)


def _or(writer: Writer, constraint: Any) -> None:
    for element in _groups(constraint):
        writer.boolean("bool_or", writer.literals(element))


def _xor(writer: Writer, constraint: Any) -> None:
    for element in _groups(constraint):
        writer.boolean("bool_xor", writer.literals(element))


def _groups(constraint: Any) -> list[LinearArray]:
    literals = constraint.literals.reshape((constraint.size, constraint.literals.shape[-1]))
    return [literals[k] for k in range(constraint.size)]


def _all_different(writer: Writer, constraint: Any) -> None:
    writer.expressions("all_diff", constraint.terms)


def _table(writer: Writer, constraint: Any) -> None:
    if not len(constraint.rows):
        writer.boolean("bool_or", [])
    elif constraint.terms.size:
        writer.expressions(
            "table", constraint.terms, f"values:[{_join(constraint.rows.reshape(-1).tolist())}]"
        )


def _inverse(writer: Writer, constraint: Any) -> None:
    first = _join(writer.index[v] for v in constraint.first.variables[:, 0].tolist())
    second = _join(writer.index[v] for v in constraint.second.variables[:, 0].tolist())
    writer.parts.append(f"constraints{{inverse{{f_direct:[{first}]f_inverse:[{second}]}}}}")


PLAIN: dict[str, Callable[[Writer, Any], None]] = {
    "AllDifferent": _all_different,
    "Inverse": _inverse,
    "Linear": _linear,
    "Or": _or,
    "Table": _table,
    "Xor": _xor,
}


# ---- truths: the constraint under a literal, and its negation under the negated literal -----------------


def _linear_truth(writer: Writer, constraint: Any, results: list[int]) -> None:
    for row, literal in zip(constraint.expression.rows(), results, strict=True):
        writer.linear(row, constraint.relation, literal)
        writer.linear(row, OPPOSITE[constraint.relation], -literal - 1)


def _or_truth(writer: Writer, constraint: Any, results: list[int]) -> None:
    for element, literal in zip(_groups(constraint), results, strict=True):
        literals = writer.literals(element)
        writer.boolean("bool_or", literals, literal)
        writer.boolean("bool_and", [-k - 1 for k in literals], -literal - 1)


def _and_truth(writer: Writer, constraint: Any, results: list[int]) -> None:
    for element, literal in zip(_groups(constraint), results, strict=True):
        literals = writer.literals(element)
        writer.boolean("bool_and", literals, literal)
        writer.boolean("bool_or", [-k - 1 for k in literals], -literal - 1)


TRUTH: dict[str, Callable[[Writer, Any, list[int]], None]] = {
    "And": _and_truth,
    "Linear": _linear_truth,
    "Or": _or_truth,
}


# ---- definitions ---------------------------------------------------------------------------------------


def _target(writer: Writer, result: int) -> str:
    return f"target{{vars:{writer.index[result]} coeffs:1}}"


def _negated(row: Row) -> Row:
    return row[0], [-a for a in row[1]], -row[2]


def _abs(writer: Writer, result: int, rows: list[Row]) -> None:
    _largest(writer, result, 1, [rows[0], _negated(rows[0])])


def _maximum(writer: Writer, result: int, rows: list[Row]) -> None:
    _largest(writer, result, 1, rows)


def _minimum(writer: Writer, result: int, rows: list[Row]) -> None:
    _largest(writer, result, -1, [_negated(row) for row in rows])


def _largest(writer: Writer, result: int, sign: int, rows: list[Row]) -> None:
    """Write that ``sign * result`` is the largest of the terms."""
    inner = "".join([f"exprs{{{writer.affine(row)}}}" for row in rows])
    target = f"target{{vars:{writer.index[result]} coeffs:{sign}}}"
    writer.parts.append(f"constraints{{lin_max{{{target}{inner}}}}}")
    writer.extremes = True


def _product(writer: Writer, result: int, rows: list[Row]) -> None:
    inner = "".join([f"exprs{{{writer.affine(row)}}}" for row in rows])
    writer.parts.append(f"constraints{{int_prod{{{_target(writer, result)}{inner}}}}}")


def _division(writer: Writer, definition: Definition) -> None:
    floored, wants_quotient = _DIVISIONS[definition.kind]
    results = [writer.index[v] for v in definition.results.tolist()]
    rows = zip(*(a.rows() for a in definition.arguments), strict=True)
    for result, arguments, partial in zip(results, rows, definition.partial().tolist(), strict=True):
        nonzero = _nonzero_literal(writer, arguments[1]) if partial else None
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
    writer: Writer,
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
    names, sizes = [writer.index[v] for v in rows[0][0]], list(rows[0][1])
    if not rows[1][0]:
        product_names, product_sizes, d = [quotient], [-rows[1][2]], rows[1][2]
    else:
        d = 0
        reach = farthest + max(most, 0)  # d*q is x - r
        product = writer.new_variable(-reach, reach)
        inner = f"exprs{{vars:{quotient} coeffs:1}}exprs{{{writer.affine(rows[1])}}}"
        writer.parts.append(f"constraints{{int_prod{{target{{vars:{product} coeffs:1}}{inner}}}}}")
        product_names, product_sizes = [product], [-1]
    writer.raw_linear(
        _join([*names, *product_names, remainder]), [*sizes, *product_sizes, -1], rows[0][2], "==", nonzero
    )
    if nonzero is not None:
        for result in (quotient, remainder):
            writer.raw_linear(str(result), [1], 0, "==", -nonzero - 1)
    _limit_remainder(writer, rows[0] if not floored else None, rows[1], remainder, d)


def _nonzero_literal(writer: Writer, divisor: Row) -> int:
    """Return a literal that is true exactly where a divisor is not 0."""
    literal = writer.new_variable(0, 1)
    writer.linear(divisor, "!=", literal)
    writer.linear(divisor, "==", -literal - 1)
    return literal


def _limit_remainder(writer: Writer, signed: Row | None, divisor: Row, remainder: int, d: int) -> None:
    """Bound the remainder by the divisor; its sign is that of ``signed``, or of the divisor if None."""
    names = [writer.index[v] for v in divisor[0]]
    for sign in (1, -1):  # divisor positive, divisor negative
        low, high = writer.bounds(divisor)
        if (high if sign > 0 else -low) <= 0:
            continue
        always = (low if sign > 0 else -high) > 0
        enforce = None if always else _sign_literal(writer, divisor, sign)
        size = [sign * a for a in divisor[1]]
        if signed is None:  # 0 <= sign*r < |d|
            writer.raw_linear(str(remainder), [sign], 0, ">=", enforce)
            writer.raw_linear(
                _join([remainder, *names]), [sign, *[-a for a in size]], -sign * divisor[2], "<", enforce
            )
        else:
            for way in (1, -1):
                numbers = [way, *[-a for a in size]]
                writer.raw_linear(_join([remainder, *names]), numbers, -sign * divisor[2], "<", enforce)
    if signed is not None:
        for way in (1, -1):
            low, high = writer.bounds(signed)
            if (high if way > 0 else -low) < 0:
                continue
            enforce = None if (low if way > 0 else -high) >= 0 else _sign_literal(writer, signed, way, 0)
            writer.raw_linear(str(remainder), [way], 0, ">=", enforce)


def _sign_literal(writer: Writer, row: Row, sign: int, least: int = 1) -> int:
    """Return a literal that is true exactly where ``sign * row >= least``."""
    literal = writer.new_variable(0, 1)
    names = _join([writer.index[v] for v in row[0]])
    sizes = [sign * a for a in row[1]]
    writer.raw_linear(names, sizes, sign * row[2] - least, ">=", literal)
    writer.raw_linear(names, sizes, sign * row[2] - least, "<", -literal - 1)
    return literal


DEFINED: dict[str, Callable[[Writer, int, list[Row]], None]] = {
    "abs": _abs,
    "maximum": _maximum,
    "minimum": _minimum,
    "product": _product,
}


def _element(writer: Writer, definition: Definition) -> None:
    position, table = definition.arguments
    entries = "".join([f"exprs{{{writer.affine(row)}}}" for row in table.rows()])
    reach = _reach(table)
    for row, result in zip(position.rows(), definition.results.tolist(), strict=True):
        inside = _inside_literal(writer, row, table.size)
        index, target = writer.affine(row), writer.index[result]
        if inside is not None:  # outside, CP-SAT's own position is 0, and so is the result
            index, target = (
                f"vars:{_where(writer, row, table.size - 1, inside)} coeffs:1",
                writer.new_variable(*reach),
            )
            writer.raw_linear(f"{writer.index[result]},{target}", [1, -1], 0, "==", inside)
            writer.raw_linear(str(writer.index[result]), [1], 0, "==", -inside - 1)
        inner = f"linear_index{{{index}}}linear_target{{vars:{target} coeffs:1}}{entries}"
        writer.parts.append(f"constraints{{element{{{inner}}}}}")


def _reach(table: LinearArray) -> tuple[int, int]:
    low, high = table.bounds()
    return int(low.min()), int(high.max())


def _inside_literal(writer: Writer, position: Row, entries: int) -> int | None:
    """Return a literal that is true exactly where a position is in the table, None if it always is."""
    low, high = writer.bounds(position)
    ends = []
    if low < 0:
        ends.append(_sign_literal(writer, position, 1, 0))
    if high >= entries:
        ends.append(_sign_literal(writer, position, -1, 1 - entries))
    if len(ends) < 2:
        return ends[0] if ends else None
    literal = writer.new_variable(0, 1)
    writer.boolean("bool_and", ends, literal)
    writer.boolean("bool_or", [-k - 1 for k in ends], -literal - 1)
    return literal


def _where(writer: Writer, position: Row, last: int, inside: int) -> int:
    """Return a variable in 0..last: the position where it is inside, else 0."""
    safe = writer.new_variable(0, last)
    names = _join([*(writer.index[v] for v in position[0]), safe])
    writer.raw_linear(names, [*position[1], -1], position[2], "==", inside)
    writer.raw_linear(str(safe), [1], 0, "==", -inside - 1)
    return safe


BLOCKS: dict[str, Callable[[Writer, Definition], None]] = {
    "element": _element,
    "quotient": _division,
    "quotient_truncated": _division,
    "remainder": _division,
    "remainder_truncated": _division,
}
"""The partial functions, which are written a block at a time."""


# ---- the whole model -----------------------------------------------------------------------------------


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether CP-SAT takes the constraint as it is in this context."""
    if context != "plain":
        return constraint.kind in TRUTH
    if isinstance(constraint, Constraint) and constraint.kind == "Inverse":
        return all(_is_plain(side) for side in constraint.arguments)
    if isinstance(constraint, Table):  # OR-Tools 9.15 loses solutions of larger ones, see test_historic
        return _fits_32_bits(constraint.terms)
    return constraint.kind in PLAIN


def _fits_32_bits(array: LinearArray) -> bool:
    scope = array.scope()
    ends = (array.registry.lower[scope], array.registry.upper[scope], *array.bounds())
    return all(int(np.abs(end).max(initial=0)) < 2**31 for end in ends)


def _is_plain(array: LinearArray) -> bool:
    if not array.size:
        return False
    return array.width == 1 and bool((array.coefficients == 1).all()) and not array.constants.any()


def write(lowered: Lowered, decisions: np.typing.NDArray[np.int64]) -> Writer:
    """Return the text of a lowered model; all decision variables and the reached definitions are in it."""
    store = lowered.store
    used = np.zeros(store.variable_count, dtype=bool)
    used[decisions] = True
    for definition in lowered.definitions:
        used[definition.results] = True
    writer = Writer(store, used)
    for definition in lowered.definitions:
        _write_definition(writer, definition)
    for constraint in join_linear(lowered.constraints):
        PLAIN[constraint.kind](writer, constraint)
    if lowered.objective is not None:
        (row,) = lowered.objective.rows()
        _write_objective(writer, row, -1 if lowered.maximizing else 1)
    return writer


def _write_objective(writer: Writer, row: Row, sign: int) -> None:
    """Write what is minimised; `Writer.offset` has the constant that is left out.

    CP-SAT compares objective values as floats, so one that is far from 0 is shifted to it.
    """
    variables, coefficients, writer.offset = row
    low, high = writer.bounds((variables, coefficients, 0))
    names = _join([writer.index[v] for v in variables])
    if max(abs(low), abs(high)) >= 2**52 and (low > 0 or high < 0):
        shifted = writer.new_variable(0, high - low)
        writer.raw_linear(f"{names},{shifted}", [*coefficients, -1], -low, "==")
        names, coefficients, writer.offset = str(shifted), [1], row[2] + low
    writer.parts.append(f"objective{{vars:[{names}]coeffs:[{_join([sign * a for a in coefficients])}]}}")


def _write_definition(writer: Writer, definition: Definition) -> None:
    if isinstance(definition, Truth):
        results = [writer.index[v] for v in definition.results.tolist()]
        TRUTH[definition.constraint.kind](writer, definition.constraint, results)
    elif definition.kind in BLOCKS:
        BLOCKS[definition.kind](writer, definition)
    else:
        rows = zip(*(list(a.rows()) for a in definition.arguments), strict=True)
        for result, arguments in zip(definition.results.tolist(), rows, strict=True):
            DEFINED[definition.kind](writer, result, list(arguments))
