"""How often a value occurs."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows
from cpqueens.language.constraints.base import Constraint, Truths
from cpqueens.language.constraints.linear import AMOUNT, SATISFIED, Linear
from cpqueens.language.conversion import as_linears, flat_terms, singles_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray
from cpqueens.language.term import sum_of
from cpqueens.text.foreign import no_keyword
from cpqueens.text.plaintext import shown


class Count(Constraint):
    """The number of terms equal to ``value`` stands in ``relation`` to ``count`` (Catalogue: count).

    ``value`` and ``count`` are integers or terms. ``Count(terms, value)`` is the number itself, a term, as in
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
        Terms or integers: an array of any shape, or a list in which arrays may stand beside terms.
    value
        An integer (or a name, where the terms have names) or a single term.
    relation
        One of ``== != <= < >= >``; left out before a count, it is ``==``.
    count
        An integer or a single term; without it the number itself is returned, a term.

    Raises
    ------
    ModelError
        For an unknown relation, a value or count of another shape, or terms of two models.
    IntegerError
        For what is no integer, where integers are needed.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "value", "relation", "count")
    terms: LinearArray
    value: LinearArray
    relation: str
    count: LinearArray

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """Return the number itself, a term, of ``Count(terms, value)``: it is compared afterwards."""
        if len(given) + len(named) != 2:
            return super().__new__(cls)
        for name in named.keys() - {"terms", "value"}:
            raise no_keyword("Count", name, ["terms", "value", "relation", "count"])
        return _occurrences(*given, **named)

    def __init__(self, terms: Any, value: Any, relation: Any = None, count: Any = None) -> None:
        if count is None and relation is None:
            raise ModelError("Count: the count is missing; Count(terms, value) is the number itself, a term")
        if count is None and isinstance(relation, str) and relation in SATISFIED:
            raise ModelError(f"Count: the count behind {relation} is missing")
        if count is None:
            relation, count = "==", relation
        elif relation is None:  # left out, as a keyword may be
            relation = "=="
        if not isinstance(relation, str) or relation not in SATISFIED:
            raise ModelError(f"relation {shown(relation)}: allowed are {' '.join(SATISFIED)}")
        array, *sides = as_linears(flat_terms(terms, "Count"), value, count)
        if any(side.shape for side in sides):
            raise ModelError("Count: value and count must be single terms or integers")
        super().__init__(terms=array, value=sides[0], relation=relation, count=sides[1])

    def _excess(self, values: IntArray) -> IntArray:
        equal = self.terms.evaluate(values) == self.value.evaluate(values)
        excess: IntArray = equal.sum(axis=1, keepdims=True) - self.count.evaluate(values)
        return excess

    def satisfied(self, values: IntArray) -> Truths:
        """Return where the number of occurrences is as wanted."""
        return SATISFIED[self.relation](self._excess(values))

    def amounts(self, values: IntArray) -> IntArray:
        """Return the distance of the number of occurrences from an allowed one."""
        return AMOUNT[self.relation](self._excess(values))

    def simpler(self) -> list[Constraint]:
        """Return the relation on the sum of the truths ``term == value``."""
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
        return sum_of([(term == value).truth() for term in listed])
    array, wanted = as_linears(flat_terms(terms, "Count"), value)
    if wanted.shape:
        raise ModelError("Count: value and count must be single terms or integers")
    return (array == wanted).sum() if array.size else 0 * wanted
