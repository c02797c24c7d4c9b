"""What benchmarks found, kept for the site: a file for each, which docs/generating/benchmarks.py draws.

With ``--record FOLDER`` (docs/files/benchmarks) a script puts its rows into ``FOLDER/NAME.json``, NAME being
its own without ``bench_``; a row takes the place of what the file had of the same job, so that a part of the
jobs can be measured afresh. The file has

* ``runs``: of each run that a row is from its date, command, versions, machine and load;
* ``rows``: of each job the number of its run, of a race what it had on ``earlier`` days, too, and either
  ``entries``, of a race (ours first, processor milliseconds, whether a limit ended it), or ``cells`` of the
  table of that name, where ``bar`` is the column that is drawn.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

LIBRARIES = ("cpqueens", "numpy", "numba", "ortools", "python-constraint2", "cpmpy", "nucs")
FOLDERS: list[Path] = []
"""Where rows go, if ``--record`` was given."""


class _Record(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        this_run()  # the load before it
        FOLDERS.append(values)


def recording(parser: argparse.ArgumentParser) -> None:
    """Let a script take ``--record``."""
    parser.add_argument(
        "--record", type=Path, action=_Record, metavar="FOLDER", help="keep the figures for the site, too"
    )


@cache
def this_run() -> dict[str, Any]:
    """Return what there is to say of this run."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": command_line(sys.argv),
        "versions": {"Python": platform.python_version(), **_versions()},
        "machine": f"{os.cpu_count()} processors, {_processor()}",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def command_line(words: list[str]) -> str:
    """Return the command that began this run, without where its rows go and where programs lie."""
    script, *rest = words
    while "--record" in rest:
        at = rest.index("--record")
        del rest[at : at + 2]
    forms = os.environ.get("CPQUEENS_KERNELS")
    told = shlex.join(["python", f"tests/benchmarks/{Path(script).name}", *map(without_folders, rest)])
    return f"CPQUEENS_KERNELS={forms} {told}" if forms else told


def without_folders(text: str) -> str:
    """Return a text without what stands before the last part of absolute paths, which is of this machine."""
    return re.sub(r"(?<![\w.])/(?:[^/\s]+/)+", "./", text)


def _versions() -> dict[str, str]:
    found = {}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    named = re.search(r"^model name\s*: (.*)$", told, re.M)
    return re.sub(r"\s+", " ", named.group(1)) if named else platform.machine()


def keep_race(job: str, entries: Mapping[str, tuple[float, bool]]) -> None:
    """Keep a race: of each who took part, ours first, processor seconds and whether a limit ended it."""
    told = [
        {"name": without_folders(name.strip()), "ms": _short(1000 * seconds), "ended": ended}
        for name, (seconds, ended) in entries.items()
    ]
    keep({"job": job, "entries": told})


def keep_cells(table: str, job: str, cells: Mapping[str, float | str | None], bar: str = "") -> None:
    """Keep a row of a table; ``bar`` is the column of numbers that is drawn, if there is one."""
    told = {name: _short(value) if isinstance(value, float) else value for name, value in cells.items()}
    keep({"table": table, "job": job, "cells": told, "bar": bar})


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def keep(row: dict[str, Any]) -> None:
    """Put a row into the file, if there is to be one, in the place of what it had of this job."""
    if not FOLDERS:
        return
    path = FOLDERS[-1] / f"{Path(sys.argv[0]).stem.removeprefix('bench_')}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"runs": [], "rows": []}
    runs, rows = known["runs"], known["rows"]
    if this_run() not in runs:
        runs.append(this_run())
    new = {"run": runs.index(this_run()), **row}
    places = [k for k, old in enumerate(rows) if _same(old, row)]
    if places:
        old = rows[places[0]]
        new |= {"earlier": found} if (found := _earlier(old, runs[old["run"]]["date"])) else {}
        rows[places[0]] = new
    else:
        rows.append(new)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_text(runs, rows), encoding="utf-8")


DAYS = 6


def _earlier(old: dict[str, Any], date: str) -> list[dict[str, Any]]:
    """Return the entries of a race on other days than this, the last first: what is measured again varies."""
    if "entries" not in old:
        return []
    days = [{"date": date, "entries": old["entries"]}, *old.get("earlier", ())]
    return [day for day in days if day["date"] != this_run()["date"]][:DAYS]


def _same(old: dict[str, Any], new: dict[str, Any]) -> bool:
    return (old.get("table"), old["job"]) == (new.get("table"), new["job"])


def _text(runs: list[dict[str, Any]], rows: list[dict[str, Any]]) -> str:
    """Return the file, a line for each row, without runs of which nothing is left."""
    used = [k for k in range(len(runs)) if any(row["run"] == k for row in rows)]
    for row in rows:
        row["run"] = used.index(row["run"])
    lines = [",\n".join(json.dumps(one) for one in part) for part in ([runs[k] for k in used], rows)]
    return f'{{"runs": [\n{lines[0]}\n], "rows": [\n{lines[1]}\n]}}\n'
