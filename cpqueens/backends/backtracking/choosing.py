"""Which strategies search: the asked one, or those that fit the model, with the reason."""

from dataclasses import replace
from typing import NamedTuple

from cpqueens.backends.backtracking.orders import Branching, has_functions
from cpqueens.backends.base import Request, Want
from cpqueens.errors import UnsupportedConstraint, UnsupportedRequest
from cpqueens.kernels.boards.pattern import Pattern, SumPattern
from cpqueens.lowered.compiled import EQ, Compiled
from cpqueens.lowered.structures.table import find

PATTERNED = ("bitmask", "rowmask", "sums", "table")
HALVES_FROM = 13
"""Smaller boards are counted by conflict masks: nothing is gained, and compiling takes longer."""
_LARGE = 20
"""Variables beyond which a board's first solution in lexicographic order may take exponential time."""

_MANY_OPEN = 32
"""Variables without a value beyond which a model with clues is a puzzle, which propagation mostly solves."""

_BOARDS = ("shifted_board", "sum_board")
_TABLED = ("check", "rowmask", "table")
"""Strategies that need the table of all conflicts."""

MOST_IN_TABLE = 127
"""Rows up to which a byte holds how many queens attack a square, with a bit to spare."""


Strategies = tuple[tuple[str, ...], str]
"""Strategies, of which several take turns, and why these."""


class Chosen(NamedTuple):
    """Strategies and their reason, and the board, where one was looked for: the structure and its record."""

    strategies: tuple[str, ...]
    reason: str
    structure: str | None = None
    pattern: Pattern | SumPattern | None = None


def choose(asked: str, compiled: Compiled, request: Request) -> Chosen:
    """Return the strategies to run.

    Raises
    ------
    UnsupportedConstraint
        If the model does not have the pattern that an asked strategy needs.
    UnsupportedRequest
        If the strategy cannot do what is wanted, or not in the asked order.
    """
    if asked != "auto":
        return _asked_for(asked, compiled, request)
    reason = _needs_propagation(compiled, request)
    if reason is not None:  # whether it is a board is looked for only where that matters
        return Chosen(("forward",), reason)
    structure, pattern = _board_of(compiled, "auto")
    if pattern is None:
        return Chosen(("forward",), "the model is not a known board")
    return Chosen(*_choose_on_board(pattern, compiled, request), structure, pattern)


def _asked_for(asked: str, compiled: Compiled, request: Request) -> Chosen:
    """Return the asked strategy, or refuse it."""
    if request.profiling is not None and asked not in ("check", "forward", "learning"):
        raise UnsupportedRequest(
            f"profile: backtracking:{asked} places queens by bit words and cannot tell what each "
            "constraint does; backtracking:forward and backtracking:learning do"
        )
    structure, pattern = _board_of(compiled, asked)
    if asked in (*PATTERNED, "halves"):
        _need(asked, pattern, request)
    if asked == "learning":
        _need_free(request)
    if asked == "check" and has_functions(request):
        raise UnsupportedRequest("backtracking:check asks no functions for orders; backtracking:forward does")
    return Chosen((asked,), "asked for", structure, pattern)


def _board_of(compiled: Compiled, strategy: str) -> tuple[str | None, Pattern | SumPattern | None]:
    """Return the structure that a strategy searches on, if the model has it."""
    for name in _BOARDS:
        asked = strategy in ("auto", "sums") if name == "sum_board" else strategy not in ("forward", "sums")
        found = find(name, compiled) if asked else None
        if found is not None:
            return (name, found) if strategy not in _TABLED or found.has_table else (None, None)
    return None, None


def _needs_propagation(compiled: Compiled, request: Request) -> str | None:
    """Say why propagation is best, whether the model is a board or not; None if it depends on that."""
    if _has_own_order(request):
        return "an order is asked for"
    if request.profiling is not None:
        return "its constraints are profiled"
    if request.want is Want.ONE and is_puzzle(compiled):
        return "one solution of a puzzle, which propagation mostly solves"
    if request.want is Want.ONE and compiled.decision_count > _LARGE:
        return "one solution of a large model"
    return None


