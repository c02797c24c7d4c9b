"""Problems of python-constraint (Niemeyer 2005; python-constraint2) as models of cpqueens.

Sums, products and sets are taken as such; every other constraint, a Python function for one, is asked for all
rows of its variables' values and becomes a table.
"""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.exchange.origin import Imported
from cpqueens.language.constraints.all_different import AllDifferent, AllEqual
from cpqueens.language.constraints.predicate import Predicate
from cpqueens.model import Model
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.plaintext import shown


@explaining_keywords
def from_python_constraint(problem: Any) -> Imported:
    """Import a `constraint.Problem` of python-constraint.

    >>> import constraint
    >>> from cpqueens import from_python_constraint
    >>> problem = constraint.Problem()
    >>> problem.addVariables(["a", "b"], range(1, 7))
    >>> problem.addConstraint(lambda a, b: a * b == 12, ["a", "b"])
    >>> from_python_constraint(problem).model.count()
    4

    Parameters
    ----------
    problem
        The problem; it is not changed. Values that are not integers are numbered in order of their domain.

    Raises
    ------
    ModelError
        If it is not such a problem, or a function has more than 10**6 rows of values or raises.

    Examples
    --------
    """
    import constraint

    if not isinstance(problem, constraint.Problem):
        raise ModelError(f"a constraint.Problem is needed, got {type(problem).__name__}")
    own = _parsed(problem)
    model, terms, values = Model("from python-constraint"), {}, {}
    for name, domain in own._variables.items():
        text = name if isinstance(name, str) and name else f"v {name!r}"
        values[name] = list(dict.fromkeys(domain))
        if not values[name]:
            raise ModelError(f"variable {shown(name)} has an empty domain")
        numbers = values[name] if _are_integers(values[name]) else range(len(values[name]))
        terms[name] = model.intvar(domain=list(numbers), name=text)
    reader = _ProblemReader(terms, values)
    for stated, scope in own._constraints:
        for found in reader.read(stated, list(scope or own._variables)):
            model.add(found)
    return Imported(model, {str(name): term for name, term in terms.items()}, _writer(own, values))


def _parsed(problem: Any) -> Any:
    """Return a copy of which constraints that are texts were parsed, by the library itself."""
    if not getattr(problem, "_str_constraints", None):
        return problem
    own = copy.deepcopy(problem)
    own._getArgs()
    return own


def _writer(problem: Any, values: Mapping[Any, Sequence[Any]]) -> Callable[[Mapping[str, int]], list[str]]:
    """Return what asks the problem's own constraints; its variables hold no values."""

    def write(answer: Mapping[str, int]) -> list[str]:
        assigned = {name: _decoded(values[name], answer[str(name)]) for name in values}
        return [
            f"{type(stated).__name__} over {shown(scope)}"
            for stated, scope in problem._constraints
            if not _asked(stated, list(scope or values), assigned)
        ]

    return write


def _are_integers(domain: Sequence[Any]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in domain)


def _decoded(domain: Sequence[Any], value: int) -> Any:
    return value if _are_integers(domain) else domain[value]


def _asked(stated: Any, scope: list[Any], assigned: Mapping[Any, Any]) -> bool:
    """Ask a constraint of the library about a whole assignment."""
    from constraint import Domain

    chosen = {name: assigned[name] for name in scope}
    if type(stated).__name__ in _EACH:  # that library only prunes domains by them, and refuses to be asked
        return all(_EACH[type(stated).__name__](stated, value) for value in chosen.values())
    return bool(stated(scope, {name: Domain([value]) for name, value in chosen.items()}, chosen))


class _ProblemReader:
    """Turns constraints into ours."""

    def __init__(self, terms: Mapping[Any, Any], values: Mapping[Any, Sequence[Any]]) -> None:
        self.terms, self.values = terms, values

    def read(self, stated: Any, scope: list[Any]) -> list[Any]:
        """Return what a constraint over some variables is here."""
        known = _KNOWN.get(type(stated).__name__)
        plain = all(_are_integers(self.values[name]) for name in scope)
        found = known(stated, [self.terms[name] for name in scope]) if known and plain else None
        if type(stated).__name__ in _EACH:
            return [self._table(stated, [name]) for name in scope]
        return [self._table(stated, scope)] if found is None else [found]

    def _table(self, stated: Any, scope: list[Any]) -> Predicate:
        def allowed(*codes: int) -> bool:
            assigned = {n: _decoded(self.values[n], code) for n, code in zip(scope, codes, strict=True)}
            return _asked(stated, scope, assigned)

        return Predicate(allowed, *(self.terms[name] for name in scope))


def _sum(stated: Any, terms: list[Any], bound: Any) -> tuple[Any, Any] | None:
    factors = stated._multipliers or [1] * len(terms)
    whole = all(isinstance(f, int) for f in factors) and isinstance(bound, int) and len(factors) == len(terms)
    return (sum(f * t for f, t in zip(factors, terms, strict=True)), bound) if whole else None


def _compared(name: str, relation: Callable[[Any, Any], Any]) -> Callable[[Any, list[Any]], Any]:
    def read(stated: Any, terms: list[Any]) -> Any:
        sides = _sum(stated, terms, getattr(stated, name))
        return None if sides is None else relation(*sides)

    return read


def _product(name: str, relation: Callable[[Any, Any], Any]) -> Callable[[Any, list[Any]], Any]:
    def read(stated: Any, terms: list[Any]) -> Any:
        bound = getattr(stated, name)
        return relation(math.prod(terms), bound) if isinstance(bound, int) else None

    return read


_EACH: dict[str, Callable[[Any, Any], bool]] = {
    "InSetConstraint": lambda stated, value: value in stated._set,
    "NotInSetConstraint": lambda stated, value: value not in stated._set,
}
"""Constraints of each variable alone."""

_KNOWN: dict[str, Callable[[Any, list[Any]], Any]] = {
    "AllDifferentConstraint": lambda stated, terms: AllDifferent(terms),
    "AllEqualConstraint": lambda stated, terms: AllEqual(terms),
    "ExactProdConstraint": _product("_exactprod", lambda a, b: a == b),
    "ExactSumConstraint": _compared("_exactsum", lambda a, b: a == b),
    "MaxProdConstraint": _product("_maxprod", lambda a, b: a <= b),
    "MaxSumConstraint": _compared("_maxsum", lambda a, b: a <= b),
    "MinProdConstraint": _product("_minprod", lambda a, b: a >= b),
    "MinSumConstraint": _compared("_minsum", lambda a, b: a >= b),
}
"""Constraints that have an equal here; None where an instance has not."""
