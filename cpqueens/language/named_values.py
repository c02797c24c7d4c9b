"""Variables whose values may be names: what a model knows of them, and how it creates them.

The axes of expressions have labels, too: those of the variables that their elements are made of.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cpqueens.errors import BadIndex
from cpqueens.language import labels
from cpqueens.language.arrays import constant_array, stack_first
from cpqueens.language.blocks import Blocks
from cpqueens.language.domains import Labels, ShapeLike
from cpqueens.language.expressions import LinearArray, Operand
from cpqueens.language.rows import IntArray
from cpqueens.language.store import VariableStore
from cpqueens.text.foreign import explaining_keywords


class NamedValues(VariableStore):
    """Variables in named arrays, some of which take names as values; a model is one of these."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = Blocks()
        self.labels = labels.Labels()

    def intvar(
        self,
        lower: Any = None,
        upper: Any = None,
        shape: ShapeLike = None,
        name: str | None = None,
        *,
        domain: Iterable[int] | None = None,
    ) -> LinearArray:
        """Create integer variables."""
        raise NotImplementedError

    def name_of(self, variable: int) -> str:
        """Return the name of one variable."""
        raise NotImplementedError

    @explaining_keywords
    def var(self, values: Iterable[Any], shape: ShapeLike = None, name: str | None = None) -> LinearArray:
        """Create variables with listed values: names, members of an enumeration, or integers.

        >>> from cpqueens import AllDifferent, Model
        >>> m = Model()
        >>> x, y = m.var(["red", "green"], shape=2, name="x")
        >>> m.add(AllDifferent(x, y), x != "red")
        >>> print(m.solve(solver="backtracking").solution)
        x = ['green', 'red']

        Parameters
        ----------
        values
            Strings, members of `enum.Enum`, an enumeration class, or integers. Solutions return the names,
            and constraints can compare with them, as in ``colour == "red"``.
        shape, name
            As for `intvar`.

        Raises
        ------
        ModelError
            For an empty list, a value that is listed twice, or names and integers together.
        """
        given = labels.listed_values(values)
        if not any(isinstance(value, labels.Label) for value in given):
            return self.intvar(shape=shape, name=name, domain=given)
        return self._named_variables(self.labels.domain(given), shape, name)

    def _named_variables(self, names: labels.Names, shape: ShapeLike, name: str | None) -> LinearArray:
        array = self.intvar(shape=shape, name=name, domain=names)
        self.labels.of_array[self.blocks[-1].name] = names
        return array

    def names_of(self, variable: int) -> labels.Names | None:
        """Return the names of a variable's values by their numbers; None if these are plain integers."""
        if not self.labels or variable >= self._count or self.is_defined[variable]:
            return None
        return self.labels.of_array.get(self.blocks.block_of(variable).name)

    def value_texts(self) -> list[dict[int, str]]:
        """Return the names of each decision variable's values as texts; nothing if no values have names."""
        known = [self.names_of(v) or {} for v in self.decisions.tolist()] if self.labels else []
        return [{number: labels.text_of_label(name) for number, name in names.items()} for names in known]

    def common_names(self, terms: LinearArray) -> labels.Names | None:
        """Return the names of the values of some terms; None if these are not variables with the same."""
        if not self.labels or not terms.are_variables:
            return None
        first, last = (self.names_of(int(v)) for v in (terms.variables.min(), terms.variables.max()))
        return first if first is last else None

    def numbered(self, value: Any, of: LinearArray | None = None) -> Any:
        """Return ``value``, in which names (of the values of some terms) may stand, with numbers for them."""
        if not self.labels or not labels.holds_labels([value]):
            return value
        names = None if of is None else self.common_names(of)
        if names is None:
            return labels.numbered(self.labels, value)
        return labels.numbers_among(names, value, self.text_of(of))  # type: ignore[arg-type]

    def names_at(self, terms: Operand) -> list[labels.Label] | None:
        """Return the names that terms as indices may have, each at its place; None for other terms."""
        names = self.common_names(terms) if isinstance(terms, LinearArray) else None
        plain = names is None or any(isinstance(label, int) for label in names.values())
        return None if plain else list(names.values())  # type: ignore[union-attr]

    def positions(self, terms: LinearArray, what: str) -> LinearArray:
        """Return terms as indices: a name is the place that it has among those of its variable, from 0.

        Members of an `IntEnum` stay the numbers that they are.

        Raises
        ------
        BadIndex
            For what is calculated with names.
        """
        if not self.labels or all(self.names_of(v) is None for v in terms.scope().tolist()):
            return terms
        names = self.common_names(terms)
        if names is None and terms.size > 1:
            parts = [self.positions(terms.reshape(-1)[k], what) for k in range(terms.size)]
            return stack_first(parts).reshape(terms.shape)
        if names is None:
            raise BadIndex(
                f"{what} must be a number or a variable, {self.text_of(terms)} calculates with names; "
                "write a Table of names and numbers"
            )
        numbers = list(names)
        if numbers == list(range(len(numbers))) or all(isinstance(label, int) for label in names.values()):
            return terms
        places = np.zeros(max(numbers) - min(numbers) + 1, dtype=np.int64)
        places[np.array(numbers) - min(numbers)] = np.arange(len(numbers))
        table = constant_array(self, places)
        return self.define("element", terms.shape, (terms - min(numbers)).reshape(-1), table)


