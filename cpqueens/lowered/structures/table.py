"""The table of structures: what a model turns out to be, for searches, pictures and people.

This is the one place to ask. A structure is found in a model's arrays, never by a problem's name, by
``find(compiled)`` in the file of its name, which returns a record, or None where the model is not exactly
that. It is looked for when first asked for, and kept with the arrays.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from operator import attrgetter
from typing import Any

from cpqueens.language.statement import Statement
from cpqueens.lowered import forms
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.structures.shifted_permutation import least_value


class Structures:
    """One model's compiled forms, each made once, and the structures in them.

    Parameters
    ----------
    backend
        Who asks, for messages.
    takes
        Which constraints the exact engine takes as they are.
    """

    def __init__(self, model: Statement, backend: str = "backend", takes: forms.Takes | None = None) -> None:
        self.model, self.backend = model, backend
        self.exact = forms.ModelForm(forms.DECOMPOSED.kinds, takes)
        self._compiled: dict[forms.ModelForm, Compiled] = {}
        self._found: dict[str, Any | None] = {}

    def compiled(self, form: forms.ModelForm = forms.WALKED) -> Compiled:
        """Return the model in a form."""
        if form not in self._compiled:
            simple = forms.simplest(self.model, form)
            found = self._compiled.get(simple) or forms.compiled_of(self.model, simple, self.backend)
            self._compiled[form] = self._compiled[simple] = found
        return self._compiled[form]

    @cached_property
    def takes_permutations(self) -> bool:
        """Whether there is no objective, and all decisions have the same values, as many as they are."""
        model, decisions = self.model, self.model.decisions
        if model.objective is not None or model.domains:
            return False
        return least_value(model.lower[decisions], model.upper[decisions], len(decisions)) is not None

    def states(self, *kinds: str) -> bool:
        """Say whether a constraint of such a kind is stated."""
        return any(constraint.kind in kinds for _, constraint in self.model._constraints.others())

    def find(self, name: str) -> Any | None:
        """Return the record of a structure, None if the model is another."""
        if name not in self._found:
            structure, record = STRUCTURES[name], None
            if structure.may_be(self):
                record = self.find_stated(name) if structure.is_stated else None
                if record is None and structure.form is not None:
                    record = find(name, structure.form(self))
            self._found[name] = record
        return self._found[name]

    def find_stated(self, name: str) -> Any | None:
        """Return the record of a structure that the model as stated shows, without compiling it."""
        if not (STRUCTURES[name].is_stated and STRUCTURES[name].may_be(self)):
            return None
        return self.model.kept(name, partial(_module(name).find_stated, self.model))

    def names(self) -> list[str]:
        """Return the names of all structures; of a large model those that it shows as it is stated."""
        look = self.find_stated if self.model.is_large else self.find
        return [name for name in STRUCTURES if look(name) is not None]


@dataclass(frozen=True)
class Structure:
    """A row of the table.

    Attributes
    ----------
    says
        What a model is that has the structure.
    form
        Returns the arrays to look at; None for what is found in the model as it is stated alone.
    may_be
        Says by a glance at the model whether they are worth making.
    is_stated
        Whether ``find_stated(model)`` finds it in a model that is not compiled.
    """

    says: str
    form: Callable[[Structures], Compiled] | None
    may_be: Callable[[Structures], bool] = lambda asked: True
    is_stated: bool = False


def _walked(asked: Structures) -> Compiled:
    return forms.unfolded(asked.compiled())


def _tasks(asked: Structures) -> Compiled:
    return asked.compiled(asked.exact if asked.states("Cumulative", "NoOverlap") else forms.WALKED)


def _may_be_tasks(asked: Structures) -> bool:
    return asked.model.has_partial or bool(asked.model._constraints.others())


def _circuits(asked: Structures) -> Compiled:
    return asked.compiled(forms.CIRCUITS)


def _may_be_tours(asked: Structures) -> bool:
    return any(forms.takes_circuit(constraint) for _, constraint in asked.model._constraints.others())


def _board(asked: Structures) -> Compiled:
    return asked.compiled(asked.exact._replace(objective=False))


_PERMUTED = Structures.compiled, attrgetter("takes_permutations")
"""The form of permutations, and the glance at them."""

STRUCTURES: Mapping[str, Structure] = {
    "tours": Structure("a circuit, with sums over its arcs and times along it", _circuits, _may_be_tours),
    "shifted_permutation": Structure(
        "one permutation under AllDifferents over shifted variables, as queens", *_PERMUTED, is_stated=True
    ),
    "path": Structure("one permutation under differences along a path, as all-interval series", *_PERMUTED),
    "lines": Structure("one permutation under sums of lines, as magic squares", *_PERMUTED),
    "schedule": Structure("tasks under lags, machines and resources", _tasks, _may_be_tasks),
    "packing": Structure(
        "rectangles that do not overlap", None, lambda asked: asked.states("NoOverlap2D"), is_stated=True
    ),
    "linear": Structure("an objective under linear rows", _walked),
    "pairs": Structure("inequalities of two variables each, as colourings", _walked),
    "triangle": Structure("one permutation under rows of differences, as Costas arrays", _walked),
    "cells": Structure("terms that are tables of one variable or two", _walked),
    "one_hot": Structure("an objective under sums of functions of one variable each", _walked),
    "shifted_board": Structure("AllDifferents over shifted variables of at most 64 values", _board),
    "sum_board": Structure("AllDifferents over sums of variables of at most 64 values", _board),
}
"""By name, which is that of the file, in the order in which searches ask."""


def find(name: str, compiled: Compiled) -> Any | None:
    """Return the record of a structure in a compiled model, None if it is another."""
    return compiled.once(_finder(name))


@cache
def _finder(name: str) -> Callable[[Compiled], Any | None]:
    finder: Callable[[Compiled], Any | None] = _module(name).find
    return finder


def _module(name: str) -> Any:
    return import_module(f"{__package__}.{name}")
