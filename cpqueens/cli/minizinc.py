"""`cpqueens minizinc`: the solvers that MiniZinc can call, and what installs them."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from cpqueens.cli.exits import DONE
from cpqueens.cli.terminal import say
from cpqueens.errors import ModelError
from cpqueens.text.bounded import label, reason_of

SOLVERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "cpqueens": ("auto", "cpqueens, exact", ("-a", "-f", "-i", "-n", "-p", "-r", "-s", "-t", "-v")),
    "cpqueens-cpsat": ("cpsat", "cpqueens by CP-SAT", ("-a", "-f", "-i", "-n", "-p", "-r", "-s", "-t", "-v")),
    "cpqueens-ls": ("local-search", "cpqueens, local search", ("-f", "-i", "-r", "-s", "-t", "-v")),
}
"""By the name that MiniZinc calls it: the solver, what it is called, and what it can be told."""


@click.group(invoke_without_command=False)
def command() -> None:
    """Install cpqueens as a solver of MiniZinc, and solve FlatZinc."""


@command.command("install")
@click.option("--dir", "folder", metavar="FOLDER", help="default: ~/.minizinc/solvers, where MiniZinc looks")
def install(folder: str | None) -> int:
    """Write the configurations and the programs that MiniZinc needs to start cpqueens."""
    place = Path(folder) if folder else Path.home() / ".minizinc" / "solvers"
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name in SOLVERS:
            program = _write_program(place.absolute(), name)
            text = json.dumps(_configuration(name, program), indent=2) + "\n"
            (place / f"{name}.msc").write_text(text, encoding="utf-8")
            say(f"written    {place / f'{name}.msc'}")
    except (OSError, ValueError) as error:
        raise ModelError(f"--dir {label(place)}: {reason_of(error)}") from None
    if folder:
        say("MiniZinc looks there if MZN_SOLVER_PATH names the folder")
    say("try        minizinc --solver cpqueens model.mzn")
    return DONE


def _configuration(name: str, program: Path) -> dict[str, Any]:
    """Return what MiniZinc is told of a solver."""
    from importlib.metadata import version

    import cpqueens.exchange

    solver, description, flags = SOLVERS[name]
    exact = [] if solver == "local-search" else ["cp"]
    return {
        "id": f"org.cpqueens.{name}", "name": name, "description": description,
        "version": version("cpqueens"),
        "mznlib": str(Path(cpqueens.exchange.__file__).absolute().with_name("mznlib")),
        "executable": str(program), "tags": [*exact, "int"], "stdFlags": list(flags), "supportsMzn": False,
        "supportsFzn": True, "needsSolns2Out": True, "needsMznExecutable": False, "needsStdlibDir": False,
        "isGUIApplication": False,
    }  # fmt: skip


def _write_program(place: Path, name: str) -> Path:
    """Write what starts the solver: configurations name a program, and no arguments of it."""
    words = [sys.executable, "-m", "cpqueens", "minizinc", "solve", "--solver", SOLVERS[name][0]]
    if os.name == "nt":
        program = place / f"fzn-{name}.bat"
        program.write_text("@" + " ".join(f'"{w}"' for w in words) + " %*\r\n", encoding="utf-8")
        return program
    program = place / f"fzn-{name}"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return program


@command.command("solve")
@click.argument("path", metavar="MODEL.FZN")
@click.option("--solver", default="auto", show_default=True, help="backend or backend:strategy")
@click.option("-a", "all_solutions", is_flag=True, help="all solutions; with an objective, each better one")
@click.option("-i", "intermediate", is_flag=True, help="print each better solution")
@click.option("-n", "number", type=click.IntRange(1), metavar="K", help="stop after K solutions")
@click.option("-f", "free", is_flag=True, help="free search: ignore the search annotations of the model")
@click.option(
    "-t",
    "milliseconds",
    type=click.IntRange(1),
    metavar="MS",
    help="time limit, including reading",
)
@click.option("-r", "random_seed", type=click.IntRange(0, 2**31 - 1), metavar="SEED")
@click.option("-p", "num_workers", type=click.IntRange(1), metavar="N", help="threads")
@click.option("-s", "statistics", is_flag=True, help="print statistics")
@click.option("-v", "verbose", is_flag=True, help="report progress on standard error")
def solve(path: str, **options: Any) -> int:
    """Solve a FlatZinc model and print checked solutions in the format of MiniZinc."""
    from cpqueens.cli.minizinc_answers import answer

    return answer(path, **options)
