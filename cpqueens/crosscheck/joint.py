"""Two models as one: over the variables that they share, with what the second refuses as truths.

What a constraint says, as keys: two elements of one model with equal keys mean the same.

By its words a connective follows from what is said of its operands.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cpqueens.answers.solution import Solution
from cpqueens.backends.clock import now
from cpqueens.crosscheck.functional import functions_of, scope_of
from cpqueens.crosscheck.matching import Side
from cpqueens.language.arrays import of_rows
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.constraints.table import Table
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.linear_rows import Row, term_key
from cpqueens.language.rebuild import Rebuilder, domain_of, new_variable
from cpqueens.language.rows import IntArray
from cpqueens.model import Model

_PLAIN = ("AllDifferent", "AllEqual", "Decreasing", "Increasing")
"""Kinds that are conjunctions of relations between their terms, without any further variable."""

_MOST = 10**5
"""Relations up to which such a conjunction is written out."""


class Said:
    """What a model says, and what follows from that by its words alone."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._keys: set[Any] = set()

    def learn(self, constraint: Constraint) -> None:
        """Note what a constraint of the model says; but what it says part by part by `learn_parts`."""
        self._keys.update(keys_of(constraint))
        if constraint.kind in ("And", "Negation"):
            for one in _singly(constraint):
                self._learn_joined(one, True, _DEEPEST)

    def learn_parts(self, constraint: Constraint) -> None:
        """Note the relations of which it is the conjunction."""
        self._keys.update(key for part in parts_of(constraint) for key in keys_of(part))

    def _learn_joined(self, one: Connective, holds: bool, depth: int) -> None:
        """Note what the operands are of a connective that holds, or does not, where that settles them."""
        needs, literals = _literals_of(one)
        if not depth or needs is None or (needs is holds and len(literals) > 1):
            return
        for row, sign in literals:
            value = sign is holds
            self._keys.add(_truth_key(row, value))
            inner, value = self._meaning(row, value)
            if isinstance(inner, Connective):
                self._learn_joined(inner, value, depth - 1)
            if inner is not None and value:
                self._keys.update(key for part in (inner, *parts_of(inner)) for key in keys_of(part))
            elif inner is not None:
                self._keys.update(self._opposite(inner))

    def of(self, constraint: Constraint) -> list[bool]:
        """Say of each element whether it is said, or follows."""
        found = [key in self._keys for key in keys_of(constraint)]
        if isinstance(constraint, Connective) and not all(found):
            return [
                known or self._joined(one, True, _DEEPEST)
                for known, one in zip(found, _singly(constraint), strict=True)
            ]
        return found

    def _joined(self, one: Connective, holds: bool, depth: int) -> bool:
        """Say whether one connective holds, or does not, because of its operands."""
        needs, literals = _literals_of(one)
        if needs is None or not depth:
            return False
        follow = (self._literal(row, sign is holds, depth - 1) for row, sign in literals)
        return (any if needs is holds else all)(follow)

    def _literal(self, row: Row, holds: bool, depth: int) -> bool:
        """Say whether a 0/1 term is 1, or 0, because of what it stands for."""
        if not row[0]:
            return bool(row[2]) is holds
        if _truth_key(row, holds) in self._keys:
            return True
        inner, holds = self._meaning(row, holds)
        if inner is None:
            return False
        keys = keys_of(inner) if holds else self._opposite(inner)
        if keys and keys[0] in self._keys:
            return True
        return isinstance(inner, Connective) and self._joined(inner, holds, depth)

    def _meaning(self, row: Row, holds: bool) -> tuple[Constraint | None, bool]:
        """Return the constraint that holds, or does not, where a literal is 1, or 0; None for a variable."""
        variables, coefficients, constant = row
        made = self._model.producer(variables[0]) if len(variables) == 1 else None
        if made is None or not isinstance(made[0], Truth) or (coefficients[0], constant) not in _LITERALS:
            return None, holds
        return made[0].constraint.take(np.array([made[1]])), holds is (constant == 0)

    def _opposite(self, one: Constraint) -> list[Any]:
        """Return the keys of what holds where a relation does not; none where that may be undefined."""
        if not isinstance(one, Linear) or self._model.partial_terms(one.expression).any():
            return []
        return keys_of(Linear(one.expression, OPPOSITE[one.relation]))


