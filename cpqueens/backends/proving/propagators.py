"""Propagators whose every conclusion one refuter of the proof checker sees by itself."""

from collections.abc import Sequence
from typing import Any

from cpqueens.backends.proving.trail import Contradiction, Trail
from cpqueens.language.constraints.connective import Connective, Or
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import Scratch
from cpqueens.proofs.parts import Domains, Literal, ModelPart, Row, denied, related, rows_of
from cpqueens.proofs.refuters import REFUTERS, ends, possible, refuted, values

FEW = 256
"""Assignments of a part up to which all are tried in one go."""
_TRIED = 12
"""Values of a variable that are tried one by one; of more only those at the ends."""
_AT_ENDS = 200
"""Trials at one end: some refuters exclude only few values at once, of however many."""
_SIMPLER = frozenset({"And", "Decreasing", "Implication", "Increasing", "Negation", "Or"})
"""Kinds that are linear relations, without any new variable."""


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

    ``hears`` says of which changes: ``any`` that a value went, ``ends`` of a bound, ``fixed`` of a variable
    that has one value now; these are ``pending`` then.
    """

    named = 0
    hears = "any"
    dear = True

    def __init__(self, trail: Trail, part: ModelPart) -> None:
        self.trail, self.part = trail, part
        self.scope: Sequence[int] = part.scope  # the variables whose changes it hears of
        self.pending: set[int] = set()

    def run(self) -> None:
        """Draw conclusions, or raise Contradiction."""
        raise NotImplementedError

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return what was so of its variables before an entry, but for those that need not be known."""
        own = -1 if literal is None else literal[0]
        scope = sorted(self.part.scope, key=lambda v: v != own)
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

    def number(self, premises: list[Literal], literal: Literal | None) -> int:
        """Return the number of the inference, which is written."""
        return self.trail.infer(self.part.name, premises, literal)

    def conclude(self, literal: Literal | None, data: object = None) -> None:
        """Make a literal true, or raise the contradiction; None is one."""
        if literal is None or not self.trail.post(literal, self, data):
            found = self.premises(data, literal, len(self.trail.entries))
            raise Contradiction(self, found if literal is None else [*found, denied(literal)])


class Shaving(ExplainingPropagator):
    """Any part: values are tried, and those that its refuter refutes are gone."""

    def __init__(self, trail: Trail, part: ModelPart, tries: bool = True) -> None:
        super().__init__(trail, part)
        self.tries = tries  # else it is only seen whether nothing is left, by the kind's own refuter
        self.most = 0 if part.kind in REFUTERS else FEW  # assignments that are tried for a value

    def run(self) -> None:
        """See whether anything is left, and try values."""
        d = self.trail.domains
        if refuted(self.part, d, FEW if self.tries else 0):
            self.conclude(None)
        for v in self.part.scope if self.tries else ():
            if d.high[v] - d.low[v] < _TRIED:
                for x in d.values(v):
                    if d.low[v] < d.high[v] and d.contains(v, x) and self._excludes(v, x, x):
                        self.conclude((v, "!=", x))
            else:
                self._try_end(v, True)
                self._try_end(v, False)

    def _try_end(self, v: int, lower: bool) -> None:
        """Raise the lower bound of a variable, or lower the upper one."""
        d = self.trail.domains
        size = 1  # how many values are tried: twice as many after each success
        for _ in range(_AT_ENDS):
            low, high = d.low[v], d.high[v]
            size = min(size, high - low)
            if not size:
                return
            if not self._excludes(v, *((low, low + size - 1) if lower else (high - size + 1, high))):
                size //= 2
                continue
            self.conclude((v, ">=", low + size) if lower else (v, "<=", high - size))
            size *= 2

    def _excludes(self, v: int, low: int, high: int) -> bool:
        """Say whether a variable cannot be between two values."""
        d = self.trail.domains
        before = d.low[v], d.high[v]
        d.low[v], d.high[v] = low, high
        found = refuted(self.part, d, self.most)
        d.low[v], d.high[v] = before
        return found


Form = tuple[Row, str, Literal | None]
"""A row, its relation to 0, ``<=``, ``==`` or ``!=``, and the literal on which that depends, if any."""


