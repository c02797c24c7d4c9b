"""What every constraint kind shares: frozen fields, identity equality, meaning over batches.

What constraints between two arrays of one length share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.table_rows import has_stars, written
from cpqueens.language.conversion import aligned, as_linears, flat_terms, registry_of
from cpqueens.language.expressions import BoolArray, LinearArray, Registry
from cpqueens.language.ranges import LIMIT, saturated_sum
from cpqueens.language.rows import IntArray, Mask, Positions
from cpqueens.text.attributes import ListsForUsers
from cpqueens.text.foreign import explaining_keywords, no_keyword, without_rest
from cpqueens.text.plaintext import shown

CODES = {
    kind: code
    for code, kind in enumerate(
        ("==", "!=", "<=", "<", ">=", ">", "And", "Implication", "Negation", "Or", "Xor")
    )
}
"""The numbers of relations and connectives."""


_OF_ADDING = {"name": "m.add(constraint, name=...)"}
"""What constraints do not take, since `add` does."""


class Constraint(BoolArray, metaclass=ListsForUsers):
    """One constraint, or an array of elementwise ones (shape other than ()).

    A kind states its meaning in `satisfied` and `amounts` (plain numpy) and how it decomposes in
    `simpler`. ``fields`` names the attributes that define it, in the order of the file format; those that
    are `LinearArray` objects are its arguments.
    """

    __slots__ = ()  # kinds that say nothing of it have a dictionary each
    fields: ClassVar[tuple[str, ...]] = ("terms",)
    options: ClassVar[tuple[str, ...]] = ()  # the last fields, which files leave out where they say nothing
    lists_values: ClassVar[bool] = True  # numbers in its fields are values of its terms
    most: ClassVar[int] = LIMIT  # the largest reach of its terms
    adds_up: ClassVar[bool] = False  # whether `ranged` has sums of its arguments, each in one once at most

    def __init_subclass__(cls, **_: Any) -> None:
        """Let the kinds that users write answer keywords that they do not have."""
        super().__init_subclass__()
        own = cls.__dict__.get("__init__")
        if own is not None:
            itself = "unknown" in own.__annotations__
            explained = without_rest(own) if itself else explaining_keywords(own, **_OF_ADDING)
            setattr(cls, "__init__", explained)  # noqa: B010 - mypy allows no method to be set
            if cls.__new__ is not Constraint.__new__:  # which takes whatever is given
                stated = signature(own)
                taken = list(stated.parameters.values())[1:]
                setattr(cls, "__signature__", stated.replace(parameters=taken))  # noqa: B010

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _refuse(self, keywords: dict[str, Any]) -> NoReturn:
        raise no_keyword(self.kind, next(iter(keywords)), (), _OF_ADDING)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a constraint is frozen; {name} cannot be set")

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.fields}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Constraint.__init__(self, **state)

    @classmethod
    def make(cls, **values: Any) -> Self:
        """Return a constraint of this kind with the given fields, unchecked."""
        new = cls.__new__(cls)
        new.__setstate__(values)
        return new

    @property
    def kind(self) -> str:
        """The name of the kind, as in files and statistics."""
        return type(self).__name__

    @property
    def registry(self) -> Registry:  # type: ignore[override]
        """The model of the arguments."""
        return registry_of(*self.arguments)

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Shape of the array of Booleans: () for a global constraint."""
        return ()

    @property
    def arguments(self) -> tuple[LinearArray, ...]:
        """The arrays of terms it speaks about."""
        return tuple([v for name in self.fields if isinstance(v := getattr(self, name), LinearArray)])

    @property
    def stated(self) -> dict[str, Any]:
        """The fields with their values, without options at the end that are not used."""
        values = {name: getattr(self, name) for name in self.fields}
        for name in reversed(self.options):
            if not _is_unused(values[name]):
                break
            del values[name]
        return values

    @property
    def ranged(self) -> tuple[LinearArray, ...]:
        """The terms that must stay in range: its arguments, and what its meaning adds up of them."""
        return self.arguments

    def map(self, change: Callable[[LinearArray], LinearArray]) -> Self:
        """Return the same constraint over changed arguments."""
        values = self.__getstate__().items()
        return self.make(**{k: change(v) if isinstance(v, LinearArray) else v for k, v in values})

    def bind(self, registry: Registry) -> Self:
        """Return the same constraint with arguments that belong to ``registry``."""
        return self.map(lambda a: a.bind(registry))

    def flattened(self) -> Self:
        """Return an elementwise constraint with shape (size,); a global one unchanged."""
        return self

    def take(self, rows: Positions) -> Self:
        """Return the elements at flat positions ``rows`` of an elementwise constraint."""
        return self

    def element_keys(self) -> list[Any]:
        """Return one hashable key per element; equal keys mean the same Boolean.

        Those of relations and clauses are bytes, since tuples by the ten thousand keep Python's garbage
        collector busy: their first number (`CODES`) says what they are.
        """
        return [(self.kind, id(self))]

    def require_range(self) -> None:
        """Check the terms.

        Raises
        ------
        OutOfRange
            If one leaves the range of all arithmetic, see `cpqueens.language.ranges`.
        """
        for terms in self.ranged:
            terms.bounds(self.most)

    # ---- meaning --------------------------------------------------------------------------------

    def satisfied(self, values: IntArray) -> Mask:
        """Return which elements hold, of shape (batch, size), for ``values`` (batch, variables)."""
        return self.amounts(values) == 0

    def amounts(self, values: IntArray) -> IntArray:
        """Return how far each element is from holding, (batch, size); 0 exactly where it holds."""
        raise NotImplementedError

    def holds(self, values: IntArray) -> Mask:
        """Return where all elements hold, of shape (batch,)."""
        everywhere: Mask = np.logical_and.reduce(self.satisfied(values), axis=1)
        return everywhere

    def violation(self, values: IntArray) -> IntArray:
        """Return the summed violation of all elements, of shape (batch,), see `ranges.saturated_sum`."""
        return saturated_sum(self.amounts(values))

    def require_sense(self) -> None:
        """Refuse what can never hold, where no condition is around and a user surely means otherwise."""

    # ---- simpler forms --------------------------------------------------------------------------

    def simpler(self) -> list[Constraint]:
        """Return simpler constraints that together mean the same; empty in the kernel core."""
        return []

    @classmethod
    def simpler_forms(cls, many: Sequence[Self]) -> list[list[Constraint]]:
        """Return `simpler` of each; a kind may make them together, which takes less time."""
        return [constraint.simpler() for constraint in many]

    @classmethod
    def computed_forms(cls, many: Sequence[Self]) -> list[list[Constraint]]:
        """Return simpler constraints of each for engines that compute what is defined anew at each step.

        They have as few definitions as possible, which may have many values: such engines gain nothing from
        Booleans that tell single values apart. They are violated by as much as those of `simpler`.
        """
        return cls.simpler_forms(many)

    def decompose(self, scratch: Registry, *, computed: bool = False) -> list[Constraint]:
        """Return `simpler`, or one of `computed_forms`, with everything it defines created in ``scratch``."""
        bound = self.bind(scratch)
        return bound.computed_forms([bound])[0] if computed else bound.simpler()

    def truth(self) -> LinearArray:
        """Return 0/1 terms of the same shape: 1 where the element holds."""
        return self.registry.truth(self)

    def __repr__(self) -> str:
        text = self.registry.text_of(self)
        if text:
            return text
        shapes = ", ".join(f"{name}={_brief(getattr(self, name))}" for name in self.fields)
        return f"{self.kind}({shapes})"


def _brief(value: Any) -> str:
    if isinstance(value, np.ndarray) and has_stars(value):
        value = written(value)
    return f"<terms {value.shape}>" if isinstance(value, LinearArray) else f"{shown(value)}"


def _is_unused(option: Any) -> bool:
    """Say whether an option is no value, or the number 0."""
    if isinstance(option, LinearArray):
        return not option.shape and not option.coefficients.any() and not option.constants.any()
    return not option


class Paired(Constraint):
    """A constraint between ``first`` and ``second``, position by position."""

    fields: ClassVar[tuple[str, ...]] = ("first", "second")
    first: LinearArray
    second: LinearArray

    def __init__(self, first: Any, second: Any) -> None:
        one, other = as_linears(*map(flat_terms, (aligned(first, second), aligned(second, first))))
        if one.size != other.size:
            raise ModelError(f"{self.kind}: two arrays of one length, got {one.size} and {other.size}")
        super().__init__(first=one, second=other)
