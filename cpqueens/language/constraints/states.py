"""The states of an automaton as users name them: integers, strings, members of an enumeration, tuples."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.rows import as_listed
from cpqueens.text.plaintext import shown
from cpqueens.text.suggest import did_you_mean

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
