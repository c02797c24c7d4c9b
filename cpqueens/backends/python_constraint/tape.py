"""An atom compiled for evaluation on partial assignments: the definitions in order, then the atom."""

from __future__ import annotations

from collections.abc import Callable

from cpqueens.backends.python_constraint.atoms import Atom, Formulas
from cpqueens.backends.python_constraint.functions import FUNCTIONS
from cpqueens.backends.python_constraint.intervals import TRUTHS, Closure, Interval, linear

_MAKERS = TRUTHS | FUNCTIONS

Bounds = Callable[[int], Interval]
"""From a decision variable to the ends of its domain."""


class Tape:
    """Evaluates an atom over intervals of its decision variables.

    ``scope`` are these variables; the first slots of ``low`` and ``high`` belong to them, in this order,
    and the rest to the defined variables in between. The definitions are never variables of the library.
    """

    def __init__(self, atom: Atom, formulas: Formulas, bounds: Bounds) -> None:
        self.scope, defined = formulas.reach(atom)
        self._slots = {v: slot for slot, v in enumerate((*self.scope, *defined))}
        ends = [bounds(v) for v in self.scope]
        self.low = [a for a, _ in ends] + [0] * len(defined)
        self.high = [b for _, b in ends] + [0] * len(defined)
        self._operands = [{self._slots[w] for r in formulas.atoms[v].rows for w in r[0]} for v in defined]
        self._steps = [(self._slots[v], self._compile(formulas.atoms[v])) for v in defined]
        self._result = self._compile(atom)
        self._dependents: dict[int, list[tuple[int, Closure]]] = {}

    def _compile(self, atom: Atom) -> Closure:
        return _MAKERS[atom.kind]([linear(row, self._slots) for row in atom.rows], atom.detail)

    def evaluate(self) -> Interval:
        """Return the atom's interval for what ``low`` and ``high`` hold."""
        return self._run(self._steps)

    def _run(self, steps: list[tuple[int, Closure]]) -> Interval:
        low, high = self.low, self.high
        for slot, step in steps:
            low[slot], high[slot] = step(low, high)
        return self._result(low, high)

    def tester(self, slot: int) -> Callable[[int], bool]:
        """Return a test of single values of one variable: may the atom be true for the value?

        The definitions that do not depend on the variable must have been evaluated.
        """
        steps = self._depending_on(slot)
        low, high, result = self.low, self.high, self._result

        def direct(value: int) -> bool:
            low[slot] = high[slot] = value
            return result(low, high)[1] != 0

        def test(value: int) -> bool:
            low[slot] = high[slot] = value
            for k, step in steps:
                low[k], high[k] = step(low, high)
            return result(low, high)[1] != 0

        return test if steps else direct

    def _depending_on(self, slot: int) -> list[tuple[int, Closure]]:
        if slot not in self._dependents:
            affected, chosen = {slot}, []
            for operands, step in zip(self._operands, self._steps, strict=True):
                if not affected.isdisjoint(operands):
                    affected.add(step[0])
                    chosen.append(step)
            self._dependents[slot] = chosen
        return self._dependents[slot]
