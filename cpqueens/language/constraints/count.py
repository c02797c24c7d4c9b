"""How often a value, values of a set, or each of several values occur; how many values there are."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import And, Or
from cpqueens.language.constraints.linear import AMOUNT, COMPARED, Linear
from cpqueens.language.conversion import as_linear, as_linears, flat_terms, listed, singles_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.labels import in_order, is_framed
from cpqueens.language.ranges import saturated_sum
from cpqueens.language.rows import IntArray, Mask, as_listed
from cpqueens.language.term import weighted_sum
from cpqueens.text.foreign import no_keyword
from cpqueens.text.parameters import as_switch
from cpqueens.text.plaintext import shown


class _Number(Constraint):
    """A constraint on a number, which ``Kind(...)`` is as a term where nothing is said of it."""

    of: ClassVar[tuple[str, ...]]
    number: ClassVar[Callable[..., LinearArray]]

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Return the number itself, a term, where it is compared afterwards."""
        if len(given) + len(named) != len(cls.of):
            return super().__new__(cls)
        for name in named.keys() - set(cls.of):
            raise no_keyword(cls.__name__, name, cls.fields)
        return cls.number(*given, **named)


class Count(_Number):
    """The number of terms equal to ``value`` stands in ``relation`` to ``count`` (Catalogue: count).

    ``value`` and ``count`` are integers or terms. ``Count(terms, value)`` is the number as a term, as in
    ``Count(x, 1) == 2``. The violation is the distance of the number from the
    nearest allowed one.

    >>> from cpqueens import Count, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(Count(x, 2, "<=", 1))
    >>> m.count(solver="python-constraint")
    20

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list, which may contain arrays.
    value
        An integer (or a name, where the terms have names) or a single term.
    relation
        One of ``== != <= < >= >``; by default ``==``.
    count
        An integer or a single term; without it the number is returned as a term.

    Raises
    ------
    ModelError
        For an unknown relation, a value or count of another shape, or terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "value", "relation", "count")
    of = ("terms", "value")
    number = staticmethod(lambda terms, value: _occurrences(terms, value))
    terms: LinearArray
    value: LinearArray
    relation: str
    count: LinearArray

    def __init__(self, terms: Any, value: Any, relation: Any = None, count: Any = None) -> None:
        if count is None and relation is None:
            raise ModelError("Count: the count is missing; Count(terms, value) is the number itself, a term")
        if count is None and isinstance(relation, str) and relation in COMPARED:
            raise ModelError(f"Count: the count behind {relation} is missing")
        if count is None:
            relation, count = "==", relation
        elif relation is None:  # left out, as a keyword may be
            relation = "=="
        if not isinstance(relation, str) or relation not in COMPARED:
            raise ModelError(f"relation {shown(relation)}: allowed are {' '.join(COMPARED)}")
        array, *sides = as_linears(flat_terms(terms, "Count"), value, count)
        if any(side.shape for side in sides):
            raise ModelError("Count: value and count must be single terms or integers")
        super().__init__(terms=array, value=sides[0], relation=relation, count=sides[1])

    def _excess(self, values: IntArray) -> IntArray:
        equal = self.terms.evaluate(values) == self.value.evaluate(values)
        excess: IntArray = equal.sum(axis=1, keepdims=True) - self.count.evaluate(values)
        return excess

    def satisfied(self, values: IntArray) -> Mask:
        """Return where the number of occurrences is as wanted."""
        satisfied: Mask = COMPARED[self.relation](self._excess(values), 0)
        return satisfied

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance of the number of occurrences from an allowed one."""
        return AMOUNT[self.relation](self._excess(values))

    def simpler(self) -> list[Constraint]:
        """Return the relation on the sum of the Booleans ``term == value``."""
        return [Linear(_occurrences(self.terms, self.value) - self.count, self.relation)]

    @classmethod
    def simpler_forms(cls, many: Sequence[Self]) -> list[list[Constraint]]:
        """Return `simpler` of each, those of equally many terms in one go."""
        groups: dict[int, list[int]] = {}
        for k, constraint in enumerate(many):
            groups.setdefault(constraint.terms.size, []).append(k)
        found: list[list[Constraint]] = [[] for _ in many]
        for size, members in groups.items():
            if len(members) == 1 or not size:
                for k in members:
                    found[k] = many[k].simpler()
                continue
            terms = concatenate_rows([many[k].terms for k in members]).reshape((len(members), size))
            wanted, limits = (
                concatenate_rows([getattr(many[k], name).reshape(-1) for k in members])
                for name in ("value", "count")
            )
            excess = (terms == wanted.reshape((len(members), 1))).sum(axis=1) - limits
            for k, term in zip(members, excess, strict=True):
                found[k] = [Linear(term, many[k].relation)]
        return found


