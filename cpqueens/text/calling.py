"""What a line of Python is doing when it calls here: errors about terms give advice by it."""

import opcode
import sys
from types import FrameType

_SUBSCRIPT = 26  # since Python 3.14 one of the binary operators
_AND_TO_BOOL = 16  # since Python 3.13 a comparison in a condition asks for the truth of its result itself


def operation(outward: int = 1) -> str:
    """Return the name of Python's instruction that a caller executes, such as ``CONTAINS_OP``; "" unknown.

    Parameters
    ----------
    outward
        How many Python functions away from the one that asks: 1 is its caller.
    """
    try:
        frame = sys._getframe(outward + 1)
    except ValueError:
        return ""
    if frame.f_lasti < 0:
        return ""
    code, argument = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
    name = opcode.opname[code]
    if name == "COMPARE_OP" and sys.version_info >= (3, 13) and argument & _AND_TO_BOOL:
        return "TO_BOOL"
    return "BINARY_SUBSCR" if name == "BINARY_OP" and argument == _SUBSCRIPT else name


def after_call(frame: FrameType) -> str:
    """Return the name of the instruction behind the one that a frame executes, such as ``STORE_FAST``."""
    code = frame.f_code.co_code
    at = frame.f_lasti + 2
    while at < len(code) and code[at] == _CACHE:
        at += 2
    return opcode.opname[code[at]] if 0 < at < len(code) else ""


def called(frame: FrameType) -> str:
    """Return the plain name of what a frame calls, such as ``bool`` in ``bool(x)``; "" without one."""
    import dis  # which few programs need

    found = ""
    start: tuple[int | None, int | None] | None = None
    steps = list(dis.get_instructions(frame.f_code))
    for step in steps:
        if step.offset == frame.f_lasti and step.positions is not None:
            start = step.positions.lineno, step.positions.col_offset
    for step in steps:
        if step.offset >= frame.f_lasti or start is None or step.positions is None:
            break
        if (step.positions.lineno, step.positions.col_offset) == start and step.opname in _NAMED:
            found = str(step.argval)
    return found


_NAMED = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF")


def _width_of_call(frame: FrameType) -> int:
    code, at = frame.f_code.co_code, frame.f_lasti + 2
    while code[at] == _CACHE:
        at += 2
    return at - frame.f_lasti


_CACHE = opcode.opmap["CACHE"]  # room behind an instruction, where the interpreter notes what it saw
DROPPED = opcode.opmap["POP_TOP"]
AFTER_CALL = _width_of_call(sys._getframe())
"""How far behind a call the next instruction is."""
