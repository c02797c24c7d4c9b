"""Tables of single texts that are exact or of times, and all algorithms on one page.

The exact expectations of Las Vegas search on queens and their relatives, and the published table.

Every random prefix is enumerated with its probability, in fractions; nothing is sampled and no solver asked.
An attempt with stop k places the first k variables at random among their safe values and backtracks below
them to the first solution or to failure (backend ``las-vegas``). Its nodes are the root, the variables placed
at random, and the tree under them.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome
from cpqueens.backends.local_search.annealing import rowwise_course
from cpqueens.errors import UnsupportedRequest
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.kernels.jit import tiers
from cpqueens.lab.evaluation_text import percent
from cpqueens.lab.experiments import KINDS, Cells, FigureTable, Measured, board, ended, made
from cpqueens.lab.runlength import Interval
from cpqueens.lab.source_programs import (
    MISSED,
    SOLVED,
    ClimbProgram,
    SidewaysProgram,
    SwapProgram,
    lengths,
    played,
)
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures.table import Structures
from cpqueens.model import Model
from cpqueens.solving.solve import count_solutions


@dataclass(frozen=True)
class Expectations:
    """What one attempt with ``stop_vegas`` random variables is worth.

    Attributes
    ----------
    p
        The probability that it succeeds.
    s, e
        The mean nodes of a success and of a failure, None where there is none.
    """

    stop_vegas: int
    p: Fraction
    s: Fraction | None
    e: Fraction | None

    @property
    def t(self) -> Fraction | None:
        """The mean nodes until the first success, ``s + (1 - p) e / p``; None if there is no success."""
        if self.s is None:
            return None
        return self.s if self.e is None else self.s + (1 - self.p) * self.e / self.p

    def all_fail(self, attempts: int) -> Fraction:
        """Return the probability that so many attempts all fail, ``(1 - p) ** attempts``."""
        return (1 - self.p) ** attempts


def las_vegas_expectations(model: Model) -> tuple[Expectations, ...]:
    """Return the expectations for every stop, from 0 to the number of variables.

    The whole tree of safe placements is walked once, 2,057 nodes for 8 queens and 856,189 for 12 (seconds).

    >>> import numpy as np
    >>> from cpqueens import AllDifferent, Model
    >>> m = Model("queens")
    >>> q, i = m.intvar(0, 3, shape=4, name="q"), np.arange(4)
    >>> m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    >>> [str(found.p) for found in las_vegas_expectations(m)]
    ['1', '1/2', '1/2', '1/2', '1/2']

    Raises
    ------
    UnsupportedRequest
        If the model is not AllDifferents over shifted variables with at most 64 values, as queens is.
    """
    pattern = Structures(model, "las-vegas").find("shifted_board")
    if pattern is None:
        raise UnsupportedRequest(
            "exact expectations need AllDifferents over shifted variables of at most 64 values, as in queens"
        )
    return _Walk(pattern).expectations()


class _Walk:
    """One walk over the tree of safe placements, for all stops at once.

    Attempts that share the product of their numbers of safe values are equally likely; per stop and outcome
    they are added up as integers under that product.
    """

    def __init__(self, pattern: Pattern) -> None:
        self.n = pattern.n
        self.allowed = [int(word) for word in pattern.allowed]
        self.conflict = [[_columns(pattern, i, v) for v in range(pattern.width)] for i in range(self.n)]
        stops = range(self.n + 1)
        self.numbers: list[list[dict[int, int]]] = [[defaultdict(int) for _ in range(2)] for _ in stops]
        self.nodes: list[list[dict[int, int]]] = [[defaultdict(int) for _ in range(2)] for _ in stops]

    def expectations(self) -> tuple[Expectations, ...]:
        """Walk, and turn the sums into fractions."""
        self._visit(0, self.allowed, 1)
        return tuple(self._at(stop) for stop in range(self.n + 1))

    def _at(self, stop: int) -> Expectations:
        chances = [_total(numbers) for numbers in self.numbers[stop]]
        means = [
            _total(nodes) / chance if chance else None
            for nodes, chance in zip(self.nodes[stop], chances, strict=True)
        ]
        return Expectations(stop, chances[1], means[1], means[0])

    def _visit(self, depth: int, free: list[int], product: int) -> tuple[bool, int]:
        """Return whether backtracking from here finds a solution, and the nodes that it visits below.

        ``free`` are the safe values of the variables from ``depth`` on, ``product`` the inverse of the
        probability that a random prefix is this one.
        """
        if depth == self.n:
            self._book(depth, True, depth + 1, product)
            return True, 0
        values = _bits(free[0])
        if not values:  # dead: at this stop, and at every later one
            for stop in range(depth, self.n + 1):
                self._book(stop, False, depth + 1, product)
            return False, 0
        found, below = False, 0
        for value in values:
            later = [f & ~c for f, c in zip(free[1:], self.conflict[depth][value], strict=True)]
            succeeds, nodes = self._visit(depth + 1, later, product * len(values))
            if not found:
                found, below = succeeds, below + 1 + nodes
        self._book(depth, found, depth + 1 + below, product)
        return found, below

    def _book(self, stop: int, success: bool, nodes: int, product: int) -> None:
        self.numbers[stop][success][product] += 1
        self.nodes[stop][success][product] += nodes


def _columns(pattern: Pattern, row: int, value: int) -> list[int]:
    """Return the words of columns that ``value`` in ``row`` forbids the later rows."""
    return [int(word) for word in pattern.conflict[row, row + 1 :, value]]


def _bits(word: int) -> list[int]:
    return [k for k in range(word.bit_length()) if word >> k & 1]


def _total(sums: dict[int, int]) -> Fraction:
    """Return the sum of ``value / product`` over ``{product: value}``."""
    return sum((Fraction(value, product) for product, value in sums.items()), Fraction(0))


def rounded(value: Fraction | None, digits: int) -> str:
    """Return a non-negative number with so many decimals, a half rounded up; ``-`` for None.

    >>> rounded(Fraction(317, 8), 2), rounded(Fraction(7, 8), 4), rounded(None, 2)
    ('39.63', '0.8750', '-')
    """
    if value is None:
        return "-"
    units = (value * 10**digits * 2 + 1) // 2
    whole, part = divmod(units, 10**digits)
    return f"{whole}.{part:0{digits}d}"


DIGITS = {"p": 4, "s": 2, "e": 2, "t": 2}
"""Decimals of each column as printed."""

# Deng and Zhu (2006), after Brassard and Bratley: by boards and stops, the printed cells; `-` where a column
# means nothing. Cells that are not in the copies that remain are left out.
PUBLISHED: dict[int, dict[int, dict[str, str]]] = {
    8: {
        0: {"p": "1.0000", "s": "114.00", "e": "-", "t": "114.00"},
        1: {"p": "1.0000", "s": "39.63", "e": "-", "t": "39.63"},
        2: {"p": "0.8750", "s": "22.53", "e": "39.67", "t": "28.20"},
        3: {"p": "0.4931", "s": "13.48", "e": "15.10", "t": "29.01"},
        4: {"p": "0.2618", "s": "10.31", "e": "8.79", "t": "35.10"},
        5: {"p": "0.1624", "s": "9.33", "e": "7.29", "t": "46.92"},
        6: {"p": "0.1375", "s": "9.05", "e": "6.98", "t": "53.50"},
        7: {"p": "0.1293", "s": "9.00", "e": "6.97", "t": "55.93"},
        8: {"p": "0.1293", "s": "9.00", "e": "6.97", "t": "55.93"},
    },
    12: {
        0: {"p": "1.0000", "s": "262.00", "e": "-", "t": "262.00"},
        5: {"s": "33.88", "e": "47.23"},
        12: {"s": "13.00", "e": "10.20"},
    },
}


@dataclass(frozen=True)
class Finding:
    """A printed cell that is not the exact expectation, with what the rest of its row says of it."""

    n: int
    stop_vegas: int
    column: str
    printed: str
    exact: str
    evidence: str = ""

    def __str__(self) -> str:
        place = f"N={self.n}, k={self.stop_vegas}"
        return f"{place}: {self.column} is printed as {self.printed}, exact is {self.exact}{self.evidence}"


def cells(found: Expectations) -> dict[str, str]:
    """Return p, s, e and t as the table prints them, a half rounded up."""
    return {column: rounded(getattr(found, column), digits) for column, digits in DIGITS.items()}


def findings(n: int, exact: Sequence[Expectations]) -> list[Finding]:
    """Return the printed cells of the board of n that differ from the exact expectations."""
    found = []
    for stop, printed in PUBLISHED.get(n, {}).items():
        computed = cells(exact[stop])
        for column, value in printed.items():
            if value != computed[column]:
                evidence = _evidence(column, printed, computed)
                found.append(Finding(n, stop, column, value, computed[column], evidence))
    return found


def _evidence(column: str, printed: dict[str, str], exact: dict[str, str]) -> str:
    """Return what t the printed row gives with either value of the column; nothing for a row with gaps."""
    if column == "t" or not set(DIGITS) <= set(printed) or "-" in printed.values():
        return ""
    with_exact, with_printed = _t({**printed, column: exact[column]}), _t(printed)
    return (
        f"; s + (1 - p) e / p of the printed row is {with_exact} with the exact value and {with_printed} "
        f"with the printed one, where t = {printed['t']} is printed"
    )


def _t(row: dict[str, str]) -> str:
    p, s, e = (Fraction(row[column]) for column in ("p", "s", "e"))
    return rounded(Expectations(0, p, s, e).t, DIGITS["t"])


_REPEATED, _END = 15, 3
"""Times that a search is repeated; of those in order, where the median's interval begins (96 %)."""


