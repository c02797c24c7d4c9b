"""Constraints as text for CP-SAT: one small function per kind and context."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cpqueens.backends.cpsat.writer import TextWriter, joined
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.negative_table import NegativeTable
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table_rows import has_stars
from cpqueens.language.expressions import LinearArray

# ---- constraints in the plain context ------------------------------------------------------------------


def _linear(writer: TextWriter, constraint: Any) -> None:
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


def _connective(writer: TextWriter, constraint: Any) -> None:
    for element in _groups(constraint):
        writer.boolean(f"bool_{constraint.kind.lower()}", writer.literals(element))


def _groups(constraint: Any) -> list[LinearArray]:
    literals = constraint.literals.reshape((constraint.size, constraint.literals.shape[-1]))
    return [literals[k] for k in range(constraint.size)]


def _all_different(writer: TextWriter, constraint: Any) -> None:
    writer.expressions("all_diff", constraint.terms)


def _table(writer: TextWriter, constraint: Any) -> None:
    if not len(constraint.rows):
        writer.boolean("bool_or", [])
    elif constraint.terms.size:
        writer.expressions("table", constraint.terms, _values(constraint))


def _values(constraint: Any) -> str:
    return f"values:[{joined(constraint.rows.reshape(-1).tolist())}]"


def _negative_table(writer: TextWriter, constraint: Any) -> None:
    writer.expressions("table", constraint.terms, f"{_values(constraint)}negated:true ")


def _inverse(writer: TextWriter, constraint: Any) -> None:
    first, second = (writer.names(side.variables[:, 0].tolist()) for side in constraint.arguments)
    writer.parts.append(f"constraints{{inverse{{f_direct:[{first}]f_inverse:[{second}]}}}}")


def _regular(writer: TextWriter, constraint: Any) -> None:
    arcs, start, accepting, _ = constraint.numbered()
    tails, labels, heads = (joined(column) for column in arcs.T.tolist())
    ends = f"starting_state:{start} final_states:[{joined(accepting.tolist())}]"
    steps = f"transition_tail:[{tails}]transition_label:[{labels}]transition_head:[{heads}]"
    writer.expressions("automaton", constraint.terms, ends + steps)


PLAIN: dict[str, Callable[[TextWriter, Any], None]] = {
    "AllDifferent": _all_different,
    "Inverse": _inverse,
    "Linear": _linear,
    "NegativeTable": _negative_table,
    "Or": _connective,
    "Regular": _regular,
    "Table": _table,
    "Xor": _connective,
}


# ---- truths: the constraint under a literal, and its negation under the negated literal -----------------


def _linear_truth(writer: TextWriter, constraint: Any, results: list[int]) -> None:
    for row, literal in zip(constraint.expression.rows(), results, strict=True):
        writer.truth(row, constraint.relation, literal)


def _connective_truth(writer: TextWriter, constraint: Any, results: list[int]) -> None:
    for element, literal in zip(_groups(constraint), results, strict=True):
        writer.boolean_truth(f"bool_{constraint.kind.lower()}", writer.literals(element), literal)


TRUTH: dict[str, Callable[[TextWriter, Any, list[int]], None]] = {
    "And": _connective_truth,
    "Linear": _linear_truth,
    "Or": _connective_truth,
}


# ---- what is supported ---------------------------------------------------------------------------------


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether CP-SAT takes the constraint as it is in this context."""
    if context != "plain":
        return constraint.kind in TRUTH
    if constraint.kind == "Inverse":
        return all(_is_plain(side) for side in constraint.arguments)
    if isinstance(constraint, NegativeTable | Regular) and not _is_simple(constraint):
        return False
    if constraint.kind in LISTED:  # OR-Tools 9.15 loses solutions of larger ones, see test_historic
        return _fits_32_bits(constraint.arguments[0])
    return constraint.kind in PLAIN


LISTED = ("NegativeTable", "Regular", "Table")
"""Kinds that list values, or transitions with values."""


def _is_simple(constraint: NegativeTable | Regular) -> bool:
    """Say whether CP-SAT's form can say it: there are terms, and no stars, and nothing to choose."""
    if isinstance(constraint, Regular):
        return bool(constraint.terms.size) and constraint.deterministic
    return bool(constraint.rows.size) and not has_stars(constraint.rows)


def _fits_32_bits(array: LinearArray) -> bool:
    scope = array.scope()
    ends = (array.registry.lower[scope], array.registry.upper[scope], *array.bounds())
    return all(int(np.abs(end).max(initial=0)) < 2**31 for end in ends)


def _is_plain(array: LinearArray) -> bool:
    if not array.size:
        return False
    return array.width == 1 and bool((array.coefficients == 1).all()) and not array.constants.any()
