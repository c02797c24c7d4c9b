"""Many small linear relations as few arrays, for everything that handles them in bulk."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import Linear, related
from cpqueens.language.conversion import registry_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.term import Term, join_terms


def join_linear(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return the constraints with linear relations of one sign and like width joined into arrays.

    The joined arrays come first; their rows keep the order in which they came. Relations without any
    element are left out: they are true.
    """
    arrays, single, others = _sorts((c, c.expression if type(c) is Linear else c) for c in constraints)
    joined: list[Constraint] = [related(_concatenate(parts), sign) for (sign, _), parts in arrays.items()]
    joined += [related(join_terms(registry_of(*terms), terms), sign) for (sign, _), terms in single.items()]
    return joined + others


def joined_numbers(constraints: Sequence[Constraint]) -> list[list[int]]:
    """Return of each constraint that `join_linear` makes the numbers of those that it is made of."""
    arrays, single, others = _sorts((c, k) for k, c in enumerate(constraints))
    return [*arrays.values(), *single.values(), *([k] for k in others)]


Sorts = dict[tuple[str, int], list[Any]]


def _sorts(items: Iterable[tuple[Constraint, Any]]) -> tuple[Sorts, Sorts, list[Any]]:
    """Return what belongs to linear arrays and to single relations, by what can be joined, and to others."""
    arrays: Sorts = {}
    single: Sorts = {}
    others: list[Any] = []
    for constraint, item in items:
        if type(constraint) is not Linear:
            others.append(item)
            continue
        expression = constraint.expression
        if type(expression) is Term:
            single.setdefault((constraint.relation, len(expression.variable_list)), []).append(item)
        elif expression.size:
            width = max(1, expression.width)
            arrays.setdefault((constraint.relation, width.bit_length()), []).append(item)
    return arrays, single, others


def join(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return the constraints with single connectives joined too, by kind and number of literals."""
    single: dict[tuple[type[Connective], int], list[tuple[Term, ...]]] = {}
    others: list[Constraint] = []
    for constraint in join_linear(constraints):
        if isinstance(constraint, Connective) and constraint.parts is not None:
            single.setdefault((type(constraint), len(constraint.parts)), []).append(constraint.parts)
        else:
            others.append(constraint)
    return others + [join_parts(kind, parts) for (kind, _), parts in single.items()]


def join_parts(kind: type[Connective], many: Sequence[tuple[Term, ...]]) -> Connective:
    """Return connectives of equally many 0/1 terms as one array of them."""
    terms = list(chain.from_iterable(many))
    return kind.over(join_terms(registry_of(*terms), terms).reshape(len(many), len(many[0])))


def _concatenate(arrays: list[LinearArray]) -> LinearArray:
    registry = arrays[0].registry
    return concatenate_rows([a.bind(registry) for a in arrays]) if len(arrays) > 1 else arrays[0].reshape(-1)
