"""Which strategies search: the asked one, or those that fit the model, with the reason."""

from dataclasses import replace

import numpy as np

from cpqueens.backends.backtracking.orders import Branching, has_functions
from cpqueens.backends.base import Request, Want
from cpqueens.errors import UnsupportedConstraint, UnsupportedRequest
from cpqueens.kernels.boards.pattern import Pattern, SumPattern

PATTERNED = ("bitmask", "rowmask", "sums", "table")
LEXICOGRAPHIC = "forward (lexicographic)"
"""No strategy of its own: what ``forward`` is called where it takes turns with itself."""

HALVES_FROM = 13
"""Smaller boards are counted by conflict masks: nothing is gained, and compiling takes longer."""
_LARGE = 20
"""Rows beyond which a board's first solution in lexicographic order takes exponential time."""

_MANY_OPEN = 32
"""Rows without a value beyond which a board with clues is a puzzle, which propagation mostly solves."""

MOST_IN_TABLE = 127
"""Rows up to which a byte holds how many queens attack a square, with a bit to spare."""

Chosen = tuple[tuple[str, ...], str]
"""Strategies, of which several take turns, and why these."""


def choose(asked: str, pattern: Pattern | SumPattern | None, request: Request) -> Chosen:
    """Return the strategies to run.

    Raises
    ------
    UnsupportedConstraint
        If the model does not have the pattern that an asked strategy needs.
    UnsupportedRequest
        If the strategy cannot do what is wanted, or not in the asked order.
    """
    if request.profiling is not None and asked not in ("auto", "check", "forward", "learning"):
        raise UnsupportedRequest(
            f"profile: backtracking:{asked} places queens by bit words and cannot tell what each "
            "constraint does; backtracking:forward and backtracking:learning do"
        )
    if asked != "auto":
        if asked in (*PATTERNED, "halves"):
            _need(asked, pattern, request)
        if asked == "learning":
            _need_free(request)
        if asked == "check" and has_functions(request):
            raise UnsupportedRequest(
                "backtracking:check asks no functions for orders; backtracking:forward does"
            )
        return (asked,), "asked for"
    if _has_own_order(request):
        return ("forward",), "an order is asked for"
    if request.profiling is not None:
        return ("forward",), "its constraints are profiled"
    if pattern is None:
        return _choose_order(request)
    if wants_halves(pattern, request, HALVES_FROM):
        return ("halves",), "queens are counted"
    if request.want is Want.ONE and pattern.n > _LARGE and pattern.has_permutation:
        return ("forward",), "one solution of a large board"
    kernel = "bitmask" if isinstance(pattern, Pattern) else "sums"
    if is_whole(pattern):
        return (kernel,), "a board without given or forbidden squares"
    if request.step_limit is not None:
        return ("forward",), "a board on which propagation may pay, and steps are limited"
    # a first solution is often there before the pattern's tables are made, and so are all of a puzzle with
    # clues; a small space is listed by then
    if request.want is Want.ONE and is_puzzle(pattern):
        return ("forward",), "one solution of a puzzle, which propagation mostly solves"
    if request.want is Want.ONE or is_puzzle(pattern):
        return ("forward", kernel), "a board on which propagation may pay"
    return (kernel, "forward"), "a board on which propagation may pay"


def _choose_order(request: Request) -> Chosen:
    """Choose for a model without a pattern: a count may be done in any order, and one may be far better."""
    given = "variable_order" in request.parameters or request.step_limit is not None
    if request.want is not Want.COUNT or given:
        return ("forward",), "the model is not a known board"
    return (
        "forward",
        LEXICOGRAPHIC,
    ), "the model is not a known board, and no rule says which order is better"


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


def is_puzzle(pattern: Pattern | SumPattern) -> bool:
    """Say whether values of some rows are given, and many rows are left."""
    given = int((pattern.allowed & (pattern.allowed - np.uint64(1)) == 0).sum())
    return given > 0 and pattern.n - given > _MANY_OPEN


def is_whole(pattern: Pattern | SumPattern) -> bool:
    """Say whether a pattern is a permutation with every square allowed, as queens.

    Then nothing is propagated at the root, and afterwards little that the masks do not say. Of more rows than
    values masks do not see that they cannot differ.
    """
    whole = bool((pattern.allowed == (1 << pattern.width) - 1).all())
    return whole and pattern.n <= pattern.width and pattern.has_permutation
