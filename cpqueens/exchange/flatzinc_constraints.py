"""What the constraints of FlatZinc mean here: tables from name to signature and builder.

A signature has a letter for each argument: ``i`` a term, ``b`` a 0/1 term, ``k`` an integer, ``s`` a set of
integers; ``I``, ``B``, ``K``, ``L`` (truth values) and ``S`` arrays of these. A *relation* returns a truth; a
*function* the value of one argument, at the given position, by the others. Of each there are ``name_reif``
and ``name_imp``, with a last argument that is the truth, or implies it. Quotients and remainders round
towards zero; where a function is undefined, its relation is false.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cpqueens.errors import ModelError
from cpqueens.exchange.flatzinc_globals import GLOBALS
from cpqueens.language.constraints.connective import Xor
from cpqueens.language.expressions import BoolArray
from cpqueens.language.functions import all_, any_, div_trunc, element, maximum, minimum, mod_trunc
from cpqueens.language.term import Term
from cpqueens.lowered.compiled import runs

_MOST_POWERS = 200
"""Exponents that a variable one may take."""


class Form(NamedTuple):
    """How a constraint is read; ``result`` is the argument that a function defines, None for a relation."""

    signature: str
    build: Callable[..., Any]
    result: int | None = None

    def truth(self, arguments: Sequence[Any]) -> BoolArray:
        """Return that the constraint holds."""
        if self.result is None:
            found: BoolArray = self.build(*arguments)
            return found
        equal: BoolArray = self.value(arguments) == arguments[self.result]
        return equal

    def value(self, arguments: Sequence[Any]) -> Any:
        """Return what the function is of its arguments; a truth counts as 0 or 1."""
        at = self.result
        assert at is not None
        found = self.build(*arguments[:at], *arguments[at + 1 :])
        return 1 * found if isinstance(found, BoolArray) else found


def linear(weights: Sequence[int], terms: Sequence[Term]) -> Term:
    """Return the weighted sum of as many terms, all of one model."""
    if len(weights) != len(terms):
        raise ModelError(f"{len(weights)} coefficients for {len(terms)} variables")
    if not terms:
        raise ModelError("a sum of nothing")
    parts: dict[int, int] = {}
    constant = 0
    for weight, term in zip(weights, terms, strict=True):
        constant += weight * term.constant
        for variable, coefficient in zip(term.variable_list, term.coefficient_list, strict=True):
            parts[variable] = parts.get(variable, 0) + weight * coefficient
    left = {variable: a for variable, a in parts.items() if a}
    return Term(terms[0].registry, tuple(left), tuple(left.values()), constant)


def within(term: Any, values: range | tuple[int, ...]) -> BoolArray:
    """Return that a term is in a set, run by run of its values."""
    spans = [(values.start, values.stop)] if isinstance(values, range) else runs(values)
    truths = [
        term == low if low == end - 1 else all_([term >= low, term < end])
        for low, end in (spans if len(values) else ())
    ]
    return truths[0] if len(truths) == 1 else any_(truths)


def _compared(relation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def build(weights: Sequence[int], terms: Sequence[Term], side: Any) -> Any:
        if weights or terms:
            return relation(linear(weights, terms), side)
        truth = relation(0, side)  # a sum of nothing
        return truth if isinstance(truth, BoolArray) else all_([]) if truth else any_([])

    return build


def _power(base: Any, exponent: Any) -> Any:
    """Return ``base ** exponent``, of a negative exponent the quotient of 1 by the power, as in MiniZinc."""
    low, high, _ = exponent.ends()
    if high - low >= _MOST_POWERS:
        raise ModelError(f"an exponent of at most {_MOST_POWERS} values is needed, got {low}..{high}")
    if low == high:
        return _fixed_power(base, low)
    total = base if low >= 0 else base + (base == 0)  # an entry that is undefined would make all so
    powers = [_fixed_power(total if k < 0 else base, k) for k in range(low, high + 1)]
    outside = (high - low + 1) * all_([base == 0, exponent < 0]) if low < 0 else 0
    return element(powers, exponent - low - outside)


def _fixed_power(base: Any, exponent: int) -> Any:
    if exponent == 0:
        return 0 * base + 1
    return base**exponent if exponent > 0 else div_trunc(0 * base + 1, base**-exponent)


def _clause(positive: list[Any], negative: list[Any]) -> BoolArray:
    return any_([*positive, *(1 - term for term in negative)])


def _parity(truths: list[Any]) -> BoolArray:
    return Xor(truths) if truths else any_([])


_COMPARISONS = {name: getattr(operator, name) for name in ("eq", "ne", "le", "lt", "ge", "gt")}


def _entry(index: Any, table: Any) -> Any:
    return element(table, index - 1)


FORMS: dict[str, Form] = {
    **{f"int_{name}": Form("ii", relation) for name, relation in _COMPARISONS.items()},
    **{f"bool_{name}": Form("bb", relation) for name, relation in _COMPARISONS.items()},
    **{f"int_lin_{name}": Form("KIk", _compared(relation)) for name, relation in _COMPARISONS.items()},
    **{f"bool_lin_{name}": Form("KBi", _compared(relation)) for name, relation in _COMPARISONS.items()},
    **{name: Form(signature, build) for name, (signature, build) in GLOBALS.items()},
    "array_bool_and": Form("Bb", all_, 1),
    "array_bool_element": Form("iLb", _entry, 2),
    "array_bool_or": Form("Bb", any_, 1),
    "array_bool_xor": Form("B", _parity),
    "array_int_element": Form("iKi", _entry, 2),
    "array_int_maximum": Form("iI", maximum, 0),
    "array_int_minimum": Form("iI", minimum, 0),
    "array_var_bool_element": Form("iBb", _entry, 2),
    "array_var_int_element": Form("iIi", _entry, 2),
    "bool2int": Form("bi", lambda truth: truth, 1),
    "bool_and": Form("bbb", lambda a, b: all_([a, b]), 2),
    "bool_clause": Form("BB", _clause),
    "bool_eq": Form("bb", lambda a: a, 1),
    "bool_not": Form("bb", lambda a: 1 - a, 1),
    "bool_or": Form("bbb", lambda a, b: any_([a, b]), 2),
    "bool_xor": Form("bbb", lambda a, b: a != b, 2),
    "int_abs": Form("ii", abs, 1),
    "int_div": Form("iii", div_trunc, 2),
    "int_eq": Form("ii", lambda a: a, 1),
    "int_max": Form("iii", maximum, 2),
    "int_min": Form("iii", minimum, 2),
    "int_minus": Form("iii", operator.sub, 2),
    "int_mod": Form("iii", mod_trunc, 2),
    "int_negate": Form("ii", operator.neg, 1),
    "int_plus": Form("iii", operator.add, 2),
    "int_pow": Form("iii", _power, 2),
    "int_pow_fixed": Form("iki", _fixed_power, 2),
    "int_times": Form("iii", operator.mul, 2),
    "set_in": Form("is", within),
}
"""Every constraint that is known, without its forms ``_reif`` and ``_imp``."""

SHORTER: dict[tuple[str, int], Form] = {("bool_xor", 2): Form("bb", operator.ne)}
"""Those that have another meaning with fewer arguments."""

ENDINGS = ("_reif", "_imp")
