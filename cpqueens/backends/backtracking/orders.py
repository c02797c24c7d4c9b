"""In which order variables are placed and values tried, and the arrays of a search with such settings.

Orders that are functions of the user: the search stops before each decision and is told the next one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np

from cpqueens.backends.base import Request, Want
from cpqueens.errors import ModelError
from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.jit.random import seed_state
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.text.parameters import LARGEST_COUNT
from cpqueens.text.plaintext import did_you_mean, shown

Phase = tuple[Sequence[int], "int | Function", "int | Function"]
"""Variables (numbers), an order of them and one of their values: codes of `branching`, or functions."""


class OpenVariable:
    """A variable that has several values left, as a function sees it while the search stands still.

    Attributes
    ----------
    name
        With its subscripts, such as ``q[3]``.
    low, high, size
        The least and the greatest value that is left, and how many there are.
    degree
        How many constraints look at it.
    """

    __slots__ = ("_memory", "_place", "degree", "high", "low", "name", "size")

    def __init__(self, memory: at.Memory, place: int, name: str) -> None:
        self._memory, self._place, self.name = memory, place, name
        self.low, self.high = int(memory.x[place + at.LOW]), int(memory.x[place + at.HIGH])
        self.size, self.degree = int(at.size(memory, place)), int(tree.degree(memory, place))

    @property
    def values(self) -> Sequence[int]:
        """The values that are left, ascending; all between the ends where they are too many to be listed."""
        ends = range(self.low, self.high + 1)
        if self.size == len(ends):
            return ends
        if self._memory.x[self._place + at.FIRST] < 0:
            first, end = self._memory.x[[self._place + at.SPARSE, self._place + at.SPARSE_END]]
            listed = self._memory.net[first:end].tolist()
            return [w for w in listed if self.low <= w <= self.high]
        return [w for w in ends if at.contains(self._memory, self._place, w)]


@dataclass(frozen=True)
class Function:
    """An order that a user gave as a function: what it gives the least number comes first.

    Attributes
    ----------
    call
        Takes an `OpenVariable`, and one of its values if it orders values.
    parameter
        As which it was given.
    names
        From the number of a decision variable to its name.
    """

    call: Callable[..., Any]
    parameter: str
    names: Callable[[int], str]

    def first(self, things: Iterable[int], number: Callable[[int], Any]) -> int:
        """Return the first of some things whose number is least.

        Raises
        ------
        ModelError
            If something is no number.
        """
        best, smallest = -1, math.inf
        for k, thing in enumerate(things):
            found = number(thing)
            if not isinstance(found, Real | np.bool_) or math.isnan(float(found)):
                shape = shown(found, 40)
                raise ModelError(f"{self.parameter}: the function is to return a number, not {shape}")
            if k == 0 or found < smallest:
                best, smallest = thing, float(found)
        return best

    def sees(self, memory: at.Memory, place: int) -> OpenVariable:
        """Return what it sees of the variable at a place."""
        return OpenVariable(memory, place, self.names(place // at.X_WIDTH))


def refuse_wide(phases: Sequence[Phase], memory: at.Memory) -> None:
    """Raise where a function orders the values of variables that have too many to be listed.

    Raises
    ------
    ModelError
        With the first of them.
    """
    for variables, _, values in phases:
        wide = [v for v in variables if memory.x[v * at.X_WIDTH + at.FIRST] < 0]
        if wide and isinstance(values, Function):
            raise ModelError(
                f"{values.parameter}: {values.names(wide[0])} has too many values for a function; narrow its "
                "domain to 65536 values, or give an order by name, such as split"
            )


def decide(phases: Sequence[Phase], memory: at.Memory, search: tree.TreeSearch) -> None:
    """Tell a search its next decision, by the phase that comes next; where all are made it says so itself."""
    search.state[tree.ANSWERED] = 1
    for variables, variable_order, value_order in phases:
        places = [v * at.X_WIDTH for v in variables if at.is_open(memory, v * at.X_WIDTH)]
        if not places:
            continue
        place = _variable(variable_order, places, memory, search)
        search.state[tree.CHOSEN] = place + 1
        if isinstance(value_order, Function):
            search.state[tree.HAS_VALUE] = 1
            search.state[tree.CHOSEN_VALUE] = _value(value_order, place, memory)
        return


def _variable(order: int | Function, places: list[int], memory: at.Memory, search: tree.TreeSearch) -> int:
    if not isinstance(order, Function):
        return int(tree.choose_variable(memory, search))
    return order.first(places, lambda place: order.call(order.sees(memory, place)))


def _value(order: Function, place: int, memory: at.Memory) -> int:
    seen = order.sees(memory, place)
    return order.first(seen.values, lambda value: order.call(seen, value))


VARIABLE_ORDERS = {
    "dom/wdeg": tree.CONFLICTS,
    "largest-domain": tree.LARGEST_DOMAIN,
    "largest-value": tree.LARGEST_VALUE,
    "lexicographic": tree.LEXICOGRAPHIC,
    "max-regret": tree.MAX_REGRET,
    "most-constrained": tree.MOST_CONSTRAINED,
    "most-occurrences": tree.MOST_OCCURRENCES,
    "random": tree.RANDOM_VARIABLE,
    "smallest-domain": tree.SMALLEST_DOMAIN,
    "smallest-value": tree.SMALLEST_VALUE,
}
"""By name; ``auto`` chooses."""

VALUE_ORDERS = {
    "ascending": tree.ASCENDING,
    "descending": tree.DESCENDING,
    "median": tree.MEDIAN,
    "middle": tree.MIDDLE,
    "random": tree.RANDOM,
    "saved": tree.SAVED,
    "split": tree.SPLIT,
    "split-random": tree.SPLIT_RANDOM,
    "split-upper": tree.SPLIT_UPPER,
}

_CONFLICTS = "dom/wdeg"
_HALVING = ("split", "split-random", "split-upper")


@dataclass(frozen=True)
class Branching:
    """How a search branches: the orders that a request asks for, with ``auto`` resolved by what is wanted.

    Attributes
    ----------
    variable, value
        In which order variables are placed and values tried, a name or a function.
    phases
        Variables that are decided before the others, each group in orders of its own.
    is_named
        Whether an order of variables is asked for.
    is_ascending, is_lexicographic
        Whether no other order of values is asked for, and whether solutions are found in lexicographic order.
    restarts
        Whether the search may begin anew: where a few solutions are wanted, and in no given order, or if it
        is said when.
    lengths
        After how many failures it begins anew, in turn, where that is said.
    takes_others
        Whether searches in other orders may join: if none is asked for but phases, nor steps limited.
    in_any_order
        Whether all solutions, or their number, are wanted, and nothing that depends on the order in which
        they are found.
    learns
        Whether the search is to learn which variables fail.
    halves_all
        Whether domains are halved even where their values are listed.
    """

    variable: Any
    value: Any
    phases: Sequence[tuple[Any, Any, Any]]
    is_named: bool
    is_ascending: bool
    is_lexicographic: bool
    restarts: bool
    lengths: Sequence[int]
    takes_others: bool
    in_any_order: bool
    learns: bool
    halves_all: bool

    @classmethod
    def of(cls, request: Request) -> Branching:
        """Read the parameters of a request; what is asked for without any is kept, for it is read often."""
        asked = request.want, request.after is not None, request.step_limit is not None
        return cls._read(*asked, request.parameters) if request.parameters else _by_default(*asked)

    @classmethod
    def _read(
        cls, want: Want, is_resumed: bool, is_limited: bool, parameters: Mapping[str, Any]
    ) -> Branching:
        variable, value = parameters.get("variable_order", "auto"), parameters.get("value_order", "auto")
        phases, lengths = parameters.get("phases", ()), parameters.get("restarts", ())
        is_named, is_ascending = variable != "auto", value in ("auto", "ascending") and not phases
        is_free = not is_named and value == "auto"
        plain = is_free and not is_limited and not parameters.get("trace")
        few = want in (Want.ONE, Want.BEST) and not is_resumed
        by_itself = not phases and (is_free or variable == _CONFLICTS)
        asked = min(lengths, default=LARGEST_COUNT) < LARGEST_COUNT
        restarts = few and (asked or (by_itself and not lengths))
        if not is_named:
            variable = "lexicographic" if want is Want.ALL and not phases else "smallest-domain"
        if value == "auto":
            value = "saved" if restarts else "ascending"
        return cls(
            variable,
            value,
            phases,
            is_named,
            is_ascending,
            is_lexicographic=variable == "lexicographic" and is_ascending,
            restarts=restarts,
            lengths=lengths,
            takes_others=few and plain,
            in_any_order=not few and not is_resumed and plain and not phases,
            learns=restarts or _CONFLICTS in (variable, *(order for _, order, _ in phases)),
            halves_all=any(order in _HALVING for order in (value, *(order for _, _, order in phases))),
        )

    def trial(self, want: Want, has_auxiliary: bool) -> int:
        """Return what is tried first: for one solution the order as written, which is often a good one.

        For the best, auxiliary variables come last: dom/wdeg alone finds good solutions, which these improve.
        """
        if self.is_named or self.phases or not self.restarts or self.value != "saved":
            return tree.NO_TRIAL
        if want is Want.ONE:
            return tree.WRITTEN
        return tree.FIRST_LAST if has_auxiliary else tree.NO_TRIAL

    def in_phases(self, decided: Sequence[int], auxiliary: Sequence[int] = ()) -> list[Phase]:
        """Return the orders, for all variables that are to be decided: those of phases first, each once.

        Of those that are left the auxiliary ones come first: they decide more.
        """
        left = dict.fromkeys(decided)
        found: list[Phase] = []
        for places, variables, values in self.phases:
            mine = [v for v in dict.fromkeys(places) if v in left]
            found.append((mine, _code(variables, VARIABLE_ORDERS), _code(values, VALUE_ORDERS)))
            left = {v: None for v in left if v not in set(mine)}
        rest = self.variable if self.is_named or not self.restarts else _CONFLICTS
        if auxiliary:
            found.append((auxiliary, tree.CONFLICTS, tree.SAVED))
        found.append((list(left), _code(rest, VARIABLE_ORDERS), _code(self.value, VALUE_ORDERS)))
        return found


@lru_cache
def _by_default(want: Want, is_resumed: bool, is_limited: bool) -> Branching:
    return Branching._read(want, is_resumed, is_limited, {})


def has_functions(request: Request) -> bool:
    """Say whether some order is a function."""
    orders = [request.parameters.get(name) for name in ("variable_order", "value_order")]
    orders += [order for phase in request.parameters.get("phases", ()) for order in phase[1:]]
    return any(map(callable, orders)) or any(isinstance(order, Function) for order in orders)


def with_places(model: Statement, request: Request) -> Request:
    """Return a request whose phases name variables by their places among the model's decision variables.

    Orders that are functions become `Function`.

    Raises
    ------
    ModelError
        If a phase names no variables of the model, or an order that there is not.
    """
    if not request.parameters:
        return request
    given = dict(request.parameters)
    for name in given.keys() & {"variable_order", "value_order"}:
        given[name] = _named(model, given[name], name)
    place = {variable: k for k, variable in enumerate(model.decisions)} if given.get("phases") else {}
    found = []
    for named, *both in given.get("phases", ()):
        for order, known in zip(both, (VARIABLE_ORDERS, VALUE_ORDERS), strict=True):
            text = order if isinstance(order, str) else ""
            if not callable(order) and text not in known:
                near = did_you_mean(text, known)
                raise ModelError(f"phases: no order {shown(order, 40)} for {shown(named, 40)}{near}")
        names = [named] if isinstance(named, str) else named
        mine = [v for name in names for v in model[name].variables.reshape(-1).tolist()]
        found.append(([place[v] for v in mine], *(_named(model, order, "phases") for order in both)))
    return replace(request, parameters={**given, "phases": found} if found else given)


def _named(model: Statement, order: Any, parameter: str) -> Any:
    """Return an order, as a `Function` where it is one."""
    if not callable(order):
        return order
    return Function(order, parameter, lambda k: model.label_of(model.decisions[k]))


def _code(order: Any, known: Mapping[str, int]) -> int | Function:
    return order if isinstance(order, Function) else known[order]


# ---- the arrays of a search ------------------------------------------------------------------------------


FIRST_RESTART = 100
"""Failures until the first restart."""
TRIAL = 10
"""The same, where the order in which the model was written is tried before all others."""
VARIABLES = 32
"""For so many there is one more failure: a Latin square of order 30 is 12 failures away."""
_REFUTED = 4096
"""Refuted decisions that are kept for nogoods, on one path."""


_seeded = lru_cache(maxsize=64)(seed_state)


def tree_search(
    count: int,
    *,
    phases: Sequence[Phase] | None = None,
    check_only: bool = False,
    objective: int = -1,
    keep: bool = True,
    learning: bool = False,
    nogoods: int = -1,
    lengths: Sequence[int] = (),
    trial: int = tree.NO_TRIAL,
    depth: int | None = None,
    capacity: int = 1,
    after: IntArray | None = None,
    seed: int = 0,
) -> tree.TreeSearch:
    """Return a search over ``count`` decision variables that has not begun.

    Without phases it is in lexicographic order; variables in none of them are not decided; ``nogoods`` is the
    position of their propagator, with which the search restarts, after ``lengths`` failures in turn if there
    are some; ``objective`` is that of the objective's row.
    With ``trial`` it goes another way until its first restart; where an order is a function it asks.
    """
    if phases is None:
        phases = [(range(count), tree.LEXICOGRAPHIC, tree.ASCENDING)]
    begin = end = tree.PHASES + 4 * len(phases)
    placed = [v for variables, _, _ in phases for v in variables]
    settings = [count, int(check_only), objective, int(keep), int(learning), nogoods, begin]
    settings += [begin + len(placed), 0]
    for variables, *orders in phases:
        named = [0 if isinstance(order, Function) else order for order in orders]
        settings[tree.ASKS] |= named != orders  # one is a function
        settings += [end, end + len(variables), *named]
        end += len(variables)
    options = np.array([*settings, *placed, *lengths], dtype=np.int64)
    options[begin : begin + len(placed)] *= at.X_WIDTH
    state = np.zeros(tree.STATES, dtype=np.int64)
    state[tree.REPLAYING] = after is not None
    state[tree.LIMIT] = max(TRIAL, count // VARIABLES) if trial == tree.WRITTEN else FIRST_RESTART
    state[tree.GROWTH] = FIRST_RESTART
    if len(lengths):
        state[tree.LIMIT] = lengths[0]
    state[tree.TRIAL] = trial
    state[tree.ASK_FOUND] = state[tree.ASK_FAILURES] = 1 << 62
    levels = count + 1 if depth is None else depth
    return tree.TreeSearch(
        state=state,
        levels=np.zeros((levels, tree.LEVEL_WIDTH), dtype=np.int64),
        refuted=np.empty((_REFUTED * (nogoods >= 0), tree.R_WIDTH), dtype=np.int64),  # written, then read
        options=options,
        random=_seeded(seed).copy(),
        after=np.zeros(count, dtype=np.int64) if after is None else after.astype(np.int64),
        solutions=np.zeros((capacity if keep else 1, count), dtype=np.int64),
    )
