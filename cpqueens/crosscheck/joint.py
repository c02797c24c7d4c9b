"""Two models as one: over the variables that they share, with what the second refuses as truths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Solution
from cpqueens.crosscheck.functional import functions_of
from cpqueens.crosscheck.wording import Said, parts_of
from cpqueens.errors import ModelError
from cpqueens.language.arrays import of_rows
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.table import Table
from cpqueens.language.expressions import BoolArray
from cpqueens.language.linear_rows import Row
from cpqueens.language.rebuild import Rebuilder, domain_of, new_variable, own_constraints
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.text.plaintext import shown
from cpqueens.text.suggest import did_you_mean


def _names(model: Model) -> dict[str, int]:
    return {model.name_of(v): v for v in model.decisions.tolist()}


def shared_variables(a: Model, b: Model, mapping: Mapping[str, str] | None) -> dict[str, tuple[int, int]]:
    """Return for each name in ``a`` the variable there and that in ``b``."""
    if mapping is None:
        ours, theirs = _names(a), _names(b)
        found = {name: (v, theirs[name]) for name, v in ours.items() if name in theirs}
    else:
        found = {}
        for mine, other in mapping.items():
            left, right = _variables(a, mine), _variables(b, other)
            if len(left) != len(right):
                raise ModelError(f"mapping: {mine} has {len(left)} variables and {other} has {len(right)}")
            found |= {a.name_of(v): (v, w) for v, w in zip(left, right, strict=True)}
    if not found:
        raise ModelError(
            f"the models share no variable by name: a has {_some(a)}, b has {_some(b)}; give mapping="
        )
    if len({w for _, w in found.values()}) < len(found):
        raise ModelError("mapping: a variable of b is named twice")
    return found


def _variables(model: Model, name: Any) -> list[int]:
    names = _names(model)
    if name in names:
        return [names[name]]
    block = model.blocks.by_name.get(name) if isinstance(name, str) else None
    if block is None:
        near = did_you_mean(name, (*model.blocks.by_name, *names)) if isinstance(name, str) else ""
        raise ModelError(f"mapping: {model.name} has no variable {shown(name)}{near}")
    return list(range(block.first, block.first + block.size))


def _some(model: Model) -> str:
    names = list(model.blocks.by_name)
    return ", ".join(names[:5]) + (" ..." if len(names) > 5 else "") if names else "none"


@dataclass(frozen=True)
class Side:
    """One of the two models."""

    name: str
    model: Model
    objective: Model
    """The same with its objective."""

    def private(self, shared: Iterable[int]) -> list[int]:
        """Return its decision variables that are not shared."""
        known = set(shared)
        return [v for v in self.model.decisions.tolist() if v not in known]


def side(name: str, model: Model) -> Side:
    """Return a model with and without its objective."""
    plain = model.copy()
    plain.drop_objectives()
    return Side(name, plain, model)


class Joint:
    """The first model written anew, to which parts of the second are added over the shared variables."""

    def __init__(self, first: Side, second: Side, pairs: Sequence[tuple[int, int]]) -> None:
        self.model = Model(f"{first.name} and {second.name}")
        self.first, self.second, self.pairs = first, second, pairs
        self._place: dict[int, Any] = {}
        rows: dict[int, Row] = {}
        for v in first.model.decisions.tolist():
            created = new_variable(self.model, domain_of(first.model, v), f"v{v}")
            self._place[v] = created
            rows[v] = _row(created)
        self._said = Said(self.model)
        """All that the first model says; what the second says too needs no proof."""
        for constraint in self._rebuild(first, rows):
            self._said.learn(constraint)
        self._second_rows: dict[int, Row] = {w: rows[v] for v, w in pairs}
        self._functions = functions_of(second.model, set(self._second_rows))
        """Of the second's own variables those that follow from the shared ones."""

    def _rebuild(self, side: Side, rows: dict[int, Row]) -> Iterator[Constraint]:
        """Post all that a model says, and yield each constraint."""
        rebuilder = Rebuilder(side.model, self.model, rows)
        for posted in own_constraints(side.model):
            constraint = rebuilder.constraint(posted.constraint)
            self.model.add(constraint)
            yield constraint

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

        In those that are it has free variables.
        """
        rebuilder = self._rebuilder({})
        found: list[Any] = []
        for v, w in self.pairs:
            found += _outside(self._place[v], domain_of(self.first.model, v), domain_of(self.second.model, w))
        for w in self._functions:
            term = of_rows(self.model, [rebuilder.row(w)], ())
            low, high = (int(end[0]) for end in term.bounds())
            found += _outside(term, (low, high), domain_of(self.second.model, w))
        for k, posted in enumerate(own_constraints(self.second.model)):
            if k not in own:
                found += self._negated(rebuilder.constraint(posted.constraint).flattened())
        return found

    def _negated(self, constraint: Constraint) -> list[BoolArray]:
        """Return the negation of what the first model does not state in the same words."""
        parts = parts_of(constraint)
        known = [self._new(part) for part in parts]
        if any(len(new) < part.size for new, part in zip(known, parts, strict=True)):
            return [~part.take(np.array(new)) for new, part in zip(known, parts, strict=True) if new]
        new = self._new(constraint)
        return [~constraint.take(np.array(new))] if new else []

    def _new(self, constraint: Constraint) -> list[int]:
        """Return which elements do not follow from the words of the first model."""
        return [k for k, follows in enumerate(self._said.of(constraint)) if not follows]

    def refusals_beside(self, own: set[int], values: Mapping[int, int]) -> list[BoolArray]:
        """Return what the constraints in ``own`` refuse where the free variables have the values."""
        rebuilder = self._rebuilder(values)
        stated = own_constraints(self.second.model)
        return [~rebuilder.constraint(stated[k].constraint) for k in sorted(own)]

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
        for _ in self._rebuild(self.second, rows):
            pass


def _row(array: Any) -> Row:
    ((variables, coefficients, constant),) = array.reshape(-1).rows()
    return tuple(variables), tuple(coefficients), constant


def reached_constraints(model: Model, variables: Sequence[int]) -> set[int]:
    """Return which of the user's constraints reach some variables, also through definitions."""
    if not variables:
        return set()
    wanted = set(variables)
    reached: dict[int, bool] = {}

    def reaches(variable: int) -> bool:
        if variable not in reached:
            made = model.producer(variable)
            if made is None:
                reached[variable] = variable in wanted
            else:
                definition, at = made
                one = definition.take(np.array([at]), definition.results[[at]])
                reached[variable] = any(reaches(v) for array in _arguments(one) for v in _scope(array))
        return reached[variable]

    return {
        k
        for k, posted in enumerate(own_constraints(model))
        if any(reaches(v) for array in posted.constraint.arguments for v in _scope(array))
    }


def _arguments(definition: Any) -> Iterable[Any]:
    inner = getattr(definition, "constraint", None)
    return inner.arguments if isinstance(inner, Constraint) else definition.arguments


def _scope(array: Any) -> list[int]:
    return [v for variables, _, _ in array.rows() for v in variables]


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


def any_value(model: Model, variable: int) -> int:
    """Return the first value of a variable's domain."""
    domain = domain_of(model, variable)
    return int(domain[0])
