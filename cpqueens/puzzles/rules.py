"""How a person goes on: rules from easy to hard, each step with its reason; no solver is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from cpqueens.puzzles.puzzle import Puzzle, Square, place

_LARGEST_GROUP = 4
_LARGEST_REST = 16


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


def _needed(puzzle: Puzzle) -> Iterator[Deduction]:
    """Without a queen here, those that a row, column or region lacks would find no room apart."""
    free = open_squares(puzzle)
    for name, unit in puzzle.units.items():
        yield from _without(puzzle, 2, name, unit & free, need(puzzle, unit))


def _without(
    puzzle: Puzzle, level: int, name: str, squares: frozenset[Square], many: int
) -> Iterator[Deduction]:
    for square in sorted(squares) if many else ():
        if not _fit(puzzle, squares - {square}, many):
            reason = f"without a queen at {place(square)} too few squares would be left to {name}"
            yield Deduction(level, "needed", reason, queens=frozenset({square}))


def _starved(puzzle: Puzzle) -> Iterator[Deduction]:
    """A queen here would leave a row, column or region with too few squares."""
    free = open_squares(puzzle)
    for square in sorted(free):
        left = free - _excluded(puzzle, square)
        for name, unit in puzzle.units.items():
            if not _fit(puzzle, unit & left, need(puzzle, unit) - (square in unit)):
                reason = f"a queen at {place(square)} would leave too few squares to {name}"
                yield Deduction(2, "starved", reason, empty=frozenset({square}))


def _counted(puzzle: Puzzle) -> Iterator[Deduction]:
    """What rows side by side lack, less what regions within them lack, stands on the squares between.

    So do the queens of the regions that reach into these rows, less those of the rows, on the squares
    outside. Where these squares hardly have room for them, some are certain and others impossible.
    """
    free = open_squares(puzzle)
    excluded = {square: _excluded(puzzle, square) for square in sorted(free)}
    for name, squares, many in _counts(puzzle, free):
        if len(squares) == many > 0:
            yield Deduction(3, "counted", f"no other squares are left to {name}", queens=squares)
        if len(squares) <= many or len(squares) > _LARGEST_REST:
            continue
        if not many:
            yield Deduction(3, "counted", f"all queens of {name} are accounted for", empty=squares)
            continue
        yield from _without(puzzle, 3, name, squares, many)
        for square, gone in excluded.items():
            if gone & squares and not _fit(puzzle, squares - gone, many - (square in squares)):
                reason = f"a queen at {place(square)} would leave too few squares to {name}"
                yield Deduction(3, "counted", reason, empty=frozenset({square}))


def _counts(puzzle: Puzzle, free: frozenset[Square]) -> Iterator[tuple[str, frozenset[Square], int]]:
    """Yield what is left of lines side by side without the regions in them, and the other way round."""
    regions = [
        (letter, inside & free, puzzle.stars - len(inside & puzzle.queens))
        for letter, inside in puzzle.by_region.items()
        if inside & free
    ]
    for kind, axis in (("row", 0), ("column", 1)) if regions else ():
        for first in range(puzzle.size):
            for last in range(first, puzzle.size):
                lines = frozenset(s for s in free if first <= s[axis] <= last)
                lacks = sum(need(puzzle, puzzle.units[f"{kind} {k + 1}"]) for k in range(first, last + 1))
                span = f"{kind} {first + 1}" if first == last else f"{kind}s {first + 1} to {last + 1}"
                within = [part for part in regions if part[1] <= lines]
                if within and lacks:
                    name = f"{span} without {_named(within)}"
                    squares = lines.difference(*(part[1] for part in within))
                    yield name, squares, lacks - sum(part[2] for part in within)
                reaching = [part for part in regions if part[1] & lines]
                if reaching and lacks:
                    name = f"{_named(reaching)} without {span}"
                    squares = frozenset().union(*(part[1] for part in reaching)) - lines
                    yield name, squares, sum(part[2] for part in reaching) - lacks


def _named(regions: list[tuple[str, frozenset[Square], int]]) -> str:
    letters = [letter for letter, _, _ in regions]
    return f"region {letters[0]}" if len(letters) == 1 else f"regions {' '.join(letters)}"


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


def _tried(puzzle: Puzzle, steps: Sequence[Rule]) -> Iterator[Deduction]:
    """A queen here leads, by such steps alone, to a board that breaks a rule."""
    for square in sorted(open_squares(puzzle)):
        clash = _clash(replace(puzzle, queens=puzzle.queens | {square}), steps)
        if clash:
            reason = f"a queen at {place(square)} leads to a board where {clash}"
            yield Deduction(4, "tried", reason, empty=frozenset({square}))


def _clash(puzzle: Puzzle, steps: Sequence[Rule]) -> str:
    """Return what these rules break in the end; "" if nothing."""
    while True:
        wrong = puzzle.faults() or _short(puzzle)
        if wrong:
            return wrong[0]
        step = next((s for rule in steps for s in rule(puzzle)), None)
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


Rule = Callable[[Puzzle], Iterator[Deduction]]

EASY: tuple[Rule, ...] = (_seen, _full, _last)
MEDIUM: tuple[Rule, ...] = (lambda puzzle: _confined(puzzle, range(1, 2), 2), _needed, _starved)

RULES: tuple[Rule, ...] = (
    *EASY,
    *MEDIUM,
    lambda puzzle: _confined(puzzle, range(2, _LARGEST_GROUP + 1), 3),
    _counted,
    lambda puzzle: _tried(puzzle, EASY),
    lambda puzzle: _tried(puzzle, (*EASY, *MEDIUM)),
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
