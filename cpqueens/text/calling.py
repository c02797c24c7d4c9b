"""What a line of Python is doing when it calls here: errors about terms give advice by it."""

import opcode
import sys

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
