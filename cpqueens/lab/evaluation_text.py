"""An evaluation as text, in the order of its questions: header, claims, proofs, figures, what is missing."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cpqueens.answers.quality import Quality, gap_text
from cpqueens.lab.evaluated import OBJECTIVE, Comparison, Evaluated
from cpqueens.lab.performance import UNITS, Lengths, Performance, ReachedTarget, named
from cpqueens.lab.runlength import Interval, Restart
from cpqueens.text.plaintext import wrapped

Cells = list[list[str]]
WIDTH = 110


def figure(value: float | None, digits: int = 3) -> str:
    """Return a number with so many digits; ``-`` where there is none, ``never`` for an infinite one.

    >>> figure(1234567.0), figure(0.012345), figure(None), figure(math.inf), figure(20.864)
    ('1,230,000', '0.0123', '-', 'never', '20.9')
    """
    if value is None or math.isnan(value):
        return "-"
    if math.isinf(value):
        return "never"
    if value == 0:
        return "0"
    if abs(value) < 1e-4:
        return f"{value:.{digits - 1}e}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):,.{max(0, places)}f}"


def interval(found: Interval | None) -> str:
    """Return an estimate with its interval."""
    if found is None:
        return "-"
    if math.isinf(found.value):
        return "never" + (f", > {figure(found.low)}" if 0 < found.low < math.inf else "")
    high = figure(found.high) if found.high <= _FAR * found.value else "?"
    return f"{figure(found.value)} [{figure(found.low)}, {high}]"


_FAR = 100  # times the estimate: an end beyond says nothing


def percent(found: Interval) -> str:
    """Return a share in percent with its interval."""
    if math.isnan(found.value):
        return "-"
    return f"{100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


# ---- what is said, for the terminal and the page alike --------------------------------------------------


def header(e: Evaluated) -> list[str]:
    """Return what was evaluated, on what, within which limits, where."""
    limits = [
        f"{e.budget.time_limit:g} s" if e.budget.time_limit else "",
        f"{e.budget.step_limit:,} steps" if e.budget.step_limit else "",
    ]
    budget = " and ".join(filter(None, limits)) or "no limit but the solvers' own"
    versions = ", ".join(f"{name} {version}" for name, version in e.versions.items())
    return [
        *(f"{s.scope} (model {s.digest[:16] if s.digest else 'not written down'})" for s in e.problems),
        f"{', '.join(e.heuristics)}: seeds {e.seeds[0]} to {e.seeds[1]}; a run has {budget}",
        f"made on {', '.join(e.machines) or 'no machine'}; {versions}",
    ]


def validity(e: Evaluated) -> list[str]:
    """Return whether every claim of a solution holds, and the rejections by name."""
    found = [p for p in e.performances if p.rejections]
    claims = sum(p.solved for p in e.performances)
    held = f"{claims:,} solutions were claimed, and all hold" if claims else "no solution was claimed"
    right = held if not e.wrong else f"{e.wrong:,} wrong answers, {claims:,} right ones"
    lines = [right]
    for p in found:
        numbers = ", ".join(f"{name} {number:,}" for name, number in p.rejections.items())
        lines.append(f"{p.heuristic} on {p.problem}: rejected: {numbers}")
        lines += [f"  {name}, {example}" for name, example in p.examples.items()]
    return lines


def verdicts(e: Evaluated) -> list[str]:
    """Return what exact solvers proved, and whether runs refute it."""
    wrong = [c for c in e.coverages if c.outside]
    return [
        *(str(r) for r in e.references if not r.unknown),
        *(_best(p, p.quality) for p in e.performances if p.quality is not None),
        *(
            f"{c.heuristic} refutes this for {c.problem}: {c.outside:,} checked solutions are not among them"
            for c in wrong
        ),
    ]


def _best(p: Performance, found: Quality) -> str:
    """Say how far the best objective is from what is proved."""
    who = f"{p.heuristic} on {p.problem}"
    if found.refutes:
        return f"{who} refutes this: a checked solution has {found.best:,}"
    if found.proved is None:
        return f"{who}: the best objective is {found.best:,}; nothing is proved to hold it against"
    if found.best == found.proved:
        return f"{who}: the best objective is {found.best:,}, which is optimal"
    away = gap_text(found.best, found.proved, found.maximizing)
    told = (
        f"{away} from the optimum" if found.is_optimum else f"at most {away} from the bound {found.proved:,}"
    )
    return f"{who}: the best objective is {found.best:,}, {told}"


def missing(e: Evaluated) -> list[str]:
    """Return what was not compared, and which runs did not happen."""
    lines = [f"not compared: {r}" for r in e.references if r.unknown]
    for p in e.performances:
        if p.lost:
            lines.append(f"not run: {p.heuristic} on {p.problem}: {p.lost}")
        elif p.not_run or p.interrupted:
            broken = f", {p.interrupted} broken off (censored)" if p.interrupted else ""
            lines.append(
                f"not run: {p.not_run:,} of {p.asked:,} runs of {p.heuristic} on {p.problem}{broken}"
            )
    lines += [
        f"not measured: {p.heuristic} on {p.problem} counts no {named(unit)}"
        for p in e.performances
        for unit in e.units
        if not p.optimises and p.runs and unit not in p.lengths and unit not in UNITS
    ]
    if e.anytimes and len(e.heuristics) > 1:
        lines.append("not compared by a test: objectives before the runs' ends; see their targets")
    return lines


Columns = Mapping[str, Callable[[Any], str]]
"""Names, and what stands there of each row."""

WHO: Columns = {"heuristic": lambda p: p.heuristic, "problem": lambda p: p.problem}

CLASSICAL: Columns = {
    "runs": lambda p: f"{p.runs:,}",
    "solved": lambda p: percent(p.rate),
    "stuck": lambda p: percent(Interval.share(p.stuck, p.runs)) if p.stuck else "",
    "at limit": lambda p: f"{p.limited:,}" if p.limited else "",
    "restarts": lambda p: "" if p.restarts is None else figure(p.restarts),
}
"""The classical table of the textbooks: how often."""

MEANS: Columns = {
    "in": lambda one: named(one[1]),
    "a run": lambda one: interval(one[0].lengths[one[1]].mean),
    "if solved": lambda one: interval(one[0].lengths[one[1]].if_solved),
    "if not": lambda one: interval(one[0].lengths[one[1]].if_unsolved),
}
"""Its other half: what runs take in the mean, of a performance in a unit."""

GAP = "gap: median (best to worst)"

OPTIMISING: Columns = {
    "runs": lambda p: f"{p.runs:,}",
    "valid": lambda p: percent(p.rate),
    "optimal": lambda p: percent(p.optimal) if p.optimal else "",
    GAP: lambda p: p.quality.gaps if p.quality else "",
    "best": lambda p: f"{p.quality.best:,}" if p.quality else "",
    "median": lambda p: f"{p.quality.median:,g}" if p.quality else "",
    "worst": lambda p: f"{p.quality.worst:,}" if p.quality else "",
    "at limit": CLASSICAL["at limit"],
    "restarts": CLASSICAL["restarts"],
}
"""Of problems with an objective: a valid solution is easy to find, a good one is not."""


def length_columns(unit: str) -> Columns:
    """Return the columns of a table of run lengths in one unit."""

    def told(cell: Callable[[Lengths], str]) -> Callable[[Any], str]:
        return lambda p: cell(p.lengths[unit])

    return {
        "median": told(_median),
        "expected": told(lambda found: interval(found.expected)),
        "PAR10": told(lambda found: "" if found.par10 is None else figure(found.par10)),
        "Weibull shape": told(lambda found: "" if found.shape is None else interval(found.shape)),
        "restarts": told(lambda found: found.restarts_help),
        "best cut-off": told(lambda found: _restart(found.restart)),
        "Luby's restarts": told(lambda found: _luby(found.restart)),
    }


def _median(found: Lengths | ReachedTarget) -> str:
    beyond = math.isinf(found.median.value) and math.isfinite(found.known_until)
    return f"> {figure(found.known_until)}" if beyond else interval(found.median)


def _restart(found: Restart | None) -> str:
    if found is None:
        return ""
    return f"{figure(found.cutoff)} (gain {figure(found.gain)})" if found.gain > 1 else "none better"


def _luby(found: Restart | None) -> str:
    """Say how Luby's sequence does with its best unit."""
    if found is None or not math.isfinite(found.luby):
        return ""
    return f"unit {figure(found.unit)} (gain {figure(found.gain_by_luby)})"