_DEEPEST = 20
"""Connectives within connectives that are looked at."""
_LITERALS = ((1, 0), (-1, 1))
"""Coefficient and constant of a variable, and of its negation."""
_RULES: dict[str, tuple[bool, tuple[bool, ...]]] = {
    "And": (False, (True,)),
    "Implication": (True, (False, True)),
    "Negation": (True, (False,)),
    "Or": (True, (True,)),
}
"""Which truth of it one operand settles (the other one takes all of them), and by which of its truths."""


def _literals_of(one: Connective) -> tuple[bool | None, list[tuple[Row, bool]]]:
    """Return which truth of a single connective one literal settles, and the literals with their signs."""
    if one.kind not in _RULES:
        return None, []
    needs, signs = _RULES[one.kind]
    rows = [(tuple(v), tuple(a), c) for v, a, c in one.literals.rows()]
    signs = signs if len(signs) == len(rows) else signs * len(rows)
    return needs, list(dict.fromkeys(zip(rows, signs, strict=True)))


def _truth_key(row: Row, holds: bool) -> bytes:
    """Return the key of: this 0/1 term is 1, or 0."""
    variables, coefficients, constant = row
    if not holds:
        return term_key(variables, coefficients, constant, 1)
    return term_key(variables, [-a for a in coefficients], holds - constant, 1)


def _singly(constraint: Any) -> Iterator[Connective]:
    """Yield the elements of a connective."""
    flat = constraint.flattened()
    return (flat.take(np.array([k])) for k in range(flat.size))


def keys_of(constraint: Constraint) -> list[Any]:
    """Return one hashable key per element; that of a relation is the same whichever way it is written."""
    if isinstance(constraint, Linear):
        return list(_relations(constraint.expression, constraint.relation))
    flat = constraint.flattened()
    if type(flat).element_keys is not Constraint.element_keys:
        return flat.element_keys()
    return [(flat.kind, *(_field(getattr(flat, name)) for name in flat.fields))]


def parts_of(constraint: Constraint) -> list[Linear]:
    """Return the relations of which a constraint is the conjunction; none if it is no such."""
    terms = sum(array.size for array in constraint.arguments)
    if constraint.kind not in _PLAIN or terms * terms > 2 * _MOST:
        return []
    parts = constraint.simpler()
    relations = [part.flattened() for part in parts if isinstance(part, Linear)]
    return relations if len(relations) == len(parts) else []


_FORMS = {"<=": (1, 0), "<": (1, 1), ">=": (-1, 0), ">": (-1, 1), "==": (0, 0), "!=": (0, 1)}
"""How a relation becomes ``<= 0``: the sign, and what is added; 0 and a number for what may be turned."""


def _relations(expression: LinearArray, relation: str) -> list[bytes]:
    sign, more = _FORMS[relation]
    if sign:
        return (sign * expression + more).row_keys(sign * sign)
    turned = zip(expression.row_keys(2 + more), (-expression).row_keys(2 + more), strict=True)
    return [min(both) for both in turned]


def _field(value: Any) -> Any:
    if isinstance(value, LinearArray):
        return value.shape, tuple(value.row_keys())
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    return value if isinstance(value, Hashable) else object()


_VALUES = 4
"""Values per term up to which "two are equal" is said value by value."""


class OutOfTimeError(Exception):
    """Two models are so large that writing them as one takes longer than there is time."""


