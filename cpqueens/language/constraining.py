"""The constraints of a statement: what users add, as it is kept, with names and places.

A truth that is added becomes its own constraint, and what is over a partial function brings the condition
under which that is defined, to be seen.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, Self, cast

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import And, Negation
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.conversion import aligned, as_linear
from cpqueens.language.definedness import conditions
from cpqueens.language.definitions import Truth
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.objectives import Objectives, Soft, as_weights
from cpqueens.language.pending import given_terms
from cpqueens.language.posted import ConstraintList, Posted, Source, place_of
from cpqueens.language.rows import IntArray
from cpqueens.language.store import VariableStore
from cpqueens.language.truths import Literals, as_truth
from cpqueens.language.wording import describe
from cpqueens.text.foreign import explaining_keywords, no_keyword, without_rest
from cpqueens.text.plaintext import checked_name, shown

_OF_ADDING = dict.fromkeys(("weight", "penalty", "cost", "soft"), "m.add_soft(..., weight=...)")
"""What `add` does not take, since soft constraints are another verb's."""


Posting = Callable[[BoolArray, "str | None", "Source | None"], None]
"""Takes one constraint of the model, its name, and where it was written."""

MAX_TITLE = 1000
MAX_NESTING = 64

_CALLER = 2  # frames away: `explaining_keywords` is between


