"""Two machine instructions that Numba has no public spelling for, with plain twins for stepping through."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from cpqueens.kernels.jit import is_compiled


def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), generate


def _lowest(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        never_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], never_zero)

    return word(word), generate


def _plain_popcount(word: Any) -> Any:
    return type(word)(int(word).bit_count())


def _plain_lowest(word: Any) -> Any:
    return type(word)((int(word) & -int(word)).bit_length() - 1)


popcount: Any = intrinsic(_popcount) if is_compiled() else _plain_popcount
"""Return the number of bits set in an unsigned word, as a word of the same type."""

lowest: Any = intrinsic(_lowest) if is_compiled() else _plain_lowest
"""Return the number of the lowest bit set in an unsigned word other than 0, as a word of the same type."""
