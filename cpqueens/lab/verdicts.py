"""Answers to the claims of the texts, said of the rows that a table shows, and of nothing else.

Two figures differ where their intervals do not meet; else no difference is shown.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cpqueens.lab.evaluation_text import figure
from cpqueens.lab.experiments import CLAIMS, Cells
from cpqueens.lab.runlength import Interval

Figures = dict[str, dict[int, Interval]]


@dataclass(frozen=True)
class Judgement:
    """What is said of a table, by its name: a function of its rows, head included."""

    table: str
    say: Callable[[Cells], str]


def read(cell: str) -> Interval:
    """Return the figure of a cell; its interval ends nowhere where it is not told, or is a point if exact.

    >>> read("1,690 [1,440, 2,040]"), read("14 %"), read("never, > 12")
    (Interval(value=1690.0, low=1440.0, high=2040.0), Interval(value=14.0, low=14.0, high=14.0), \
Interval(value=inf, low=12.0, high=inf))
    """
    numbers = [float(one.replace(",", "")) for one in _NUMBER.findall(cell.replace(", ", " "))]
    if cell.startswith("never"):
        return Interval(math.inf, sum(numbers), math.inf)
    value, low, *high = numbers[:3] if "[" in cell else numbers[:1] * 3
    return Interval(value, low, math.inf if "?" in cell else high[0])


_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def differ(a: Interval, b: Interval) -> int:
    """Return -1 if the first is less, 1 if it is more, 0 if no difference is shown.

    >>> differ(Interval(5, 4, 6), Interval(9, 7, 11)), differ(Interval(5, 4, 6), Interval(6, 5, 7))
    (-1, 0)
    """
    return (a.low > b.high) - (a.high < b.low)


def _by_name(rows: Cells, column: str) -> Figures:
    """Return the figures of a column by what the first has and the queens of the second."""
    at, found = rows[0].index(column), Figures()
    for row in rows[1:]:
        found.setdefault(row[0], {})[int(row[1])] = read(row[at])
    return found


def _listed(words: Sequence[object]) -> str:
    """Return words in a list.

    >>> _listed([8, 10, 12])
    '8, 10 and 12'
    """
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


def _by_sign(signs: Mapping[str, int], less: str, more: str, same: str) -> list[str]:
    """Return lists of what differs in the same direction, behind what is said of it.

    >>> _by_sign({"8": -1, "10": 0, "12": -1}, "fewer at", "more at", "as many at")
    ['fewer at 8 and 12', 'as many at 10']
    """
    alike = {
        says: [one for one, sign in signs.items() if sign == this]
        for this, says in ((-1, less), (1, more), (0, same))
    }
    return [f"{says} {_listed(ones)}" for says, ones in alike.items() if ones]


def _as_told(one: Interval) -> str:
    return f"{figure(one.value)} [{figure(one.low)}, {figure(one.high)}]"


# ---- algorithms against each other ---------------------------------------------------------------------


def against(rows: Cells) -> str:
    """Say at which sizes which of three algorithms needs fewer evaluations."""
    found = _by_name(rows, "evaluations of a solution")
    climb, restart, ten = found
    told = "; ".join(_versus(found, *two) for two in ((climb, restart), (ten, climb), (ten, restart)))
    return f'"Random neighbour is faster than random restart", by evaluations of a solution: {told}.'


def _versus(found: Figures, one: str, other: str) -> str:
    signs = {str(n): differ(value, found[other][n]) for n, value in found[one].items()}
    parts = _by_sign(signs, "fewer at", "more at", "no difference shown at")
    return f"{one} needs, beside {other}, {', '.join(f'{part} queens' for part in parts)}"


def efficient(rows: Cells) -> str:
    """Say whether the first algorithm takes more evaluations than the others, and how many times as many."""
    at = rows[0].index("evaluations of a solution")
    (name, first), *others = ((row[0], read(row[at])) for row in rows[1:])
    told = _listed([_times(first, other, label) for label, other in others])
    return f'"More efficient": a board takes {_as_told(first)} evaluations by {name}: {told}.'


def _times(one: Interval, other: Interval, label: str) -> str:
    says = {1: "more than", -1: "fewer than", 0: "no difference is shown to those"}[differ(one, other)]
    ratio = f", {figure(one.value / other.value, 2)} times as many" if differ(one, other) else ""
    return f"{says} by {label} ({_as_told(other)}{ratio})"


# ---- over sizes ------------------------------------------------------------------------------------------


def depth(rows: Cells) -> str:
    """Say between which sizes steps of a climb differ."""
    (steps,) = _by_name(rows, "steps of a run").values()
    return f'"The depth of a climb does not depend on N": steps of a run are {_course(steps)}.'


def stuck(rows: Cells) -> str:
    """Say how many climbs are stuck, at the smallest and the largest size."""
    (shares,) = _by_name(rows, "stuck").values()
    told = [f"{one.value:.1f} % [{one.low:.1f}, {one.high:.1f}] at {n}" for n, one in shares.items()]
    return f'"Few local optima": of all climbs there end in one {told[0]} queens, {told[-1]}.'


def polynomial(rows: Cells) -> str:
    """Say how restarts go with the size, and whether evaluations grow as it does."""
    (restarts,) = _by_name(rows, "restarts of a run").values()
    (evaluations,) = _by_name(rows, "evaluations of a run").values()
    share = {n: Interval(*(end / n for end in (e.value, e.low, e.high))) for n, e in evaluations.items()}
    *_, before, last = share
    grow = {1: "fewer, so that they grow more slowly than N", -1: "more, so that they grow faster than N"}
    says = grow.get(differ(share[before], share[last]), "no difference is shown: they grow as N does there")
    each = ", ".join(f"{figure(one.value)} at {n:,}" for n, one in share.items())
    return (
        f'"Polynomial": restarts of a run are {_course(restarts)}. Evaluations of a run for each queen are '
        f"{each}; from {before:,} to {last:,} queens {says}."
    )


def _course(found: dict[int, Interval]) -> str:
    """Say which neighbouring sizes differ, and the first and second from the last."""
    first, second, *_, last = found
    ends = f"{_as_told(found[first])} at {first:,} queens and {_as_told(found[last])} at {last:,}"
    told = [*pairwise(found), (second, last), (first, last)]
    signs = {f"{a:,} to {b:,}": differ(found[a], found[b]) for a, b in told}
    parts = _by_sign(signs, "more from", "fewer from", "no difference is shown from")
    return f"{ends}; {'; '.join(parts)}"


# ---- what is printed against what is measured ---------------------------------------------------------


def printed(rows: Cells) -> str:
    """Say which figures of the source are within our intervals, and which are not."""
    met, missed = list[str](), list[str]()
    for claim, says, program, ours, _ in rows[1:]:
        if says and _within(says, read(ours)):
            met.append(f"{says} ({claim})")
        elif says:
            beside = f", its program {program}" if program else ""
            missed.append(f"{says} ({claim}: ours {ours}{beside})")
    parts = [f"within our interval, if rounded as it is printed: {'; '.join(met)}"] if met else []
    parts += [f"not within: {'; '.join(missed)}"] if missed else []
    return f"What the source says is {'. It is '.join(parts)}."


def _within(says: str, ours: Interval) -> bool:
    """Whether what rounds to a printed figure meets an interval.

    >>> _within("4", Interval(4.1, 4.05, 4.15)), _within("4", Interval(4.6, 4.55, 4.65))
    (True, False)
    """
    digits = len(re.sub(r"[^\d.]", "", says).partition(".")[2])
    value, half = read(says).value, 0.5 / 10**digits
    return value - half <= ours.high and ours.low <= value + half


def frees(rows: Cells) -> str:
    """Say how many runs are solved, and how many rows either rule anneals."""
    ours = CLAIMS.index("ours")
    solved, own, usual, *_ = (row[ours] for row in rows[1:])
    says = _times(read(own), read(usual), "the usual rule")
    return (
        f'"Frees from local optima": {solved} of the runs end with a board. Rows annealed for a board by its '
        f"rule: {own}, {says}."
    )


# ---- exact tables, and times ---------------------------------------------------------------------------


def by_chance(rows: Cells) -> str:
    """Say which number of random queens needs the fewest nodes, beside none and all."""
    at = rows[0].index("t: exact")
    nodes = {row[0]: row[at] for row in rows[1:]}
    none, *_, every = nodes
    best = min(nodes, key=lambda k: float(nodes[k]))
    return (
        f"{every} queens, nodes until the first success, exact: {nodes[none]} by systematic search, "
        f"{nodes[every]} by chance alone, and fewest, {nodes[best]}, with {best} random queens."
    )


def fastest(rows: Cells) -> str:
    """Say for each search whether the last strategy is faster than the others, by the ranges of times."""
    times = dict[str, dict[str, Interval]]()
    for asked, strategy, _, _, ms in rows[1:]:
        times.setdefault(asked, {})[strategy] = read(ms)
    return f'"Bit operations are the fastest": {"; ".join(_fastest(times))}.'


def _fastest(times: dict[str, dict[str, Interval]]) -> Iterator[str]:
    for asked, found in times.items():
        *others, last = found
        signs = {name: differ(found[last], found[name]) for name in others}
        parts = _by_sign(signs, "is faster than", "is slower than", "shows no difference to")
        yield f"{asked}, {last} {', '.join(parts)}"
