"""The independent checker: the constraints' own meaning over batches, and nothing of any solver.

A constraint is violated too, by 1, where one of its terms is undefined; see `cpqueens.language.definedness`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, islice
from typing import Any

import numpy as np

from cpqueens.answers.stated import SoftViolation, soft_violations
from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.conversion import aligned, listed
from cpqueens.language.definedness import Defined, defined_elements, defined_terms, why_undefined
from cpqueens.language.expressions import LinearArray
from cpqueens.language.in_range import constraints_in_range, require_computable
from cpqueens.language.labels import is_framed, numbers_among, text_of_label
from cpqueens.language.linear_rows import Row
from cpqueens.language.listing import names_text
from cpqueens.language.posted import Alike, Posted, alike
from cpqueens.language.ranges import OutOfRange, saturated_sum
from cpqueens.language.rows import IntArray, Mask, Shape, as_integers
from cpqueens.language.statement import Statement
from cpqueens.language.wording import closed, describe, describe_array, describe_term
from cpqueens.text import plaintext
from cpqueens.text.plaintext import counted, shown

_CELLS_AT_ONCE = 4_000_000
_NARROW, _ROWS_AT_ONCE = 16, 2048
"""Variables up to which so many rows stay in the processor's cache; wider ones are looked at together."""
_FEW = 16  # assignments that are checked by fewer calls, in more memory for each
_PROBLEMS = 20  # entries of an assignment that are complained about
_LISTED = 100  # violations in a notebook
_SHOWN = 1000  # variables and attacking pairs of one violation: more are of no use to a reader


@dataclass(frozen=True)
class Violation:
    """One violated constraint: which, how far, and with which values (of at most 1000 variables).

    Attributes
    ----------
    constraint, name
        Its text, and the name that it was given, or None.
    where
        The user's file and line.
    amount
        How far it is from holding, 1 or more.
    values
        Of its variables, by name.
    pairs
        Which of its terms collide, in words.
    undefined
        Which of its terms has no value and why, such as ``quotient(x, y): divisor y = 0``.
    """

    constraint: str
    name: str | None
    where: str
    amount: int
    values: Mapping[str, int | str]
    pairs: tuple[tuple[str, str], ...] = ()
    undefined: str = ""

    @property
    def label(self) -> str:
        """The constraint behind its name."""
        return f"{self.name}: {self.constraint}" if self.name else self.constraint

    @property
    def reason(self) -> str:
        """The undefined terms, or else the pairs that collide, or else the values."""
        if self.undefined:
            return f"undefined: {self.undefined}"
        shown = ", ".join(f"{closed(k)}={v}" for k, v in islice(self.values.items(), 12))
        return "; ".join(f"{a} and {b}" for a, b in self.pairs[:12]) or shown

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        return f"{self.label}{place} violated by {self.amount}: {self.reason}"