class Joint:
    """The first model written anew, to which parts of the second are added over the shared variables."""

    def __init__(
        self, first: Side, second: Side, pairs: Sequence[tuple[int, int]], end: float = float("inf")
    ) -> None:
        """Write the first model; raise `OutOfTimeError` at a time (`clock.now`), here and later."""
        self._end = end
        self.model = Model(f"{first.name} and {second.name}")
        self.first, self.second, self.pairs = first, second, pairs
        self._place: dict[int, Any] = {}
        rows: dict[int, Row] = {}
        for v in first.model.decisions.tolist():
            created = new_variable(self.model, domain_of(first.model, v), f"v{v}")
            self._place[v] = created
            rows[v] = _row(created)
        self._first = Rebuilder(first.model, self.model, rows)
        self._stated = list(self._rebuild(first, self._first))
        self._second_rows: dict[int, Row] = {w: rows[v] for v, w in pairs}
        self._look_at_clock()
        self._functions = functions_of(second.model, set(self._second_rows))
        """Of the second's own variables those that follow from the shared ones."""

    def _rebuild(self, side: Side, rebuilder: Rebuilder) -> Iterator[Constraint]:
        """Post all that a model says, and yield each constraint."""
        for stated in side.joined:
            self._look_at_clock()
            constraint = rebuilder.constraint(stated)
            self.model.add(constraint)
            yield constraint

    def _look_at_clock(self) -> None:
        if now() > self._end:
            raise OutOfTimeError

    def values(self, solution: Solution) -> list[int]:
        """Return the values of the shared variables."""
        return [int(solution[self._place[v]]) for v, _ in self.pairs]

    def functional_values(self, solution: Solution) -> dict[int, int]:
        """Return the values of the second's variables that are functions of the shared ones."""
        rebuilder = self._rebuilder({})
        terms = {w: of_rows(self.model, [rebuilder.row(w)], ()) for w in self._functions}
        return {w: int(solution[term]) for w, term in terms.items()}

    def free(self) -> list[int]:
        """Return the second's own variables that are no functions of the shared ones."""
        return [w for w in self.second.private(self._second_rows) if w not in self._functions]

    def refusals(self, own: set[int]) -> list[BoolArray]:
        """Return what the second model refuses, a truth for each constraint that is not in ``own``.

        In those that are, by their positions in what it states, it has free variables.
        """
        rebuilder = self._rebuilder({})
        said = Said(self.model)  # what the second says too needs no proof
        for constraint in self._stated:
            self._look_at_clock()
            said.learn(constraint)
        found: list[Any] = []
        for v, w in self.pairs:
            found += _outside(self._place[v], domain_of(self.first.model, v), domain_of(self.second.model, w))
        for w in self._functions:
            term = of_rows(self.model, [rebuilder.row(w)], ())
            low, high = (int(end[0]) for end in term.bounds())
            found += _outside(term, (low, high), domain_of(self.second.model, w))
        stated = [c for k, c in enumerate(self.second.stated) if k not in own] if own else self.second.joined
        constraints = [(rebuilder.constraint(one).flattened(), one) for one in stated]
        unknown = [(there, one) for there, one in constraints if _new(said, there)]
        for constraint in self._stated if unknown else ():
            self._look_at_clock()
            said.learn_parts(constraint)
        for constraint, one in unknown:
            self._look_at_clock()
            found += _negated(said, constraint, one)
        return found

    def objectives(self) -> tuple[list[LinearArray], list[LinearArray]]:
        """Return the terms of both models' objectives, as far as all variables are known."""
        both = (self._first, self.first), (self._rebuilder({}), self.second)
        mine, theirs = ([rebuilder.array(goal.term) for goal in side.whole.goals] for rebuilder, side in both)
        return mine, theirs

    def refusals_beside(self, own: set[int], values: Mapping[int, int]) -> list[BoolArray]:
        """Return what the constraints in ``own`` refuse where the free variables have the values."""
        rebuilder = self._rebuilder(values)
        return [~rebuilder.constraint(self.second.stated[k]) for k in sorted(own)]

    def _rebuilder(self, values: Mapping[int, int]) -> Rebuilder:
        constants: dict[int, Row] = {w: ((), (), value) for w, value in values.items()}
        rebuilder = Rebuilder(self.second.model, self.model, {**self._second_rows, **constants})
        for w, function in self._functions.items():
            rebuilder.replace(w, function(rebuilder))
        return rebuilder

    def post_second(self) -> None:
        """Add the second model whole, with variables of its own."""
        rows = dict(self._second_rows)
        for w in self.second.model.decisions.tolist():
            domain = domain_of(self.second.model, w)
            if w in rows:
                self.model.add(_inside(of_rows(self.model, [rows[w]], ()), domain))
            else:
                rows[w] = _row(new_variable(self.model, domain, f"w{w}"))
        for _ in self._rebuild(self.second, Rebuilder(self.second.model, self.model, rows)):
            pass


