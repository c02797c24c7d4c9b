"""Defined variables: blocks of variables whose values are a total function of other terms.

A block holds ``size`` results of one kind; its arguments are flat arrays with one row per result (of an
`Element` block the last are tables, each of one result or of many).

Partial functions (a quotient by 0, an index outside its array) are *relational*, as in MiniZinc and CPMpy:
where one is undefined, the nearest truth around it is false. Their variables are total all the same, with
the value 0 there, which nobody sees; a block says by `defined_at` where its results are defined and by
`condition` when, as constraints. What is over an undefined term is undefined itself, up to the next truth,
which is always defined: see `cpqueens.language.definedness`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import Linear, related
from cpqueens.language.expressions import LinearArray, Registry
from cpqueens.language.rows import IntArray, Mask, Positions
from cpqueens.language.term import Term, join_terms

NO_RESULTS: IntArray = np.zeros(0, dtype=np.int64)
"""Of a block whose variables are still to be made."""


class Definition:
    """A block of defined variables: ``results[i] = kind(arguments[0][i], arguments[1][i], ...)``."""

    kind: ClassVar[str]
    arity: ClassVar[tuple[int, int]] = (2, 2)
    """The least and the largest number of arguments."""
    tables: ClassVar[int] = 0
    """How many of the arguments, the last ones, are tables: all of their terms may matter to a result."""

    def __init__(self, arguments: tuple[LinearArray, ...], results: IntArray | None = None) -> None:
        self.arguments = arguments
        self.results = NO_RESULTS if results is None else results

    @property
    def size(self) -> int:
        """Number of results."""
        return self.arguments[0].size

    @property
    def _terms(self) -> tuple[Term, ...]:
        """The arguments of what `define_single` makes."""
        return self.arguments  # type: ignore[return-value]

    def single_terms(self) -> tuple[Term, ...] | None:
        """Return the arguments of one result, without numbers, if they are kept as terms; None for arrays."""
        for term in self.arguments:
            if type(term) is not Term:
                return None
        return self.arguments  # type: ignore[return-value]

    def needed(self) -> Iterator[int]:
        """Yield the variables that the results depend on."""
        single = self.single_terms()
        if single is None:
            arrays = [a.variables[a.coefficients != 0].tolist() for a in self.arguments]
            return chain.from_iterable(arrays)
        return chain.from_iterable([term.variable_list for term in single])

    def keys(self) -> list[Any]:
        """Return one hashable key per result; equal keys mean equal definitions."""
        return [(self.kind, *key) for key in zip(*(arg.row_keys() for arg in self.arguments), strict=True)]

    def key(self) -> Any:
        """Return what `keys` says of the one result of single terms."""
        return (self.kind, *[term.key() for term in self._terms])

    def take(self, rows: Positions, results: IntArray) -> Definition:
        """Return the block of the given rows, with the given result variables."""
        return type(self)(tuple(arg._pick(rows) for arg in self.arguments), results)

    def bind(self, registry: Registry) -> Definition:
        """Return the block over arguments that belong to ``registry``."""
        return type(self)(tuple(arg.bind(registry) for arg in self.arguments), self.results)

    def split(self) -> list[Definition]:
        """Return the block as ones whose results share their tables, where it has any."""
        return [self]

    def each(self, argument: int) -> int:
        """Return how many terms of an argument are those of one result: they lie together."""
        return self.arguments[argument].size // max(1, self.size)

    def places(self, argument: int) -> IntArray:
        """Return the how many-th of these groups of terms is that of each result, (size,)."""
        return np.arange(self.size)

    def whole(self, argument: int, terms: Mask) -> Mask:
        """Return of which results all terms of an argument are true, (batch, size) of (batch, terms)."""
        if not terms.shape[1]:
            return np.ones((len(terms), self.size), dtype=bool)
        each = self.each(argument)
        groups: Mask = np.all(terms.reshape(len(terms), terms.shape[1] // each, each), axis=2)
        found: Mask = groups[:, self.places(argument)]
        return found

    def sort(self) -> Any:
        """Return what definitions of single terms have in common that `joined` takes; nothing of others."""
        single = self.single_terms()
        return single and (type(self), *[len(term.variable_list) for term in single])

    @classmethod
    def joined(cls, many: Sequence[Any]) -> Definition:
        """Return definitions of one sort as a block."""
        sides = zip(*[one._terms for one in many], strict=True)
        return cls(tuple([join_terms(side[0].registry, side) for side in sides]), results_of(many))

    def evaluate(self, values: IntArray) -> IntArray:
        """Return the results' values, (batch, size), for ``values`` (batch, variables)."""
        return self.compute(*(arg.evaluate(values) for arg in self.arguments))

    def compute(self, *arguments: IntArray) -> IntArray:
        """Return the function's values for argument values of shape (batch, size)."""
        raise NotImplementedError

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return lower and upper bounds of the results.

        Raises
        ------
        OutOfRange
            If an argument or a result leaves the range of all arithmetic, see `cpqueens.language.ranges`.
        """
        raise NotImplementedError

    def ends(self) -> tuple[int, int, bool]:
        """Return the bounds of the one result of single terms, and whether it may be undefined."""
        low, high = self.bounds()
        return low.item(0), high.item(0), bool(self.partial().any())

    def simpler(self) -> LinearArray | None:
        """Return the function's values as terms over total functions; None if backends know the kind."""
        return None

    def partial(self) -> Mask:
        """Return which results may be undefined by the bounds of their arguments."""
        return np.zeros(self.size, dtype=bool)

    def condition(self, row: int) -> list[Constraint]:
        """Return the constraints under which the result ``row`` is defined (given that its arguments are)."""
        return []

    def defined_at(self, *arguments: IntArray) -> Mask:
        """Return where the function is defined, for argument values of shape (batch, size)."""
        return np.ones_like(arguments[0], dtype=bool)

    def complaint(self, row: int, values: IntArray, text: Callable[[LinearArray], str]) -> str:
        """Return why the result ``row`` is undefined for ``values`` (variables,); ``text`` names a term."""
        return "not defined"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.size}>"


