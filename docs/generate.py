"""Pages made from the registries: constraints, solvers, the gallery, the command line.

What a registry knows is written nowhere else, so that no page says what is no longer so.
"""

import doctest
import inspect
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import pictures

import cpqueens
from cpqueens import Model
from cpqueens.answers.outcome import Solution
from cpqueens.answers.trace import EVENTS
from cpqueens.backends import named
from cpqueens.cli import main as cli
from cpqueens.language.constraints.kinds import KINDS, kind_class
from cpqueens.lowered.lowering import Scratch
from cpqueens.problems import catalog
from cpqueens.report.formats import render
from cpqueens.report.gallery import statement_of

EXACT = ("cpsat", "python-constraint", "backtracking")
OWN = ("backtracking", "local-search", "las-vegas")
CHANCE = ("local-search", "las-vegas")
"""Solvers whose runs take different times by chance."""


def write_all(folder: Path) -> None:
    """Write all generated pages afresh."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in {
        **_constraints(),
        **_solvers(folder),
        **_gallery(),
        **_command_line(),
        **_drawn(),
        **_events(),
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _toctree(names: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```"])


# ---- constraints ---------------------------------------------------------------------------------------


def _constraints() -> dict[str, str]:
    """Return the page of all kinds: meaning, what they are made of, who has them natively."""
    kinds = [_constraint(name) for name in KINDS]
    meanings, natives = [row[:2] for row in kinds], [[row[0], *row[2:]] for row in kinds]
    text = f"""# Constraints

What each kind means is the first line of its documentation ([all of it](../reference/names.md)). *Native*
is what a solver takes as it is, in the example of that documentation; *rewritten* is what it is given in
simpler kinds. Both own engines take some whole, and read the rest from one lowered form. All kinds may be
negated, implied, and added up as truths.

{_table(("kind", "meaning"), meanings)}

## Who has it natively

{_table(("kind", "made of", *EXACT), natives)}
"""
    return {"constraints.md": text}


def _constraint(name: str) -> list[str]:
    kind = kind_class(name)
    summary = (inspect.getdoc(kind) or "").split("\n\n")[0].split("\n")[0].replace("``", "`")
    found = _example(name, kind)
    if found is None:  # posting it posts its parts
        return [f"`{name}`", summary, "its parts", *("its parts" for _ in EXACT)]
    return [f"`{name}`", summary, _made_of(*found), *(_how(*found, solver) for solver in EXACT)]


def _example(name: str, kind: type) -> tuple[Model, int] | None:
    """Return the model of the example in a kind's documentation, and where in it the kind stands."""
    space: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(kind) or ""):
        exec(example.source, space)
        for model in [m for m in space.values() if isinstance(m, Model)]:
            for position, posted in enumerate(model.constraints):
                if posted.constraint.kind == name:
                    return model, position
    return None


def _made_of(model: Model, position: int) -> str:
    parts = model.constraints[position].constraint.decompose(Scratch(model))
    return ", ".join(dict.fromkeys(f"`{part.kind}`" for part in parts)) or "itself"


def _how(model: Model, position: int, solver: str) -> str:
    how = model.solve(solver=solver).statistics["constraints"]
    return "rewritten" if how[position] == "decomposed" else "native"


# ---- solvers -------------------------------------------------------------------------------------------


def _solvers(folder: Path) -> dict[str, str]:
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
        f"# Solvers and strategies\n\n{_table(('solver', 'what it is', 'may claim', 'strategies'), rows)}\n\n"
    )
    return {**pages, "solvers/index.md": index + _toctree(named.available()) + "\n"}


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
            parts.append(_table(("option", "default", "allowed", "meaning"), options))
        parts += [f"Source: {entry['source']}"] if entry["source"] else []
        if entry["name"] in recorded:
            page = f"../../replays/{entry['name'].replace(':', '-')}.html"
            parts.append(f'<a href="{page}">Watch a run on 8 queens</a>')
            if solver in CHANCE:
                parts += filter(None, [pictures.run_lengths(entry["name"])])
    return "\n\n".join(parts) + "\n"