def _negated(said: Said, constraint: Constraint, stated: Constraint) -> list[BoolArray]:
    """Return the negation of what is not said in the same words, and was ``stated`` of the second model."""
    parts = parts_of(constraint)
    known = [_new(said, part) for part in parts]
    if any(len(new) < part.size for new, part in zip(known, parts, strict=True)):
        return [~part.take(np.array(new)) for new, part in zip(known, parts, strict=True) if new]
    new = _new(said, constraint)
    if new and isinstance(constraint, AllDifferent) and isinstance(stated, AllDifferent):
        return _repeated(constraint, stated)
    return [~constraint.take(np.array(new))] if new else []


def _repeated(constraint: AllDifferent, stated: AllDifferent) -> list[BoolArray]:
    """Return what says that two terms have one value, value by value where these are few.

    Against a model that says with 0/1 variables who has a value, each of these is refuted at once; that some
    pair is equal takes search. Which values there are says the second model, where the constraint is
    ``stated``: what is outside its domains is refused besides.
    """
    model: Any = stated.registry
    lows, highs = (ends.reshape(-1) for ends in stated.terms.bounds())
    least, most = (int(lows.min()), int(highs.max())) if lows.size else (0, 0)
    if most - least > _VALUES * lows.size or (model.has_partial and model.partial_terms(stated.terms).any()):
        return [~constraint]
    terms, found = constraint.terms.reshape(-1), []
    for value in range(least, most + 1):
        able = np.flatnonzero((lows <= value) & (highs >= value))
        if able.size > 1:
            found.append((terms[able] == value).sum() >= 2)
    return found


def _new(said: Said, constraint: Constraint) -> list[int]:
    """Return which elements do not follow from what is said."""
    return [k for k, follows in enumerate(said.of(constraint)) if not follows]


def _row(array: Any) -> Row:
    ((variables, coefficients, constant),) = array.reshape(-1).rows()
    return tuple(variables), tuple(coefficients), constant


def reached_constraints(side: Side, variables: Sequence[int]) -> set[int]:
    """Return which of the stated constraints reach some variables, also through definitions."""
    if not variables:
        return set()
    reaches = reaching(side.model, variables)
    return {k for k, stated in enumerate(side.stated) if any(map(reaches, stated.arguments))}


def reaching(model: Model, variables: Sequence[int]) -> Callable[[LinearArray], bool]:
    """Return what says whether terms depend on some of the variables, also through definitions."""
    wanted = set(variables)
    reached: dict[int, bool] = {}

    def reaches(variable: int) -> bool:
        if variable not in reached:
            made = model.producer(variable)
            if made is None:
                reached[variable] = variable in wanted
            else:
                reached[variable] = any(map(reaches, scope_of(*made)))
        return reached[variable]

    return lambda array: any(reaches(v) for variables, _, _ in array.rows() for v in variables)


def _inside(x: Any, domain: IntArray | tuple[int, int]) -> list[Any]:
    """Return constraints that keep a term in a domain."""
    if isinstance(domain, tuple):
        return [x >= domain[0], x <= domain[1]]
    return [Table([x], [[int(value)] for value in domain])]


def _outside(x: Any, mine: IntArray | tuple[int, int], theirs: IntArray | tuple[int, int]) -> list[BoolArray]:
    """Return truths of which one holds where a term with values in ``mine`` is outside ``theirs``."""
    low, high = theirs if isinstance(theirs, tuple) else (int(theirs[0]), int(theirs[-1]))
    found: list[Any] = []
    least, most = mine if isinstance(mine, tuple) else (int(mine[0]), int(mine[-1]))
    if least < low:
        found.append(x < low)
    if most > high:
        found.append(x > high)
    if not isinstance(theirs, tuple):
        gaps = np.flatnonzero(np.diff(theirs) > 1)
        for left, right in zip(theirs[gaps].tolist(), theirs[gaps + 1].tolist(), strict=True):
            if not isinstance(mine, tuple) and not ((mine > left) & (mine < right)).any():
                continue
            found.append((x > left) & (x < right))
    return found


def in_domain(model: Model, variable: int, value: int) -> bool:
    """Say whether a variable may have a value."""
    domain = domain_of(model, variable)
    return domain[0] <= value <= domain[1] if isinstance(domain, tuple) else bool((domain == value).any())
