"""Charts of what benchmarks kept (``--record docs/files/benchmarks``), with their commands."""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from generating.pictures import bars, columns, shown
from generating.tables import fenced, orphan, table

HERE = Path(__file__).parent
MEASURED = HERE.parent / "files" / "benchmarks"
SCRIPTS = HERE.parents[1] / "tests" / "benchmarks"

MOST = 30
"""Bars that are drawn of one chart; of more rows their ratios are counted."""
LISTED = 12
"""Rows that a table has where there are more than are drawn."""
PEERS = 5
"""Columns of peers that a table has; with more of them there is a row for each."""
RANGES = (0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 100)


def pages() -> dict[str, str]:
    """Return a page for each script, drawn from what it kept, and the table of them."""
    files = sorted(MEASURED.glob("*.json"))
    rows = [(f"[bench_{f.stem}.py](generated/benchmarks/{f.stem}.md)", _purpose(f.stem)) for f in files]
    back = "[Benchmarks](../../benchmarks.md)"
    pages = {f"benchmarks/{f.stem}.md": orphan(f"{back}\n\n{part(f)}\n") for f in files}
    return {**pages, "parts/measured.md": table(("script", "compares"), rows) + "\n"}


def part(path: Path) -> str:
    """Return what there is to show of one script."""
    told = json.loads(path.read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = told["rows"]
    races = sorted((_named(row) for row in rows if "entries" in row), key=lambda race: _worst(race) <= 1)
    tables = dict.fromkeys(row["table"] for row in rows if "table" in row)
    parts = [f"# bench_{path.stem}.py", _purpose(path.stem)]
    parts += _races(path.stem, races) if races else []
    for name in tables:
        parts += _cells(name, [row for row in rows if row.get("table") == name])
    return "\n\n".join([*parts, *_commands(told["runs"])])


def _purpose(name: str) -> str:
    """Return the first line of a script's documentation."""
    text = (SCRIPTS / f"bench_{name}.py").read_text(encoding="utf-8")
    return text.partition('"""')[2].partition("\n\n")[0].replace("\n", " ").strip()


def _commands(runs: list[dict[str, Any]]) -> list[str]:
    said = dict.fromkeys(
        f"On {run['date']}, {run['machine']}"
        + (f", load {run['load']:g}" if run["load"] is not None else "")
        + f"; {', '.join(f'{library} {version}' for library, version in run['versions'].items())}."
        for run in runs
    )
    return [*said, fenced("sh", "\n".join(dict.fromkeys(run["command"] for run in runs)))]


KLUEV = "--against ./nqueens{n} 1"
BUILT = {
    KLUEV: "Kluev's C++",
    **{
        f"--against ./{name} {{n}} -s {{seed}}": "Adaptive Search 1.2 in C"
        for name in ("costas", "magic-square", "all-interval")
    },
}
"""Whom the commands measure that `docs/benchmarks.md` names."""


def _named(race: dict[str, Any]) -> dict[str, Any]:
    """Return a race with built programs by their authors, and without a slow program beside Kluev's."""
    days = [race, *race.get("earlier", ())]
    if any(entry["name"] == KLUEV for entry in race["entries"]):
        days = [{**day, "entries": [e for e in day["entries"] if e["name"] != SLOW]} for day in days]
    renamed = [
        {**day, "entries": [{**e, "name": BUILT.get(e["name"], e["name"])} for e in day["entries"]]}
        for day in days
    ]
    return {**renamed[0], "earlier": renamed[1:]}


SLOW = "C, symmetry_classes"
"""Several times slower than Kluev's: what stands beside a count only where that is not measured."""


# ---- races ---------------------------------------------------------------------------------------------


def _races(name: str, races: list[dict[str, Any]]) -> list[str]:
    peers = dict.fromkeys(peer["name"] for race in races for peer in race["entries"][1:])
    parts = []
    if sum(len(race["entries"]) - 1 for race in races) <= MOST:
        charts: Iterable[tuple[str, Iterable[str]]] = [("the others", peers)]
    else:
        charts = [(peer, [peer]) for peer in peers]
    for against, some in charts:
        drawn = [
            (f"{race['job']}: {peer['name']}" if len(list(some)) > 1 else race["job"], _ratio(race, peer))
            for race in races
            for peer in race["entries"][1:]
            if peer["name"] in some
        ]
        title = f"processor time of the first over that of {against}, bench_{name}.py"
        if len(drawn) > MOST:
            parts += [_counted(drawn, title)]
        elif drawn:
            parts += [shown(bars([(job, float(f"{ratio:.2g}")) for job, ratio in drawn], title))]
        if drawn and len(peers) > 1 and len(list(some)) == 1:
            parts[-1] = f"The time of cpqueens over that of {against}:\n\n{parts[-1]}"
    return [*parts, _table_of(races, list(peers))]


def _ratio(race: dict[str, Any], peer: dict[str, Any]) -> float:
    return max(race["entries"][0]["ms"], 1e-6) / max(peer["ms"], 1e-6)


def _worst(race: dict[str, Any]) -> float:
    return max((_ratio(race, peer) for peer in race["entries"][1:]), default=0.0)


def _counted(drawn: list[tuple[str, float]], title: str) -> str:
    """Return how many rows have a ratio in which range, and the largest."""
    edges = [0.0, *RANGES, float("inf")]
    pairs = list(pairwise(edges))
    count = Counter(next(k for k, (low, high) in enumerate(pairs) if low <= r < high) for _, r in drawn)
    names = [
        f"below {high:g}" if low == 0 else f"from {low:g}" if high == float("inf") else f"{low:g} to {high:g}"
        for low, high in pairs
    ]
    first, last = min(count), max(count)
    rows = [(names[k], float(count[k])) for k in range(first, last + 1)]
    return f"{len(drawn)} jobs by their ratio:\n\n{shown(columns(rows, title))}"


def _table_of(races: list[dict[str, Any]], peers: list[str]) -> str:
    """Return the races as a table: a column for each peer, or a row where these are many."""
    said = ""
    if len(races) > MOST:
        said = f"The {LISTED} jobs where the ratio to a peer is largest:\n\n"
        races = sorted(races, key=_worst, reverse=True)[:LISTED]
    if len(peers) > PEERS:
        return said + _long_table(races)
    ours = dict.fromkeys(race["entries"][0]["name"] for race in races)
    head = ["job", f"{next(iter(ours))}, ms" if len(ours) == 1 else "cpqueens, ms"]
    head += [text for peer in peers for text in (f"{peer}, ms", "ratio")]
    body = []
    for race in races:
        first, *others = race["entries"]
        known = {other["name"]: other for other in others}
        line = [race["job"], _ms(first) if len(ours) == 1 else f"{first['name']} {_ms(first)}"]
        for peer in peers:
            other = known.get(peer)
            line += ["", ""] if other is None else [_ms(other), _told(race, other)]
        body.append(line)
    return said + table(head, body)


def _long_table(races: list[dict[str, Any]]) -> str:
    rows: list[tuple[str, ...]] = []
    for race in races:
        first, *others = race["entries"]
        told = (race["job"], first["name"], _ms(first))
        rows += [(*told, other["name"], _ms(other), _told(race, other)) for other in others]
        rows += [] if others else [(*told, "", "", "")]
    return table(("job", "cpqueens", "ms", "peer", "ms", "ratio"), rows)


def _ms(entry: dict[str, Any]) -> str:
    return f"{'> ' if entry['ended'] else ''}{shortly(entry['ms'])}"


def shortly(value: float) -> str:
    """Return a figure with three digits, and no sign of exponents."""
    return f"{float(f'{value:.3g}'):,.10g}"


def _told(race: dict[str, Any], peer: dict[str, Any]) -> str:
    """Return the ratio, of several days its range; where a limit ended it, on which side the truth lies."""
    ours = race["entries"][0]
    if ours["ended"] and peer["ended"]:
        return ""
    bound = "at least " if ours["ended"] else "at most " if peer["ended"] else ""
    return f"{bound}{ranged([_ratio(race, peer)] if bound else ratios(race, ours['name'], peer['name']))}"


def ratios(race: dict[str, Any], ours: str, peer: str) -> list[float]:
    """Return ours over a peer's of each day on which both came to their end, the last one first."""
    found = []
    for day in (race, *race.get("earlier", ())):
        known = {entry["name"]: entry for entry in day["entries"]}
        if {ours, peer} <= known.keys() and not (known[ours]["ended"] or known[peer]["ended"]):
            found.append(max(known[ours]["ms"], 1e-6) / max(known[peer]["ms"], 1e-6))
    return found


def ranged(ratios: list[float]) -> str:
    """Return a ratio, of several the least and the greatest."""
    ends = dict.fromkeys(f"{float(f'{r:.{3 if r >= 1 else 2}g}'):g}" for r in (min(ratios), max(ratios)))
    return " to ".join(ends)


# ---- tables --------------------------------------------------------------------------------------------


def _cells(name: str, rows: list[dict[str, Any]]) -> list[str]:
    heads = list(dict.fromkeys(column for row in rows for column in row["cells"]))
    body = [[row["job"], *(_cell(row["cells"].get(head)) for head in heads)] for row in rows]
    drawn = [
        (row["job"], float(row["cells"][row["bar"]]))
        for row in rows
        if row["bar"] and isinstance(row["cells"].get(row["bar"]), int | float)
    ]
    bar = next((row["bar"] for row in rows if row["bar"]), "")
    picture = [shown(columns(drawn, f"{name}: {bar}"))] if 1 < len(drawn) <= 2 * MOST else []
    said = f"{name[0].upper()}{name[1:]}" + (f" (drawn: {bar}):" if picture else ":")
    return [said, *picture, table(["", *heads], body)]


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else shortly(value)