# ---- the gallery ---------------------------------------------------------------------------------------


_VIEWPOINTS = """## Which solver likes which viewpoint

Some problems can be stated in other variables with the same solutions (`viewpoint=`). The table is what
`tests/benchmarks/bench_viewpoints.py` wrote; `>` is how long a run had taken when its limit ended it.
The first viewpoint suits nearly all solvers best; CP-SAT counts the queens' Booleans as quickly, and both
viewpoints at once help `backtracking` to find one of Langford's rows.

```{include} ../../files/viewpoints.txt
```"""


def _gallery() -> dict[str, str]:
    """Return a page for each problem."""
    pages = {f"gallery/{name}.md": _problem(catalog.find(name)) for name in catalog.names()}
    rows = [(f"[{_title(name)}]({name}.md)", catalog.find(name).summary) for name in catalog.names()]
    parts = ["# Gallery", _table(("problem", "what is asked"), rows), _VIEWPOINTS, _toctree(catalog.names())]
    index = "\n\n".join(parts) + "\n"
    return {**pages, "gallery/index.md": index}


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _problem(problem: catalog.Problem) -> str:
    instance = problem.instance()
    solution = instance.model.solve(time_limit=20, random_seed=1).solution
    parts = [f"# {_title(problem.name)}", problem.description.partition("\n>>>")[0].strip()]
    if solution is not None:
        parts += ["A solution:", _picture(solution)]
    parts += ["```sh", f"cpqueens solve {problem.name}", f"cpqueens cross-check {problem.name}", "```"]
    parts += ["## The model", "```python", statement_of(problem.function).rstrip(), "```"]
    rows = [
        (p.what, ", ".join(f"{k}={v}" for k, v in p.parameters.items()), f"{p.value:,}", p.source)
        for p in problem.published
    ]
    if rows:
        parts += ["## Published values", _table(("of what", "for", "value", "source"), rows)]
    return _joined(parts) + "\n"


def _joined(parts: list[str]) -> str:
    """Return paragraphs; the lines of a fence stay together."""
    text = "\n\n".join(parts)
    return (
        text.replace("```sh\n\n", "```sh\n")
        .replace("```python\n\n", "```python\n")
        .replace("\n\n```\n", "\n```\n")
    )


def _picture(solution: Solution) -> str:
    try:
        return f'<div class="picture">\n{render(solution, "svg")}\n</div>'
    except cpqueens.ModelError:
        return f"```text\n{render(solution, 'board')}\n```"


# ---- pictures, and what is recorded -------------------------------------------------------------------


def _drawn() -> dict[str, str]:
    """Return pages, and parts of pages, that are pictures."""
    return {
        "boards.md": pictures.boards_page(),
        "parts/halves.md": pictures.halves_page(),
        "parts/ratios.md": pictures.ratios(Path(__file__).parent / "benchmarks.md"),
    }


def _events() -> dict[str, str]:
    """Return the table of what a trace may hold."""
    return {"parts/events.md": _table(("event", "means"), [(f"`{k}`", v) for k, v in EVENTS.items()]) + "\n"}


# ---- the command line ----------------------------------------------------------------------------------


def _command_line() -> dict[str, str]:
    """Return the help of every verb."""
    parts = ["# Command line", _help(cli.main, "cpqueens")]
    for verb in cli.VERBS:
        command = cli.main.get_command(click.Context(cli.main), verb)
        parts += [f"## {verb}", _help(command, f"cpqueens {verb}")]
        for name, inner in getattr(command, "commands", {}).items():
            parts += [f"### {verb} {name}", _help(inner, f"cpqueens {verb} {name}")]
    return {"command_line.md": "\n\n".join(parts) + "\n"}


def _help(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, max_content_width=96)
    return f"```text\n{command.get_help(context)}\n```"