@dataclass(frozen=True)
class Check:
    """The result of checking one assignment.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 3, shape=2, name="x")
    >>> m.add(x[0] < x[1], name="rising")
    >>> found = m.check({"x": [3, 1]})
    >>> found.ok, found.amount, found.violations[0].label
    (False, 3, 'rising: x[0] < x[1]')

    Attributes
    ----------
    violations
        The constraints that do not hold (`Violation`).
    problems
        Values missing, of a wrong type or outside their domain, one line each.
    soft
        The soft constraints that are violated, which a solution may (`SoftViolation`).
    model, row
        What was checked, and the values of its decision variables; None where values are missing or wrong.
    """

    violations: tuple[Violation, ...]
    problems: tuple[str, ...] = ()
    soft: tuple[SoftViolation, ...] = ()
    model: Statement | None = field(default=None, repr=False, compare=False)
    row: IntArray | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """True if the assignment is a solution."""
        return not self.violations and not self.problems

    @property
    def amount(self) -> int:
        """The summed violation."""
        return sum(v.amount for v in self.violations)

    @property
    def penalty(self) -> int:
        """The total cost of the violated soft constraints."""
        return sum(v.penalty for v in self.soft)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return f"<Check {self.summary}>"

    @property
    def summary(self) -> str:
        """The result in a few words."""
        if self.ok:
            cost = f", the penalty is {self.penalty}" if self.soft else ""
            return f"a solution: every constraint holds{cost}"
        many = f"{counted(len(self.violations), 'constraint')} violated, by {self.amount} in all"
        wrong = f"{counted(len(self.problems), 'value')} missing or wrong"
        return ", ".join(text for text, some in ((wrong, self.problems), (many, self.violations)) if some)

    def __str__(self) -> str:
        whole = [self.summary] if self.ok else []
        return "\n".join([*whole, *self.problems, *map(str, self.violations), *map(str, self.soft)])

    def _repr_html_(self) -> str:
        picture = "" if self.model is None else self.model.drawn(self, "check") or ""
        if self.ok:
            soft = [(v.label, v.where, f"penalty\N{NO-BREAK SPACE}{v.penalty}") for v in self.soft[:_LISTED]]
            return plaintext.fragment(
                plaintext.heading(self.summary, plaintext.badge("OK", plaintext.GOOD)),
                plaintext.table(soft, code=True),
                picture,
            )
        found = self.violations[:_LISTED]
        # One cell each, of lines: beside each other they would not fit on a phone.
        rows = [("\n".join(filter(None, (f"{v.label}, by {v.amount}", v.reason, v.where))),) for v in found]
        left_out = len(self.violations) - len(found)
        return plaintext.fragment(
            plaintext.heading(self.summary, plaintext.badge("NO", plaintext.BAD)),
            *map(plaintext.line, self.problems),
            plaintext.table(rows, code=True),
            plaintext.line(f"... {left_out:,} more") if left_out else "",
            picture,
        )


