"""Where terms are defined: what makes the meaning of partial functions relational.

Here *defined* is an array (batch, variables) of truths: which variables have a value. A decision variable
and a truth always have one; any other defined variable has one where its function is defined and all its
arguments are. A constraint holds only where all its terms are defined; so a truth over an undefined term
is false, and its negation is true.

In ``t - t`` and ``0 * t`` a variable that is 0 stays for ``t`` where that may be undefined
(`VariableStore.remaining`); other variables with the coefficient 0 only fill a row.
"""

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.term import Term
from cpqueens.language.wording import Named, describe_term, describe_variable

Defined = Mask


class Partial(Protocol):
    """What has variables that may be undefined: a model."""

    @property
    def may_be_undefined(self) -> Mask:
        """Which variables may be undefined."""

    def producer(self, variable: int) -> tuple[Definition, int] | None:
        """Return the definition of a defined variable and its row there, else None."""


def defined_terms(array: LinearArray, defined: Defined) -> Defined:
    """Return where each term is defined, (batch, size)."""
    everywhere: Defined = (defined[:, array.variables] | (array.coefficients == 0)).all(axis=2)
    return everywhere


def defined_elements(constraint: Constraint, defined: Defined) -> Defined:
    """Return where all terms of each element of a constraint are defined, (batch, size)."""
    everywhere = np.ones((len(defined), constraint.size), dtype=bool)
    for array in constraint.arguments:
        if array.size and constraint.size:
            terms = defined_terms(array, defined)
            shape = len(defined), constraint.size, terms.shape[1] // constraint.size
            everywhere &= terms.reshape(shape).all(axis=2)
    return everywhere


def evaluate(definition: Definition, values: IntArray, defined: Defined) -> tuple[IntArray, Defined]:
    """Return the values of a definition's results and where they are defined, both (batch, size)."""
    if isinstance(definition, Truth):
        held = definition.constraint.satisfied(values) & defined_elements(definition.constraint, defined)
        return held.astype(np.int64), np.ones_like(held)
    arguments = [a.evaluate(values) for a in definition.arguments]
    everywhere = definition.defined_at(*arguments)
    for k, array in enumerate(definition.arguments):
        everywhere = everywhere & definition.whole(k, defined_terms(array, defined))
    return definition.compute(*arguments), everywhere


def conditions(
    store: Partial, arrays: Iterable[LinearArray], known: Iterable[int] = ()
) -> dict[int, list[Constraint]]:
    """Return, per partial variable that terms reach without passing a truth, when it is defined.

    Nothing is said about the variables ``known`` and what they reach.
    """
    found: dict[int, list[Constraint]] = {}
    seen = set(known)
    pending = list(arrays)
    while pending:
        array = pending.pop()
        if type(array) is Term:
            partial = [v for v in sorted(array.variable_list) if store.may_be_undefined[v]]
        else:
            scope = array.scope()
            partial = scope[store.may_be_undefined[scope]].tolist()
        for variable in partial:
            if variable in seen:
                continue
            seen.add(variable)
            definition, row = store.producer(variable)  # type: ignore[misc]
            one = definition
            if definition.size > 1:
                one = definition.take(np.array([row]), np.array([variable]))
            if one.partial()[0]:
                found[variable] = one.condition(0)
            pending += one.arguments
    return found


def why_undefined(model: Named, arrays: Iterable[LinearArray], row: IntArray, defined: Defined) -> str:
    """Return which function that terms reach has no value, and why, such as ``x // y: divisor y = 0``.

    ``row`` and ``defined`` (variables,) are the values of one assignment and which of them are defined.
    """
    variable = next(v for a in arrays for v in a.scope().tolist() if not defined[v])
    while True:
        definition, at = model.producer(variable)  # type: ignore[misc]
        one = definition.take(np.array([at]), np.array([variable]))
        inner = [v for a in one.arguments for v in a.scope().tolist() if not defined[v]]
        if not inner:
            reason = one.complaint(0, row, lambda term: describe_term(model, next(term.rows())))
            return f"{describe_variable(model, variable)}: {reason}"
        variable = inner[0]
