"""What solvers make of a model, kept until the model changes: arrays, patterns, the checker's groups.

Small models are solved again and again, by one solver after another, with one seed after another; making
these things would take most of the time.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from cpqueens.language.expressions import LinearArray

Made = TypeVar("Made")

LARGEST_VARIABLES, LARGEST_CONSTRAINTS = 300, 3000
"""Of larger models nothing is kept: making it takes a small part of the time, and it may be large itself."""


State = tuple[int, int, int, bool]
"""What changes with a model: its variables, its constraints, how often one was cut, and the sense."""


class Kept:
    """What was made of one model as it is now."""

    def __init__(self) -> None:
        self._state: tuple[object, ...] = ()
        self._objective: object = None
        self._made: dict[Hashable, Any] = {}

    def get(
        self, state: State, objective: LinearArray | None, what: Hashable, make: Callable[[], Made]
    ) -> Made:
        """Return what ``make`` makes, made once; nobody may change it."""
        if state[0] > LARGEST_VARIABLES or state[1] > LARGEST_CONSTRAINTS:
            return make()
        if state != self._state or objective is not self._objective:
            self._state, self._objective, self._made = state, objective, {}
        made = self._made
        if what not in made:
            made[what] = make()
        found: Made = made[what]
        return found