class Checker:
    """Checks batches of assignments of one model; build once, use for all its solutions.

    At most ``cells`` values of variables are looked at together: what a batch needs in memory is bounded.

    Raises
    ------
    OutOfRange
        If a term of the model leaves the range in which its arithmetic is known not to wrap.
    """

    def __init__(self, model: Statement, *, cells: int = _CELLS_AT_ONCE) -> None:
        self.model = model
        most = _ROWS_AT_ONCE if model.variable_count <= _NARROW else cells
        self._rows_at_once = max(1, min(most, cells // max(1, model.variable_count)))
        self.known = model.decisions
        self._only_decisions = len(self.known) == model.variable_count
        self._lower, self._upper = model.lower[self.known], model.upper[self.known]
        self._groups = constraints_in_range(model)
        self._alike: Sequence[Constraint | Alike] | None = None  # made for the first few assignments
        self._latest: tuple[tuple[int, bytes], tuple[IntArray, Defined | None]] | None = None
        self._gaps = _columns_by_domain(model, self.known) if model.domains else []

    @classmethod
    def of(cls, model: Statement) -> Checker:
        """Return the model's checker, which is kept with a small model until it changes."""
        return model.kept("checker", partial(cls, model))

    def accepts(self, matrix: IntArray) -> Mask:
        """Return which rows of ``matrix`` (batch, decision variables) are solutions."""
        step = self._rows_at_once
        if len(matrix) <= step:
            return self._accepts(matrix)
        parts = [self._accepts(matrix[at : at + step]) for at in range(0, len(matrix), step)]
        return np.concatenate(parts)

    def _accepts(self, matrix: IntArray) -> Mask:
        matrix = np.asfortranarray(matrix)
        inside = self.in_domain(matrix)
        good: Mask = np.logical_and.reduce(inside, axis=1)
        if not good.all():  # what lies outside is rejected already, and could be too large to compute with
            matrix = np.where(inside, matrix, self._lower)
        values, defined = self._complete(matrix)
        if self._alike is None and len(matrix) <= _FEW:
            self._alike = alike(self._groups) if len(self._groups) > 1 else self._groups
        for constraint in self._alike if self._alike and len(matrix) <= _FEW else self._groups:
            good &= constraint.holds(values)
        if defined is not None:
            for constraint in self._groups:
                good &= defined_elements(constraint, defined).all(axis=1)
            for has_value in self._objectives_defined(defined):
                good &= has_value
        return good

    def in_domain(self, matrix: IntArray) -> Mask:
        """Return which values are in their domains, in the shape of ``matrix``."""
        low, high = self._lower, self._upper
        if len(matrix) <= len(low) or ((matrix.min(axis=0) < low) | (matrix.max(axis=0) > high)).any():
            inside = (matrix >= low) & (matrix <= high)
        else:
            inside = np.ones(matrix.shape, dtype=np.bool_, order="F")
        for columns, domain in self._gaps:
            inside[:, columns] &= np.isin(matrix[:, columns], domain)
        return inside

    def _complete(self, matrix: IntArray) -> tuple[IntArray, Defined | None]:
        """Return the values of all variables and where they are defined, None for everywhere."""
        if self._only_decisions:
            return matrix, None
        if len(matrix) > _FEW:
            return self.model._extend(matrix, self.known, self.model.has_partial)
        few, latest = (len(matrix), matrix.tobytes()), self._latest  # the same are asked for their objectives
        if latest is None or latest[0] != few:
            latest = self._latest = few, self.model._extend(matrix, self.known, self.model.has_partial)
        return latest[1]

    def _objectives_defined(self, defined: Defined) -> list[Mask]:
        """Return for each objective in which rows it has a value."""
        return [defined_terms(g.term, defined)[:, 0] for g in self.model.goals]

    def violation(self, matrix: IntArray) -> IntArray:
        """Return the summed violation of each row, of shape (batch,), see `ranges.saturated_sum`."""
        values, defined = self._complete(matrix)
        parts = [saturated_sum(_amounts(c, values, defined)) for c in self._groups]
        if defined is not None:
            parts += [(~has_value).astype(np.int64) for has_value in self._objectives_defined(defined)]
        return saturated_sum(np.stack(parts, axis=1)) if parts else np.zeros(len(matrix), dtype=np.int64)

    def amounts(self, matrix: IntArray) -> list[IntArray]:
        """Return of each constraint of the model the violation in each row, of shape (batch,)."""
        return [*map(saturated_sum, self.elements(matrix, range(self.model.constraint_count)).values())]

    def elements(self, matrix: IntArray, positions: Iterable[int]) -> dict[int, IntArray]:
        """Return of the constraints at some positions the violation of each element, (batch, elements)."""
        values, defined = self._complete(matrix)
        return {k: _amounts(self.model.posted(k).constraint.flattened(), values, defined) for k in positions}

    def objectives(self, matrix: IntArray) -> IntArray:
        """Return the values of all objectives of each row, of shape (batch, objectives)."""
        values = self._complete(matrix)[0]
        return np.concatenate([goal.term.evaluate(values) for goal in self.model.goals], axis=1)

    def explain(self, row: IntArray) -> Check:
        """Return everything that is wrong with one assignment of the decision variables."""
        matrix = row.reshape(1, -1)
        if self.accepts(matrix)[0]:
            return Check(())
        outside = np.flatnonzero(~self.in_domain(matrix)[0])
        problems = [self._outside(int(self.known[k]), int(row[k])) for k in outside]
        if outside.size:
            try:
                require_computable(self.model, self.known, row)
            except OutOfRange as error:
                return Check((), (*problems, f"so far outside the constraints are not evaluated: {error}"))
        values, defined = self._complete(matrix)
        violations = [
            found
            for posted in self.model.constraints
            for found in _violations(self.model, posted, values, defined)
        ]
        violations += _undefined_objectives(self.model, values, defined)
        return Check(tuple(violations), tuple(problems))

    def _outside(self, variable: int, value: int) -> str:
        model = self.model
        names = model.names_of(variable)
        if names is not None:
            allowed = names_text(names)
        elif variable in model.domains:
            allowed = f"{{{', '.join(map(str, model.domains[variable][:20]))}}}"
        else:
            allowed = f"{model.lower[variable]}..{model.upper[variable]}"
        return f"{model.label_of(variable)} = {value} is outside its domain {allowed}"


def _columns_by_domain(model: Statement, known: IntArray) -> list[tuple[IntArray, IntArray]]:
    """Return (columns, domain) for each explicit domain; variables created together share theirs."""
    groups: dict[int, list[int]] = {}
    for variable, values in model.domains.items():
        groups.setdefault(id(values), []).append(variable)
    return [(np.searchsorted(known, np.array(vs)), model.domains[vs[0]]) for vs in groups.values()]


def _amounts(constraint: Constraint, values: IntArray, defined: Defined | None) -> IntArray:
    """Return how far each element is from holding, (batch, size): 1 where a term of it is undefined."""
    amounts = constraint.amounts(values)
    return amounts if defined is None else np.where(defined_elements(constraint, defined), amounts, 1)


def _violations(
    model: Statement, posted: Posted, values: IntArray, defined: Defined | None
) -> list[Violation]:
    flat = posted.constraint.flattened()
    amounts = _amounts(flat, values, defined)[0]
    held = flat.satisfied(values)[0]
    found = []
    for element in np.flatnonzero((amounts != 0) | ~held).tolist():
        one = flat.take(np.array([element]))
        scopes = [a.scope()[:_SHOWN] for a in one.arguments]  # ascending: the least of all are among these
        scope = np.unique(np.concatenate(scopes))[:_SHOWN].tolist()
        undefined = ""
        pairs: tuple[tuple[str, str], ...] = ()
        if defined is not None and not defined_elements(one, defined)[0, 0]:
            undefined = why_undefined(model, one.arguments, values[0], defined[0])
            scope = [v for v in scope if defined[0, v]]
        else:
            pairs = _equal_pairs(model, one, values)
        involved = {model.label_of(int(v)): _shown_value(model, int(v), int(values[0, v])) for v in scope}
        amount, text = int(amounts[element]), describe(model, one)
        found.append(Violation(text, posted.name, posted.where, amount, involved, pairs, undefined))
    return found


def _shown_value(model: Statement, variable: int, value: int) -> int | str:
    """Return a value of a variable, or the name that it has."""
    names = model.names_of(variable) if model.labels else None
    return value if names is None or value not in names else text_of_label(names[value])


def _undefined_objectives(model: Statement, values: IntArray, defined: Defined | None) -> list[Violation]:
    """Return the objectives that have no value."""
    if defined is None:
        return []
    found = []
    for term in (goal.term for goal in model.goals if not defined_terms(goal.term, defined)[0, 0]):
        reason = why_undefined(model, [term], values[0], defined[0])
        text = f"objective {describe_array(model, term)}"
        found.append(Violation(text, None, "", 1, {}, undefined=reason))
    return found


def _equal_pairs(model: Statement, constraint: Constraint, values: IntArray) -> tuple[tuple[str, str], ...]:
    """Return, for AllDifferent, the pairs of terms that collide: on boards the attacking pairs."""
    terms = getattr(constraint, "terms", None)
    if constraint.kind != "AllDifferent" or terms is None:
        return ()
    taken = terms.evaluate(values)[0]
    order = np.argsort(taken, kind="stable")
    ordered = taken[order]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    starts = np.concatenate([[0], changes])
    ends = np.concatenate([changes, [len(order)]])
    shared = np.flatnonzero(ends - starts > 1)[:_SHOWN]  # each gives a pair
    pairs: list[tuple[str, str]] = []
    for start, end in zip(starts[shared].tolist(), ends[shared].tolist(), strict=True):
        members = terms.reshape((-1,))[order[start : min(end, start + _SHOWN)]]
        group = [_with_value(model, row, values[0]) for row in members.rows()]
        pairs += islice(combinations(group, 2), _SHOWN - len(pairs))
        if len(pairs) >= _SHOWN:
            break
    return tuple(pairs)


def _with_value(model: Statement, row: Row, values: IntArray) -> str:
    """Return a term with its value and those of its variables; of only one with its variable's alone."""
    variables, coefficients, constant = row
    parts = [f"{model.label_of(v)}={_shown_value(model, v, int(values[v]))}" for v in variables]
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return str(constant)
    total = constant + sum(a * int(values[v]) for v, a in zip(variables, coefficients, strict=True))
    return f"{describe_term(model, row)} = {total} ({', '.join(parts)})"


def check(model: Statement, assignment: Any) -> Check:
    """Check one assignment from anywhere: a solution, or ``{variable or name: value(s)}``.

    Returns
    -------
    Check
        Every violated constraint with its amount, and every missing, unknown or unfit value.
    """
    assignment = getattr(assignment, "_solution_or_closest", lambda: assignment)()  # of an outcome
    if hasattr(assignment, "as_dict"):  # a solution, perhaps of a model of which this one is a part
        assignment = {k: v for k, v in assignment.as_dict().items() if k in model.blocks.by_name}
    if not isinstance(assignment, Mapping):
        raise ModelError(f"an assignment {{variable: values}} is needed, got {type(assignment).__name__}")
    row, problems = read_assignment(model, assignment)
    if row is None:
        return Check((), tuple(problems))
    return check_row(model, row)


def check_row(model: Statement, row: IntArray) -> Check:
    """Check values of all decision variables."""
    found = Checker(model).explain(row)
    return found if found.problems else Check(found.violations, (), soft_violations(model, row), model, row)


def read_values(model: Statement, assignment: Mapping[Any, Any]) -> tuple[IntArray, Mask, list[str]]:
    """Return the decision values of ``{variable or name: value(s)}``, which are given, and what is wrong."""
    known = model.decisions
    row = np.zeros(len(known), dtype=np.int64)
    given = np.zeros(len(known), dtype=bool)
    problems: list[str] = []
    for key, value in assignment.items():
        try:
            positions, values = _read_entry(model, known, key, value)
        except (ModelError, TypeError) as error:
            problems.append(str(error))
            if len(problems) == _PROBLEMS:
                break  # a file of another model has thousands
            continue
        row[positions], given[positions] = values, True
    return row, given, problems


def read_assignment(model: Statement, assignment: Mapping[Any, Any]) -> tuple[IntArray | None, list[str]]:
    """Return the decision values of ``{variable or name: value(s)}``, or None, and what is wrong with it."""
    row, given, problems = read_values(model, assignment)
    known = model.decisions
    missing = [model.label_of(int(v)) for v in known[~given][:8]]
    if missing and not problems:
        many = int((~given).sum())
        problems.append(f"no value for {', '.join(missing)}{f' and {many - 8} more' if many > 8 else ''}")
    return (None if problems else row), problems


def _name(model: Statement, terms: LinearArray) -> str:
    """Return the name of the array of variables that terms are of, else of the first of them."""
    scope = terms.scope().tolist()
    if not scope or not terms.shape or model.is_defined[scope].any():
        return model.label_of(scope[0]) if scope else "a variable"
    first, last = (model.blocks.block_of(variable) for variable in (scope[0], scope[-1]))
    return first.name if first is last else model.label_of(scope[0])


def _fits(given: Shape, wanted: Shape) -> bool:
    """Say whether values in a shape are those of another: flat, in C order, or with further axes of one."""
    kept = [n for n in given if n != 1]
    return len(kept) <= 1 or kept == [n for n in wanted if n != 1]


def _read_entry(model: Statement, known: IntArray, key: Any, value: Any) -> tuple[IntArray, IntArray]:
    terms = model[key] if isinstance(key, str) else key
    if not isinstance(terms, LinearArray):
        raise ModelError(f"{shown(key)} is neither a variable nor the name of one")
    terms = model.own_terms(terms)
    label = key if isinstance(key, str) else _name(model, terms)
    shape, value = terms.shape, aligned(value, terms)
    value = listed(value, label) if is_framed(value) else value
    terms = terms.reshape(-1)
    if terms.size and not model.are_decisions(terms):
        raise ModelError(f"{label}: values are given to decision variables, not to expressions")
    names = model.names_of(int(terms.variables[0, 0])) if terms.size and model.labels else None
    if names is not None:
        value = numbers_among(names, value, str(label))
    values = as_integers(value, label, whole=True)
    if values.size != terms.size:
        given = f" in shape {values.shape}" if values.ndim > 1 else ""
        of = f" of shape {shape}" if len(shape) > 1 else ""
        raise ModelError(f"{label}{of}: takes {counted(terms.size, 'value')}, got {values.size}{given}")
    if not _fits(values.shape, shape):
        raise ModelError(f"{label}: values of shape {shape} are needed, got shape {values.shape}")
    values = values.reshape(-1)
    if not terms.size:
        return np.zeros(0, dtype=np.int64), values
    return np.searchsorted(known, terms.variables[:, 0]), values