_FEW = 16  # terms that are compared one by one sooner than as an array


def _occurrences(terms: Any, value: Any) -> LinearArray:
    """Return how many terms equal ``value``, as a term."""
    listed = singles_of(terms)
    if listed is not None and len(listed) <= _FEW and type(value) is int:
        return weighted_sum([1] * len(listed), [(term == value).truth() for term in listed])
    array, wanted = as_linears(flat_terms(terms, "Count"), value)
    if wanted.shape:
        raise ModelError("Count: value and count must be single terms or integers")
    return (array == wanted).sum() if array.size else 0 * wanted


class Among(_Number):
    """Exactly ``count`` terms take a value in ``values`` (Beldiceanu and Contejean 1994).

    ``Among(terms, values)`` without a count is the number as a term, as in ``Among(x, [1, 3]) >= 2``. The
    violation is the distance between the two numbers.

    >>> from cpqueens import Among, Model
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=2, name="x")
    >>> m.add(Among(x, [1, 3], 1))
    >>> m.count(solver="python-constraint")
    8

    Parameters
    ----------
    terms
        Terms or integers: an array of any shape, or a list, which may contain arrays.
    values
        Integers (or names, where the terms have names); duplicates count once.
    count
        An integer or a single term; without it the number is returned as a term.

    Raises
    ------
    ModelError
        For a count of another shape, or terms of two models.
    IntegerError
        For values that are not integers where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "values", "count")
    of = ("terms", "values")
    number = staticmethod(lambda terms, values: _inside(terms, values))
    terms: LinearArray
    values: tuple[int, ...]
    count: LinearArray

    def __init__(self, terms: Any, values: Any, count: Any) -> None:
        array, number = as_linears(flat_terms(terms, "Among"), count)
        if number.shape:
            raise ModelError("Among: count must be a single term or integer")
        super().__init__(terms=array, values=_listed(array, values), count=number)

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance between the numbers."""
        inside = np.isin(self.terms.evaluate(values), self.values)
        return np.abs(inside.sum(axis=1, keepdims=True) - self.count.evaluate(values))

    def simpler(self) -> list[Constraint]:
        """Return that the Booleans ``term == value`` over all terms and values sum to the count."""
        return [Linear(_inside(self.terms, self.values) - self.count, "==")]


def _listed(terms: LinearArray, values: Any) -> tuple[int, ...]:
    """Return the values, names as their numbers, each once."""
    return tuple(sorted(set(as_listed(terms.registry.numbered(values), "values").reshape(-1).tolist())))


def _inside(terms: Any, values: Any) -> LinearArray:
    """Return how many terms take a value of the list, as a term."""
    array = flat_terms(terms, "Among")
    chosen = _listed(array, values)
    if not array.size or not chosen:
        return 0 * array.sum()
    return (array.reshape((-1, 1)) == np.array(chosen)).sum()


class GlobalCardinality(Constraint):
    """``values[k]`` occurs exactly ``counts[k]`` times (Regin 1996); ``closed`` forbids other values.

    Instead of counts you can give bounds: at least ``lower[k]`` times and at most ``upper[k]`` times. The
    violation is the sum of the distances between numbers and counts (or bounds); if closed, plus the number
    of terms with another value.

    >>> from cpqueens import GlobalCardinality, Model
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(GlobalCardinality(x, [0, 1], [1, 2]))
    >>> m.count(solver="python-constraint")
    3
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(GlobalCardinality(x, [0, 1], lower=1, upper=[1, 2]))
    >>> m.count(solver="python-constraint")
    9

    Parameters
    ----------
    terms
        An array of terms, or a list of terms and integers.
    values
        Integers, each once; or a dict ``{value: count}``.
    counts
        An integer or a term for each value, shape (values,); or pairs of bounds, shape (values, 2).
    closed
        Whether all terms must have one of the values.
    lower, upper
        Instead of counts: an integer or a term for each value, or one for all; one of them is enough.

    Raises
    ------
    ModelError
        If the numbers of values and counts differ.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "values", "counts", "closed")
    terms: LinearArray
    values: tuple[int, ...]
    counts: LinearArray
    closed: bool

    def __init__(
        self,
        terms: Any,
        values: Any,
        counts: Any = None,
        closed: bool = False,
        *,
        lower: Any = None,
        upper: Any = None,
    ) -> None:
        terms = flat_terms(terms, "GlobalCardinality")
        if isinstance(values, Mapping) and counts is None and lower is None and upper is None:
            values, counts = list(values), list(values.values())
        wanted = tuple(as_listed(terms.registry.numbered(values), "values").reshape(-1).tolist())
        if (counts is None) == (lower is None and upper is None):
            raise ModelError("GlobalCardinality: counts are needed, or lower or upper, and not both")
        counts, lower, upper = (_by_value(values, given) for given in (counts, lower, upper))
        if counts is None:
            counts = _pairs(terms, len(wanted), lower, upper)
        array, numbers = as_linears(terms, counts)
        if not wanted or numbers.shape != (len(wanted), 2):
            numbers = numbers.reshape(-1)
        if len(wanted) != len(numbers) or len(set(wanted)) != len(wanted):
            raise ModelError(f"GlobalCardinality: {len(wanted)} values (each once) need as many counts")
        super().__init__(terms=array, values=wanted, counts=numbers, closed=as_switch(closed, "closed"))

    @property
    def _relations(self) -> tuple[str, ...]:
        """The relations that the number of each value has to its counts."""
        return ("==",) if self.counts.ndim == 1 else (">=", "<=")

    def amounts(self, values: IntArray) -> IntArray:
        """Return the summed distances."""
        terms = self.terms.evaluate(values)
        found = np.empty((len(values), len(self.values)), dtype=np.int64)
        for k, value in enumerate(self.values):
            (terms == value).sum(axis=1, out=found[:, k])
        limits = self.counts.evaluate(values).reshape(*found.shape, len(self._relations))
        distances = [AMOUNT[r](found - limits[:, :, k]) for k, r in enumerate(self._relations)]
        if self.closed:
            distances.append(terms.shape[1] - found.sum(axis=1, keepdims=True))
        return saturated_sum(np.concatenate(distances, axis=1))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return one Count for each value and limit and, if closed, Among over all values."""
        values = [as_linear(self.registry, value) for value in self.values]
        limits = self.counts.reshape(len(values), len(self._relations))
        parts: list[Constraint] = [
            Count.make(terms=self.terms, value=value, relation=relation, count=limits[k, side])
            for side, relation in enumerate(self._relations)
            for k, value in enumerate(values)
        ]
        if self.closed and self.terms.size:
            parts.append(Among(self.terms, self.values, self.terms.size))
        return parts