def tables(e: Evaluated) -> Iterator[tuple[str, Cells]]:
    """Yield all tables with their captions, which say what stands for an end that is not known."""
    for caption, cells in _tables(e):
        open_ended = any("?]" in cell for row in cells for cell in row)
        yield caption + (_OPEN if open_ended else ""), cells


_OPEN = "; ? where too few such runs bound it from above"


def _tables(e: Evaluated) -> Iterator[tuple[str, Cells]]:
    """Yield those of what was found, each with its caption."""
    lengths = [
        (
            f"How long a solution takes, in {named(unit)} (95 % intervals)",
            {**WHO, **length_columns(unit)},
            [p for p in e.performances if unit in p.lengths],
        )
        for unit in e.units
    ]
    means = {**{name: _of_first(cell) for name, cell in WHO.items()}, **MEANS}
    every: Sequence[tuple[str, Columns, Sequence[Any]]] = (
        ("How often a solution is found (95 % Wilson intervals)",
         {**WHO, **CLASSICAL}, [p for p in e.performances if not p.optimises]),
        ("How good the solutions are (95 % Wilson intervals; gaps to the optimum, or <= to a bound)",
         {**WHO, **OPTIMISING}, [p for p in e.performances if p.optimises]),
        ("What a run takes (means, 95 % intervals)",
         means, [(p, unit) for p in e.performances for unit in p.lengths]),
        *lengths,
        ("Which solutions are found", {**WHO, **COVERAGE}, e.coverages),
        ("Where they put values (share of samples against that of all solutions)",
         {**WHO, **OCCUPANCY}, e.occupancies),
        ("How long objectives take, in seconds (95 % intervals)", {**WHO, **TARGETS}, e.targets),
        (_told_apart(e), COMPARED, e.comparisons),
    )  # fmt: skip
    several = len(e.problems) > 1
    for caption, columns, found in every:
        if found:
            yield caption, shown_columns(columns, found, several)


