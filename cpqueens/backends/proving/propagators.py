"""Propagators whose every conclusion one refuter of the proof checker sees by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cpqueens.backends.proving.trail import Explaining, Trail
from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.rows import IntArray
from cpqueens.proofs.domains import Domains, Literal, Row, denied
from cpqueens.proofs.parts import BETTER, ModelPart
from cpqueens.proofs.refuters import REFUTERS, assignments, ends, inside, none_better, refuted, values

FEW = 256
"""Assignments of a part up to which all are tried in one go."""
_TRIED = 12
"""Values of a variable that are tried one by one; of more only those at the ends."""
_AT_ENDS = 200

Conflict = tuple["ExplainingPropagator | Clause", list[Literal]]
"""Who found that literals, all true, cannot be so together."""


class Clause:
    """A clause that was derived or stated: its number in the proof and its literals."""

    __slots__ = ("activity", "literals", "named")

    def __init__(self, literals: list[Literal], number: int) -> None:
        self.literals, self.named, self.activity = literals, number, 0.0

    def premises(self, data: object, literal: Literal | None, time: int) -> list[Literal]:
        """Return that all other literals are false."""
        return [denied(other) for other in self.literals if other != literal]

    def number(self, premises: list[Literal], literal: Literal | None) -> int:
        """Return its own."""
        return self.named


class ExplainingPropagator:
    """A part of the model and how conclusions are drawn from it.

    ``wakes_on_fix`` says that it looks only at variables that have one value.
    """

    wakes_on_fix = False
    dear = True

    def __init__(self, engine: Explaining, part: ModelPart) -> None:
        self.engine, self.trail, self.part = engine, engine.trail, part
        self.queued = False
        self.pending: list[int] = []

    @property
    def scope(self) -> Sequence[int]:
        """The variables whose changes it hears of."""
        return self.part.scope

    def run(self) -> Conflict | None:
        """Draw conclusions."""
        raise NotImplementedError

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return what was so of all its variables before an entry, as far as the refuter needs it."""
        own = -1 if literal is None else literal[0]
        return self._needed(sorted(self.part.scope, key=lambda v: v != own), literal, time)

    def number(self, premises: list[Literal], literal: Literal | None) -> int:
        """Return the number of the inference, which is written."""
        return self.engine.infer(self.part.name, premises, literal)

    def conclude(self, literal: Literal, data: object = None) -> Conflict | None:
        """Make a literal true, or return the contradiction."""
        if self.trail.post(literal, (self, data)):
            return None
        time = len(self.trail.literals)
        return self, [*self.premises(data, literal, time), denied(literal)]

    def _needed(self, scope: Iterable[int], literal: Literal | None, time: int) -> list[Literal]:
        """Return facts of variables of which none can be left out, one variable after the other."""
        groups = [group for v in scope if (group := self.trail.facts(v, time))]
        k = 0
        while k < len(groups):
            fewer = groups[:k] + groups[k + 1 :]
            if self._follows(fewer, literal):
                groups = fewer
            else:
                k += 1
        return [fact for group in groups for fact in group]

    def _follows(self, groups: list[list[Literal]], literal: Literal | None) -> bool:
        """Say whether a literal follows from facts."""
        d = self.engine.at_root(self.part.scope)
        facts = [fact for group in groups for fact in group]
        if literal is not None:
            facts.append(denied(literal))
        return not all(d.impose(fact) for fact in facts) or self._refuted(d)

    def _refuted(self, d: Domains) -> bool:
        return refuted(self.part, d, 4 * FEW)


