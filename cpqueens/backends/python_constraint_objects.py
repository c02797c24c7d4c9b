"""Own constraints for the library: they decide partial assignments and prune domains."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from constraint import Constraint

from cpqueens.backends.python_constraint_atoms import Atom
from cpqueens.backends.python_constraint_tape import Bounds, Tape
from cpqueens.backends.python_constraint_watch import Watch


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


class _Sum(OwnConstraint):
    """A sum of decision variables with coefficients, related to 0."""

    def __init__(self, atom: Atom, bounds: Bounds, watch: Watch) -> None:
        super().__init__(watch)
        ((variables, coefficients, self._constant),) = atom.rows
        self._terms = []
        for variable, a in zip(variables, coefficients, strict=True):
            ends = [a * x for x in bounds(variable)]
            self._terms.append((variable, a, min(ends), max(ends)))
        self._widest = max(most - least for _, _, least, most in self._terms)


class AtMost(_Sum):
    """``sum <= 0``, with the values hidden that leave too little for the rest."""

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the least sum with 0."""
        total = self._constant
        for variable, a, least, _ in self._terms:
            value = assignments.get(variable)
            total += least if value is None else a * value
        if total > 0:
            return False
        if not forwardcheck or self._widest <= -total:
            return True
        for variable, a, least, most in self._terms:
            room = least - total
            if most > room and variable not in assignments:
                domain = domains[variable]
                if not hide(domain, [value for value in domain if a * value > room]):
                    return False
        return True


class Equal(_Sum):
    """``sum == 0``, with the values hidden that leave too little or too much for the rest."""

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the least and the greatest sum with 0."""
        low = high = self._constant
        for variable, a, least, most in self._terms:
            value = assignments.get(variable)
            if value is None:
                low += least
                high += most
            else:
                low += a * value
                high += a * value
        if low > 0 or high < 0:
            return False
        if not forwardcheck or (self._widest <= -low and self._widest <= high):
            return True
        for variable, a, least, most in self._terms:
            largest, smallest = least - low, most - high
            if (most > largest or least < smallest) and variable not in assignments:
                domain = domains[variable]
                doomed = [value for value in domain if not smallest <= a * value <= largest]
                if not hide(domain, doomed):
                    return False
        return True


class Unequal(_Sum):
    """``sum != 0``: the last open variable loses at most one value."""

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Add up; with one variable open, find the value that it may not have."""
        total = self._constant
        last = None
        for term in self._terms:
            value = assignments.get(term[0])
            if value is not None:
                total += term[1] * value
            elif last is not None:
                return True
            else:
                last = term
        if last is None:
            return total != 0
        if not forwardcheck or total % last[1]:
            return True
        domain, value = domains[last[0]], -total // last[1]
        return value not in domain or hide(domain, [value])