class Truth(Definition):
    """1 where a constraint holds, else 0; it is 0 too where a term of the constraint is undefined.

    `evaluate` says where the constraint is satisfied by the values of its terms, whatever they stand for;
    that their terms must be defined is added by `cpqueens.language.definedness`, and for solvers by lowering.
    """

    kind = "truth"

    def __init__(self, constraint: Constraint, results: IntArray | None = None) -> None:
        self.constraint = constraint
        self.results = NO_RESULTS if results is None else results

    @property
    def arguments(self) -> tuple[LinearArray, ...]:  # type: ignore[override]
        """The constraint's own arguments."""
        return self.constraint.arguments

    @property
    def size(self) -> int:
        """Number of results: the constraint's elements."""
        return self.constraint.size

    def single_terms(self) -> tuple[Term, ...] | None:
        """Return the term of one relation, or the literals of one connective, if they are kept as terms."""
        constraint = self.constraint
        if isinstance(constraint, Connective):
            return constraint.parts
        term = constraint.expression if type(constraint) is Linear else None
        return (term,) if type(term) is Term else None

    def sort(self) -> Any:
        """Return the kind of one connective and how many terms it has, or a relation and its term's width."""
        single, constraint = self.single_terms(), self.constraint
        if single and isinstance(constraint, Linear):
            return Linear, constraint.relation, len(single[0].variable_list)
        return single and (type(constraint), len(single))

    @classmethod
    def joined(cls, many: Sequence[Any]) -> Truth:
        """Return truths of one sort as a block."""
        terms = [term for one in many for term in one.single_terms()]
        first, registry = many[0].constraint, many[0].constraint.registry
        if not isinstance(first, Connective):
            return cls(related(join_terms(registry, terms), first.relation), results_of(many))
        literals = join_terms(registry, terms).reshape(len(many), len(terms) // len(many))
        return cls(first.over(literals), results_of(many))

    def keys(self) -> list[Any]:
        """Return the constraint's own keys."""
        return self.constraint.element_keys()

    def take(self, rows: Positions, results: IntArray) -> Truth:
        """Return the truths of the given elements."""
        return Truth(self.constraint.take(rows), results)

    def bind(self, registry: Registry) -> Truth:
        """Return the truths of the same constraint over ``registry``."""
        return Truth(self.constraint.bind(registry), self.results)

    def evaluate(self, values: IntArray) -> IntArray:
        """Return 1 where the elements hold."""
        return self.constraint.satisfied(values).astype(np.int64)

    def bounds(self) -> tuple[IntArray, IntArray]:
        """Return 0 and 1; the range of the constraint's terms is checked by who makes it."""
        return np.zeros(self.size, dtype=np.int64), np.ones(self.size, dtype=np.int64)


def results_of(definitions: Iterable[Definition]) -> IntArray:
    """Return the variables that are defined."""
    return np.concatenate([NO_RESULTS, *(d.results for d in definitions)])


FEW = 16
"""Definitions that are evaluated as they are; assignments for which more are put together."""


def levels(definitions: Iterable[Definition], count: int) -> list[int]:
    """Return the level of each definition: 1, or 1 more than the highest of those that it needs.

    They come in an order of evaluation; ``count`` is the number of all variables.
    """
    known = [0] * count
    found = []
    for definition in definitions:
        found.append(1 + max(map(known.__getitem__, definition.needed()), default=0))
        for variable in definition.results.tolist():
            known[variable] = found[-1]
    return found


def together(definitions: Sequence[Definition], count: int) -> list[Definition]:
    """Return definitions in an order of evaluation, with those of a level and sort as one block."""
    groups: dict[tuple[int, Any], list[Definition]] = {}
    for k, (level, one) in enumerate(zip(levels(definitions, count), definitions, strict=True)):
        groups.setdefault((level, one.sort() or k), []).append(one)
    return [one_block(some) for _, some in sorted(groups.items(), key=lambda group: group[0][0])]


def one_block(some: list[Definition]) -> Definition:
    """Return definitions of one sort as a block."""
    return some[0].joined(some) if len(some) > 1 else some[0]
