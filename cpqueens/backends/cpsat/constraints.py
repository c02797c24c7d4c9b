"""Constraints as text for CP-SAT: one small function per kind and context."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cpqueens.backends.cpsat.clauses import Enforced
from cpqueens.backends.cpsat.writer import TextWriter
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.constraints.table import Table
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray

# ---- constraints in the plain context ------------------------------------------------------------------


def _linear(writer: TextWriter, constraint: Any) -> None:
    _relations(writer, constraint.expression, constraint.relation)


def _relations(
    writer: TextWriter, terms: LinearArray, relation: str, enforce: IntArray | None = None
) -> None:
    """Write an array of relations, all rows with equally many variables in one go.

    ``enforce`` are CP-SAT's literals, (rows, literals), under which each holds.
    """
    e = terms.reshape(-1)
    present = e.coefficients != 0
    widths = present.sum(axis=1)
    for width in np.unique(widths).tolist():
        mine = widths == width
        chosen = present[mine]
        variables = writer.positions[e.variables[mine][chosen]].reshape(int(mine.sum()), width)
        coefficients = e.coefficients[mine][chosen].reshape(len(variables), width)
        under = None if enforce is None else enforce[mine]
        writer.rows(variables, coefficients, e.constants[mine], relation, under)


def _connective(writer: TextWriter, constraint: Any) -> None:
    writer.booleans(f"bool_{constraint.kind.lower()}", _literals(writer, constraint))


def _literals(writer: TextWriter, constraint: Any) -> IntArray:
    """Return CP-SAT's literals of a connective, (size, literals)."""
    return writer.literal_array(constraint.literals).reshape(constraint.size, constraint.literals.shape[-1])


def _all_different(writer: TextWriter, constraint: Any) -> None:
    writer.expressions("all_diff", constraint.terms)


def _table(writer: TextWriter, constraint: Any) -> None:
    if not len(constraint.rows):
        writer.boolean("bool_or", [])
    elif constraint.terms.size:
        writer.table(constraint.terms, constraint.rows.reshape(-1).tolist())


def _inverse(writer: TextWriter, constraint: Any) -> None:
    first, second = (writer.names(side.variables[:, 0].tolist()) for side in constraint.arguments)
    writer.parts.append(f"constraints{{inverse{{f_direct:[{first}]f_inverse:[{second}]}}}}")


PLAIN: dict[str, Callable[[TextWriter, Any], None]] = {
    "AllDifferent": _all_different,
    "Inverse": _inverse,
    "Linear": _linear,
    "Or": _connective,
    "Table": _table,
    "Xor": _connective,
}


# ---- truths: the constraint under a literal, and its negation under the negated literal -----------------


def _linear_truth(writer: TextWriter, constraint: Any, results: list[int]) -> None:
    literals = np.array(results)[:, None]
    _relations(writer, constraint.expression, constraint.relation, literals)
    _relations(writer, constraint.expression, OPPOSITE[constraint.relation], -literals - 1)


def _connective_truth(writer: TextWriter, constraint: Any, results: list[int]) -> None:
    literals, under = _literals(writer, constraint), np.array(results)[:, None]
    writer.booleans(_WRITTEN[constraint.kind, False], literals, under)
    writer.booleans(_WRITTEN[constraint.kind, True], -literals - 1, -under - 1)


_WRITTEN = {
    ("And", False): "bool_and",
    ("And", True): "bool_or",
    ("Or", False): "bool_or",
    ("Or", True): "bool_and",
}
"""What a connective is for CP-SAT, and what its negation is of the negated literals."""


TRUTH: dict[str, Callable[[TextWriter, Any, list[int]], None]] = {
    "And": _connective_truth,
    "Linear": _linear_truth,
    "Or": _connective_truth,
}


# ---- truths that are written out under the other literals of their clause ------------------------------


def _enforced_linear(writer: TextWriter, part: Enforced) -> None:
    constraint: Any = part.constraint
    relation = OPPOSITE[constraint.relation] if part.negated else constraint.relation
    _relations(writer, constraint.expression, relation, writer.native(part.literals))


def _enforced_connective(writer: TextWriter, part: Enforced) -> None:
    literals = _literals(writer, part.constraint)
    literals = -literals - 1 if part.negated else literals
    writer.booleans(_WRITTEN[part.constraint.kind, part.negated], literals, writer.native(part.literals))


ENFORCED: dict[str, Callable[[TextWriter, Enforced], None]] = {
    "And": _enforced_connective,
    "Linear": _enforced_linear,
    "Or": _enforced_connective,
}


# ---- what is supported ---------------------------------------------------------------------------------


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether CP-SAT takes the constraint as it is in this context."""
    if context != "plain":
        return constraint.kind in TRUTH
    if constraint.kind == "Inverse":
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
