"""A page for each solver, with its strategies, their replays and run-time distributions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from cpqueens.backends import named
from generating import pictures
from generating.tables import table, toctree

EXACT = ("cpsat", "python-constraint", "backtracking")
OWN = ("backtracking", "local-search", "las-vegas")
CHANCE = ("local-search", "las-vegas")
"""Solvers whose runs take different times by chance."""


def pages(folder: Path) -> dict[str, str]:
    """Return a page for each solver, with its strategies."""
    pages, rows = {}, []
    replays = folder / "extra" / "replays"
    replays.mkdir(parents=True)
    for solver in named.available():
        done = subprocess.run(
            [sys.executable, "-m", "cpqueens", "strategies", solver, "--json"],
            capture_output=True, check=True,
        )  # fmt: skip
        told = json.loads(done.stdout)["strategies"]
        recorded = [e["name"] for e in told if solver in OWN and _recorded(e["name"], replays)]
        pages[f"solvers/{solver}.md"] = _solver(solver, told, recorded)
        claims = "infeasible, optimal, all" if solver in EXACT else "a solution, or the best found"
        rows.append((f"[`{solver}`]({solver}.md)", told[0]["summary"], claims, str(len(told) - 1)))
    index = (
        f"# Solvers and strategies\n\n{table(('solver', 'what it is', 'may claim', 'strategies'), rows)}\n\n"
    )
    return {**pages, "solvers/index.md": index + toctree(named.available()) + "\n"}


def _recorded(name: str, replays: Path) -> bool:
    """Write a run on 8 queens as a page; say whether there is one: not all are for queens, or recorded."""
    out = replays / f"{name.replace(':', '-')}.html"
    words = [sys.executable, "-m", "cpqueens", "replay", "queens", "n=8", "--solver", name, "--out", str(out)]
    subprocess.run([*words, "--time-limit", "10"], capture_output=True, check=False)
    return out.exists()


def _solver(solver: str, told: list[dict[str, Any]], recorded: list[str]) -> str:
    parts = [f"# {solver}"]
    for entry in told:
        if entry["name"] != solver:
            parts.append(f"## {entry['name']}")
        parts.append(entry["summary"])
        parts += [entry["note"].capitalize() + "."] if entry["note"] else []
        if entry["options"]:
            options = [
                (f"`{key}`", "" if o["default"] is None else f"`{o['default']}`", o["allowed"], o["meaning"])
                for key, o in entry["options"].items()
            ]
            parts.append(table(("option", "default", "allowed", "meaning"), options))
        parts += [f"Source: {entry['source']}"] if entry["source"] else []
        if entry["name"] in recorded:
            page = f"../../replays/{entry['name'].replace(':', '-')}.html"
            parts.append(f'<a href="{page}">Watch a run on 8 queens</a>')
            if solver in CHANCE:
                parts += filter(None, [pictures.run_lengths(entry["name"])])
    return "\n\n".join(parts) + "\n"
