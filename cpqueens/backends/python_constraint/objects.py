"""What our constraints for the library share, and the one that takes any atom."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from constraint import Constraint

from cpqueens.backends.python_constraint.tape import Tape
from cpqueens.backends.python_constraint.watch import Watch


def hide(domain: Any, doomed: Collection[int]) -> bool:
    """Hide the values ``doomed``, all of them in the domain; answer whether any value is left.

    The library hides one value in time proportional to the domain; many are hidden here at once.
    """
    if len(doomed) == len(domain):
        return False
    if len(doomed) <= 3:
        for value in doomed:
            domain.hideValue(value)
    else:
        gone = doomed if isinstance(doomed, set) else set(doomed)
        domain._hidden.extend(doomed)
        domain[:] = [value for value in domain if value not in gone]
    return True


class OwnConstraint(Constraint):  # type: ignore[misc]
    """What ours share: they are asked once at the root, and what they hide there is gone for good."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def preProcess(  # noqa: N802 - the library's name
        self, variables: Sequence[int], domains: Any, constraints: Any, vconstraints: Any
    ) -> None:
        """Prune the domains at the root; empty one if the constraint cannot hold."""
        self._watch.due()
        if not all(domains[v] for v in variables):
            return
        if not self(variables, domains, {}, True):
            domains[variables[0]].clear()
        for v in variables:
            domains[v]._hidden.clear()

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Say whether the partial assignment may still be extended; hide values if asked to."""
        raise NotImplementedError


class IntervalConstraint(OwnConstraint):
    """Any atom: refuted by interval arithmetic, pruned when a single variable is open."""

    def __init__(self, tape: Tape, watch: Watch) -> None:
        super().__init__(watch)
        self._tape = tape
        self._ends = list(enumerate(zip(tape.scope, tape.low, tape.high, strict=False)))

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Evaluate over intervals."""
        tape = self._tape
        low, high = tape.low, tape.high
        missing, open_slot = 0, -1
        for slot, (variable, least, most) in self._ends:
            value = assignments.get(variable)
            if value is None:
                low[slot], high[slot] = least, most
                missing += 1
                open_slot = slot
            else:
                low[slot] = high[slot] = value
        decided = tape.evaluate()
        if decided[1] == 0:
            return False
        if not forwardcheck or missing != 1 or decided[0] == 1:
            return True
        domain = domains[tape.scope[open_slot]]
        return hide(domain, self._refuted(tape, open_slot, domain))

    def _refuted(self, tape: Tape, slot: int, domain: Any) -> list[int]:
        test = tape.tester(slot)
        if len(domain) < 1000:
            return [value for value in domain if not test(value)]
        refuted = []
        for value in domain:
            if not test(value):
                refuted.append(value)
            self._watch.due()
        return refuted
