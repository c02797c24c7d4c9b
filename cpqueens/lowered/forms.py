"""The forms in which engines take a model, and which constraint each part of its arrays comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.posted import join_linear, joined_numbers
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.lowered.columns import scaled
from cpqueens.lowered.compiled import PLAIN_KINDS, Compiled, ModelForm, _renumber, compile_model, lowered_of
from cpqueens.lowered.lowering import Lowered


def takes_circuit(constraint: Constraint) -> bool:
    """Say whether a constraint is what tours keep."""
    stated: Any = constraint
    return stated.kind == "SubCircuit" or (stated.kind == "Circuit" and not stated.depots)


_COMMON = PLAIN_KINDS - {"Count"}
WALKED = ModelForm(computed=True)
"""What local search walks on."""
DECOMPOSED = ModelForm(_COMMON)
"""What is compared with kernels that count nothing."""
BOARD = ModelForm(_COMMON, objective=False)
"""What boards are found in."""
CIRCUITS = ModelForm(_COMMON, takes_circuit)
"""What tours are found in."""


def simplest(model: Statement, form: ModelForm) -> ModelForm:
    """Return the form that stands for all which make no difference to a model."""
    objective = form.objective and model.objective is not None
    stated = [constraint for _, constraint in model._constraints.others()]
    plain = all(c.kind in _COMMON for c in stated) and not (form.takes and any(map(form.takes, stated)))
    return ModelForm(_COMMON, None, objective) if plain else replace(form, objective=objective)


def compiled_of(model: Statement, form: ModelForm = WALKED, backend: str = "backend") -> Compiled:
    """Compile a model, or return what was made of it in this form; for errors see `compile_model`."""
    simple = model.kept(("form", form), partial(simplest, model, form))
    return model.kept(("compiled", simple), partial(compile_model, model, simple, backend))


def unfolded(compiled: Compiled) -> Compiled:
    """Return the model with the terms of a maximum that is the objective, of a minimum to be maximised."""
    other = compiled.once(_unfolded)
    return compiled if other is None else other


def _unfolded(compiled: Compiled) -> Compiled | None:
    single = None if compiled.objective is None else compiled.objective.singles(0, 1)
    if single is None or len(compiled.objective or ()) > 1 or single[0][0] < compiled.decision_count:
        return None
    (variable,), (a,), (constant,) = single
    definition = compiled.definitions[variable - compiled.decision_count]
    if definition.kind != ("maximum" if a > 0 else "minimum"):
        return None
    terms = scaled(definition.terms, int(a))
    return replace(compiled, objective=replace(terms, constant=terms.constant + constant))


# ---- which constraint of a model each part of its compiled arrays comes from: asked by profiles alone ----

SHARED, IMPLIED, OBJECTIVE, SEARCH, CLAUSES = range(-1, -6, -1)
"""Origins that are no constraint: several, what follows from several, the objective, the search itself."""

_NOBODY = 1 << 60


@dataclass(frozen=True)
class Origins:
    """The origin of each row, clause, AllDifferent, table, constraint taken whole, and defined variable.

    In the order of `Compiled`; ``defined`` has one for each compiled variable. A number from 0 on is that of
    a constraint of the model.
    """

    linear: Iterable[int] = repeat(SEARCH)
    clauses: Iterable[int] = repeat(SEARCH)
    different: Iterable[int] = repeat(SEARCH)
    tables: Iterable[int] = repeat(SEARCH)
    wholes: Iterable[int] = repeat(SEARCH)
    defined: Sequence[int] = ()

    def owner(self, variable: int) -> int:
        """Return the origin of a defined variable."""
        return self.defined[variable] if variable < len(self.defined) else SEARCH


def origins_of(model: Statement, form: ModelForm, backend: str = "backend") -> Origins:
    """Return where the parts come from of what `compiled_of` returns for the same model and form."""
    form = simplest(model, form)
    lowered = lowered_of(model, form, backend)
    each = _of_each(model, lowered)
    found: dict[str, list[IntArray]] = {}
    joined = join_linear(lowered.constraints)
    for constraint, numbers in zip(joined, joined_numbers(lowered.constraints), strict=True):
        kind = constraint.kind if constraint.kind in form.kinds else "whole"
        found.setdefault(kind, []).append(np.concatenate([each[k] for k in numbers]))

    def of(kind: str) -> list[int]:
        return [k for part in found.get(kind, ()) for k in part.tolist()]

    _, order = _renumber(model, lowered)
    defined = _of_defined(lowered, each)[order].tolist()
    return Origins(of("Linear"), of("Or"), of("AllDifferent"), of("Table"), of("whole"), defined)


def _of_each(model: Statement, lowered: Lowered) -> list[IntArray]:
    """Return of each lowered constraint the origins of its elements."""
    rows = model._constraints.row_positions() if lowered.rows else []
    found = [np.array(positions, dtype=np.int64) for positions in rows]
    others = lowered.constraints[lowered.rows :]
    return found + [_of_elements(c, members) for c, members in zip(others, lowered.members, strict=True)]


def _of_elements(constraint: Constraint, members: list[int]) -> IntArray:
    if len(members) == constraint.size:
        return np.array(members, dtype=np.int64)
    return np.full(constraint.size, members[0] if len(members) == 1 else SHARED, dtype=np.int64)


def _of_defined(lowered: Lowered, each: list[IntArray]) -> IntArray:
    """Return the only constraint that each variable is needed for, `SHARED` where there are several."""
    many = lowered.store.variable_count
    least, most = np.full(many, _NOBODY), np.full(many, -_NOBODY)

    def need(variables: IntArray, low: IntArray, high: IntArray) -> None:
        np.minimum.at(least, variables, low)
        np.maximum.at(most, variables, high)

    for constraint, origins in zip(lowered.constraints, each, strict=True):
        for array in constraint.arguments:
            kept = array.coefficients != 0
            if len(origins) and array.size % len(origins) == 0:
                of = origins.repeat(array.size // len(origins))[:, None].repeat(array.width, axis=1)[kept]
            else:
                of = np.full(int(kept.sum()), SHARED)
            need(array.variables[kept], of, of)
    if lowered.objective is not None:
        variables = lowered.objective.variables[lowered.objective.coefficients != 0]
        need(variables, *(np.full(len(variables), OBJECTIVE),) * 2)
    for block in reversed(lowered.definitions):
        for k, array in enumerate(block.arguments):
            each_has = block.each(k)
            terms = (block.places(k)[:, None] * each_has + np.arange(each_has)).reshape(-1)
            kept = array.coefficients[terms] != 0
            of = block.results.repeat(each_has)[:, None].repeat(array.width, axis=1)[kept]
            need(array.variables[terms][kept], least[of], most[of])
    return np.where((least == most) & (least != _NOBODY), least, SHARED)
