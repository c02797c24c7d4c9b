"""Entries of arrays by numbers that are never negative, for the innermost loops.

Numba lets a negative number count from the end, as Python does, and tests every subscript for it. Where a
kernel reads ten entries for a handful of additions, that test is half of its time.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import instruction


@instruction
def entry(array: Any, index: int) -> Any:
    """Return ``array[index]`` of a contiguous array for 0 <= index < its length, unchecked."""
    assert index >= 0, "compiled it would read before the array"
    return array[index]


@instruction
def put(array: Any, index: int, value: Any) -> None:
    """Set ``array[index] = value`` likewise."""
    assert index >= 0, "compiled it would write before the array"
    array[index] = value
