"""Machine instructions that Numba has no public spelling for: what they do, in plain Python.

Two of them read and write entries of arrays by numbers that are never negative. Numba lets a negative number
count from the end, as Python does, and tests every subscript for it. Where a kernel reads ten entries for a
handful of additions, that test is half of its time.
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


@instruction
def popcount(word: Any) -> Any:
    """Return the number of bits set in an unsigned word, as a word of the same type."""
    return type(word)(int(word).bit_count())


@instruction
def lowest(word: Any) -> Any:
    """Return the number of the lowest bit set in an unsigned word other than 0, as a word of its type."""
    return type(word)((int(word) & -int(word)).bit_length() - 1)


@instruction
def or_eight(table: Any, to: Any, a: Any, rows: Any, b: Any) -> None:
    """Set ``table[to : to + 8] = table[a : a + 8] | rows[b : b + 8]``; all of uint64, unchecked."""
    table[to : to + 8] = table[a : a + 8] | rows[b : b + 8]


@instruction
def and_eight(table: Any, to: Any, a: Any, rows: Any, b: Any) -> None:
    """Set ``table[to : to + 8] = table[a : a + 8] & rows[b : b + 8]``; all of uint64, unchecked."""
    table[to : to + 8] = table[a : a + 8] & rows[b : b + 8]


@instruction
def add_eight(table: Any, to: Any, rows: Any, b: Any) -> None:
    """Add ``rows[b : b + 8]`` to ``table[to : to + 8]``; both of uint64, unchecked."""
    table[to : to + 8] += rows[b : b + 8]


@instruction
def take_eight(table: Any, to: Any, rows: Any, b: Any) -> None:
    """Take ``rows[b : b + 8]`` from ``table[to : to + 8]``; both of uint64, unchecked."""
    table[to : to + 8] -= rows[b : b + 8]


@instruction
def add_conflicts(sums: Any, others: Any, table: Any, words: Any, first: Any) -> None:
    """Add to each of ``sums`` (8,) how many bits of that word four unions of six rows have.

    For each of the 32-bit ``words[first : first + 4]``, the union of ``others`` (8,) and, for g < 5, row
    ``word >> 6 * g & 63`` of group g of ``table`` (5 * 64 * 8,).
    All but ``words`` are uint64, and nothing is checked. Compiled as vectors of eight words because LLVM left
    to itself uses half registers for this loop (1.7 times slower where vectors of 512 bits are at hand).
    """
    for word in words[int(first) : int(first) + 4].tolist():
        union = others.copy()
        for g in range(5):
            row = 512 * g + 8 * (word >> 6 * g & 63)
            union |= table[row : row + 8]
        for k in range(8):
            sums[k] += popcount(union[k])
