"""In what a line of Python looks something up, by its instructions: a name, a constant, a part of one.

Sets and dicts ask what they look for for its hash alone, and a hash is not told where it is needed. So who is
asked looks at the line that asks. What only a call would tell stays unknown: nothing is called.
"""

import dis
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

_SUBSCRIPT, _IN = "[]", "CONTAINS_OP"
_CALLS = ("CALL", "PRECALL")  # in Python 3.11 a call is two instructions, either of which makes it
_PARTS = (list, tuple, dict)
_KEYS = (("LOAD_METHOD", "keys"), ("LOAD_ATTR", "keys"))
_NOTHING = object()
_NAMES = ("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT")


class _UnknownError(Exception):
    """What stands there is not known without a call."""


class _Step(NamedTuple):
    name: str
    argument: Any
    effect: int  # how many values more than before there are afterwards


def container(frame: FrameType) -> object | None:
    """Return in what a frame looks something up, by ``in``, brackets or ``get``; None if it is not known."""
    steps = _steps(frame.f_code, frame.f_lasti)
    if not steps:
        return None
    doing, last = steps[-1], len(steps) - 2
    try:
        if doing.name != _IN:  # what is looked up stands behind the container
            for _ in range(doing.argument if doing.name in _CALLS else 1):
                last = _before(steps, last)
        if doing.name in _CALLS:
            if last < 0 or steps[last].argument != "get":
                return None
            last -= 1
        return _value(steps, last, frame)[0]
    except _UnknownError:
        return None


@lru_cache(maxsize=1000)
def _steps(code: CodeType, at: int) -> list[_Step]:
    """Return the instructions up to that at ``at``, since the last jump to one; [] if it looks nothing up."""
    found: list[_Step] = []
    for instruction in dis.get_instructions(code):
        name, argument = instruction.opname, instruction.argval
        if name == "BINARY_SUBSCR" or (name == "BINARY_OP" and instruction.argrepr == _SUBSCRIPT):
            name = _SUBSCRIPT
        if instruction.offset == at:
            return [*found, _Step(name, argument, 0)] if name in (_SUBSCRIPT, _IN, *_CALLS) else []
        if instruction.is_jump_target:
            found = []
        if isinstance(argument, tuple) and 1 < len(argument) == name.count("LOAD_FAST"):
            found += [_Step("LOAD_FAST", part, 1) for part in argument]  # two at a time, since Python 3.13
        elif name != "PRECALL":
            effect = dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
            found.append(_Step(name, argument, -1 - argument if name == "CALL" else effect))
    return []


def _before(steps: list[_Step], at: int) -> int:
    """Return the place before the instructions that leave behind the value that there is after ``at``."""
    left = 0
    while at >= 0:
        left += steps[at].effect
        at -= 1
        if left == 1:
            return at
    raise _UnknownError


def _value(steps: list[_Step], at: int, frame: FrameType) -> tuple[Any, int]:
    """Return the value that there is after ``at``, and the place before the instructions that leave it."""
    if at < 0:
        raise _UnknownError
    name, argument, _ = steps[at]
    if name in ("LOAD_CONST", "LOAD_SMALL_INT"):
        return argument, at - 1
    if name == "LOAD_ATTR":
        owner, before = _value(steps, at - 1, frame)
        return _attribute(owner, argument), before
    if name == "CALL" and argument == 0 and at and steps[at - 1][:2] in _KEYS:
        owner, before = _value(steps, at - 2, frame)
        if type(owner) is dict:
            return owner, before  # has the keys that the view has
        raise _UnknownError
    if name == _SUBSCRIPT:
        key, before = _value(steps, at - 1, frame)
        owner, before = _value(steps, before, frame)
        if type(owner) not in _PARTS or type(key) not in (int, str):
            raise _UnknownError
        return _looked_up(owner, key), before
    if name.startswith(_NAMES):
        known: Mapping[str, Any] = {} if name == "LOAD_GLOBAL" else frame.f_locals
        return _looked_up(known if argument in known else frame.f_globals, argument), at - 1
    raise _UnknownError


def _attribute(owner: Any, name: str) -> Any:
    """Return an attribute of an object or of its class, if it is there without a call."""
    for known in (owner, *type(owner).__mro__):
        found = getattr(known, "__dict__", {}).get(name, _NOTHING)
        if found is not _NOTHING:
            if known is not owner and hasattr(type(found), "__get__"):
                break
            return found
    raise _UnknownError


def _looked_up(owner: Any, key: Any) -> Any:
    try:
        return owner[key]
    except (LookupError, TypeError):
        raise _UnknownError from None
