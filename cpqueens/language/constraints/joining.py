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
    given = list(constraints)
    of_arrays, of_single, of_others = _sorts(given)
    linear: list[Any] = [c.expression if type(c) is Linear else None for c in given]
    arrays = {key: [linear[k] for k in found] for key, found in of_arrays.items()}
    single = {key: [linear[k] for k in found] for key, found in of_single.items()}
    others = [given[k] for k in of_others]
    joined: list[Constraint] = [related(_concatenate(parts), sign) for (sign, _), parts in arrays.items()]
    joined += [related(join_terms(registry_of(*terms), terms), sign) for (sign, _), terms in single.items()]
    return joined + others


def joined_numbers(constraints: Sequence[Constraint]) -> list[list[int]]:
    """Return of each constraint that `join_linear` makes the numbers of those that it is made of."""
    of_arrays, of_single, of_others = _sorts(constraints)
    return [*of_arrays.values(), *of_single.values(), *([k] for k in of_others)]


Numbers = dict[tuple[str, int], list[int]]


def _sorts(constraints: Sequence[Constraint]) -> tuple[Numbers, Numbers, list[int]]:
    """Return the numbers of linear arrays and of single relations, by what can be joined, and of others."""
    arrays: Numbers = {}
    single: Numbers = {}
    others: list[int] = []
    for k, constraint in enumerate(constraints):
        if type(constraint) is not Linear:
            others.append(k)
            continue
        expression = constraint.expression
        if type(expression) is Term:
            single.setdefault((constraint.relation, len(expression.variable_list)), []).append(k)
        elif expression.size:
            width = max(1, expression.width)
            arrays.setdefault((constraint.relation, width.bit_length()), []).append(k)
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
