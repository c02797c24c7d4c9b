"""A finite automaton accepts the sequence of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import concatenate_rows, constant_array, stack_last
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import And, Or
from cpqueens.language.constraints.expression import DIGITS, automaton_of
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.conversion import row_of_terms
from cpqueens.language.expressions import LinearArray
from cpqueens.language.functions import element
from cpqueens.language.rows import IntArray, as_listed, distinct
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.plaintext import did_you_mean, shown

ONE = int | np.integer | str | Enum
"""What is one state; a tuple may be several."""


def listed(values: Any, what: str) -> Iterable[Any]:
    """Return what an argument lists."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise ModelError(f"Regular: {what}: a list is needed, got {shown(values)}")
    return values


def triple(row: Any) -> tuple[Any, Any, Any]:
    """Return a transition as (state, value, next state)."""
    if not isinstance(row, tuple | list) or len(row) != 3:
        raise ModelError(f"Regular: transitions are (state, value, next state), got {shown(row)}")
    state, value, after = row
    return state, value, after


def pair(key: Any) -> tuple[Any, Any]:
    """Return what a transition leaves and reads, as (state, value)."""
    if not isinstance(key, tuple) or len(key) != 2:
        raise ModelError(
            f"Regular: a dict of transitions is {{(state, value): next state}}, got {shown(key)}"
        )
    return key


def numbers_of(states: list[Any]) -> Mapping[Any, int]:
    """Return the number of each state: itself if all are integers, else by the order of appearance."""
    wrong = next((s for s in states if not _is_state(s)), None)
    if wrong is not None:
        raise ModelError(f"Regular: a state is an integer or a name, got {shown(wrong)}")
    distinct = list(dict.fromkeys(states))
    named = not all(isinstance(s, int | np.integer) for s in distinct)
    numbers = range(len(distinct)) if named else as_listed(distinct, "states").tolist()
    return dict(zip(distinct, numbers, strict=True))


def require_known(start: Any, accepting: list[Any], known: list[Any]) -> None:
    """Refuse names of states that no transition has, where there are any: most likely they are misspelt.

    Numbers may be states that are never reached, as in automata that programs write.
    """
    if not known:
        return
    texts = dict.fromkeys(text for text in known if isinstance(text, str))
    for what, states in (("start", [start]), ("accepting", accepting)):
        for state in states:
            if isinstance(state, str | Enum | tuple) and state not in known:
                near = did_you_mean(str(state), texts)
                raise ModelError(f"Regular: {what}: no transition has the state {shown(state)}{near}")


def _is_state(value: Any) -> bool:
    return all(map(_is_state, value)) if isinstance(value, tuple) else isinstance(value, ONE)


_FAR = 2**40  # more than any number of terms
_SPARSE = 8  # places of a table of transitions for each that is one
_CELLS = 2**20  # transitions of words that are looked at together


