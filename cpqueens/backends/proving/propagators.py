"""Propagators whose every conclusion one refuter of the proof checker sees by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

from cpqueens.backends.proving.trail import Contradiction, Trail
from cpqueens.language.constraints.linear import OPPOSITE
from cpqueens.language.rows import IntArray
from cpqueens.proofs.domains import Domains, Literal, Row, denied
from cpqueens.proofs.parts import BETTER, ModelPart
from cpqueens.proofs.refuters import REFUTERS, assignments, ends, inside, refuted, values

FEW = 256
"""Assignments of a part up to which all are tried in one go."""
_TRIED = 12
"""Values of a variable that are tried one by one; of more only those at the ends."""
_AT_ENDS = 200
"""Trials at one end: some refuters exclude only few values at once, of however many."""


class Clause:
    """A clause that was derived or stated: its number in the proof and its literals."""

    __slots__ = ("levels", "literals", "named")

    def __init__(self, literals: list[Literal], number: int) -> None:
        self.literals, self.named, self.levels = literals, number, 0

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

    def __init__(self, trail: Trail, part: ModelPart) -> None:
        self.trail, self.part = trail, part
        self.scope: Sequence[int] = part.scope  # the variables whose changes it hears of
        self.queued = False
        self.pending: list[int] = []

    def run(self) -> None:
        """Draw conclusions, or raise Contradiction."""
        raise NotImplementedError

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return what was so of all its variables before an entry, as far as the refuter needs it."""
        own = -1 if literal is None else literal[0]
        return self._needed(sorted(self.part.scope, key=lambda v: v != own), literal, time)

    def number(self, premises: list[Literal], literal: Literal | None) -> int:
        """Return the number of the inference, which is written."""
        return self.trail.infer(self.part.name, premises, literal)

    def conclude(self, literal: Literal | None, data: object = None) -> None:
        """Make a literal true, or raise the contradiction; None is one."""
        if literal is None or not self.trail.post(literal, (self, data)):
            found = self.premises(data, literal, len(self.trail.literals))
            raise Contradiction(self, found if literal is None else [*found, denied(literal)])

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
        d = self.trail.at_root(self.part.scope)
        facts = [fact for group in groups for fact in group]
        if literal is not None:
            facts.append(denied(literal))
        return not all(d.impose(fact) for fact in facts) or refuted(self.part, d, 4 * FEW)