class Constraints(Objectives):
    """The constraints and objectives over the variables of a store, and from which models these may come."""

    def __init__(self) -> None:
        super().__init__()
        self._posted = ConstraintList(self)
        self._names: dict[int, str] = {}
        self._guarded: set[int] = set()
        self._ranges: set[int] = set()  # positions of the conditions that only objectives have brought
        self._ancestors: list[tuple[VariableStore, int]] = []
        self._runs: set[object] = set()  # those under way: the model stays as it is until they end

    def name_of(self, variable: int) -> str:
        """Return what a variable is called."""
        raise NotImplementedError

    @property
    def constraint_count(self) -> int:
        """Number of constraints.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m += [x[0] < x[1], x.sum() == 4]
        >>> m.constraint_count
        2
        """
        return len(self._constraints)

    @without_rest
    def add(self, *constraints: Any, name: str | None = None, **unknown: NoReturn) -> None:
        """Add constraints, Booleans, or (nested) sequences of them; every element of an array is added.

        A constraint over a partial function (a quotient, an element, ...) holds only where the function is
        defined; the condition is added as a separate constraint, named ``range of ...``.

        >>> from cpqueens import AllDifferent, Model
        >>> m = Model()
        >>> x = m.intvar(1, 9, shape=3, name="x")
        >>> m.add(AllDifferent(x), x[0] * x[1] == x[2], name="product")
        >>> m.constraint_count, m.constraints[0].name
        (2, 'product')

        Parameters
        ----------
        constraints
            Constraints, arrays of Booleans of any shape, or sequences of these.
        name
            Their name in messages and reports.

        Raises
        ------
        ModelError
            For anything that is not a constraint, or is of another model.
        """
        if self._runs:
            self._refuse_during_runs()
        if unknown:
            raise no_keyword("add", next(iter(unknown)), ["name"], _OF_ADDING)
        frame = sys._getframe(1)
        code, at = frame.f_code, frame.f_lasti
        if name is not None:
            name = checked_name(name, "name of a constraint", MAX_TITLE, least=0)
        posted = self._posted
        for constraint in constraints:
            if name is not None or not posted.append_plain(constraint, code, at):
                _require_sense(constraint)
                self._add(constraint, name, (code, at))

    def __iadd__(self, constraints: Any) -> Self:
        frame = sys._getframe(1)
        if self._runs or not self._posted.append_plain(constraints, frame.f_code, frame.f_lasti):
            _require_sense(constraints)
            self._add(constraints, None, (frame.f_code, frame.f_lasti))
        return self

    def __isub__(self, constraints: Any) -> NoReturn:
        raise TypeError(
            "constraints are not taken back: m.without(positions) is a copy that lacks some; "
            "or add them to a m.copy() in the first place"
        )

    def _add(
        self, item: Any, name: str | None, source: Source | None, depth: int = 0, post: Posting | None = None
    ) -> None:
        post = self._post if post is None else post
        if isinstance(item, LinearArray):
            item = as_truth(item.registry, item)
        if isinstance(item, BoolArray):
            post(self._own(item), name, source)
        elif isinstance(item, bool | np.bool_):
            post(Literals(as_linear(self, int(item))), name, source)
        elif isinstance(item, list | tuple | set | frozenset | Iterator) or (
            isinstance(item, np.ndarray) and item.dtype.kind in "Ob"
        ):
            if depth == MAX_NESTING:
                raise ModelError(
                    f"constraints in lists nested more than {MAX_NESTING} deep, or within themselves"
                )
            for part in item:
                self._add(part, name, source, depth + 1, post)
        else:
            raise ModelError(f"a constraint is needed, got {type(item).__name__} {shown(item)}")

    @explaining_keywords
    def add_soft(self, *constraints: Any, weight: Any = 1, name: str | None = None) -> None:
        """Add soft constraints: each element that is violated costs its weight.

        The penalties are minimised. If there is an objective, they are added to it (subtracted from one that
        is maximised), so weights are in its unit; as a separate objective, use `penalties`. A solution lists
        what it violates (``outcome.violated``, ``outcome.penalty``).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> m.add_soft(x >= 7, weight=3, name="late")
        >>> m.add_soft(x <= 5, weight=2, name="early")
        >>> outcome = m.solve()
        >>> outcome.penalty, [v.name for v in outcome.violated]
        (2, ['early'])

        Parameters
        ----------
        constraints
            As for `add`. A soft constraint over a partial function is violated where it is undefined.
        weight
            Integers of at least 1: one, or an array that broadcasts to the shape of each constraint.
        name
            Their name in reports.

        Raises
        ------
        ModelError
            For anything that is not a constraint, one of another model, or a weight below 1.
        """
        self._refuse_during_runs()
        if name is not None:
            name = checked_name(name, "name of a constraint", MAX_TITLE, least=0)
        frame = sys._getframe(_CALLER)

        def post(item: BoolArray, name: str | None, source: Source | None) -> None:
            self._soften(item, as_weights(aligned(weight, item)), name, place_of(source))

        for constraint in constraints:
            self._add(constraint, name, (frame.f_code, frame.f_lasti), post=post)

    def _soften(
        self, item: BoolArray, weights: IntArray, name: str | None, source: tuple[str, int] | None
    ) -> None:
        try:
            each = weights if weights.shape == item.shape else np.broadcast_to(weights, item.shape)
        except ValueError:
            what = f"weights of shape {weights.shape} do not fit constraints of shape {item.shape}"
            raise ModelError(what) from None
        constraint = Linear(item.terms.reshape(-1) - 1, ">=") if isinstance(item, Literals) else item
        assert isinstance(constraint, Constraint)
        self.soft.append(Soft(constraint, constraint.truth(), each.reshape(-1), name, source))
        self._goals = None

    def _own(self, item: BoolArray) -> BoolArray:
        """Return ``item`` as a constraint of this model, where it belongs to it or to its original."""
        registry = item.registry
        if registry is self:
            return item
        arrays = (item.terms,) if isinstance(item, Literals) else given_terms(item)
        if not registry.unbound:
            for array in arrays:
                self._check_ancestry(array)
        if isinstance(item, Literals):
            return Literals(item.terms.bind(self))
        return item.bind(self)  # type: ignore[attr-defined]

    def _check_ancestry(self, array: LinearArray) -> None:
        for ancestor, count in self._ancestors:
            if array.registry is ancestor:
                if array.width and int(array.variables.max(initial=0)) >= count:
                    raise ModelError("this expression was built after the model was copied; use copy['name']")
                return
        raise ModelError("variables of two different models cannot be mixed")

    def own_terms(self, array: LinearArray) -> LinearArray:
        """Return terms of this model, or of the model it was copied from, as terms of this model."""
        if array.registry is self:
            return array
        self._check_ancestry(array)
        return array.bind(self)

    def _post(self, item: BoolArray, name: str | None, source: Source | None) -> None:
        self._refuse_during_runs()
        if isinstance(item, And):
            self._post_literals(item.literals.reshape(-1), name, source)
        elif isinstance(item, Literals):
            self._post_literals(item.terms.reshape(-1), name, source)
        else:
            assert isinstance(item, Constraint)
            if name is not None:
                self._names[len(self._posted)] = name
            self._posted.append(item, source)
            if self.has_partial:
                self._guard(item.arguments)

    def _post_literals(self, terms: LinearArray, name: str | None, source: Source | None) -> None:
        """Post what the literals stand for: a truth's own constraint, or that the term is 1."""
        plain: list[int] = []
        for row, (variables, coefficients, constant) in enumerate(terms.rows()):
            produced = self.producer(variables[0]) if len(variables) == 1 else None
            if produced is None or not isinstance(produced[0], Truth):
                plain.append(row)
                continue
            element = produced[0].constraint.take(np.array([produced[1]]))
            if coefficients == [1] and constant == 0:
                self._post(element, name, source)
            elif isinstance(element, Linear) and not self.partial_terms(element.expression).any():
                self._post(Linear(element.expression, OPPOSITE[element.relation]), name, source)
            else:
                self._post(Negation(Literals(1 - terms[row])), name, source)
        if plain:
            self._post(Linear(terms._pick(np.array(plain)) - 1, ">="), name, source)

    def _guard(self, arguments: Iterable[LinearArray]) -> None:
        """Post, to be seen, when the partial functions are defined that terms reach without passing a truth.

        That they must be is part of what the constraint over these terms means; so this changes nothing.
        """
        for variable, found in conditions(self, arguments, self._guarded).items():
            self._guarded.add(variable)
            name = f"range of {self.name_of(variable)}" if found else ""
            for condition in found:
                self._post(condition, name, None)

    def _guard_objectives(self, terms: Iterable[LinearArray]) -> None:
        """Do the same for objectives, whose conditions go with them."""
        before = len(self._posted)
        self._guard(terms)
        self._ranges.update(range(before, len(self._posted)))

    def _forget_ranges(self) -> None:
        """Drop the conditions of the objectives so far; a constraint that needs one means it all the same."""
        if self._ranges:
            self._keep([k for k in range(len(self._constraints)) if k not in self._ranges])

    def _keep(self, positions: list[int]) -> None:
        """Drop all constraints but those at these positions."""
        whole, cuts = self._constraints, self._posted.cuts
        dropped = set(range(len(whole))).difference(positions)
        if any(whole.source(k) is None for k in dropped):
            self._guarded.clear()  # a condition goes; what needs it means it all the same
        self._posted = whole.select(positions)
        self._posted.cuts = cuts + 1
        self._names = {new: self._names[k] for new, k in enumerate(positions) if k in self._names}
        self._ranges = {new for new, k in enumerate(positions) if k in self._ranges}

    @property
    def _constraints(self) -> ConstraintList:
        """The constraints, all truths in them defined."""
        self.settle()
        return self._posted

    def settle(self) -> None:
        """Define the Booleans of connectives that were added one by one."""
        if self._posted.pending:
            self._posted.settle()

    @property
    def constraints(self) -> list[Posted]:
        """The constraints in the order in which they were added.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.add(x[0] < x[1], name="rising")
        >>> [(posted.name, str(posted.constraint)) for posted in m.constraints]
        [('rising', 'x[0] < x[1]')]
        """
        posted = self._constraints
        return [Posted(c, self._names.get(k), posted.source(k)) for k, c in enumerate(posted)]

    def posted(self, position: int) -> Posted:
        """Return one of `constraints`, from 0, without making the others."""
        source = self._constraints.source(position)
        return Posted(self._constraints[position], self._names.get(position), source)

    @property
    def guarded(self) -> set[int]:
        """Partial defined variables whose condition is a constraint of the model."""
        return self._guarded

    @explaining_keywords
    def fix(self, x: Any, value: Any) -> None:
        """Fix ``x`` to the given value(s).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m.fix(x, [3, 4])
        >>> m.solve()[x].tolist()
        [3, 4]

        Parameters
        ----------
        x
            A term, an array of terms, Booleans, or the name of a variable or array.
        value
            Integers or terms whose shape broadcasts with ``x``.

        Raises
        ------
        ModelError
            For variables of another model, shapes that do not fit, or a value that is not in a domain.
        """
        if isinstance(x, LinearArray):
            x = self.own_terms(x)
        elif not isinstance(x, BoolArray):
            x = cast(Any, self)[x] if isinstance(x, str) else as_linear(self, x, "x")
        frame = sys._getframe(_CALLER)
        fixed = x == value
        self._require_possible(fixed)
        self._add(fixed, "fixed", (frame.f_code, frame.f_lasti))

    def _require_possible(self, fixed: BoolArray) -> None:
        """Refuse a value that a variable does not have: the model would silently have no solution."""
        if not isinstance(fixed, Linear):
            return
        flat, domains = fixed.flattened(), self.domains
        terms = flat.expression
        low, high = terms.bounds(flat.most)
        never = (low > 0) | (high < 0)
        for row, variable in enumerate(
            terms.variables[:, 0].tolist() if domains and terms.width == 1 else ()
        ):
            if variable in domains:
                values = terms.coefficients[row] * domains[variable] + terms.constants[row]
                never[row] |= not (values == 0).any()
        if never.any():
            text = describe(cast(Any, self), flat.take(np.array(never.argmax())))
            raise ModelError(f"fix: {text} never holds: the domain has no such value")

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Keep the model as it is while it is solved: what would change it is refused."""
        run = object()
        self._runs.add(run)
        try:
            yield
        finally:
            self._runs.discard(run)

    def _refuse_during_runs(self) -> None:
        if self._runs:
            raise ModelError(
                "the model is being solved, by the run that calls back or in another thread: its outcome "
                "would not be true of a changed model; change it afterwards, or change model.copy()"
            )


def _require_sense(given: Any) -> None:
    """Refuse what a user adds by itself, or in a list, and surely means otherwise."""
    for one in given if isinstance(given, list | tuple) else (given,):
        if isinstance(one, Constraint):
            one.require_sense()