class Relation(ExplainingPropagator):
    """One form of a linear relation, or of the truth of one, ``<=`` or ``==``: ends of a sum."""

    hears = "ends"
    dear = False

    def __init__(self, trail: Trail, part: ModelPart, form: Form) -> None:
        super().__init__(trail, part)
        self.row, self.relation, self.condition = form
        self.signs = (1,) if self.relation == "<=" else (1, -1)  # times these it is at most 0

    def run(self) -> None:
        """Deny the condition if the row cannot be as it is to be, or narrow the bounds."""
        d, condition = self.trail.domains, self.condition
        low, high = ends(self.row, d)
        if not possible((low, high), self.relation):
            self.conclude(None if condition is None else denied(condition), 1 if low > 0 else -1)
        elif condition is None or d.holds(condition):
            for sign in self.signs:
                self._narrow(sign, low if sign > 0 else -high)

    def _narrow(self, sign: int, low: int) -> None:
        """Let a sum, times a sign, be at most 0, whose least value is ``low``."""
        d = self.trail.domains
        for v, a in zip(self.row[0], self.row[1], strict=True):
            a *= sign
            if a > 0:
                if a * (d.high[v] - d.low[v]) + low > 0:
                    self.conclude((v, "<=", d.low[v] + -low // a), sign)
            elif a * (d.low[v] - d.high[v]) + low > 0:
                self.conclude((v, ">=", d.high[v] - -low // -a), sign)

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return the ends of the other variables, weakened as far as they may be."""
        variables, coefficients, constant = self.row
        trail = self.trail
        own = -1 if literal is None else literal[0]
        found = [] if self.condition is None or own == self.condition[0] else [self.condition]
        sides: list[tuple[int, Literal]] = []
        spare = data * constant - 1  # by so much the ends may be worse
        for v, a in zip(variables, coefficients, strict=True):
            a *= data
            if literal is not None and v == own:
                spare += a * denied(literal)[2]
                continue
            end, worst = (trail.bounds(v, at)[0 if a > 0 else 1] for at in (time, trail.root))
            spare += a * end
            sides.append((a * (end - worst), (v, ">=" if a > 0 else "<=", end)))
        for gap, side in sides:
            if gap <= spare:
                spare -= gap
            else:
                found.append(side)
        return found


class Apart(ExplainingPropagator):
    """That terms differ from each other, or, where a literal holds, one of them from 0.

    The value of a term that has one is removed from each term with one open variable.
    """

    hears = "fixed"
    dear = False

    def __init__(self, trail: Trail, part: ModelPart, form: Form | None = None) -> None:
        super().__init__(trail, part)
        self.rows: list[Row] = part.fields["terms"] if form is None else [form[0], ((), (), 0)]
        self.condition = None if form is None else form[2]
        self.begun = False

    def run(self) -> None:
        """Look at the terms of which a variable has one value since last time, at first at all."""
        d, condition = self.trail.domains, self.condition
        pending, self.pending = self.pending, set()
        everything = not self.begun or (condition is not None and condition[0] in pending)
        fixed: list[tuple[int, int]] = []  # terms with their values
        open_: list[tuple[int, int, int, int]] = []  # with a variable, its factor, and what the others are
        changed: set[int] = set()
        for k, (variables, factors, total) in enumerate(self.rows):
            left = []
            for v, a in zip(variables, factors, strict=True):
                if d.low[v] < d.high[v]:
                    left.append((v, a))
                total += a * d.low[v]
            if everything or not pending.isdisjoint(variables):
                changed.add(k)
            if not left:
                fixed.append((k, total))
            elif len(left) == 1:
                ((v, a),) = left
                open_.append((k, v, a, total - a * d.low[v]))
        self.begun = True
        owner: dict[int, int] = {}
        for k, value in fixed:
            if owner.setdefault(value, k) != k:
                self.conclude(None if condition is None else denied(condition), (k, owner[value]))
        if condition is not None and not d.holds(condition):
            return
        moved = [one for one in open_ if one[0] in changed]
        for k, value in fixed:
            for other, v, a, total in open_ if k in changed else moved:
                x, rest = divmod(value - total, a)
                if not rest and d.contains(v, x):
                    self.conclude((v, "!=", x), (k, other))

    def premises(self, data: Any, literal: Literal | None, time: int) -> list[Literal]:
        """Return what the variables of two terms are, but for the literal's."""
        own = -1 if literal is None else literal[0]
        found = [] if self.condition is None or own == self.condition[0] else [self.condition]
        scope = dict.fromkeys(v for k in data for v in self.rows[k][0])
        return found + [(v, "==", self.trail.bounds(v, time)[0]) for v in scope if v != own]


def forms_of(part: ModelPart, scratch: Scratch) -> list[Form]:
    """Return the relations whose conjunction a part is, if it is linear ones, or the truth of one."""
    result = part.fields["result"] if part.kind == "truth" else None
    stated = _relations_of(part if result is None else part.fields["inner"], scratch)
    if result is None:
        return [(*_form(*one), None) for one in stated]
    if len(stated) != 1:
        return []
    ((row, relation),) = stated
    return [(*_form(row, so), (result, "==", k)) for so, k in ((relation, 1), (OPPOSITE[relation], 0))]


def _relations_of(part: ModelPart, scratch: Scratch) -> list[tuple[Row, str]]:
    """Return the rows whose relations to 0 a constraint is, by its kind's own simpler form."""
    if part.kind == "Linear":
        return [(part.fields["expression"][0], part.fields["relation"])]
    if part.kind not in _SIMPLER:
        return []
    one = part.fields["constraint"].bind(scratch)  # where terms that may be undefined are like others
    while not isinstance(one, Linear):
        if isinstance(one, Connective):  # over its literals: the opposite of a relation would be new
            one = type(one).over(one.literals)
        one = Linear(one.literals.sum(axis=-1) - 1, ">=") if isinstance(one, Or) else one.simpler()[0]
    return [(row, one.relation) for row in rows_of(one.expression)]


def _form(row: Row, relation: str) -> tuple[Row, str]:
    """Return a relation to 0 as one that is at most 0, is 0 or is not 0."""
    variables, factors, constant = row
    if relation in (">=", ">"):
        factors, constant = tuple([-a for a in factors]), -constant
    return (variables, factors, constant + (relation in ("<", ">"))), relation if relation[
        0
    ] in "=!" else "<="


def clause_of(part: ModelPart, d: Domains, scratch: Scratch) -> list[Literal] | None:
    """Return literals if a part says that one of them is true, and nothing else."""
    forms = forms_of(part, scratch)
    if len(forms) != 1:
        return None
    ((row, relation, condition),) = forms
    binary = all(abs(a) == d.high[v] - d.low[v] == 1 for v, a in zip(*row[:2], strict=True))
    if relation != "<=" or condition or not binary or len(row[0]) < 2 or ends(row, d)[1] != 1:
        return None
    return [(v, "<=", d.low[v]) if a > 0 else (v, ">=", d.high[v]) for v, a in zip(*row[:2], strict=True)]


def propagators_of(trail: Trail, part: ModelPart, scratch: Scratch) -> list[ExplainingPropagator]:
    """Return the propagators of a part that is no clause; of an AllDifferent each term has one variable."""
    found: list[ExplainingPropagator] = [
        (Apart if form[1] == "!=" else Relation)(trail, part, form) for form in forms_of(part, scratch)
    ]
    if part.kind == "AllDifferent":
        found.append(Apart(trail, part))
        if _is_tight(part, trail.domains):
            found.append(Shaving(trail, part, tries=False))
    elif not found or (part.kind == "Linear" and part.fields["relation"] == "==" and len(part.scope) == 2):
        found.append(Shaving(trail, part))
    return found


def _is_tight(part: ModelPart, d: Domains) -> bool:
    """Say whether an AllDifferent has hardly more values than terms."""
    rows = part.fields["terms"]
    sets = [values(row, d, 2 * len(rows)) for row in rows]
    return all(isinstance(its, set) for its in sets) and len(set().union(*sets)) <= len(rows) + 1


class NewVariables:
    """Terms that are not of one variable as new variables, so that literals may speak of them.

    Attributes
    ----------
    domains
        Of all variables.
    scratch
        Where simpler forms of constraints are made.
    sums
        The new variables by their terms.
    """

    def __init__(self, model: Statement) -> None:
        self.domains = Domains.of(model)
        self.scratch = Scratch(model)
        self.sums: dict[Row, int] = {}

    def view(self, row: Row) -> Row:
        """Return a term of one variable: the term itself, or a new variable that is it."""
        if len(row[0]) == 1:
            return row
        if row not in self.sums:
            self.sums[row] = len(self.domains.low)
            self.domains.add(*ends(row, self.domains))
        return (self.sums[row],), (1,), 0

    def viewed(self, part: ModelPart) -> ModelPart:
        """Return an AllDifferent over terms of one variable each, others as they are."""
        if part.kind != "AllDifferent":
            return part
        rows = list(map(self.view, part.fields["terms"]))
        scope = tuple(sorted({v for row in rows for v in row[0]}))
        return ModelPart(part.name, part.kind, scope, {"terms": rows}, scope, lambda rows: rows)

    def definitions(self) -> list[ModelPart]:
        """Return what the new variables are."""
        return [
            related(f"x{v}", ((*variables, v), (*factors, -1), constant), "==")
            for (variables, factors, constant), v in self.sums.items()
        ]