def _choose_on_board(pattern: Pattern | SumPattern, compiled: Compiled, request: Request) -> Strategies:
    """Choose by what bit words can do better than propagation."""
    if wants_halves(pattern, request, HALVES_FROM):
        return ("halves",), "queens are counted"
    kernel = "bitmask" if isinstance(pattern, Pattern) else "sums"
    if is_whole(pattern):
        return (kernel,), "a board without given or forbidden squares"
    if request.step_limit is not None:
        return ("forward",), "a board on which propagation may pay, and steps are limited"
    # a first solution is often there before the pattern's tables are made, and so are all of a puzzle with
    # clues; a small space is listed by then
    if request.want is Want.ONE or is_puzzle(compiled):
        return ("forward", kernel), "a board on which propagation may pay"
    return (kernel, "forward"), "a board on which propagation may pay"


def _need(strategy: str, pattern: Pattern | SumPattern | None, request: Request) -> None:
    """Raise unless a strategy of patterns can do what is asked for."""
    if pattern is None:
        terms = "sums of variables" if strategy == "sums" else "shifted variables"
        raise UnsupportedConstraint(
            f"backtracking:{strategy} needs AllDifferents over {terms} with at most 64 values; "
            "backtracking:forward takes every model"
        )
    if strategy == "table" and pattern.n > MOST_IN_TABLE:
        raise UnsupportedConstraint(
            f"backtracking:table counts the attacks of at most {MOST_IN_TABLE} queens, and has {pattern.n}; "
            "backtracking:rowmask takes more"
        )
    if _has_own_order(request):
        raise UnsupportedRequest(f"backtracking:{strategy} has one order; backtracking:forward has others")
    if strategy == "halves" and not wants_halves(pattern, request, 0):
        raise no_halves()


def _need_free(request: Request) -> None:
    """Raise unless a search that learns can do what is asked for."""
    if not Branching.of(replace(request, step_limit=None)).takes_others:
        raise UnsupportedRequest(
            "backtracking:learning looks for one solution or the best one, in its own order and without a "
            "trace; backtracking:forward does the rest"
        )


def no_halves() -> UnsupportedRequest:
    """Return the refusal of what is not counted by halves."""
    from cpqueens.kernels.boards.quadrants import MAX_N

    return UnsupportedRequest(f"backtracking:halves counts plain queens on a square board of at most {MAX_N}")


def _has_own_order(request: Request) -> bool:
    asked = request.parameters.get("variable_order", "auto")
    return asked not in ("auto", "lexicographic") or not Branching.of(request).is_ascending


def wants_halves(pattern: Pattern | SumPattern, request: Request, smallest: int) -> bool:
    """Say whether a count is better done by halves: plain queens on a square board that is not small."""
    from cpqueens.kernels.boards.quadrants import MAX_N

    square = pattern.n == pattern.width and pattern.is_queens
    return request.want is Want.COUNT and square and smallest <= pattern.n <= MAX_N


def is_puzzle(compiled: Compiled) -> bool:
    """Say whether values of some variables are given, and many variables are left."""
    rows, count = compiled.linear, compiled.decision_count
    if count <= _MANY_OPEN:
        return False
    given = compiled.lower[:count] == compiled.upper[:count]
    alone = (rows.lengths == 1) & (compiled.relation == EQ)
    stated = rows.variable[rows.start[:-1][alone]]
    given[stated[stated < count]] = True
    many = int(given.sum())
    return many > 0 and count - many > _MANY_OPEN


def is_whole(pattern: Pattern | SumPattern) -> bool:
    """Say whether a pattern is a permutation with every square allowed, as queens.

    Then nothing is propagated at the root, and afterwards little that the masks do not say. Of more rows than
    values masks do not see that they cannot differ.
    """
    whole = bool((pattern.allowed == (1 << pattern.width) - 1).all())
    return whole and pattern.n <= pattern.width and pattern.has_permutation
