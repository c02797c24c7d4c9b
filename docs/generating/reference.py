"""Tables of the reference that the code knows: trace events, statistics, exit codes, documents and files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner

from cpqueens.answers.named_statistics import OWN, PIPELINE, SEARCH
from cpqueens.answers.outcome import Status, StopReason
from cpqueens.answers.trace import EVENTS
from cpqueens.cli import main as cli
from cpqueens.cli.results import MEANINGS
from cpqueens.crosscheck.findings import Code
from cpqueens.files.schema import Document
from cpqueens.problems import catalog
from generating.tables import fenced, folded, table

ASKED: dict[str, tuple[str, ...]] = {
    "list": (),
    "solve": ("queens", "n=6"),
    "enumerate": ("queens", "n=6"),
    "count": ("queens", "n=6"),
    "check": ("queens", "n=4", "2413"),
    "sample": ("queens", "n=6"),
    "compare": ("queens", "queens", "n=4"),
    "cross-check": ("queens", "n=4", "--solvers", "cpsat,backtracking,las-vegas", "--seeds", "2"),
    "evaluate": ("queens", "n=6", "--solver", "las-vegas", "--runs", "5"),
    "strategies": ("las-vegas",),
    "fuzz": ("--models", "2"),
    "doctor": (),
}
"""What is asked of each verb whose document is shown; all print one with ``--json``."""
REFUSED = ("solve", "queens", "n=-1")
DEEPEST = 3


def pages() -> dict[str, str]:
    """Return parts of pages."""
    changes = (Path(__file__).parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    return {
        "changes.md": changes,
        "outcomes.md": f"{_outcomes()}\n\n{_statistics()}\n",
        "parts/events.md": table(("event", "means"), [(f"`{k}`", v) for k, v in EVENTS.items()]) + "\n",
        "parts/exit_codes.md": _exit_codes() + "\n",
        "parts/documents.md": "\n\n".join(_documents()) + "\n",
        "parts/model_schema.md": folded("The schema", fenced("json", json.dumps(_model_schema(), indent=1)))
        + "\n",
    }


def _exit_codes() -> str:
    plain = [(code, "", meaning) for code, meaning in MEANINGS.items()]
    kinds = [(code.exit_code, f"`{code}`", code.meaning) for code in Code]
    rows = [(str(code), name, meaning) for code, name, meaning in sorted(plain + kinds)]
    return table(("code", "kind", "means"), rows)


STATUSES = {
    Status.OPTIMAL: "a solution, and a proof that none is better",
    Status.FEASIBLE: "a solution; with an objective: the best found",
    Status.INFEASIBLE: "a proof that there is no solution",
    Status.UNKNOWN: "nothing was found, and nothing is proved",
}


def _outcomes() -> str:
    """Return what an outcome says, and what it says of eight queens on some solvers."""
    reasons = ", ".join(f"`{reason}`" for reason in StopReason)
    shown = []
    for solver in ("backtracking", "cpsat", "local-search"):
        outcome = catalog.load("queens", ["n=8"]).model.solve(solver=solver, random_seed=1)
        shown += [solver, *(f"    {name} = {str(v)[:70]}" for name, v in sorted(outcome.statistics.items()))]
    return f"""# Outcomes and statistics

{table(("status", "means"), ((f"`{status}`", meaning) for status, meaning in STATUSES.items()))}

`outcome.complete` says whether the whole space was searched, `outcome.stop_reason` why the run ended:
{reasons}.
See [limits and status](../solving/options.md) and [`Outcome`](reference/Outcome.md).

`outcome.statistics` has the measurements of a run. An example for eight queens:

{folded("Statistics of three solvers", fenced("text", chr(10).join(shown)))}"""


def _statistics() -> str:
    tables = {"Every run": PIPELINE, "Searches": SEARCH, **{f"`{who}`": names for who, names in OWN.items()}}
    return "\n\n".join(
        f"## {title.replace('`a hand-over`', 'A hand-over')}\n\n"
        + table(("name", "means"), ((f"`{name}`", meaning) for name, meaning in names.items()))
        for title, names in tables.items()
    )


# ---- documents -----------------------------------------------------------------------------------------


def _documents() -> Iterator[str]:
    """Yield for each verb the outline of a document that it just printed."""
    asked = {verb: (verb, *words) for verb, words in ASKED.items()}
    for title, words in {**asked, "an error": REFUSED}.items():
        done = CliRunner().invoke(cli.main, [*words, "--json"])
        document = json.loads(done.stdout)
        said = fenced("sh", f"cpqueens {' '.join(words)} --json")
        yield folded(f"<code>{title}</code>", f"{said}\n\n{fenced('text', chr(10).join(_outline(document)))}")


def _outline(value: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Yield each field with its kind, and of objects within what they have."""
    for name, inner in value.items():
        yield f"{indent}{name}: {_kind(name, inner)}"
        first = inner[0] if isinstance(inner, list) and inner else inner
        if isinstance(first, dict) and len(indent) < 2 * DEEPEST:
            yield from _outline(first, indent + "  ")


def _kind(name: str, value: Any) -> str:
    if name in ("schema", "version"):
        return json.dumps(value)
    names = {dict: "object", list: "list", str: "text", bool: "true or false", int: "whole number"}
    if isinstance(value, list) and value:
        return f"list of {_kind('', value[0])}"
    return "null here" if value is None else names.get(type(value), "number")


def _model_schema() -> dict[str, Any]:
    return msgspec.json.schema(Document)
