"""Objectives over time as pictures: `bench_heuristics.py --curves FILE`, drawn.

Run as ``python tests/benchmarks/curves.py FILE.jsonl PAGE.html`` for lines that were kept before; with a
name that ends in ``.html`` the benchmark itself writes the page. Each model with an objective has a picture.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from cpqueens.lab.evaluation_plots import incumbents
from cpqueens.lab.performance import anytime
from cpqueens.lab.runfile import RunRecord
from cpqueens.report import html

Line = Mapping[str, Any]
"""A run: row, party, seed, maximizing, seconds, and incumbents as pairs of seconds and objective."""


def record(line: Line) -> RunRecord:
    """Return a run as the laboratory knows it."""
    return RunRecord(
        heuristic=line["party"],
        problem=line["row"],
        seed=line["seed"],
        status="?",
        stop_reason="time_limit",
        wall_seconds=line["seconds"],
        incumbents=tuple((at, value) for at, value in line["incumbents"]),
    )


def page(lines: Iterable[Line]) -> str:
    """Return a page with a picture for each model of which some run has an objective."""
    rows: dict[str, dict[str, list[RunRecord]]] = {}
    maximizing = {}
    for line in lines:
        rows.setdefault(line["row"], {}).setdefault(line["party"], []).append(record(line))
        maximizing[line["row"]] = line["maximizing"]
    parts = []
    for number, (row, parties) in enumerate(rows.items()):
        found = [anytime(runs, maximizing[row]) for runs in parties.values()]
        curves = [curve for curve in found if curve is not None]
        if curves:
            picture = incumbents(f"curves-{number}", list(parties), curves)
            runs = ", ".join(f"{len(made)} of {party}" for party, made in parties.items())
            caption = f"{picture.caption} Runs: {runs}."
            parts.append(f"<h2>{escape(row)}</h2>\n{html.figure(picture.svg, caption)}")
    title = "Objectives over time"
    return html.page(title, f"<h1>{title}</h1>\n{''.join(parts)}")


def keep(file: Path, lines: list[Line], new: Iterable[Line]) -> None:
    """Add the runs on one model to those before, and write them: as a page, or as lines of JSON."""
    new = list(new)
    lines += new
    if file.suffix == ".html":
        file.write_text(page(lines), encoding="utf-8")
        return
    with file.open("a", encoding="utf-8") as kept:
        kept.writelines(json.dumps(line) + "\n" for line in new)


def main() -> None:
    """Draw a file of lines."""
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    lines, drawn = map(Path, sys.argv[1:])
    drawn.write_text(page(map(json.loads, lines.read_text(encoding="utf-8").splitlines())), encoding="utf-8")


if __name__ == "__main__":
    main()
