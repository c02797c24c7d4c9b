"""Which solver likes a problem, of what ``tests/benchmarks/bench_likes.py`` measured."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from generating.tables import fenced, table

MEASURED = Path(__file__).parent.parent / "files" / "likes.json"
ALIKE = 2.0
"""Solvers within this factor of the fastest are named with it."""

QUESTIONS = {
    ("solve", False): ("one solution", "finds one soonest", "find one soonest"),
    ("solve", True): ("the best, proved", "proves the best soonest", "prove the best soonest"),
    ("count", False): ("how many", "counts soonest", "count soonest"),
}


@cache
def measured() -> dict[str, Any]:
    """Return all that was measured."""
    told: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return told


def section(name: str, best: bool) -> list[str]:
    """Return the paragraphs about a problem, with an objective if ``best``; none if it is not measured."""
    told = measured()
    found = told["problems"].get(name)
    if found is None:
        return []
    asked = {question: QUESTIONS[question, best] for question in found}
    solvers = list(dict.fromkeys(solver for runs in found.values() for solver in runs))
    rows = [
        [f"`{solver}`", *(_cell(runs.get(solver), best) for runs in found.values())] for solver in solvers
    ]
    libraries = ", ".join(f"{library} {version}" for library, version in told["versions"].items())
    return [
        "## Which solver is fastest",
        " ".join(_fastest(asked[question], runs) for question, runs in found.items()),
        table(("solver", *(head for head, _, _ in asked.values())), rows),
        f"Processor seconds on the instance above, {told['date']} ({libraries}), including building the "
        "model; `>` marks the time of a run that its limit of wall time ended, on a busy machine.",
        fenced("sh", f"python tests/benchmarks/bench_likes.py --only {name}"),
    ]


def soon(name: str, solvers: Iterable[str]) -> list[str]:
    """Return those of the solvers that answered the question that needs the whole space."""
    found = measured()["problems"].get(name, {})
    runs = found.get("count", found.get("solve", {}))
    return [solver for solver in solvers if solver in runs and runs[solver]["answered"]]


def _cell(run: dict[str, Any] | None, best: bool) -> str:
    if run is None:
        return "does not take it"
    if run["answered"]:
        return f"{run['seconds']:.3g}"
    gave_up = run["ended"] == "gave_up"
    spent = f"gave up after {run['seconds']:.2g}" if gave_up else f"> {run['seconds']:.2g}"
    found = "nothing" if run["value"] is None else f"{run['value']:,}"
    return f"{spent}; best {found}" if best else spent


def _fastest(asked: tuple[str, str, str], runs: dict[str, dict[str, Any]]) -> str:
    """Return a sentence about who answers soonest; `auto` is no solver of its own."""
    times = {s: run["seconds"] for s, run in runs.items() if run["answered"] and s != "auto"}
    if not times:
        return f"Nobody answered: {asked[0]}."
    least = min(times.values())
    alike = [s for s in sorted(times, key=times.__getitem__) if times[s] <= ALIKE * least]
    names = " and ".join(filter(None, [", ".join(f"`{s}`" for s in alike[:-1]), f"`{alike[-1]}`"]))
    return f"{names} {asked[1] if len(alike) == 1 else asked[2]}."
