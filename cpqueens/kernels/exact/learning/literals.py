"""Literals over integer variables, and the records of the log that made them true.

A literal is two words: four times the variable and the operator; the value. Nothing is made in advance. As in
Feydy and Stuckey (2009), "Lazy clause generation reengineered", but literals of one variable imply each other
by comparing numbers, and not by clauses.

A *fact* is a literal that is true. Of variables without listed values no value between the bounds can be
removed: facts are bounds there, and a value that is not the variable's only while it lies outside of them.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.entries import entry

AT_LEAST, AT_MOST, IS, IS_NOT, OPERATORS = range(5)
FALSE, TRUE, OPEN = range(3)

# Why something changed: four times a propagator, a watched literal of a clause (see `clauses`), or a variable
# that was fixed in an AllDifferent; with the operator below.
BY_PROPAGATOR, BY_CLAUSE, BY_FIXED, BY_DECISION = range(4)


@inner_kernel
def standing(m: Memory, literal: int, value: int) -> Any:
    """Say whether a literal is true, false or open."""
    v, operator = literal >> 2, literal & 3
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if operator == AT_LEAST:
        return TRUE if low >= value else FALSE if high < value else OPEN
    if operator == AT_MOST:
        return TRUE if high <= value else FALSE if low > value else OPEN
    if not contains(m, v, value):
        return FALSE if operator == IS else TRUE
    if low < high:
        return OPEN
    return TRUE if operator == IS else FALSE


@inner_kernel
def make_true(m: Memory, literal: int, value: int) -> Any:
    """Make an open literal true."""
    v, operator = literal >> 2, literal & 3
    if operator == IS_NOT:
        return remove(m, v, value)
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if operator != AT_MOST:
        low = value
    if operator != AT_LEAST:
        high = value
    return tighten(m, v, low, high)


@inner_kernel
def is_listed(m: Memory, v: int) -> Any:
    """Say whether values of v can be removed one by one."""
    return entry(m.x, v + at.FIRST) >= 0


@inner_kernel
def has_low(m: Memory, r: int) -> Any:
    """Say whether the lower bound of a record is wanted."""
    return entry(m.stack, r + at.R_WANTED_LOW) > entry(m.stack, r + at.R_LOW)


@inner_kernel
def has_high(m: Memory, r: int) -> Any:
    """Say whether the upper bound of a record is wanted."""
    return entry(m.stack, r + at.R_WANTED_HIGH) < entry(m.stack, r + at.R_HIGH)


@inner_kernel
def record_of(m: Memory, fact: int, value: int) -> Any:
    """Return the record that made a fact true, 0 if it was one before all decisions; the fact is no `IS`."""
    v, operator = fact >> 2, fact & 3
    r, found = entry(m.x, v + at.LAST), 0
    while r:
        low, high = entry(m.stack, r + at.R_LOW), entry(m.stack, r + at.R_HIGH)
        if operator == AT_LEAST:
            if low < value:
                return r
        elif operator == AT_MOST:
            if high > value:
                return r
        elif entry(m.stack, r + at.R_TAKEN) and entry(m.stack, r + at.R_VALUE) == value:
            return r
        elif (
            low <= value < entry(m.stack, r + at.R_NEW_LOW)
            or entry(m.stack, r + at.R_NEW_HIGH) < value <= high
        ):
            found = r
        r = entry(m.stack, r + at.R_BEFORE)
    if (
        found
        and is_listed(m, v)
        and not entry(m.cells, entry(m.x, v + at.FIRST) + value - entry(m.x, v + at.BASE))
    ):
        return 0  # a bound has passed what was removed before all decisions
    return found


@inner_kernel
def bounds_at(m: Memory, v: int, place: int) -> Any:
    """Return v's bounds before a place of the log, and its last record before it."""
    low, high, r = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH), entry(m.x, v + at.LAST)
    while r >= place:
        low, high = entry(m.stack, r + at.R_LOW), entry(m.stack, r + at.R_HIGH)
        r = entry(m.stack, r + at.R_BEFORE)
    return low, high, r


@inner_kernel
def first_bounds(m: Memory, v: int) -> Any:
    """Return v's bounds before all decisions."""
    low, high, r = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH), entry(m.x, v + at.LAST)
    while r:
        low, high = entry(m.stack, r + at.R_LOW), entry(m.stack, r + at.R_HIGH)
        r = entry(m.stack, r + at.R_BEFORE)
    return low, high
