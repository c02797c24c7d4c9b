"""Automata of regular expressions, by the library greenery."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cpqueens.errors import MissingLibrary, ModelError
from cpqueens.system.requirements import requirement
from cpqueens.text.needed import needed
from cpqueens.text.plaintext import one_line, shown, text_of

DIGITS = {str(digit): digit for digit in range(10)}

_NOT_PLAIN = re.compile(r"\\.|\{[\d,]*\}|[][|*+?()^.-]")
"""What stands in an expression for anything but itself."""

Automaton = tuple[list[tuple[int, int, int]], int, list[int]]
"""Transitions, start and accepting states."""


def automaton_of(expression: str, symbols: Mapping[str, int]) -> Automaton:
    """Return the smallest deterministic automaton of a regular expression over ``symbols``.

    Raises
    ------
    MissingLibrary
        If greenery is not installed.
    ModelError
        If the expression cannot be read, or has a character without a value.
    """
    try:
        from greenery import parse
    except ImportError:
        remedy = requirement("greenery").command
        raise MissingLibrary(f"an expression needs greenery, which is not installed: {remedy}") from None
    text = needed(expression, str, "a regular expression")
    try:
        machine = parse(text).to_fsm().reduce()
    except Exception as error:  # the parser has several of its own
        raise ModelError(f"expression {shown(text)}: {one_line(text_of(error))}") from None
    return _automaton(machine, _checked(symbols, text))


def _checked(symbols: Mapping[str, int], text: str) -> Mapping[str, int]:
    for symbol in needed(symbols, Mapping, "symbols: a mapping of characters to values"):
        if not isinstance(symbol, str) or len(symbol) != 1:
            raise ModelError(f"symbols: a single character is needed, got {shown(symbol)}")
    unknown = next((character for character in _NOT_PLAIN.sub("", text) if character not in symbols), None)
    if unknown is not None:
        known = "".join(symbols)
        raise ModelError(f"expression {shown(text)}: {shown(unknown)} has no value, only {shown(known)} have")
    return symbols


def _automaton(machine: Any, symbols: Mapping[str, int]) -> Automaton:
    """Return what the library's machine says of the symbols, without states that never lead to acceptance."""
    live = {state for state in machine.states if machine.islive(state)}
    arcs = [
        (tail, value, head)
        for tail in sorted(live)
        for characters, head in machine.map[tail].items()
        for symbol, value in symbols.items()
        if head in live and characters.accepts(symbol)
    ]
    return arcs, machine.initial, sorted(machine.finals)