def _by_value(values: Any, numbers: Any) -> Any:
    """Return numbers, a series or frame among them with its rows in the order of the values."""
    rows = [list(values), *[None] * (numbers.ndim - 1)] if is_framed(numbers) else []
    return listed(in_order(numbers, rows, "the list of values"))


def _pairs(terms: Any, size: int, lower: Any, upper: Any) -> LinearArray:
    """Return bounds of ``size`` numbers as pairs, of shape (size, 2)."""
    array, least, most = as_linears(terms, 0 if lower is None else lower, 0 if upper is None else upper)
    if upper is None:
        most = most + array.size
    if any(side.shape not in ((), (size,)) for side in (least, most)):
        raise ModelError(f"GlobalCardinality: {size} values need as many bounds, or one for all")
    return stack_last([side if side.shape else side.broadcast((size,)) for side in (least, most)])


class NValue(_Number):
    """The terms take exactly ``count`` different values (Pachet and Roy 1999; Catalogue: nvalue).

    ``NValue(terms)`` is the number as a term, as in ``NValue(x) > 1``. The violation is the
    distance between the two numbers.

    >>> from cpqueens import Model, NValue
    >>> m = Model()
    >>> x = m.intvar(0, 2, shape=3, name="x")
    >>> m.add(NValue(x, 2))
    >>> m.count(solver="python-constraint")
    18

    Parameters
    ----------
    terms
        An array of terms, or a list of terms and integers.
    count
        An integer or a single term; without it the number is returned as a term.

    Raises
    ------
    ModelError
        For a count that is an array.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "count")
    of = ("terms",)
    number = staticmethod(lambda terms: _different(flat_terms(terms, "NValue")))
    terms: LinearArray
    count: LinearArray

    def __init__(self, terms: Any, count: Any) -> None:
        array, number = as_linears(flat_terms(terms, "NValue"), count)
        if number.shape:
            raise ModelError("NValue: count must be a single term or integer")
        super().__init__(terms=array, count=number)

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance between the numbers."""
        terms = np.sort(self.terms.evaluate(values), axis=1)
        different = (terms[:, 1:] != terms[:, :-1]).sum(axis=1, keepdims=True) + min(1, terms.shape[1])
        return np.abs(different - self.count.evaluate(values))

    def simpler(self) -> list[Constraint]:
        """Return that so many values are taken, or, if there are many, that so many terms are new."""
        return [Linear(_different(self.terms) - self.count, "==")]


def _different(terms: LinearArray) -> LinearArray:
    """Return how many different values terms take, as a term."""
    low, high = terms.bounds()
    if terms.size and high.max() - low.min() < terms.size:
        equal = terms == np.arange(low.min(), high.max() + 1)[:, None]
        return Or.over(equal.truth()).truth().sum()
    first = [And(terms[:k] != terms[k]).truth() for k in range(terms.size)]
    return sum(first, 0 * terms.sum())
