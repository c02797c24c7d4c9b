"""Many small linear relations as few arrays, for everything that handles them in bulk."""

from collections.abc import Iterable, Sequence

from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import registry_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import as_rows
from cpqueens.language.term import Term


def join_linear(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return the constraints with linear relations of one sign and like width joined into arrays.

    The joined arrays come first; their rows keep the order in which they came. Relations without any
    element are left out: they are true.
    """
    arrays: dict[tuple[str, int], list[LinearArray]] = {}
    single: dict[tuple[str, int], list[Term]] = {}
    others: list[Constraint] = []
    for constraint in constraints:
        if type(constraint) is not Linear:
            others.append(constraint)
            continue
        expression = constraint.expression
        if type(expression) is Term:
            key = (constraint.relation, len(expression.variable_list))
            single.setdefault(key, []).append(expression)
        elif expression.size:
            width = max(1, expression.width)
            arrays.setdefault((constraint.relation, width.bit_length()), []).append(expression)
    joined: list[Constraint] = [Linear(_concatenate(parts), sign) for (sign, _), parts in arrays.items()]
    joined += [Linear(_join_terms(terms), sign) for (sign, _), terms in single.items()]
    return joined + others


def _concatenate(arrays: list[LinearArray]) -> LinearArray:
    registry = arrays[0].registry
    return concatenate_rows([a.bind(registry) for a in arrays]) if len(arrays) > 1 else arrays[0].reshape(-1)


def _join_terms(terms: Sequence[Term]) -> LinearArray:
    """Return single terms with equally many variables as one array of shape (terms,)."""
    shape = (len(terms), terms[0].width)
    variables = as_rows([t.variable_list for t in terms]).reshape(shape)
    coefficients = as_rows([t.coefficient_list for t in terms]).reshape(shape)
    constants = as_rows([t.constant for t in terms])
    return LinearArray(registry_of(*terms), shape[:1], variables, coefficients, constants)