def _of_first(cell: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda pair: cell(pair[0])


def _told_apart(e: Evaluated) -> str:
    """Return the caption of the comparisons, which says by which tests they are made."""
    made = [_TESTS[is_share] for is_share in sorted({_is_share(c) for c in e.comparisons})]
    tests, found = ", ".join(test for test, _ in made), " or ".join(what for _, what in made)
    return f"Are they told apart? ({tests}; p by Holm; the {found} that is found in 80 % of cases)"


COVERAGE: Columns = {
    "samples": lambda c: f"{c.samples:,}",
    "distinct": lambda c: f"{c.distinct:,}" + ("" if c.of_all is None else f" of {c.of_all:,}"),
    "if uniform": lambda c: "" if c.ceiling is None else figure(c.ceiling),
    "Chao1": lambda c: figure(c.chao1),
    "uniform?": lambda c: "" if c.uniform is None else str(c.uniform),
    "orbits": lambda c: "" if c.orbits is None else f"{c.orbits:,} of {c.orbits_of_all:,}",
    "orbits uniform?": lambda c: "" if c.uniform_orbits is None else str(c.uniform_orbits),
}


OCCUPANCY: Columns = {
    "samples": lambda c: f"{c.samples:,}",
    "farthest off": lambda c: c.farthest_said,
    "uniform?": str,
}

TARGETS: Columns = {
    "target": lambda t: t.name,
    "reached": lambda t: percent(t.reached),
    "median": lambda t: _median(t),
    "expected": lambda t: interval(t.expected),
}

COMPARED: Columns = {
    "heuristic": lambda c: c.first,
    "against": lambda c: c.second,
    "problem": lambda c: c.problem,
    "takes": lambda c: "" if math.isnan(c.ratio) or _is_share(c) else f"{figure(c.ratio)} times the {c.unit}",
    "has": lambda c: f"the better objective in {100 * c.ratio:.0f} % of pairs" if _is_share(c) else "",
    "verdict": lambda c: "they differ" if c.differs else "not told apart",
    "p": lambda c: f"{c.holm:.2g}",
    "ratio found": lambda c: "" if _is_share(c) else figure(c.detectable),
    "share found": lambda c: f"{100 * c.detectable:.0f} %" if _is_share(c) else "",
}


_TESTS = {
    False: ("log-rank tests of lengths", "ratio"),
    True: ("Mann and Whitney's test of objectives at the end", "share"),
}
"""Of lengths, and of objectives: the test, and what it finds."""


def _is_share(c: Comparison) -> bool:
    return c.unit == OBJECTIVE


def shown_columns(columns: Columns, found: Sequence[Any], several: bool) -> Cells:
    """Return a table with a row for each of what was found; columns in which nothing stands are left out."""
    listed = {name: [cell(one) for one in found] for name, cell in columns.items()}
    kept = {n: cells for n, cells in listed.items() if any(cells) and (several or n != "problem")}
    return [list(kept), *map(list, zip(*kept.values(), strict=True))]


# ---- the terminal -------------------------------------------------------------------------------------


def text(e: Evaluated, width: int = WIDTH) -> str:
    """Return the report as lines of at most ``width`` characters, if words are not longer."""
    parts: list[list[str]] = [
        _wrapped([f"evaluation of {', '.join(s.title for s in e.problems)}", *header(e)], width),
        _wrapped([*validity(e), *verdicts(e)], width),
        *([*_wrapped([caption], width), *laid_out(cells, width)] for caption, cells in tables(e)),
        _wrapped(missing(e), width),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _wrapped(lines: Iterable[str], width: int) -> list[str]:
    return [part for line in lines for part in wrapped(line, width)]


def laid_out(table: Cells, width: int) -> list[str]:
    """Return a table in columns, or where they are too wide a list for each row.

    >>> laid_out([["heuristic", "runs"], ["sideways", "10"]], 40)
    ['  heuristic  runs', '  sideways     10']
    >>> laid_out([["heuristic", "runs"], ["sideways", "10"]], 12)
    ['  heuristic: sideways', '    runs: 10']
    """
    head, *rows = table
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    left = {k for k, name in enumerate(head) if name in ("heuristic", "against", "problem")}
    if sum(widths) + 2 * len(widths) <= width:
        padded = (
            (
                cell.ljust(w) if k in left else cell.rjust(w)
                for k, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in table
        )
        return [("  " + "  ".join(row)).rstrip() for row in padded]
    return [
        line
        for row in rows
        for k, (name, cell) in enumerate(zip(head, row, strict=True))
        if cell
        for line in [f"{'    ' if k else '  '}{name}: {cell}"]
    ]
