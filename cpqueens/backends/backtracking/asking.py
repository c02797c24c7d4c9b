"""Orders that are functions of the user: the search stops before each decision and is told the next one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.kernels.exact import branching as tree
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.branching import TreeSearch
from cpqueens.kernels.exact.domains import Memory
from cpqueens.text.plaintext import shown

Phase = tuple[Sequence[int], "int | Function", "int | Function"]
"""Variables (numbers), an order of them and one of their values: codes of `branching`, or functions."""


class OpenVariable:
    """A variable that has several values left, as a function sees it while the search stands still.

    Attributes
    ----------
    name
        With its subscripts, such as ``q[3]``.
    low, high, size
        The least and the greatest value that is left, and how many there are.
    degree
        How many constraints look at it.
    """

    __slots__ = ("_memory", "_place", "degree", "high", "low", "name", "size")

    def __init__(self, memory: Memory, place: int, name: str) -> None:
        self._memory, self._place, self.name = memory, place, name
        self.low, self.high = int(memory.x[place + at.LOW]), int(memory.x[place + at.HIGH])
        self.size, self.degree = int(at.size(memory, place)), int(tree.degree(memory, place))

    @property
    def values(self) -> Sequence[int]:
        """The values that are left, ascending; all between the ends where they are too many to be listed."""
        ends = range(self.low, self.high + 1)
        if self.size == len(ends):
            return ends
        if self._memory.x[self._place + at.FIRST] < 0:
            first, end = self._memory.x[[self._place + at.SPARSE, self._place + at.SPARSE_END]]
            listed = self._memory.net[first:end].tolist()
            return [w for w in listed if self.low <= w <= self.high]
        return [w for w in ends if at.contains(self._memory, self._place, w)]


@dataclass(frozen=True)
class Function:
    """An order that a user gave as a function: what it gives the least number comes first.

    Attributes
    ----------
    call
        Takes an `OpenVariable`, and one of its values if it orders values.
    parameter
        As which it was given.
    names
        From the number of a decision variable to its name.
    """

    call: Callable[..., Any]
    parameter: str
    names: Callable[[int], str]

    def first(self, things: Iterable[int], number: Callable[[int], Any]) -> int:
        """Return the first of some things whose number is least.

        Raises
        ------
        ModelError
            If something is no number.
        """
        best, smallest = -1, math.inf
        for k, thing in enumerate(things):
            found = number(thing)
            if not isinstance(found, Real | np.bool_) or math.isnan(float(found)):
                shape = shown(found, 40)
                raise ModelError(f"{self.parameter}: the function is to return a number, not {shape}")
            if k == 0 or found < smallest:
                best, smallest = thing, float(found)
        return best

    def sees(self, memory: Memory, place: int) -> OpenVariable:
        """Return what it sees of the variable at a place."""
        return OpenVariable(memory, place, self.names(place // at.X_WIDTH))


def refuse_wide(phases: Sequence[Phase], memory: Memory) -> None:
    """Raise where a function orders the values of variables that have too many to be listed.

    Raises
    ------
    ModelError
        With the first of them.
    """
    for variables, _, values in phases:
        wide = [v for v in variables if memory.x[v * at.X_WIDTH + at.FIRST] < 0]
        if wide and isinstance(values, Function):
            raise ModelError(
                f"{values.parameter}: {values.names(wide[0])} has too many values for a function; narrow its "
                "domain to 65536 values, or give an order by name, such as split"
            )


def decide(phases: Sequence[Phase], memory: Memory, search: TreeSearch) -> None:
    """Tell a search its next decision, by the phase that comes next; where all are made it says so itself."""
    search.state[tree.ANSWERED] = 1
    for variables, variable_order, value_order in phases:
        places = [v * at.X_WIDTH for v in variables if tree.is_open(memory, v * at.X_WIDTH)]
        if not places:
            continue
        place = _variable(variable_order, places, memory, search)
        search.state[tree.CHOSEN] = place + 1
        if isinstance(value_order, Function):
            search.state[tree.HAS_VALUE] = 1
            search.state[tree.CHOSEN_VALUE] = _value(value_order, place, memory)
        return


def _variable(order: int | Function, places: list[int], memory: Memory, search: TreeSearch) -> int:
    if not isinstance(order, Function):
        return int(tree.choose_variable(memory, search))
    return order.first(places, lambda place: order.call(order.sees(memory, place)))


def _value(order: Function, place: int, memory: Memory) -> int:
    seen = order.sees(memory, place)
    return order.first(seen.values, lambda value: order.call(seen, value))
