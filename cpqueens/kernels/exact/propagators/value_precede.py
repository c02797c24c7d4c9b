"""Propagation of a value that must come before another: domain consistent.

After Y. C. Law and J. H. M. Lee (2004), "Global constraints for integer and set value precedence".
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, remove, set_word, tighten, word
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry


@inner_kernel
def first_with(m: Memory, p: int, k: int, value: int) -> Any:
    """Return the first argument from ``k`` on that may have a value; the end if there is none."""
    end = entry(m.net, p + at.END)
    while k < end and not contains(m, entry(m.net, k), value):
        k += 2
    return k


@inner_kernel
def first_fixed(m: Memory, p: int, k: int, value: int) -> Any:
    """Return the first argument from ``k`` on that has a value; the end if there is none."""
    end = entry(m.net, p + at.END)
    while k < end:
        v = entry(m.net, k)
        if entry(m.x, v + at.LOW) == value and entry(m.x, v + at.HIGH) == value:
            break
        k += 2
    return k


@propagator
def value_precede(m: Memory, p: int) -> Any:
    """Prune for "the first ``value`` comes before any ``later``"; both lie at ROWS.

    Up to the first argument that may have the value, itself included, none may be later. Where one is later
    before a second that may have the value, that first argument has it. The reversible word says how far
    there is no argument that may have the value, as a distance from START.
    """
    start, end = entry(m.net, p + at.START), entry(m.net, p + at.END)
    value, later = entry(m.net, entry(m.net, p + at.ROWS)), entry(m.net, entry(m.net, p + at.ROWS) + 1)
    r = entry(m.net, p + at.RESULT)
    first = first_with(m, p, start + word(m, r), value)
    set_word(m, r, first - start)
    for k in range(start, min(first + 2, end), 2):
        if contains(m, entry(m.net, k), later) and not remove(m, entry(m.net, k), later):
            return 0
    if first == end:
        return 1
    second = first_with(m, p, first + 2, value)
    if first_fixed(m, p, first + 2, later) < second:
        return tighten(m, entry(m.net, first), value, value)
    return 1