def only(name: str, runs: int | None = None) -> tuple[str, ...]:
    """Return the command that prints a table alone."""
    return (f"cpqueens experiments --only {name}" + ("" if runs is None else f" --runs {runs}"),)


def las_vegas_table(n: int, _runs: int = 0) -> FigureTable:
    """Return the source's table of a board, exact, beside what it prints."""
    rows = [["random queens", *(f"{c}: {who}" for c in "pset" for who in ("the source says", "exact"))]]
    for exact in las_vegas_expectations(board(n)):
        printed, ours = PUBLISHED[n].get(exact.stop_vegas, {}), cells(exact)
        rows.append([str(exact.stop_vegas), *(x for c in "pset" for x in (printed.get(c, ""), ours[c]))])
    caption = (
        f"Success and nodes of {n} queens. The probability p that an attempt succeeds, its nodes on success "
        "s and on failure e, and t = s + (1 - p) e / p until the first success"
    )
    return FigureTable(f"las-vegas-{n}", caption, rows, only(f"las-vegas-{n}"))


def las_vegas_findings() -> list[str]:
    """Return where the printed table is wrong, with the evidence of its own row."""
    return [str(finding) for finding in findings(8, las_vegas_expectations(board(8)))]


_COUNTED = 12
_LISTED = 8