class Shaving(ExplainingPropagator):
    """Any part: values are tried, and those that its refuter refutes are gone."""

    def run(self) -> Conflict | None:
        """Try all assignments, if few, else values one by one."""
        part, d = self.part, self.trail.domains
        rows = assignments(part.inputs, d, FEW)
        if rows is not None:
            return self._supported(rows)
        if part.kind not in REFUTERS:
            return None
        if REFUTERS[part.kind](part, d):
            return self, self.premises(None, None, len(self.trail.literals))
        for v in part.scope:
            conflict = self._try(v) if d.low[v] < d.high[v] else None
            if conflict is not None:
                return conflict
        return None

    def _supported(self, rows: IntArray) -> Conflict | None:
        """Leave only values that some assignment has."""
        part, d = self.part, self.trail.domains
        found = part.satisfying(rows)
        found = found[inside(part.scope, found, d)]
        if not len(found):
            return self, self.premises(None, None, len(self.trail.literals))
        for k, v in enumerate(part.scope):
            if d.low[v] < d.high[v]:
                conflict = self._only(v, set(found[:, k].tolist()))
                if conflict is not None:
                    return conflict
        return None

    def _only(self, variable: int, values: set[int]) -> Conflict | None:
        d = self.trail.domains
        wanted: list[Literal] = [(variable, ">=", min(values)), (variable, "<=", max(values))]
        if d.high[variable] - d.low[variable] < 4 * FEW:
            wanted += [(variable, "!=", x) for x in range(min(values), max(values)) if x not in values]
        for literal in wanted:
            if d.holds(literal) is not True:
                conflict = self.conclude(literal)
                if conflict is not None:
                    return conflict
        return None

    def _try(self, v: int) -> Conflict | None:
        d = self.trail.domains
        if d.high[v] - d.low[v] < _TRIED:
            for x in d.values(v):
                if d.contains(v, x) and self._excludes(v, x, x):
                    conflict = self.conclude((v, "!=", x))
                    if conflict is not None:
                        return conflict
            return None
        for up in (True, False):
            width = 0  # how much more than one value is tried: twice as much after each success
            for _ in range(_AT_ENDS):
                low, high = d.low[v], d.high[v]
                width = min(width, high - low - 1)
                if low == high:
                    break
                if self._excludes(v, *((low, low + width) if up else (high - width, high))):
                    literal: Literal = (v, ">=", low + width + 1) if up else (v, "<=", high - width - 1)
                    conflict = self.conclude(literal)
                    if conflict is not None:
                        return conflict
                    width = 2 * width + 1
                elif not width:
                    break
                else:
                    width //= 2
        return None

    def _excludes(self, v: int, low: int, high: int) -> bool:
        """Say whether a variable cannot be between two values, by the refuter alone."""
        d = self.trail.domains
        before = d.low[v], d.high[v]
        d.low[v], d.high[v] = low, high
        found = REFUTERS[self.part.kind](self.part, d)
        d.low[v], d.high[v] = before
        return found