class Shaving(ExplainingPropagator):
    """Any part: values are tried, and those that its refuter refutes are gone."""

    def __init__(self, trail: Trail, part: ModelPart, tries: bool = True) -> None:
        super().__init__(trail, part)
        self.tries = tries  # else it is only seen whether nothing is left

    def run(self) -> None:
        """Try all assignments, if few, else values one by one."""
        part, d = self.part, self.trail.domains
        rows = assignments(part.inputs, d, FEW) if self.tries and part.kind != BETTER else None
        if rows is not None:
            self._supported(rows)
        elif part.kind in REFUTERS:
            if REFUTERS[part.kind](part, d):
                self.conclude(None)
            for v in part.scope if self.tries else ():
                if d.low[v] < d.high[v]:
                    self._try(v)

    def _supported(self, rows: IntArray) -> None:
        """Leave only values that some assignment has."""
        part, d = self.part, self.trail.domains
        found = part.satisfying(rows)
        found = found[inside(part.scope, found, d)]
        if not len(found):
            self.conclude(None)
        for k, v in enumerate(part.scope):
            if d.low[v] < d.high[v]:
                self._only(v, set(found[:, k].tolist()))

    def _only(self, variable: int, values: set[int]) -> None:
        d = self.trail.domains
        wanted: list[Literal] = [(variable, ">=", min(values)), (variable, "<=", max(values))]
        if d.high[variable] - d.low[variable] < 4 * FEW:
            wanted += [(variable, "!=", x) for x in range(min(values), max(values)) if x not in values]
        for literal in wanted:
            if d.holds(literal) is not True:
                self.conclude(literal)

    def _try(self, v: int) -> None:
        d = self.trail.domains
        if d.high[v] - d.low[v] < _TRIED:
            for x in d.values(v):
                if d.contains(v, x) and self._excludes(v, x, x):
                    self.conclude((v, "!=", x))
            return
        for up in (True, False):
            size = 1  # how many values are tried: twice as many after each success
            for _ in range(_AT_ENDS):
                low, high = d.low[v], d.high[v]
                size = min(size, high - low)
                if not size:
                    break
                if not self._excludes(v, *((low, low + size - 1) if up else (high - size + 1, high))):
                    size //= 2
                    continue
                self.conclude((v, ">=", low + size) if up else (v, "<=", high - size))
                size *= 2

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

    def __init__(
        self, trail: Trail, part: ModelPart, row: Row, relation: str, result: int | None = None
    ) -> None:
        super().__init__(trail, part)
        self.scope = row[0] if result is None else (*row[0], result)
        self.result = result
        self.forms = {1: _forms(row, relation), 0: _forms(row, OPPOSITE[relation])}

    def run(self) -> None:
        """Decide the truth; where it is decided, narrow the bounds."""
        d, result = self.trail.domains, self.result
        if result is None or d.low[result] == d.high[result]:
            self._narrow(self.forms[1 if result is None else d.low[result]])
            return
        for truth in (1, 0):
            for form in self.forms[truth]:
                if _fails(form, *ends(form[0], d)):
                    self.conclude((result, "==", 1 - truth), form)
                    return

    def _narrow(self, forms: list[tuple[Row, bool]]) -> None:
        d = self.trail.domains
        for form in forms:
            (variables, coefficients, _), differs = form
            low, high = ends(form[0], d)
            if _fails(form, low, high):
                self.conclude(None, form)
            for v, a in zip(variables, coefficients, strict=True):
                size = abs(a) * (d.high[v] - d.low[v])
                if differs:
                    if size != high - low:
                        continue  # another one is open, too
                    value, rest = divmod(a * d.low[v] - (low if a > 0 else high), a)
                    if rest or not d.contains(v, value):
                        continue
                    literal: Literal = (v, "!=", value)
                elif size + low <= 0:
                    continue
                elif a > 0:
                    literal = (v, "<=", d.low[v] + -low // a)
                else:
                    literal = (v, ">=", d.high[v] - -low // -a)
                self.conclude(literal, form)

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return the ends of the other variables, weakened as far as they may be."""
        (variables, coefficients, total), differs = data
        trail = self.trail
        own = -1 if literal is None else literal[0]
        found: list[Literal] = []
        if self.result is not None and own != self.result:
            found.append((self.result, "==", trail.bounds(self.result, time)[0]))
        if differs:
            return found + [(v, "==", trail.bounds(v, time)[0]) for v in variables if v != own]
        sides = []
        for v, a in zip(variables, coefficients, strict=True):
            if literal is not None and v == own:
                total += a * denied(literal)[2]
                continue
            end, worst = (trail.bounds(v, at)[0 if a > 0 else 1] for at in (time, trail.root))
            total += a * end
            sides.append((a * (end - worst), (v, ">=" if a > 0 else "<=", end)))
        spare = total - 1  # by so much the ends may be worse
        for gap, side in sides:
            if gap <= spare:
                spare -= gap
            else:
                found.append(side)
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


def _fails(form: tuple[Row, bool], low: int, high: int) -> bool:
    """Say whether a row between these ends is above 0, or is 0 where it is to differ."""
    return low == high == 0 if form[1] else low > 0


class Apart(ExplainingPropagator):
    """AllDifferent, each term of one variable or none: a value that one has is gone of the others."""

    wakes_on_fix = True
    dear = False

    def __init__(self, trail: Trail, part: ModelPart) -> None:
        super().__init__(trail, part)
        self.rows: list[Row] = part.fields["terms"]
        self.places: dict[int, list[int]] = {}
        for k, (variables, _, _) in enumerate(self.rows):
            for v in variables:
                self.places.setdefault(v, []).append(k)
        self.begun = False

    def run(self) -> None:
        """Look at the terms that have one value since last time, at first at all."""
        d = self.trail.domains
        places = [k for v in self.pending for k in self.places[v]] if self.begun else range(len(self.rows))
        self.begun, self.pending = True, []
        for k in places:
            value, most = ends(self.rows[k], d)
            for other, (variables, coefficients, constant) in enumerate(self.rows):
                if value < most or other == k:
                    continue
                literal: Literal | None = None
                if variables:
                    x, rest = divmod(value - constant, coefficients[0])
                    literal = variables[0], "!=", x
                    if rest or not d.contains(variables[0], x):
                        continue
                elif value != constant:
                    continue
                self.conclude(literal, k)

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return what the variable of one term is, if it is not the literal's."""
        own = literal[0] if literal else -1
        return [(v, "==", self.trail.bounds(v, time)[0]) for v in self.rows[data][0] if v != own]


def relations_of(part: ModelPart) -> list[tuple[Row, str, int | None]]:
    """Return the rows whose relations to 0 a part is, each with the variable that is its truth, if any."""
    result = part.fields["result"] if part.kind == "truth" else None
    stated = part.fields["inner"] if part.kind == "truth" else part
    kind, f = stated.kind, stated.fields
    if kind == "Linear":
        return [(f["expression"][0], f["relation"], result)]
    if kind in ("And", "Or"):
        none: Row = (), (), -len(f["literals"]) if kind == "And" else -1
        return [(reduce(sum_of, f["literals"], none), ">=", result)]
    if kind == "Negation":
        return [(f["literals"][0], "<=", result)]
    if kind == "Implication":
        first, second = f["literals"]
        return [(sum_of(first, second, -1), "<=", result)]
    if kind not in ("Increasing", "Decreasing") or result is not None:
        return []
    rows = f["terms"][:: 1 if kind == "Increasing" else -1]
    return [(sum_of(a, b, -1), "<" if f["strict"] else "<=", None) for a, b in pairwise(rows)]


def clause_of(part: ModelPart, d: Domains) -> list[Literal] | None:
    """Return literals if a part says that one of them is true, and nothing else."""
    relations = relations_of(part)
    if len(relations) != 1 or relations[0][2] is not None:
        return None
    (row, differs), *more = _forms(*relations[0][:2])
    binary = all(abs(a) == d.high[v] - d.low[v] == 1 for v, a in zip(*row[:2], strict=True))
    if more or differs or not binary or len(row[0]) < 2 or ends(row, d)[1] != 1:
        return None
    return [(v, "<=", d.low[v]) if a > 0 else (v, ">=", d.high[v]) for v, a in zip(*row[:2], strict=True)]


def sum_of(first: Row, second: Row, factor: int = 1) -> Row:
    """Return a term and a multiple of another one as one term.

    >>> sum_of(((0, 1), (1, 2), 5), ((1, 2), (2, 1), 1), -1)
    ((0, 2), (1, -1), 4)
    """
    total = Counter(dict(zip(*first[:2], strict=True)))
    for v, a in zip(*second[:2], strict=True):
        total[v] += factor * a
    kept = {v: a for v, a in total.items() if a}
    return tuple(kept), tuple(kept.values()), first[2] + factor * second[2]


def propagators_of(trail: Trail, part: ModelPart) -> list[ExplainingPropagator]:
    """Return the propagators of a part that is no clause; of an AllDifferent no term has two variables."""
    found: list[ExplainingPropagator] = [Relation(trail, part, *one) for one in relations_of(part)]
    if part.kind == "AllDifferent":
        found.append(Apart(trail, part))
        if _is_tight(trail, part):
            found.append(Shaving(trail, part, tries=False))
    elif not found or (part.kind == "Linear" and part.fields["relation"] == "==" and len(part.scope) == 2):
        found.append(Shaving(trail, part))
    return found


def _is_tight(trail: Trail, part: ModelPart) -> bool:
    """Say whether an AllDifferent has hardly more values than terms."""
    rows = part.fields["terms"]
    sets = [values(row, trail.domains, 2 * len(rows)) for row in rows]
    return all(isinstance(its, set) for its in sets) and len(set().union(*sets)) <= len(rows) + 1
