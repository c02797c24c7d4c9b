"""README's table of measurements, of rows that benchmarks kept: ``python docs/generating/summary.py``."""

import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from generating.benchmarks import MEASURED, ranged, ratios, shortly  # noqa: E402
from generating.tables import table  # noqa: E402

README = HERE.parents[1] / "README.md"
PLACE = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->\n)", re.S)
"""Where the table stands in README."""


HEAD = ("job", "cpqueens", "peers", "ratio")
NAMES = {
    "Python": "Python",
    "nucs": "NuCS",
    "ortools": "OR-Tools",
    "cpmpy": "CPMpy",
    "python-constraint2": "python-constraint2",
}
"""What runs call whom, and what they are called here."""


class Row(NamedTuple):
    """A row: what it says, of which race of which script, who is ours, and peers by their names here."""

    says: str
    script: str
    job: str
    ours: str
    peers: dict[str, str]


EACH = "cpqueens, backtracking, checked"
ROWS = (
    Row("list 12 queens, value by value in Python (NuCS a row at once, Gecode prints), by `backtracking`",
        "exact", "list 12 queens, value by value in Python (NuCS: a row at once; Gecode: printed)", EACH,
        {"NuCS": "NuCS", "Gecode": "Gecode, first-fail, flattened before"}),
    Row("list 12 queens into arrays, by `backtracking:bitmask`", "counting", "list 12 queens into arrays",
        "cpqueens, bitmask, checked", {"the same search in C": "C, unchecked"}),
    Row("all 760 Costas arrays of order 9, by `backtracking`", "peers", "all Costas arrays of order 9", EACH,
        {"NuCS": "NuCS", "Gecode": "Gecode, flattened before"}),
    Row("shortest Golomb ruler of 9 marks, proved, by `backtracking`", "peers",
        "the least, proved: Golomb ruler, 9 marks", EACH,
        {"NuCS": "NuCS", "Gecode": "Gecode, flattened before"}),
    Row("Schur's lemma, 20 numbers in 3 boxes: none, by `backtracking`", "peers",
        "a first solution: Schur's lemma, 3 boxes, 20 (none)", EACH, {"NuCS": "NuCS"}),
    Row("a magic sequence of 50, by `backtracking`", "peers", "a first solution: magic sequence of 50", EACH,
        {"NuCS": "NuCS", "Gecode": "Gecode, flattened before"}),
    Row("a first solution of 128 queens, by `local-search`", "local_search", "a first solution of 128 queens",
        "cpqueens, auto, checked",
        {"python-constraint's min-conflicts": "python-constraint2, min-conflicts",
         "CP-SAT's local search": "CP-SAT, three AllDifferents, local search only"}),
    Row("count 16 queens, one thread (no solution is seen)", "counting", "count 16 queens",
        "cpqueens, backtracking (halves)", {"Kluev's C++": "--against"}),
    Row("state 1,000 queens and translate them, `to_cpsat` (nothing is solved)", "modelling",
        "model and translate 1000 queens for CP-SAT", "cpqueens, to_cpsat",
        {"OR-Tools": "raw OR-Tools", "CPMpy": "CPMpy, to OR-Tools"}),
    Row("state 200 queens in two loops over terms and translate them, `to_cpsat` (nothing is solved)",
        "modelling", "200 queens as a double loop over scalar terms", "cpqueens, to_cpsat",
        {"OR-Tools": "raw OR-Tools"}),
    Row("enumerate 10 queens by callback, value by value, by `cpsat`", "modelling",
        "enumerate 10 queens by callback, value by value", "cpqueens, cpsat, checked",
        {"OR-Tools": "raw CP-SAT loop, unchecked"}),
)  # fmt: skip


def pages() -> dict[str, str]:
    """Return the table as a part of the page on benchmarks."""
    return {"parts/summary.md": summary(here=True)}


def summary(here: bool = False) -> str:
    """Return the table, of rows that were measured, with when and where; ``here``: on the site."""
    found, machines, loads, versions = [], set(), set(), dict[str, None]()
    days, earlier = set[str](), set[str]()
    for row in ROWS:
        path = MEASURED / f"{row.script}.json"
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": []}
        race = next((r for r in told["rows"] if r["job"] == row.job and "entries" in r), None)
        if race is None:
            continue
        run = told["runs"][race["run"]]
        days.add(run["date"])
        earlier |= {day["date"] for day in race.get("earlier", ())}
        machines.add(run["machine"])
        loads |= {run["load"]} - {None}
        known = run["versions"]
        versions |= dict.fromkeys(f"{name} {known[key]}" for key, name in NAMES.items() if key in known)
        found.append([row.says, *_cells(row, race)])
    lines = sorted(found, key=lambda line: "**" not in line[-1])  # those first where a peer is ahead
    when = " and ".join(sorted({min(days), max(days)})) if days else "never"
    busy = f", at a load of {min(loads):g} to {max(loads):g}" if loads else ""
    among = ", ".join(versions)
    others = f" (also {', '.join(sorted(earlier - days))})" if earlier - days else ""
    if here:
        where = "; ".join(sorted(machines))
        return f"{when}{others}, {where}{busy}; {among}:\n\n{table(HEAD, lines)}\n"
    said = f"""Processor time, medians of interleaved runs (for 128 queens means over five seeds), {when},
{"; ".join(sorted(machines))}{busy};
{among}.
Unless its row says otherwise, cpqueens builds its model, solves it, reads the values and checks every
solution, which no peer does; a ratio below 1 means that it is faster.
For several days{others} the range of ratios is given. Rows where a peer is ahead come first.
`make docs-benchmarks` measures it again; [all rows, also those where peers are ahead](docs/benchmarks.md).

"""
    return f"{said}{table(HEAD, lines)}\n"


def _cells(row: Row, race: dict[str, Any]) -> list[str]:
    """Return our time, those of peers or that there is none, and ratios: of several days their range."""
    entries = {entry["name"]: entry for entry in race["entries"]}
    told, cells = [], []
    for short, name in row.peers.items():
        found = next((full for full in entries if full == name or name == full.split()[0]), None)
        told.append(f"{short}: not measured" if found is None else f"{short} {_ms(entries[found])}")
        if found is not None:
            cells.append(_standing_out(ratios(race, row.ours, found)))
    return [_ms(entries[row.ours]), ", ".join(told), ", ".join(cells)]


def _standing_out(ratios: list[float]) -> str:
    """Return a ratio or its range; one above 1 stands out."""
    return f"**{ranged(ratios)}**" if max(ratios) > 1 else ranged(ratios)


def _ms(entry: dict[str, Any]) -> str:
    return f"{'> ' if entry['ended'] else ''}{shortly(entry['ms'])}\N{NO-BREAK SPACE}ms"


def written(text: str) -> str:
    """Return README's text with the table as it was measured last."""
    return PLACE.sub(lambda found: f"{found[1]}{summary()}{found[2]}", text)


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