class Relation(ExplainingPropagator):
    """A linear relation, or the truth of one: ends of a sum."""

    dear = False

    def __init__(self, engine: Explaining, part: ModelPart) -> None:
        super().__init__(engine, part)
        stated = part.fields["inner"] if part.kind == "truth" else part
        (row,) = stated.fields["expression"]
        self.result = part.fields["result"] if part.kind == "truth" else None
        self.forms = _forms(row, stated.fields["relation"])
        self.otherwise = _forms(row, OPPOSITE[stated.fields["relation"]])

    def run(self) -> Conflict | None:
        """Narrow the bounds, and decide the truth."""
        if self.result is None:
            return self._narrow(self.forms)
        d = self.trail.domains
        if d.low[self.result] == d.high[self.result]:
            return self._narrow(self.forms if d.low[self.result] else self.otherwise)
        for forms, value in ((self.forms, 0), (self.otherwise, 1)):
            cannot = self._cannot(forms)
            if cannot is not None:
                return self.conclude((self.result, "==", value), cannot)
        return None

    def _cannot(self, forms: list[tuple[Row, bool]]) -> tuple[Row, bool] | None:
        d = self.trail.domains
        for row, differs in forms:
            low, high = ends(row, d)
            if (low == high == 0) if differs else low > 0:
                return row, differs
        return None

    def _narrow(self, forms: list[tuple[Row, bool]]) -> Conflict | None:
        d = self.trail.domains
        for form in forms:
            (variables, coefficients, _), differs = form
            low, high = ends(form[0], d)
            if differs:
                conflict = self._differ(form, low, high)
            elif low > 0:
                return self, self.premises(form, None, len(self.trail.literals))
            else:
                conflict = None
                for v, a in zip(variables, coefficients, strict=True):
                    size = (d.high[v] - d.low[v]) * (a if a > 0 else -a)
                    if size + low > 0:
                        room = -low // (a if a > 0 else -a)
                        literal: Literal = (
                            (v, "<=", d.low[v] + room) if a > 0 else (v, ">=", d.high[v] - room)
                        )
                        conflict = self.conclude(literal, form)
                        if conflict is not None:
                            return conflict
            if conflict is not None:
                return conflict
        return None

    def _differ(self, form: tuple[Row, bool], low: int, high: int) -> Conflict | None:
        d = self.trail.domains
        variables, coefficients, _ = form[0]
        open_ = [k for k, v in enumerate(variables) if d.low[v] < d.high[v]]
        if not open_ and low == 0:
            return self, self.premises(form, None, len(self.trail.literals))
        if len(open_) != 1:
            return None
        v, a = variables[open_[0]], coefficients[open_[0]]
        value, rest = divmod(a * d.low[v] - (low if a > 0 else high), a)
        return None if rest or not d.contains(v, value) else self.conclude((v, "!=", value), form)

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return the ends of the other variables, weakened as far as they may be."""
        (variables, coefficients, constant), differs = data
        trail = self.trail
        found: list[Literal] = []
        if self.result is not None and (literal is None or literal[0] != self.result):
            found.append((self.result, "==", trail.bounds(self.result, time)[0]))
        if differs:
            found += [
                (v, "==", trail.bounds(v, time)[0]) for v in variables if literal is None or v != literal[0]
            ]
            return found
        total, sides = constant, []
        for v, a in zip(variables, coefficients, strict=True):
            if literal is not None and v == literal[0]:
                total += a * denied(literal)[2]
                continue
            low, high = trail.bounds(v, time)
            total += a * (low if a > 0 else high)
            sides.append((v, a, low if a > 0 else high))
        spare = total - 1  # by so much the ends may be worse
        for v, a, end in sides:
            first, last = trail.bounds(v, trail.root)
            gap = (end - first) * a if a > 0 else (end - last) * a
            if gap <= spare:
                spare -= gap
                continue
            found.append((v, ">=" if a > 0 else "<=", end))
        return found


def _forms(row: Row, relation: str) -> list[tuple[Row, bool]]:
    """Return rows that are to be at most 0, or (True) to differ from 0."""
    variables, coefficients, constant = row
    opposite: Row = (variables, tuple(-a for a in coefficients), -constant)
    up = {"<=": (row, 0), "<": (row, 1), ">=": (opposite, 0), ">": (opposite, 1)}
    if relation == "!=":
        return [(row, True)]
    if relation == "==":
        return [(row, False), (opposite, False)]
    form, more = up[relation]
    return [((form[0], form[1], form[2] + more), False)]


class Apart(ExplainingPropagator):
    """AllDifferent: a value that one term has is gone of the others; now and then a matching."""

    wakes_on_fix = True
    dear = False

    def __init__(self, engine: Explaining, part: ModelPart) -> None:
        super().__init__(engine, part)
        self.rows: list[Row] = part.fields["terms"]
        self.places: dict[int, list[int]] = {}
        for k, row in enumerate(self.rows):
            for v in row[0]:
                self.places.setdefault(v, []).append(k)
        self.plain = all(len(row[0]) == 1 and abs(row[1][0]) == 1 for row in self.rows)
        self.begun = False

    def run(self) -> Conflict | None:
        """Look at the variables that have one value since last time."""
        d = self.trail.domains
        if not self.begun:
            self.begun = True
            self.pending = list(self.part.scope)
            for k, row in enumerate(self.rows):
                if not row[0]:
                    conflict = self._taken(k)
                    if conflict is not None:
                        return conflict
        while self.pending:
            v = self.pending.pop()
            if d.low[v] != d.high[v]:
                continue
            for k in self.places[v]:
                conflict = self._taken(k) if self._fixed(self.rows[k]) else self._last(k)
                if conflict is not None:
                    return conflict
        return None

    def _fixed(self, row: Row) -> bool:
        d = self.trail.domains
        return all(d.low[v] == d.high[v] for v in row[0])

    def _taken(self, k: int) -> Conflict | None:
        """Take the value of a term from all others."""
        d = self.trail.domains
        low, high = d.low, d.high
        value = ends(self.rows[k], d)[0]
        for other, (variables, coefficients, constant) in enumerate(self.rows):
            if other == k:
                continue
            if len(variables) == 1:
                v = variables[0]
                x, rest = divmod(value - constant, coefficients[0])
                if rest or x < low[v] or x > high[v] or x in d.gone[v]:
                    continue
                conflict = self.conclude((v, "!=", x), k)
            else:
                conflict = self._from(other, k, value)
            if conflict is not None:
                return conflict
        return None

    def _last(self, k: int) -> Conflict | None:
        """Take from a term with one open variable the values of all others that have one."""
        d = self.trail.domains
        if sum(d.low[v] < d.high[v] for v in self.rows[k][0]) != 1:
            return None
        for other, row in enumerate(self.rows):
            if other != k and self._fixed(row):
                conflict = self._from(k, other, ends(row, d)[0])
                if conflict is not None:
                    return conflict
        return None

    def _from(self, k: int, other: int, value: int) -> Conflict | None:
        """Take a value that another term has from a term, if that leaves one variable no choice."""
        d = self.trail.domains
        variables, coefficients, constant = self.rows[k]
        open_ = [i for i, v in enumerate(variables) if d.low[v] < d.high[v]]
        total = constant + sum(a * d.low[v] for v, a in zip(variables, coefficients, strict=True))
        if not open_:
            if total != value:
                return None
            facts = [(v, "==", d.low[v]) for v in dict.fromkeys((*variables, *self.rows[other][0]))]
            return self, facts
        if len(open_) > 1:
            return None
        v, a = variables[open_[0]], coefficients[open_[0]]
        x, rest = divmod(value - total + a * d.low[v], a)
        if rest or not d.contains(v, x) or v in self.rows[other][0]:
            return None
        return self.conclude((v, "!=", x), (other, k))

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return what the variables of one term, or of two but for the literal's, are."""
        terms = data if isinstance(data, tuple) else (data,)
        own = literal[0] if literal else -1
        variables = dict.fromkeys(v for k in terms for v in self.rows[k][0] if v != own)
        return [(v, "==", self.trail.bounds(v, time)[0]) for v in variables]