def representations(_runs: int = 0) -> FigureTable:
    """Return nodes and processor time of all solutions by each representation of the same search."""
    rows = [["asked for", "strategy", "solutions", "nodes", "processor ms: median, interval"]]
    searches: dict[str, Callable[[str], Callable[[], Outcome]]] = {
        f"{_COUNTED} queens counted": lambda s: partial(count_solutions, board(_COUNTED), s),
        f"{_LISTED} queens listed": lambda s: partial(board(_LISTED).enumerate, solver=s),
    }
    for asked, search in searches.items():
        for strategy in ("check", "table", "rowmask", "bitmask"):
            found, seconds = _repeated(search(f"backtracking:{strategy}"))
            nodes = f"{found.statistics['nodes']:,}"
            rows.append([asked, strategy, f"{found.count:,}", nodes, _times(seconds)])
    caption = (
        f"Four representations of one search. Nodes and time of all solutions, {_REPEATED} times each, with "
        "95 % intervals of the median"
    )
    return FigureTable("representations", caption, rows, only("representations"))


def _times(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    ms = [1000 * second for second in (median(seconds), ordered[_END], ordered[-1 - _END])]
    return "{:.3g} [{:.3g}, {:.3g}]".format(*ms)


def _repeated(search: Callable[[], Outcome]) -> tuple[Outcome, list[float]]:
    """Return what a search says, and its processor seconds in machine code."""
    seconds = []
    with tiers.compiled():
        ended(search())  # loads it
        for _ in range(_REPEATED):
            began = time.process_time()
            found = ended(search())
            seconds.append(time.process_time() - began)
    return found, seconds


def overview(runs: int) -> FigureTable:
    """Return all algorithms over sizes."""
    rows = [["algorithm", "queens", "solved", "steps of a run", "evaluations of a solution", "ms"]]
    rows += [*_of_runs(max(20, runs // 10)), *_of_searches()]
    caption = (
        "All algorithms over sizes. By machine code; steps of backtracking and las-vegas are nodes, without "
        "an interval exact; ms are processor time of a whole call of backtracking, else the clock's of a run"
    )
    return FigureTable("all-sizes", caption, rows, only("all-sizes", runs))


def _of_runs(runs: int) -> Iterator[list[str]]:
    for solver, options in ALL.items():
        for n in (8, 12, 16):
            found = made(n, solver, runs, tuple(options.items()))
            counted = "evaluations" in found.statistics
            evaluations = Measured("a solution", "evaluations").of(found) if counted else ""
            spent = f"{1000 * float(found.seconds.mean()):.3g}"
            solved, steps = (Measured(kind).of(found) for kind in ("solved", "a run"))
            yield [solver, str(n), solved, steps, evaluations, spent]


def _of_searches() -> Cells:
    rows = []
    for solver in ("backtracking:check", "backtracking:bitmask", "backtracking:forward"):
        for n in (8, 12, 16):
            one, seconds = _repeated(partial(board(n).solve, solver=solver))
            nodes = f"{one.statistics['nodes']:,}"
            rows.append([solver, str(n), "always", nodes, "", f"{1000 * median(seconds):.3g}"])
    return rows


ALL: Mapping[str, Mapping[str, Any]] = {
    "las-vegas": {},
    "local-search:annealing": {},
    "local-search:hill-climbing": {},
    "local-search:min-conflicts": {},
    "local-search:random-restart": {},
    "local-search:sideways": {"max_sideways": 100},
    "local-search:sosic-gu": {},
    "local-search:sosic-gu-4": {},
    "local-search:tabu": {},
}
"""The algorithms of the overview that make many runs."""


# ---- what the known mistakes of the sources cost: each source's program with and without them, measured ----
# The programs themselves are not at hand; `source_programs` has them written anew from what is known of them.

LISTED = 1_500
"""Runs of the listing with aliased rows at most."""

_PROGRAM = "the source's program, measured by us"


def percent_of(some: int, of: int) -> str:
    """Return a share in per cent with its Wilson interval.

    >>> percent_of(2, 100)
    '2.0 % [0.6, 7.0]'
    """
    return percent(Interval.share(some, of))


def aliased_rows(runs: int) -> FigureTable:
    """Return what becomes of the listing of random neighbours if all rows of a neighbour's board are one."""
    rows = [["rows of a neighbour's board", f"{_PROGRAM}: solved", "runs"]]
    for what, program, share in (
        ("one row, as in its JavaScript", ClimbProgram(aliased=True), 1.0),
        ("separate, as in its C++", ClimbProgram(), 0.25),
    ):
        number = max(20, round(share * min(LISTED, runs)))
        ends = [run.end for run in played(program, 8, number)]
        rows.append([what, percent_of(ends.count(SOLVED), number), f"{number:,}"])
    caption = "Its program as printed, with aliased rows and without (8 queens)"
    return FigureTable("aliased-rows", caption, rows, only("aliased-rows", runs))


_SIDEWAYS: tuple[tuple[str, SidewaysProgram], ...] = (
    ("none", SidewaysProgram(10)),
    ("the first state of each path counts as a sideways move", SidewaysProgram(10, counts_starts=True)),
    ("what its last try reached is not tested", SidewaysProgram(10, forgets_last=True)),
    ("columns of the start are rounded", SidewaysProgram(10, rounds=True)),
    ("these three", SidewaysProgram(10, True, True, True)),
    (
        "inferred, seen in no listing: the choice among the best moves is rounded as well",
        SidewaysProgram(10, rounds_choice=True),
    ),
)


def sideways_mistakes(runs: int) -> FigureTable:
    """Return what each mistake of the program with sideways moves costs."""
    number = min(10_000, 2 * runs)
    rows = [["mistake", f"{_PROGRAM}: solved", "missed", "runs"]]
    for what, program in _SIDEWAYS:
        ends = Counter(run.end for run in played(program, 8, number))
        rows.append([what, *(percent_of(ends[end], number) for end in (SOLVED, MISSED)), f"{number:,}"])
    caption = (
        "Its program with its mistakes, one by one. 8 queens, at most ten sideways moves in a row; missed is "
        "what was solved and reported as a failure"
    )
    return FigureTable("sideways-mistakes", caption, rows, only("sideways-mistakes", runs))


_SWAPS: tuple[tuple[str, SwapProgram], ...] = (
    ("none", SwapProgram()),
    ("only later rows are looked at", SwapProgram(later_only=True)),
    ("a biased shuffle after every pass", SwapProgram(each_pass=True)),
    ("both: its program with the trial board refreshed", SwapProgram(True, True)),
    ("all three: the trial board not refreshed, as its program is read", SwapProgram(True, True, True)),
)


def swap_mistakes(runs: int) -> FigureTable:
    """Return how many restarts each mistake of the survey's program costs."""
    sizes = {n: max(20, min(most, 2 * runs // n)) for n, most in ((8, 2000), (14, 600), (20, 300))}
    rows = [["mistake", *(f"{n} queens, {many:,} runs" for n, many in sizes.items())]]
    for what, program in _SWAPS:
        runs_of = (lengths(played(program, n, many)) for n, many in sizes.items())
        rows.append([what, *(KINDS["a run"](found) for found in runs_of)])
    caption = f"Restarts with the mistakes of the survey's program, one by one ({_PROGRAM})"
    return FigureTable("swap-mistakes", caption, rows, only("swap-mistakes", runs))


_WATCHED = (0, 10, 20)
"""Places in the course of temperatures: 100, 10.7 and 1.15."""


def acceptance(runs: int) -> FigureTable:
    """Return how often the two rules of annealing take a worse move."""
    number = max(20, runs // 20)
    tables = [_worse_moves(rule, number) for rule in ("coarse", "metropolis")]
    rows = [["temperature", "the survey's rule, ours", "the usual rule, ours", "runs"]]
    for place in _WATCHED:
        shares = (percent_of(int(taken[place]), int(worse[place])) for worse, taken in tables)
        rows.append([f"{rowwise_course()[place]:.3g}", *shares, f"{number:,}"])
    caption = "Worse moves that are taken, by either rule (8 queens)"
    return FigureTable("acceptance", caption, rows, only("acceptance", runs))


def _worse_moves(rule: str, runs: int) -> tuple[IntArray, IntArray]:
    found = made(8, "local-search:annealing", runs, (("schedule", "rowwise"), ("rule", rule)))
    worse, taken = (np.asarray(found.statistics[name]).sum(axis=0) for name in ("worse", "accepted"))
    return worse, taken
