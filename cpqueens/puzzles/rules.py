"""How a person goes on: rules from easy to hard, each step with its reason; no solver is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from cpqueens.puzzles.puzzle import Puzzle, place
from cpqueens.puzzles.squares import Square

_LARGEST_GROUP = 4


@dataclass(frozen=True)
class Deduction:
    """What follows from a board: queens and empty squares, by which rule, and why.

    ``level`` is 1 for what is seen at a glance, up to 4 for what needs a trial in mind.
    """

    level: int
    rule: str
    reason: str
    queens: frozenset[Square] = frozenset()
    empty: frozenset[Square] = frozenset()


def open_squares(puzzle: Puzzle) -> frozenset[Square]:
    """Return the squares of which nothing is said yet."""
    return frozenset(puzzle.squares) - puzzle.queens - puzzle.empty


def need(puzzle: Puzzle, unit: frozenset[Square]) -> int:
    """Return how many queens a row, column or region still lacks."""
    return puzzle.stars - len(unit & puzzle.queens)


def _seen(puzzle: Puzzle) -> Iterator[Deduction]:
    free = open_squares(puzzle)
    verb = "touched" if puzzle.regions else "attacked on a diagonal"
    for queen in sorted(puzzle.queens):
        gone = puzzle.seen[queen] & free
        if gone:
            yield Deduction(1, "seen", f"{verb} by the queen at {place(queen)}", empty=gone)


def _full(puzzle: Puzzle) -> Iterator[Deduction]:
    free = open_squares(puzzle)
    for name, unit in puzzle.units.items():
        if need(puzzle, unit) == 0 and unit & free:
            yield Deduction(1, "full", f"{name} has all its queens", empty=unit & free)


def _last(puzzle: Puzzle) -> Iterator[Deduction]:
    free = open_squares(puzzle)
    for name, unit in puzzle.units.items():
        if 0 < need(puzzle, unit) == len(unit & free):
            yield Deduction(1, "last", f"{name} has no other squares left", queens=unit & free)


def _starved(puzzle: Puzzle) -> Iterator[Deduction]:
    """A queen here would leave a row, column or region with too few squares."""
    free = open_squares(puzzle)
    for square in sorted(free):
        left = free - _excluded(puzzle, square)
        for name, unit in puzzle.units.items():
            if not _fit(puzzle, unit & left, need(puzzle, unit) - (square in unit)):
                reason = f"a queen at {place(square)} would leave too few squares to {name}"
                yield Deduction(2, "starved", reason, empty=frozenset({square}))


def _fit(puzzle: Puzzle, squares: frozenset[Square], many: int) -> bool:
    """Return whether so many queens find room on these squares, none seeing another."""
    if many <= 1 or len(squares) < many:
        return len(squares) >= many
    first = min(squares)
    others = squares - {first}
    return _fit(puzzle, others - puzzle.seen[first], many - 1) or _fit(puzzle, others, many)


def _excluded(puzzle: Puzzle, square: Square) -> frozenset[Square]:
    """Return the squares that a further queen would exclude, itself included."""
    full = [unit for unit in puzzle.units.values() if square in unit and need(puzzle, unit) == 1]
    return puzzle.seen[square].union(*full) | {square}


def _confined(puzzle: Puzzle, sizes: range, level: int) -> Iterator[Deduction]:
    """So many regions lie within as many rows: what else is in these rows is empty; and the like."""
    free = open_squares(puzzle)
    kinds = ("region", "row", "column") if puzzle.regions else ("row", "column")
    for inner, outer in ((a, b) for a in kinds for b in kinds if a != b):
        inside = {n: u & free for n, u in puzzle.units.items() if n.startswith(inner) and need(puzzle, u)}
        outside = {n: u for n, u in puzzle.units.items() if n.startswith(outer)}
        for many in sizes:
            for chosen in combinations(inside, many):
                squares = frozenset().union(*(inside[n] for n in chosen))
                cover = [n for n, u in outside.items() if u & squares]
                if sum(need(puzzle, outside[n]) for n in cover) != sum(
                    need(puzzle, puzzle.units[n]) for n in chosen
                ):
                    continue
                gone = frozenset().union(*(outside[n] for n in cover)) & free - squares
                if gone:
                    reason = f"{' and '.join(chosen)} fill{'s' if many == 1 else ''} {' and '.join(cover)}"
                    yield Deduction(level, "confined", reason, empty=gone)


def _tried(puzzle: Puzzle) -> Iterator[Deduction]:
    """A queen here leads, by easy steps alone, to a board that breaks a rule."""
    for square in sorted(open_squares(puzzle)):
        clash = _clash(replace(puzzle, queens=puzzle.queens | {square}))
        if clash:
            reason = f"a queen at {place(square)} leads to a board where {clash}"
            yield Deduction(4, "tried", reason, empty=frozenset({square}))


def _clash(puzzle: Puzzle) -> str:
    """Return what the easy rules break in the end; "" if nothing."""
    while True:
        wrong = puzzle.faults() or _short(puzzle)
        if wrong:
            return wrong[0]
        step = next((s for rule in EASY for s in rule(puzzle)), None)
        if step is None:
            return ""
        puzzle = after(puzzle, step)


def _short(puzzle: Puzzle) -> list[str]:
    free = open_squares(puzzle)
    return [
        f"{name} lacks squares"
        for name, u in puzzle.units.items()
        if not _fit(puzzle, u & free, need(puzzle, u))
    ]


EASY: tuple[Callable[[Puzzle], Iterator[Deduction]], ...] = (_seen, _full, _last)

RULES: tuple[Callable[[Puzzle], Iterator[Deduction]], ...] = (
    *EASY,
    lambda puzzle: _confined(puzzle, range(1, 2), 2),
    _starved,
    lambda puzzle: _confined(puzzle, range(2, _LARGEST_GROUP + 1), 3),
    _tried,
)
"""From easy to hard; each yields what follows."""

LEVELS = {1: "easy", 2: "medium", 3: "hard", 4: "very hard", 5: "beyond these rules"}
"""What a puzzle is called by the hardest rule that it needs."""


def after(puzzle: Puzzle, step: Deduction) -> Puzzle:
    """Return the board with what a step says."""
    return replace(puzzle, queens=puzzle.queens | step.queens, empty=puzzle.empty | step.empty)


def next_step(puzzle: Puzzle) -> Deduction | None:
    """Return the easiest step that follows, None if no rule says anything.

    >>> puzzle = Puzzle(4, queens=frozenset({(0, 1)}))
    >>> next_step(puzzle).reason
    'attacked on a diagonal by the queen at r1c2'
    """
    return next((step for rule in RULES for step in rule(puzzle)), None)


def reasoned(puzzle: Puzzle) -> tuple[Puzzle, list[Deduction]]:
    """Return the board as far as the rules lead, and all steps."""
    steps: list[Deduction] = []
    while not puzzle.faults() and not _short(puzzle):
        step = next_step(puzzle)
        if step is None:
            break
        puzzle, steps = after(puzzle, step), [*steps, step]
    return puzzle, steps


def difficulty(puzzle: Puzzle) -> str:
    """Return a word for the hardest rule that is needed."""
    end, steps = reasoned(puzzle)
    solved = len(end.queens) == puzzle.size * puzzle.stars and not end.faults()
    return LEVELS[max((step.level for step in steps), default=1) if solved else 5]