class Crowd(ExplainingPropagator):
    """AllDifferent of terms with few values: no matching."""

    def run(self) -> Conflict | None:
        """Look for a matching."""
        if REFUTERS[self.part.kind](self.part, self.trail.domains):
            return self, self.premises(None, None, len(self.trail.literals))
        return None


class Better(Relation):
    """That objectives are better than those of the best solution."""

    def __init__(self, engine: Explaining, goals: list[Row]) -> None:
        scope = tuple(sorted({v for row in goals for v in row[0]}))
        ExplainingPropagator.__init__(
            self, engine, ModelPart(BETTER, BETTER, scope, {}, scope, lambda rows: rows)
        )
        self.goals = goals
        self.best: tuple[int, ...] | None = None

    def run(self) -> Conflict | None:
        """Narrow the variables of the first objective that is not yet at its best value."""
        if self.best is None:
            return None
        d = self.trail.domains
        for k, ((variables, coefficients, constant), value) in enumerate(
            zip(self.goals, self.best, strict=True)
        ):
            if ends(self.goals[k], d)[0] != value:
                last = none_better(self.goals[k + 1 :], self.best[k + 1 :], d)
                return self._narrow([((variables, coefficients, constant - value + last), False)])
        return self._narrow([(((), (), 1), False)])

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return what was so of all its variables, as far as it is needed."""
        return ExplainingPropagator.premises(self, data, literal, time)

    def _refuted(self, d: Domains) -> bool:
        return none_better(self.goals, self.best or (), d)


def propagators_of(engine: Explaining, part: ModelPart) -> list[ExplainingPropagator]:
    """Return the propagators of a part that is no clause."""
    if part.kind == "Linear":
        found: list[ExplainingPropagator] = [Relation(engine, part)]
        if part.fields["relation"] == "==" and len(part.scope) == 2:
            found.append(Shaving(engine, part))
        return found
    if part.kind == "truth" and part.fields["inner"].kind == "Linear":
        return [Relation(engine, part)]
    if part.kind == "AllDifferent":
        apart = Apart(engine, part)
        return [apart] if not _is_tight(engine.trail, part) else [apart, Crowd(engine, part)]
    return [Shaving(engine, part)]


def _is_tight(trail: Trail, part: ModelPart) -> bool:
    """Say whether an AllDifferent has hardly more values than terms."""
    rows = part.fields["terms"]
    sets = [values(row, trail.domains, 2 * len(rows)) for row in rows]
    return all(isinstance(its, set) for its in sets) and len(set().union(*sets)) <= len(rows) + 1
