"""Definitions, the functions and truths that other variables stand for, in the form of CP-SAT."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from cpqueens.backends.cpsat.constraints import TRUTH
from cpqueens.backends.cpsat.writer import NativeWriter, Row, joined
from cpqueens.language.definitions import Definition, Element, Truth
from cpqueens.language.ranges import Columns


def write_definition(writer: NativeWriter, definition: Definition) -> None:
    """Write what a block of defined variables stands for."""
    if isinstance(definition, Truth):
        results = [writer.index[v] for v in definition.results.tolist()]
        TRUTH[definition.constraint.kind](writer, definition.constraint, results)
    elif definition.kind in BLOCKS:
        BLOCKS[definition.kind](writer, definition)
    else:
        _functions(writer, definition)


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
        writer.element(place or writer.place(row), written[which], target)


def _inside_literal(writer: NativeWriter, position: Row, entries: int) -> int | None:
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
