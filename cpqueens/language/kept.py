"""What solvers make of a model, kept until the model changes: arrays, patterns, the checker's groups.

Small models are solved again and again, by one solver after another, with one seed after another; making
these things would take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from cpqueens.language.statement import Statement

Made = TypeVar("Made")

LARGEST_VARIABLES, LARGEST_CONSTRAINTS = 300, 3000
"""Of larger models nothing is kept: making it takes a small part of the time, and it may be large itself."""


class Derived:
    """What was made of one model as it is now."""

    def __init__(self) -> None:
        self._state: tuple[object, ...] = ()
        self._objective: object = None
        self._made: dict[Hashable, Any] = {}

    def get(self, model: Statement, what: Hashable, make: Callable[[], Made]) -> Made:
        """Return what ``make`` makes, made once; nobody may change it."""
        size = model.constraint_count
        if model.variable_count > LARGEST_VARIABLES or size > LARGEST_CONSTRAINTS:
            return make()
        state = (model.variable_count, size, model._constraints.cuts, model.maximizing)
        if state != self._state or model.objective is not self._objective:
            self._state, self._objective, self._made = state, model.objective, {}
        made = self._made
        if what not in made:
            made[what] = make()
        found: Made = made[what]
        return found