def axis_labels(model: NamedValues, terms: LinearArray) -> list[tuple[Labels, IntArray] | None]:
    """Return labels for each axis of terms of the model, and which of them; None for an axis that has none.

    An axis has the labels of an axis of variables if each place along it has one of them: so have slices,
    transposed arrays, sums along other axes, functions and Booleans. In running totals each place has those
    of the place before and one more, which is its own.
    """
    found: list[tuple[Labels, IntArray] | None] = [None] * terms.ndim
    if not terms.size or not terms.ndim or not any(block.labels for block in model.blocks):
        return found
    whole = model.blocks.from_variable(int(terms.variables[0, 0])) if terms.width == 1 else None
    if (
        whole is not None
        and whole.shape == terms.shape
        and np.array_equal(terms.variables[:, 0], np.arange(whole.first, whole.first + whole.size))
    ):
        each = whole.labels or found
        return [None if labels is None else (labels, np.arange(len(labels))) for labels in each]
    places = np.array(list(_reached(model, terms)), dtype=np.int64).reshape(-1, 2).T
    each_labelled = list(_labelled(model, *places))
    for rule in (_along, _running_along):
        for known, at, labelled in each_labelled:
            where = np.unravel_index(at, terms.shape)
            for axis, size in enumerate(terms.shape):
                along = rule(where[axis], labelled, size) if found[axis] is None else None
                if along is not None:
                    found[axis] = known, along
                    break
    return found


def _reached(model: NamedValues, terms: LinearArray) -> Iterator[tuple[int, int]]:
    """Yield the flat place of each element beside each decision variable that it is made of."""
    for place, (variables, _, _) in enumerate(terms.rows()):
        pending, seen = list(variables), set(variables)
        while pending:
            variable = pending.pop()
            produced = model.producer(variable)
            if produced is None:
                yield place, variable
                continue
            definition, row = produced
            one = (
                definition.take(np.array([row]), np.array([variable])) if definition.size > 1 else definition
            )
            inner = {v for argument in one.arguments for v in argument.scope().tolist()} - seen
            seen |= inner
            pending += inner


def _labelled(
    model: NamedValues, places: IntArray, variables: IntArray
) -> Iterator[tuple[Labels, IntArray, IntArray]]:
    """Yield for each labelled axis of variables the places that reach these, and where along that axis."""
    for block in model.blocks:
        inside = (variables >= block.first) & (variables < block.first + math.prod(block.shape))
        if block.labels and inside.any():
            index = np.unravel_index(variables[inside] - block.first, block.shape)
            for axis, labels in enumerate(block.labels):
                if labels is not None:
                    yield labels, places[inside], index[axis]


def _along(where: IntArray, labelled: IntArray, size: int) -> IntArray | None:
    """Return the place of a label for each place along an axis; None unless each has its own."""
    found = np.full(size, -1, dtype=np.int64)
    found[where] = labelled
    fits = (found[where] == labelled).all() and found.min() >= 0 and len(np.unique(found)) == size
    return found if fits else None


def _running_along(where: IntArray, labelled: IntArray, size: int) -> IntArray | None:
    """Return the label that each place has beside those of the one before; None unless there is one each."""
    has = np.zeros((size + 1, int(labelled.max()) + 1), dtype=np.bool_)  # the last one is empty
    has[where, labelled] = True
    many = has.sum(axis=1)
    order = np.argsort(many)
    rises = (many[order] == np.arange(size + 1)).all() and not (has[order[:-1]] & ~has[order[1:]]).any()
    if not rises:
        return None
    found = np.empty(size, dtype=np.int64)
    found[order[1:]] = (has[order[1:]] & ~has[order[:-1]]).argmax(axis=1)
    return found
