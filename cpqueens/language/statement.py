"""`Statement`: variables, constraints and objectives, never changed by being solved.

Kept with it until it changes is what solvers make of it: arrays, patterns, the checker's groups.

Small models are solved again and again, by one solver after another, with one seed after another; making
these things would take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language import (
    domains,
    operations as _operations,  # noqa: F401 - fills the table of operations
)
from cpqueens.language.arrays import of_variables, plain_variables
from cpqueens.language.blocks import MAX_NAME
from cpqueens.language.constraining import MAX_TITLE, Constraints
from cpqueens.language.expressions import BoolArray, LinearArray, Operand
from cpqueens.language.labels import in_order
from cpqueens.language.listing import listing_text, penalties_text
from cpqueens.language.named_values import NamedValues, axis_labels
from cpqueens.language.ranges import LIMIT
from cpqueens.language.rows import refusing
from cpqueens.language.term import ONCE, Term
from cpqueens.language.views import View
from cpqueens.language.wording import describe, describe_elements, describe_variable
from cpqueens.text.attributes import ListsWhatIsPublic
from cpqueens.text.foreign import explaining_keywords, no_attribute
from cpqueens.text.plaintext import checked_name, did_you_mean, shown

Made = TypeVar("Made")

LARGEST_VARIABLES, LARGEST_CONSTRAINTS = 300, 3000
"""Of larger models is kept only what can grow with them: all else takes a small part of the time."""


State = tuple[int, int, int, bool]
"""What changes with a model: its variables, its constraints, how often one was cut, and the sense."""


def is_large(state: State) -> bool:
    """Say whether a model is one of which only what can grow is kept."""
    return state[0] > LARGEST_VARIABLES or state[1] > LARGEST_CONSTRAINTS


class Kept:
    """What was made of one model as it is now, and before it got more variables or constraints."""

    def __init__(self) -> None:
        self._state: tuple[object, ...] = ()
        self._objective: object = None
        self.made: dict[Hashable, Any] = {}
        self.before: dict[Hashable, Any] = {}

    def turn_to(self, state: State, objective: LinearArray | None) -> None:
        """Forget what was made of the model as it was, unless it is the same or has only got more."""
        same_goal = objective is self._objective
        if same_goal and state == self._state:
            return
        only_more = bool(self._state) and same_goal and self._state[2:] == state[2:]
        self.before = {**self.before, **self.made} if only_more else {}
        self._state, self._objective, self.made = state, objective, {}


class Statement(NamedValues, Constraints, metaclass=ListsWhatIsPublic):
    """A model: decision variables, constraints, and optionally objectives.

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
        self.view = view
        self._kept = Kept()
        self._known: dict[str, Any] = {}  # by solver: what it said last, see `cpqueens.backends.known`
        self._giver: Callable[[Any], dict[str, int]] | None = None  # of an imported one: gives values back
        self.assumed = ""  # of an imported one: what nobody stated, for which nothing of it is claimed

    @property
    def name(self) -> str:
        """The name of the model; no control characters, at most 1000 characters.

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
        shape: domains.ShapeLike = None,
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
            Shape of the array of variables; by default one variable. An axis may also be given by labels, as
            in ``shape=(people, days)`` or ``shape=frame``, which `Outcome.to_frame` shows.
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
        if self._runs:
            self._refuse_during_runs()
        plain = shape is None and domain is None and type(lower) is type(upper) is int
        if plain and -LIMIT <= lower <= upper <= LIMIT:  # one by one in a loop: the short way
            self.blocks.create(name, self._count, ())
            return Term(self, (self._append_one(lower, upper, defined=False),), ONCE, 0)
        dimensions, labels = domains.as_axes(shape)
        label = f"{name:.60}: " if isinstance(name, str) else ""
        lower, upper = in_order(lower, labels, label), in_order(upper, labels, label)
        low, high, values = domains.as_ends(lower, upper, domain, label)
        lows, highs = (domains.stretched(b, dimensions) for b in (low, high))
        if (lows > highs).any():
            empty = np.flatnonzero(lows > highs)
            label = name or "variable"
            raise ModelError(
                f"{label}: empty domain {lows[empty[0]]}..{highs[empty[0]]}; lower <= upper is needed"
            )
        block = self.blocks.create(name, self._count, dimensions, labels)
        first = self._append(lows, highs, defined=False)
        if values is not None and len(values) != int(high) - int(low) + 1:
            self.domains.update(dict.fromkeys(range(first, first + block.size), values))
        return plain_variables(self, block.first, dimensions)

    @explaining_keywords
    def boolvar(self, shape: domains.ShapeLike = None, name: str | None = None) -> LinearArray:
        """Create variables with the values 0 and 1, usable as Booleans.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> b = m.boolvar(shape=3, name="b")
        >>> m += [b[0].implies(b[1]), b.sum() == 2]
        >>> m.count()
        2

        Parameters
        ----------
        shape, name
            As for `intvar`.

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

    def labels_along(self, terms: Operand) -> list[list[Any] | None]:
        """Return the labels along each axis of terms or Booleans, None where it has none."""
        known = axis_labels(self, terms.truth() if isinstance(terms, BoolArray) else terms)  # type: ignore[arg-type]
        return [None if axis is None else [axis[0][k] for k in axis[1].tolist()] for axis in known]

    def text_of(self, item: LinearArray | BoolArray) -> str:
        """Return expressions or Booleans as text.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=2, name="x")
        >>> m.text_of(2 * x[0] + x[1] <= 5)
        '2*x[0] + x[1] <= 5'

        Parameters
        ----------
        item
            Terms or Booleans of this model.
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

    def array_with(self, variable: int) -> tuple[str, tuple[int, ...], tuple[int, ...], list[str]] | None:
        """Return name and shape of the array that a variable is in, its index there, and that as texts."""
        block = None if self.is_defined[variable] else self.blocks.block_of(variable)
        if block is None or len(block.shape) < 2:
            return None
        index = tuple(map(int, np.unravel_index(variable - block.first, block.shape)))
        texts = [along[k] for along, k in zip(self.blocks.texts_along(block), index, strict=True)]
        return block.name, block.shape, index, texts

    def label_of(self, variable: int) -> str:
        """Return the name of one variable as texts show it: with the labels of its axes.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 9, shape=["Lea", "Max"], name="x")
        >>> [m.label_of(variable) for variable in m.decisions], m.name_of(0)
        (['x[Lea]', 'x[Max]'], 'x[0]')

        Parameters
        ----------
        variable
            Its index, as in `decisions`.
        """
        if variable >= self._count or self.is_defined[variable]:
            return self.name_of(variable)
        return self.blocks.label_of(variable)

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

    def __dir__(self) -> list[str]:
        """Return what its class shows, and attributes that a user has given to it."""
        return [*dir(type(self)), *(vars(self).keys() - vars(Statement()).keys())]

    if not TYPE_CHECKING:  # to a type checker a class with this has every attribute

        def __getattr__(self, name: str) -> NoReturn:
            known = vars(self).get("blocks")  # none while a copy is made
            raise no_attribute(self, name, known.by_name if known else ())

    @explaining_keywords
    def without(self, positions: Iterable[int]) -> Self:
        """Return a copy without the constraints at ``positions`` (of `constraints`).

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
        with refusing(f"without: a list of places among the {len(known)} constraints is needed"):
            dropped = {known[k] for k in positions}
        other = self.copy()
        other._keep([k for k in known if k not in dropped])
        return other

    def copy(self) -> Self:
        """Return an independent copy, which also accepts the variables of this model.

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
        other.view, other._giver, other.assumed = self.view, self._giver, self.assumed
        other._known = dict(self._known)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Statement:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled, ancestors first: a chain of copies is no deeper than one of them."""
        self.settle()
        kept = {k: v for k, v in vars(self).items() if k not in ("_kept", "_known", "_runs", "_ancestors")}
        empty: dict[str, Any] = {"_shared": None, "_tables": {}, "_together": {}, "_giver": None}
        return {"_ancestors": self._ancestors, **kept, **empty}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _kept=Kept(), _known={}, _runs=set())

    def kept(
        self,
        what: Hashable,
        make: Callable[[], Made],
        grow: Callable[[Made], Made | None] | None = None,
    ) -> Made:
        """Return what ``make`` makes of the model as it is now, kept until it changes; nobody may change it.

        Of a large model that has only got more, ``grow`` makes it of what was kept before, or says None.
        """
        state, kept = self._state(), self._kept
        kept.turn_to(state, self.objective)
        made = kept.made
        if what not in made:
            large = is_large(state)
            if large and grow is None:
                return make()
            before = kept.before.pop(what, None) if large else None
            grown = None if before is None or grow is None else grow(before)
            made[what] = make() if grown is None else grown
        found: Made = made[what]
        return found

    def _state(self) -> State:
        posted, goals = self._constraints, self.goals
        return self._count, len(posted), posted.cuts, bool(goals) and goals[0].maximizing

    def grew_from(self, earlier: State) -> bool:
        """Say whether nothing was taken back since an earlier state."""
        variables, constraints, cuts, _ = self._state()
        return earlier[2] == cuts and earlier[0] <= variables and earlier[1] <= constraints

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
