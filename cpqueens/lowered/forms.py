"""The forms in which engines take a model: what stays as it is, and whether there is an objective."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.statement import Statement
from cpqueens.lowered.columns import scaled
from cpqueens.lowered.compiled import PLAIN_KINDS, Compiled, Takes, compile_model


@dataclass(frozen=True)
class ModelForm:
    """What `compile_model` is asked for."""

    kinds: frozenset[str] = PLAIN_KINDS
    takes: Takes | None = None
    objective: bool = True
    computed: bool = False


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
    simple = model.kept(("form", form), lambda: simplest(model, form))
    return model.kept(
        ("compiled", simple),
        lambda: compile_model(
            model,
            simple.kinds,
            takes=simple.takes,
            objective=simple.objective,
            computed=simple.computed,
            backend=backend,
        ),
    )


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
