"""Automata of regular expressions, which the library greenery reads.

Its own automata take a product for each operator, minutes where a few hundred states are enough, and have no
bound. Here an expression becomes positions (Glushkov 1961), sets of them states (Rabin and Scott 1959), and
states that nobody can tell apart one (Moore 1956). Where sets explode, the positions are the states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpqueens.errors import MissingLibrary, ModelError
from cpqueens.language.rows import IntArray
from cpqueens.system.requirements import requirement
from cpqueens.text.parameters import needed
from cpqueens.text.plaintext import one_line, shown, text_of

DIGITS = {str(digit): digit for digit in range(10)}

_NOT_PLAIN = re.compile(r"\\.|\{[\d,]*\}|[][|*+?()^.-]")
"""What stands in an expression for anything but itself."""

Automaton = tuple[list[tuple[int, int, int]], int, list[int]]
"""Transitions, start and accepting states."""

MAX_POSITIONS = 2000
"""Characters of an expression, those repeated by ``{m,n}`` counted as often as they may be read."""
MAX_STATES = 1000
"""States of a deterministic automaton: where it has more, those of the nondeterministic one are fewer."""
MAX_ARCS = 200_000
"""Transitions of a nondeterministic automaton."""


def automaton_of(expression: str, symbols: Mapping[str, int]) -> Automaton:
    """Return the smallest deterministic automaton of a regular expression, or one that is small.

    Raises
    ------
    MissingLibrary
        If greenery is not installed.
    ModelError
        If the expression cannot be read, has a character without a value, or is too large.
    """
    try:
        from greenery import parse
    except ImportError:
        remedy = requirement("greenery").command
        raise MissingLibrary(f"an expression needs greenery, which is not installed: {remedy}") from None
    text = needed(expression, str, "a regular expression")
    try:
        pattern = parse(text)
    except Exception as error:  # the parser has several of its own
        raise ModelError(f"expression {shown(text)}: {one_line(text_of(error))}") from None
    values = _checked(symbols, text)
    try:
        positions = _Positions(list(values)).of(pattern)
        found = _deterministic(positions)
        return _smallest(*found, list(values.values())) if found else _guessing(positions, values)
    except _TooLargeError as error:
        raise ModelError(f"expression {shown(text)}: {error}") from None


def _checked(symbols: Mapping[str, int], text: str) -> Mapping[str, int]:
    for symbol in needed(symbols, Mapping, "symbols: a mapping of characters to values"):
        if not isinstance(symbol, str) or len(symbol) != 1:
            raise ModelError(f"symbols: a single character is needed, got {shown(symbol)}")
    unknown = next((character for character in _NOT_PLAIN.sub("", text) if character not in symbols), None)
    if unknown is not None:
        known = "".join(symbols)
        raise ModelError(f"expression {shown(text)}: {shown(unknown)} has no value, only {shown(known)} have")
    return symbols


class _TooLargeError(Exception):
    """The automaton would have more states than anybody can wait for."""


@dataclass
class _Fragment:
    """A part of an expression: whether it may be empty, where it may begin and where it may end."""

    empty: bool
    first: set[int] = field(default_factory=set)
    last: set[int] = field(default_factory=set)


class _Positions:
    """The positions of an expression, numbered from 1: what each reads, as bits, and what may follow it.

    At position 0 nothing has been read.
    """

    def __init__(self, symbols: list[str]) -> None:
        self.symbols = symbols
        self.readers = [0] * len(symbols)
        self.follow = [0]
        self.ends = 0

    def of(self, pattern: Any) -> _Positions:
        """Return these positions, those of a whole expression."""
        whole = self._alternatives(pattern)
        self._link({0}, whole.first)
        self.ends = sum(1 << p for p in whole.last) | whole.empty
        return self

    def _link(self, before: set[int], after: set[int]) -> None:
        bits = sum(1 << p for p in after)
        for position in before:
            self.follow[position] |= bits

    def _alternatives(self, pattern: Any) -> _Fragment:
        found = _Fragment(empty=False)
        for sequence in pattern.concs:
            part = _Fragment(empty=True)
            for factor in reversed(sequence.mults):
                part = self._repeated(factor, part)
            found.empty |= part.empty
            found.first |= part.first
            found.last |= part.last
        return found

    def _repeated(self, factor: Any, rest: _Fragment) -> _Fragment:
        """Return a factor, as often as it has to and may be read, and behind it the rest."""
        least, more = factor.multiplier.mandatory.v, factor.multiplier.optional.v
        found = rest
        if more is None:
            unit = self._unit(factor.multiplicand)
            self._link(unit.last, unit.first)
            found = self._joined(unit, rest, rest)
        for k in range(least + (more or 0)):
            unit = self._unit(factor.multiplicand)
            if not unit.first:  # it reads nothing, however often
                return rest
            found = self._joined(unit, found, rest if k < (more or 0) else None)
        return found

    def _joined(self, unit: _Fragment, behind: _Fragment, instead: _Fragment | None) -> _Fragment:
        """Return a part with another behind it, or, if it may be left out, what stands there instead."""
        self._link(unit.last, behind.first)
        first = unit.first | (behind.first if unit.empty else set())
        last = behind.last | (unit.last if behind.empty else set())
        if instead is None:
            return _Fragment(unit.empty and behind.empty, first, last)
        return _Fragment(instead.empty or (unit.empty and behind.empty), first | instead.first, last)

    def _unit(self, unit: Any) -> _Fragment:
        return self._alternatives(unit) if hasattr(unit, "concs") else self._character(unit)

    def _character(self, accepted: Any) -> _Fragment:
        position = len(self.follow)
        if position > MAX_POSITIONS:
            raise _TooLargeError(f"more than {MAX_POSITIONS} characters, repetitions counted")
        self.follow.append(0)
        for k, symbol in enumerate(self.symbols):
            self.readers[k] |= bool(accepted.accepts(symbol)) << position
        return _Fragment(False, {position}, {position})


def _bits(number: int) -> Iterator[int]:
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1


def _guessing(positions: _Positions, symbols: Mapping[str, int]) -> Automaton:
    """Return the automaton whose states are the positions."""
    many = sum((follow & readers).bit_count() for follow in positions.follow for readers in positions.readers)
    if many > MAX_ARCS:
        raise _TooLargeError(f"{many} transitions, allowed are at most {MAX_ARCS}")
    arcs = [
        (before, value, after)
        for before, follow in enumerate(positions.follow)
        for readers, value in zip(positions.readers, symbols.values(), strict=True)
        for after in _bits(follow & readers)
    ]
    return arcs, 0, list(_bits(positions.ends))


def _deterministic(positions: _Positions) -> tuple[list[list[int]], list[bool]] | None:
    """Return for each state the next one for each symbol, -1 for none, and whether it accepts; 0 starts.

    None for more than `MAX_STATES` of them.
    """
    numbers, states, following = {1: 0}, [1], list[list[int]]()
    for state in states:
        after = 0
        for position in _bits(state):
            after |= positions.follow[position]
        row = []
        for readers in positions.readers:
            target = after & readers
            if target and target not in numbers:
                if len(states) == MAX_STATES:
                    return None
                numbers[target] = len(states)
                states.append(target)
            row.append(numbers[target] if target else -1)
        following.append(row)
    return following, [bool(state & positions.ends) for state in states]


def _smallest(following: list[list[int]], accepting: list[bool], values: list[int]) -> Automaton:
    """Return the automaton of classes of states that no continuation tells apart, without the dead one."""
    dead = len(following)
    targets = np.array([*following, [dead] * len(values)], dtype=np.int64).reshape(dead + 1, len(values))
    targets[targets < 0] = dead
    accepts = np.array([*accepting, False])
    classes = _refined(accepts.astype(np.int64), targets)
    _, firsts = np.unique(classes, return_index=True)
    order = [int(classes[state]) for state in sorted(firsts.tolist()) if classes[state] != classes[dead]]
    number = {each: k for k, each in enumerate(order)}
    arcs = [
        (number[each], value, number[int(classes[target])])
        for each in order
        for value, target in zip(values, targets[firsts[each]].tolist(), strict=True)
        if int(classes[target]) in number
    ]
    return arcs, 0, [number[each] for each in order if accepts[firsts[each]]]


def _refined(classes: IntArray, targets: IntArray) -> IntArray:
    """Return the classes of states split until no symbol leads out of one to two."""
    columns, many = np.unique(targets, axis=1).T, 0
    while many < (many := len(np.unique(classes))):
        before = classes
        for column in columns:
            classes = np.unique(classes * (len(classes) + 1) + before[column], return_inverse=True)[1]
    return classes