class Regular(Constraint):
    """A finite automaton that reads the terms in order ends in an accepting state (Pesant 2004).

    It may be nondeterministic: then one accepting path is enough. A value for which a state has no transition
    is not accepted. The violation is the smallest number of terms that would have to change (van Hoeve,
    Pesant and Rousseau 2006), at least 1 if no sequence of this length is accepted.

    >>> from cpqueens import Model, Regular
    >>> m = Model()
    >>> x = m.intvar(0, 1, shape=4, name="x")  # no two ones in a row
    >>> m.add(Regular(x, [("any", 0, "any"), ("any", 1, "one"), ("one", 0, "any")], "any", ["any", "one"]))
    >>> m.count(solver="python-constraint")
    8

    Parameters
    ----------
    terms
        The terms that are read, in this order.
    transitions
        Triples ``(state, value, next state)``, as in OR-Tools and CPMpy, or a dict
        ``{(state, value): next state}``. States are integers, or names: strings, members of an enumeration,
        tuples. If one is a name, all are numbered in the order in which they appear, the start first.
    start
        The state before the first term.
    accepting
        The states that are allowed after the last term: a list, or a single one.

    Raises
    ------
    ModelError
        For transitions that are not triples, values that are not integers, and a start or accepting state
        whose name is in no transition.
    """

    fields: ClassVar[tuple[str, ...]] = ("terms", "transitions", "start", "accepting")
    lists_values: ClassVar[bool] = False  # but states, too
    names: Mapping[int, Any] = MappingProxyType({})  # of states that have some, for texts alone
    terms: LinearArray
    transitions: IntArray
    start: int
    accepting: tuple[int, ...]

    def __init__(self, terms: Any, transitions: Any, start: Any, accepting: Any) -> None:
        if isinstance(transitions, Mapping):
            transitions = [(*pair(key), after) for key, after in transitions.items()]
        rows = [triple(row) for row in listed(transitions, "transitions")]
        ends = [accepting] if isinstance(accepting, ONE) else list(listed(accepting, "accepting"))
        known = [state for row in rows for state in (row[0], row[2])]
        number = numbers_of([start, *known, *ends])
        require_known(start, ends, known)
        array = row_of_terms(terms, "Regular")
        read = array.registry.numbered([value for _, value, _ in rows])
        arcs = as_listed(
            [[number[a], value, number[b]] for (a, _, b), value in zip(rows, read, strict=True)],
            "transitions",
        )
        super().__init__(
            terms=array,
            transitions=np.unique(arcs.reshape(-1, 3), axis=0),
            start=number[start],
            accepting=tuple(sorted({number[state] for state in ends})),
        )
        object.__setattr__(self, "names", {k: state for state, k in number.items() if state != k})

    @classmethod
    @explaining_keywords
    def from_expression(cls, terms: Any, expression: str, symbols: Mapping[str, int] = DIGITS) -> Regular:
        """Return that the terms, each written as one character, match a regular expression as a whole.

        >>> from cpqueens import Model, Regular
        >>> m = Model()
        >>> x = m.intvar(0, 2, shape=5, name="x")  # days, nights and days off
        >>> m.add(Regular.from_expression(x, "((d{2}|n)o+)*", {"d": 0, "n": 1, "o": 2}))
        >>> m.count(solver="python-constraint")
        6

        Parameters
        ----------
        terms
            The terms that are read, in this order.
        expression
            In the syntax of greenery: ``|``, ``*``, ``+``, ``?``, ``{2,3}``, ``[a-c]``, ``[^a]``, ``.``, of
            at most 2,000 characters, each counted as often as it is repeated. The automaton is the smallest
            deterministic one, or guesses where that might have more than 1,000 states.
        symbols
            The value that each character stands for; by default each digit for itself.

        Raises
        ------
        MissingLibrary
            If greenery, which is optional, is not installed.
        ModelError
            If the expression cannot be read, has a character without a value, or is too large.
        """
        return cls(terms, *automaton_of(expression, symbols))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "names": self.names}

    def map(self, change: Callable[[LinearArray], LinearArray]) -> Regular:
        """Return the same automaton of changed terms; its states keep their names."""
        new = super().map(change)
        object.__setattr__(new, "names", self.names)
        return new

    @property
    def deterministic(self) -> bool:
        """Whether each state has at most one transition for each value."""
        return len(np.unique(self.transitions[:, :2], axis=0)) == len(self.transitions)

    def numbered(self) -> tuple[IntArray, int, IntArray, int]:
        """Return transitions, start and accepting states with states numbered from 0, and their number."""
        tails, labels, heads = self.transitions.T
        states, at = np.unique([self.start, *self.accepting, *tails, *heads], return_inverse=True)
        ends, arcs = len(self.accepting) + 1, len(tails)
        rows = np.stack([at[ends : ends + arcs], labels, at[ends + arcs :]], axis=1)
        return rows, int(at[0]), at[1:ends], len(states)

    def amounts(self, values: IntArray) -> IntArray:
        """Return the smallest number of terms that would have to change."""
        words = self.terms.evaluate(values)
        arcs, start, accepting, states = self.numbered()
        arcs = arcs[np.argsort(arcs[:, 2], kind="stable")]
        least = np.empty(len(words), dtype=np.int64)
        some = max(1, _CELLS // max(states, len(arcs)))
        for k in range(0, len(words), some):
            cost = np.full((len(words[k : k + some]), states), _FAR, dtype=np.int64)
            cost[:, start] = 0
            cost = _costs(cost, words[k : k + some], arcs)
            least[k : k + some] = cost[:, accepting].min(axis=1, initial=_FAR)
        return np.where(least < _FAR, least, max(1, self.terms.size))[:, None]

    def simpler(self) -> list[Constraint]:
        """Return, after each term, that the automaton is in a state from which it may still end well.

        That it is in a state is the Boolean that some transition leads there; states that the bounds of the
        terms exclude are left out.
        """
        layers, possible = self.layers()
        if not possible:
            return [Linear(constant_array(self.registry, np.ones((), dtype=np.int64)), "==")]
        relation = "==" if self.deterministic else ">="
        parts: list[Constraint] = []
        states, reached = np.array([self.start]), None
        for k, arcs in enumerate(layers):
            taken = (self.terms[k] == arcs[:, 1]).truth()
            if reached is not None:
                there = reached._pick(np.searchsorted(states, arcs[:, 0]))
                taken = And.over(stack_last([there, taken])).truth()
            states, reached = _arrivals(arcs[:, 2], taken)
            parts.append(Linear(reached.sum() - 1, relation))
        return parts

    @classmethod
    def computed_forms(cls, many: Sequence[Regular]) -> list[list[Constraint]]:
        """Return, after each term, that a deterministic automaton is in a state from which it may end well.

        The state is an element of the table of transitions, 0 where there is none. Those that read terms
        with the same bounds by the same automaton are computed together.
        """
        alike: dict[Any, list[int]] = {}
        for k, one in enumerate(many):
            arrays = one.transitions, np.array(one.accepting), *one.terms.bounds()
            alike.setdefault((one.start, *(a.tobytes() for a in arrays)), []).append(k)
        found: dict[int, list[Constraint]] = {}
        for members in alike.values():
            found |= zip(members, many[members[0]]._computed([many[k] for k in members]), strict=True)
        return [found[k] for k in range(len(many))]

    def _computed(self, alike: Sequence[Regular]) -> list[list[Constraint]]:
        layers, possible = self.layers()
        low, high = self.terms.bounds()
        spans = (high - low + 1).tolist()
        sizes = [(len(distinct(arcs[:, 0])) + 1) * span for arcs, span in zip(layers, spans, strict=True)]
        if not (layers and possible and self.deterministic and sum(sizes) <= _SPARSE * sum(map(len, layers))):
            return self.simpler_forms(alike)
        many, length, reached = len(alike), self.terms.size, []
        terms = concatenate_rows([one.terms for one in alike])
        each = np.arange(many) if many > 1 else np.zeros((), dtype=np.int64)  # of one, single terms
        state, states = constant_array(self.registry, np.ones_like(each)), np.array([self.start])
        for k, (arcs, span, size) in enumerate(zip(layers, spans, sizes, strict=True)):
            before, states = states, distinct(arcs[:, 2])
            table = np.zeros(size, dtype=np.int64)
            place = (np.searchsorted(before, arcs[:, 0]) + 1) * span + arcs[:, 1] - low[k]
            table[place] = np.searchsorted(states, arcs[:, 2]) + 1
            state = element(table, state * span + terms._pick(k + length * each) - low[k])
            reached.append(state.reshape(-1))
        every, places = concatenate_rows(reached), many * np.arange(length)
        return [[Linear(every._pick(k + places), "!=")] for k in range(many)]

    def layers(self) -> tuple[list[IntArray], bool]:
        """Return, for each term, the transitions of ways to an accepting state, and if there is a way."""
        low, high = self.terms.bounds()
        tails, labels, heads = self.transitions.T
        ends = np.array([self.start, *self.accepting], dtype=np.int64)
        states, places = np.unique(np.concatenate([tails, heads, ends]), return_inverse=True)
        tails, heads, (start, *accepting) = np.split(places, [len(tails), 2 * len(tails)])
        reached, layers = np.arange(len(states)) == start, list[IntArray]()
        for a, b in zip(low.tolist(), high.tolist(), strict=True):
            layers.append(np.flatnonzero(reached[tails] & (labels >= a) & (labels <= b)))
            reached = np.bincount(heads[layers[-1]], minlength=len(states)) > 0
        wanted = np.isin(np.arange(len(states)), accepting)
        for k in reversed(range(len(layers))):
            layers[k] = layers[k][wanted[heads[layers[k]]]]
            wanted = np.bincount(tails[layers[k]], minlength=len(states)) > 0
        return [self.transitions[mine] for mine in layers], bool(wanted[start])


def _costs(cost: IntArray, words: IntArray, arcs: IntArray) -> IntArray:
    """Return the fewest changed values with which each state is reached behind words, (batch, states).

    ``cost`` is that before them, and ``arcs`` are the transitions in the order of the states to which they
    lead.
    """
    if not len(arcs):
        return np.full_like(cost, _FAR) if words.shape[1] else cost
    tails, labels, heads = arcs.T
    first = np.flatnonzero(np.diff(heads, prepend=-1))  # of the transitions to one state
    for column in words.T:
        steps = cost[:, tails] + (column[:, None] != labels)
        cost = np.full_like(cost, _FAR)
        cost[:, heads[first]] = np.minimum.reduceat(steps, first, axis=1)
    return cost


def _arrivals(heads: IntArray, taken: LinearArray) -> tuple[IntArray, LinearArray]:
    """Return the states to which transitions lead, ascending, and the truths that one of these is taken."""
    states, counts = np.unique(heads, return_counts=True)
    order, first = np.argsort(heads, kind="stable"), np.cumsum(counts) - counts
    places, reached = [], []
    for many in np.unique(counts).tolist():
        mine = np.flatnonzero(counts == many)
        ways = taken._pick(order[first[mine][:, None] + np.arange(many)])
        places.append(mine)
        reached.append(Or.over(ways).truth() if many > 1 else ways.reshape(-1))
    return states, concatenate_rows(reached)._pick(np.argsort(np.concatenate(places)))
