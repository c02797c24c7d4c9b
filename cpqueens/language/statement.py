"""`Statement`: variables, constraints and objectives, never changed by being solved."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language import domains
from cpqueens.language import operations as _operations  # noqa: F401 - fills the table of operations
from cpqueens.language.added import Added, returned
from cpqueens.language.arrays import of_variables, plain_variables
from cpqueens.language.blocks import MAX_NAME
from cpqueens.language.constraints.all_different import AllDifferent
from cpqueens.language.constraints.and_ import And
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.implication import Implication
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.constraints.negation import Negation
from cpqueens.language.constraints.or_ import Or
from cpqueens.language.conversion import as_linear
from cpqueens.language.definedness import conditions
from cpqueens.language.definitions import Truth
from cpqueens.language.describe import describe, describe_elements, describe_variable
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.kept import Kept, State, is_large
from cpqueens.language.listing import listing_text, penalties_text
from cpqueens.language.named_values import NamedValues
from cpqueens.language.objectives import Objectives
from cpqueens.language.pending import given_terms
from cpqueens.language.posted import ConstraintList, Posted, Source, place_of
from cpqueens.language.rows import IntArray, refusing
from cpqueens.language.soft import Soft, as_weights
from cpqueens.language.term import Term
from cpqueens.language.truths import Literals, as_truth
from cpqueens.language.views import View
from cpqueens.text.foreign import explaining_keywords, no_attribute
from cpqueens.text.plaintext import checked_name, shown
from cpqueens.text.suggest import did_you_mean

Made = TypeVar("Made")

Posting = Callable[[BoolArray, "str | None", "Source | None"], None]
"""Takes one constraint of the model, its name, and where it was written."""

MAX_TITLE = 1000
MAX_NESTING = 64


_CALLER = 2  # frames away: `explaining_keywords` is between
_CLAUSES = {Or, Implication}  # posted as they are


class Statement(NamedValues, Objectives):
    """One problem instance: decision variables, constraints over terms, and perhaps an objective.

    What a user creates is a `cpqueens.Model`, which adds the verbs that solve it; solvers, checkers and
    reports need no more than this. ``print`` lists it.

    Parameters
    ----------
    name
        What it is called in reports.
    view
        How its solutions are drawn, such as ``Board("q")``; see `cpqueens.language.views`.
    """

    @partial(explaining_keywords, minimize="m.minimize(...)", maximize="m.maximize(...)")
    def __init__(self, name: str = "model", *, view: View | None = None) -> None:
        super().__init__()
        self.name = name
        self._posted = ConstraintList(self)
        self._names: dict[int, str] = {}
        self._guarded: set[int] = set()
        self._ranges: set[int] = set()  # positions of the conditions that only objectives have brought
        self._ancestors: list[tuple[Statement, int]] = []
        self.view = view
        self._kept = Kept()
        self._runs: set[object] = set()  # those under way: the model stays as it is until they end
        self._giver: Callable[[Any], dict[str, int]] | None = None  # of an imported one: gives values back

    @property
    def name(self) -> str:
        """What it is called; no control characters, at most 1000 characters.

        >>> from cpqueens import Model
        >>> m = Model("rota")
        >>> m.name = "rota of May"
        >>> m.name
        'rota of May'
        """
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if isinstance(name, BoolArray | LinearArray | list | tuple):
            raise ModelError(
                "Model(...) takes a name; write m = Model(), then m.add(...) and m.minimize(...)"
            )
        self._name = checked_name(name, "name of a model", MAX_TITLE, least=0)

    @property
    def view(self) -> View | None:
        """How solutions are drawn, such as ``Board("q")``; None for names and values.

        >>> from cpqueens import Board, Model
        >>> m = Model()
        >>> q = m.intvar(0, 1, shape=2, name="q")
        >>> m.view = Board("q")
        >>> m.view.variable
        'q'
        """
        return self._view

    @view.setter
    def view(self, view: View | None) -> None:
        if not isinstance(view, View | None):
            raise ModelError(f"view: a view such as Board('q') or Grid('x') is needed, got {shown(view)}")
        self._view = view

    # ---- variables ------------------------------------------------------------------------------

    @explaining_keywords
    def intvar(
        self,
        lower: Any = None,
        upper: Any = None,
        shape: int | tuple[int, ...] | None = None,
        name: str | None = None,
        *,
        domain: Iterable[int] | None = None,
    ) -> LinearArray:
        """Create integer variables with bounds (inclusive) or an explicit domain.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, [1, 2, 3], shape=3, name="x")
        >>> y = m.intvar(domain=[2, 3, 5, 7], name="prime")
        >>> m += x.sum() == y
        >>> m.count()
        14

        Parameters
        ----------
        lower, upper
            Integers, or integer arrays that broadcast to ``shape``.
        shape
            Shape of the array of variables; by default one variable.
        name
            Unique in the model; elements are called ``name[i]`` or ``name[i,j]``.
        domain
            The allowed values instead of bounds; duplicates collapse, gaps stay gaps.

        Raises
        ------
        ModelError
            For an empty domain, a bound that is out of range (see `cpqueens.language.ranges`), a name in use.
        IntegerError
            For a bound or value that is not an integer.
        """
        self._refuse_during_runs()
        dimensions = domains.as_shape(shape)
        label = f"{name:.60}: " if isinstance(name, str) else ""
        low, high, values = domains.as_ends(lower, upper, domain, label)
        lows, highs = (domains.stretched(b, dimensions) for b in (low, high))
        if (lows > highs).any():
            empty = np.flatnonzero(lows > highs)
            label = name or "variable"
            raise ModelError(
                f"{label}: empty domain {lows[empty[0]]}..{highs[empty[0]]}; lower <= upper is needed"
            )
        block = self.blocks.create(name, self._count, dimensions)
        first = self._append(lows, highs, defined=False)
        if values is not None and len(values) != int(high) - int(low) + 1:
            self.domains.update(dict.fromkeys(range(first, first + block.size), values))
        return plain_variables(self, block.first, dimensions)

    @explaining_keywords
    def boolvar(self, shape: int | tuple[int, ...] | None = None, name: str | None = None) -> LinearArray:
        """Create variables with the values 0 and 1, usable as truths.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> b = m.boolvar(shape=3, name="b")
        >>> m += [b[0].implies(b[1]), b.sum() == 2]
        >>> m.count()
        2

        Parameters
        ----------
        shape
            Shape of the array of variables; by default one variable.
        name
            Unique in the model; elements are called ``name[i]`` or ``name[i,j]``.

        Raises
        ------
        ModelError
            For a name in use, or a shape that is none.
        """
        return self.intvar(0, 1, shape, name)

    def __getitem__(self, name: str) -> LinearArray:
        """Return the variable or array of variables with this name."""
        block = self.blocks.by_name.get(name) if isinstance(name, str) else None
        if block is not None:
            return plain_variables(self, block.first, block.shape)
        found = self.blocks.element(name) if isinstance(name, str) else None
        if found is None:
            near = did_you_mean(name, self.blocks.by_name) if isinstance(name, str) else ""
            raise ModelError(f"no variable {shown(name, MAX_NAME)}{near}")
        return of_variables(self, np.array([found]), ())

    def text_of(self, item: LinearArray | BoolArray) -> str:
        """Return terms or truths as text.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m.text_of(2 * x[0] + x[1] <= 5)
        '2*x[0] + x[1] <= 5'

        Parameters
        ----------
        item
            Terms or truths of this model.
        """
        if not isinstance(item, LinearArray):
            return describe(self, item)
        return self._penalties_text(item) or describe_elements(self, item)

    def _penalties_text(self, item: LinearArray) -> str:
        """Return what penalties are made of; "" of other terms."""
        if item.shape or not self._penalties:
            return ""
        ((variables, coefficients, constant),) = item.rows()
        many = self._penalties.get(variables[0], -1) if len(variables) == 1 else -1
        if many < 0 or list(coefficients) != [1] or constant:
            return ""
        return penalties_text(self, many)

    def array_from(self, first: int) -> tuple[str, tuple[int, ...]] | None:
        """Return name and shape of the array of decision variables that begins with ``first``, if any."""
        block = self.blocks.from_variable(first)
        return None if block is None else (block.name, block.shape)

    def name_of(self, variable: int) -> str:
        """Return the name of one variable; defined ones are described by their function.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> [m.name_of(variable) for variable in m.decisions]
        ['x[0]', 'x[1]']

        Parameters
        ----------
        variable
            Its index, as in `decisions`.
        """
        if variable >= self._count:
            return f"auxiliary #{variable}"  # of a decomposition in an extension of this model
        if self.is_defined[variable]:
            return describe_variable(self, variable)
        return self.blocks.name_of(variable)

    # ---- constraints ----------------------------------------------------------------------------

    @partial(explaining_keywords, weight="m.add_soft(..., weight=...)")
    def add(self, *constraints: Any, name: str | None = None) -> None:
        """Add constraints, truths, or (nested) sequences of them; arrays post every element.

        A constraint over a partial function (a quotient, an element, ...) holds only where that is defined;
        the condition is added as a constraint of its own, named ``range of ...``.

        >>> from cpqueens import AllDifferent, Model
        >>> m = Model()
        >>> x = m.intvar(1, 9, shape=3, name="x")
        >>> m.add(AllDifferent(x), x[0] * x[1] == x[2], name="product")
        >>> m.constraint_count, m.constraints[0].name
        (2, 'product')

        Parameters
        ----------
        constraints
            Constraints, arrays of truths of any shape, or sequences of these.
        name
            How messages and reports call them.

        Raises
        ------
        ModelError
            For anything that is not a constraint, or one of another model.
        """
        if self._runs:
            self._refuse_during_runs()
        frame = sys._getframe(_CALLER)
        if name is not None:
            checked_name(name, "name of a constraint", MAX_TITLE, least=0)
        for constraint in constraints:
            if type(constraint) is Linear and name is None and not self.has_partial:
                term = constraint.expression
                if type(term) is Term and term.registry is self:  # the short way of double loops
                    self._posted.append_row(term, constraint.relation, frame.f_code, frame.f_lasti)
                    continue
            elif (
                type(constraint) in _CLAUSES
                and name is None
                and constraint.operands is not None
                and constraint.operands[0].registry is self
            ):
                self._posted.append_single(constraint, frame.f_code, frame.f_lasti)
                continue
            elif (
                type(constraint) is AllDifferent
                and name is None
                and not self.has_partial
                and constraint.registry is self
            ):
                self._posted.append_whole(constraint, frame.f_code, frame.f_lasti)
                continue
            self._add(constraint, name, (frame.f_code, frame.f_lasti))
        return returned("add", self, frame)

    def __iadd__(self, constraints: Any) -> Self:
        frame = sys._getframe(1)
        self._add(constraints, None, (frame.f_code, frame.f_lasti))
        return self

    def __isub__(self, constraints: Any) -> NoReturn:
        raise TypeError(
            "constraints are not taken back: m.without(positions) is a copy that lacks some; "
            "or add them to a m.copy() in the first place"
        )

    if not TYPE_CHECKING:  # to a type checker a class with this has every attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name)

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
        elif isinstance(item, Added):
            raise ModelError(f"a constraint is needed, got {item}")
        else:
            raise ModelError(f"a constraint is needed, got {type(item).__name__} {shown(item)}")

    @explaining_keywords
    def add_soft(self, *constraints: Any, weight: Any = 1, name: str | None = None) -> None:
        """Add constraints that need not hold: each element that does not costs its weight.

        The penalties are minimised. Beside an objective they are added to it (subtracted from one that is
        maximised), so that weights are in its unit; as an objective of their own they are `penalties`.
        A solution says what it violates (``outcome.violated``, ``outcome.penalty``).

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
            As for `add`. Over a partial function one is violated where that is undefined.
        weight
            Integers of at least 1: one, or an array that broadcasts to the shape of each constraint.
        name
            How the report calls them.

        Raises
        ------
        ModelError
            For anything that is not a constraint, one of another model, or a weight below 1.
        """
        self._refuse_during_runs()
        if name is not None:
            checked_name(name, "name of a constraint", MAX_TITLE, least=0)
        weights = as_weights(weight)
        frame = sys._getframe(_CALLER)

        def post(item: BoolArray, name: str | None, source: Source | None) -> None:
            self._soften(item, weights, name, place_of(source))

        for constraint in constraints:
            self._add(constraint, name, (frame.f_code, frame.f_lasti), post=post)
        return returned("add_soft", self, frame)

    def _soften(
        self, item: BoolArray, weights: IntArray, name: str | None, source: tuple[str, int] | None
    ) -> None:
        with refusing(f"weight: an array that fits constraints of shape {item.shape}"):
            each = np.broadcast_to(weights, item.shape).reshape(-1)
        literals = isinstance(item, Literals)
        constraint = Linear(item.terms.reshape(-1) - 1, ">=") if literals else item  # type: ignore[attr-defined]
        assert isinstance(constraint, Constraint)
        flat = constraint.flattened()
        self.soft.append(Soft(flat, flat.truth().reshape(-1), each, name, source))
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
        bound: BoolArray = item.bind(self)  # type: ignore[attr-defined]
        return bound

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
        """Define the truths of connectives that were added one by one."""
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
        """Add that ``x`` has the given value(s).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m.fix(x, [3, 4])
        >>> m.solve()[x].tolist()
        [3, 4]

        Parameters
        ----------
        x
            A term, an array of terms, or truths.
        value
            Integers or terms whose shape broadcasts with it.

        Raises
        ------
        ModelError
            For variables of another model, or shapes that do not fit.
        """
        if isinstance(x, LinearArray):
            x = self.own_terms(x)
        elif not isinstance(x, BoolArray):
            x = as_linear(self, x, "x")
        frame = sys._getframe(_CALLER)
        self._add(x == value, "fixed", (frame.f_code, frame.f_lasti))
        return returned("fix", self, frame)

    @explaining_keywords
    def without(self, positions: Iterable[int]) -> Self:
        """Return a copy that lacks the constraints at ``positions`` (of `constraints`).

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> m += [x >= 4, x <= 5]
        >>> m.count(), m.without([1]).count()
        (2, 6)

        Parameters
        ----------
        positions
            Places in `constraints`, from 0.

        Raises
        ------
        ModelError
            For a position at which there is no constraint.
        """
        known = range(len(self._constraints))
        with refusing(f"positions of {len(known)} constraints"):
            dropped = {known[k] for k in positions}
        other = self.copy()
        other._keep([k for k in known if k not in dropped])
        return other

    def copy(self) -> Self:
        """Return an independent copy; variables of this model are understood by it.

        `copy.copy` and `copy.deepcopy` of a model are this too; the latter also of terms and solutions,
        which then belong to the copy. A pickled model comes back with its names, source lines and sharing.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, name="x")
        >>> other = m.copy()
        >>> other += x >= 8
        >>> m.count(), other.count()
        (10, 2)
        """
        self.settle()
        other = type(self)(self.name)
        other._copy_store(self)
        other.blocks = self.blocks.copy()
        other.labels = self.labels.copy()
        other._posted = self._constraints.copy(other)
        other._names = dict(self._names)
        other._copy_objectives(self)
        other._guarded, other._ranges = set(self._guarded), set(self._ranges)
        other._ancestors = [*self._ancestors, (self, self._count)]
        other.view, other._giver = self.view, self._giver
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Statement:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled, ancestors first: a chain of copies is no deeper than one of them."""
        self.settle()
        kept = {k: v for k, v in vars(self).items() if k not in ("_kept", "_runs", "_ancestors")}
        return {"_ancestors": self._ancestors, **kept, "_shared": None, "_giver": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _kept=Kept(), _runs=set())

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

    def kept(
        self,
        what: Hashable,
        make: Callable[[], Made],
        grow: Callable[[Made], Made | None] | None = None,
    ) -> Made:
        """Return what ``make`` makes of the model as it is now, kept until it changes; see `Kept`."""
        return self._kept.get(self._state(), self.objective, what, make, grow)

    def _state(self) -> State:
        self.settle()
        return self._count, len(self._posted), self._posted.cuts, self.maximizing

    @property
    def is_large(self) -> bool:
        """Whether it is so large that only what can grow with it is kept, see `Kept`."""
        return is_large(self._state())

    def scope_text(self) -> str:
        """Return one line that says how large the model is."""
        decided = int((~self.is_defined).sum())
        return f"{self.name}: {decided} variables, {len(self._constraints)} constraints"

    def __repr__(self) -> str:
        return f"<Model {self.scope_text()}>"

    def __str__(self) -> str:
        return listing_text(self)

    def drawn(self, answer: Any, form: str) -> str | None:
        """Return a solution or an outcome as a picture; only a `cpqueens.Model` knows how to draw."""
        return repr(answer) if form == "text" else None
