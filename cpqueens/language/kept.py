"""What solvers make of a model, kept until the model changes: arrays, patterns, the checker's groups.

Small models are solved again and again, by one solver after another, with one seed after another; making
these things would take most of the time.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from cpqueens.language.expressions import LinearArray

Made = TypeVar("Made")

LARGEST_VARIABLES, LARGEST_CONSTRAINTS = 300, 3000
"""Of larger models is kept only what can grow with them: all else takes a small part of the time."""


State = tuple[int, int, int, bool]
"""What changes with a model: its variables, its constraints, how often one was cut, and the sense."""


def is_large(state: State) -> bool:
    """Say whether a model is one of which only what can grow is kept."""
    return state[0] > LARGEST_VARIABLES or state[1] > LARGEST_CONSTRAINTS


class Kept:
    """What was made of one model as it is now, and before it got more variables or constraints."""

    def __init__(self) -> None:
        self._state: tuple[object, ...] = ()
        self._objective: object = None
        self._made: dict[Hashable, Any] = {}
        self._before: dict[Hashable, Any] = {}

    def get(
        self,
        state: State,
        objective: LinearArray | None,
        what: Hashable,
        make: Callable[[], Made],
        grow: Callable[[Made], Made | None] | None = None,
    ) -> Made:
        """Return what ``make`` makes, made once; nobody may change it.

        Of a large model that has only got more, ``grow`` makes it of what was kept before, or says None.
        """
        large = is_large(state)
        if large and grow is None:
            return make()
        self._turn_to(state, objective)
        made = self._made
        if what not in made:
            before = self._before.pop(what, None) if large and grow is not None else None
            grown = None if before is None or grow is None else grow(before)
            made[what] = make() if grown is None else grown
        found: Made = made[what]
        return found

    def _turn_to(self, state: State, objective: LinearArray | None) -> None:
        """Forget what was made of the model as it was, unless it has only got more."""
        if state == self._state and objective is self._objective:
            return
        only_more = bool(self._state) and objective is self._objective and self._state[2:] == state[2:]
        self._before = {**self._before, **self._made} if only_more else {}
        self._state, self._objective, self._made = state, objective, {}