class Permutation(OwnConstraint):
    """AllDifferent over ``a*x + b``: a new value is hidden from every open variable at once."""

    def __init__(self, atom: Atom, watch: Watch) -> None:
        super().__init__(watch)
        self._fixed = [row[2] for row in atom.rows if not row[0]]
        self._terms = [(row[0][0], row[1][0], row[2]) for row in atom.rows if row[0]]
        self._of: dict[int, list[tuple[int, int]]] = {}
        for variable, a, b in self._terms:
            self._of.setdefault(variable, []).append((a, b))

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare all assigned terms; hide the newest ones' values, the older ones' being hidden already.

        The newest variable is the last key of the assignments. If a solver assigned in another way, less
        would be pruned and nothing wrongly accepted.
        """
        seen = set(self._fixed)
        if len(seen) < len(self._fixed):
            return False
        open_terms = []
        for term in self._terms:
            variable, a, b = term
            value = assignments.get(variable)
            if value is None:
                open_terms.append(term)
                continue
            value = a * value + b
            if value in seen:
                return False
            seen.add(value)
        if not forwardcheck or not open_terms:
            return True
        newest = next(reversed(assignments)) if assignments else None
        fresh: Collection[int] = seen
        if newest in self._of:
            fresh = [a * assignments[newest] + b for a, b in self._of[newest]]
        return all(_without(domains[v], a, b, fresh) for v, a, b in open_terms)


def _without(domain: Any, a: int, b: int, values: Collection[int]) -> bool:
    """Hide what makes ``a*x + b`` one of ``values``; answer whether any value is left."""
    for value in values:
        x, rest = (value - b, 0) if a == 1 else divmod(value - b, a)
        if not rest and x in domain:
            domain.hideValue(x)
            if not domain:
                return False
    return True


class DifferentSums(OwnConstraint):
    """AllDifferent over sums of decision variables: sums with one open variable are pruned."""

    def __init__(self, atom: Atom, watch: Watch) -> None:
        super().__init__(watch)
        self._terms = [(list(zip(row[0], row[1], strict=True)), row[2]) for row in atom.rows]

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Compare the complete sums; hide values that would repeat one."""
        seen: set[int] = set()
        half: list[tuple[int, int, int]] = []
        for pairs, total in self._terms:
            last = None
            for pair in pairs:
                value = assignments.get(pair[0])
                if value is not None:
                    total += pair[1] * value
                elif last is not None:
                    break
                else:
                    last = pair
            else:
                if last is not None:
                    half.append((*last, total))
                elif total in seen:
                    return False
                else:
                    seen.add(total)
        if not forwardcheck:
            return True
        return all(_without(domains[v], a, total, seen) for v, a, total in half)


class Rows(OwnConstraint):
    """Table over decision variables: rows that fit what is assigned support the open variables."""

    def __init__(self, scope: list[int], rows: list[tuple[int, ...]], watch: Watch) -> None:
        super().__init__(watch)
        self._scope = scope
        self._rows = rows
        self._at: list[dict[int, list[tuple[int, ...]]]] = []
        for k in range(len(scope)):
            index: dict[int, list[tuple[int, ...]]] = {}
            for row in rows:
                index.setdefault(row[k], []).append(row)
            self._at.append(index)

    @classmethod
    def over(cls, atom: Atom, watch: Watch) -> Rows:
        """Return the table of an atom over ``a*x + b``, as a table over the variables themselves."""
        scope = sorted({row[0][0] for row in atom.rows if row[0]})
        place = {v: k for k, v in enumerate(scope)}
        rows = (_solved(atom, place, wanted) for wanted in atom.detail)
        return cls(scope, list(dict.fromkeys(row for row in rows if row is not None)), watch)

    def __call__(
        self, variables: Sequence[int], domains: Any, assignments: dict[int, int], forwardcheck: Any = False
    ) -> bool:
        """Filter the rows, starting from the assigned variable with the fewest."""
        live, known, unknown = self._rows, [], []
        for k, variable in enumerate(self._scope):
            value = assignments.get(variable)
            if value is None:
                unknown.append(k)
                continue
            mine = self._at[k].get(value)
            if mine is None:
                return False
            known.append((k, value))
            if len(mine) < len(live):
                live = mine
        if known:
            live = [row for row in live if all(row[k] == value for k, value in known)]
        if not live:
            return False
        if not forwardcheck:
            return True
        for k in unknown:
            support, domain = {row[k] for row in live}, domains[self._scope[k]]
            if not hide(domain, [value for value in domain if value not in support]):
                return False
        return True


def _solved(atom: Atom, place: dict[int, int], wanted: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the variables' values for which the terms take the wanted values, if there are any."""
    solved: dict[int, int] = {}
    for (variables, coefficients, constant), value in zip(atom.rows, wanted, strict=True):
        if not variables:
            if value != constant:
                return None
            continue
        x, rest = divmod(value - constant, coefficients[0])
        if rest or solved.setdefault(place[variables[0]], x) != x:
            return None
    return tuple(solved[k] for k in range(len(place)))
