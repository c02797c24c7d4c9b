"""Variables whose values may be names: what a model knows of them, and how it creates them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cpqueens.errors import BadIndex
from cpqueens.language import labels
from cpqueens.language.arrays import constant_array, stack_first
from cpqueens.language.blocks import Blocks
from cpqueens.language.domains import ShapeLike
from cpqueens.language.expressions import LinearArray, Operand
from cpqueens.language.labels import Labels
from cpqueens.language.store import VariableStore
from cpqueens.text.foreign import explaining_keywords


class NamedValues(VariableStore):
    """Variables in named arrays, some of which take names as values; a model is one of these."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = Blocks()
        self.labels = Labels()

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

    def common_names(self, terms: LinearArray) -> labels.Names | None:
        """Return the names of the values of some terms; None if these are not variables with the same."""
        if not self.labels or not terms.size or terms.width != 1 or terms.constants.any():
            return None
        if (terms.coefficients != 1).any():
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
