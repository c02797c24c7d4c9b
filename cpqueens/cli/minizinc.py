"""`cpqueens minizinc`: the solvers that MiniZinc can call, what they answer, and what installs them."""

import os
import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.solution import Solution
from cpqueens.backends import named
from cpqueens.backends.base import Feature
from cpqueens.cli.results import DONE, INTERRUPTED
from cpqueens.cli.terminal import say
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.exchange.flatzinc import ImportedFlatZinc, load_flatzinc
from cpqueens.exchange.flatzinc_searches import hint_of, parameters_of, unfollowed
from cpqueens.exchange.flatzinc_symbols import Output
from cpqueens.exchange.minizinc import configuration
from cpqueens.solving.request import named_solver
from cpqueens.solving.solve import STOP
from cpqueens.system import platforms
from cpqueens.system.stopping import Stopped, stopping
from cpqueens.text.bounded import label, reason_of
from cpqueens.text.plaintext import counted, shown

END_OF_SOLUTION = "----------"
MARKERS = {"INFEASIBLE": "=====UNSATISFIABLE=====", "UNKNOWN": "=====UNKNOWN====="}
COMPLETE = "=========="

_STATISTICS = {
    "nodes": "nodes",
    "branches": "nodes",
    "failures": "failures",
    "restarts": "restarts",
    "conflicts": "failures",
    "propagations": "propagations",
    "build_time": "initTime",
    "solve_time": "solveTime",
}
"""Ours, and what MiniZinc calls them."""


def _left(milliseconds: int) -> float:
    """Return the seconds that are left of a limit, which counts from the start of the program."""
    return milliseconds / 1000 - platforms.process_age()


def _understood(solver: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the solver has something for: MiniZinc passes on all that it was told."""
    if solver == "auto":
        return dict(options)
    _, backend, strategy = named_solver(solver)
    needed = {"random_seed": Feature.SEED, "num_workers": Feature.WORKERS, "hint": Feature.HINT}
    known = {"time_limit", *(name for name, feature in needed.items() if feature in backend.features)}
    known.update(named.parameters_of(backend, strategy))
    return {name: v for name, v in options.items() if name in known}


def _say_unfollowed(names: list[str], verbose: bool) -> None:
    """Say once what annotations ask for in vain: that they do, or what it is."""
    if names:
        what = ", ".join(names) if verbose else f"{counted(len(names), 'thing')}, which -v names"
        say(f"% not followed of the search annotations: {what}", err=True)


class SolutionPrinter:
    """Prints each solution once, as far as it is written out: others may differ in what is not."""

    def __init__(self, imported: ImportedFlatZinc) -> None:
        self.imported = imported
        self.limit: int | None = None
        self.printed = 0
        self.last: str | None = None
        shown = {v for o in imported.outputs for item in o.items for v in item.variable_list}
        hidden = not shown.issuperset(imported.model.decisions.tolist())
        self.seen: set[str] | None = set() if hidden and imported.model.objective is None else None

    def __call__(self, solution: Solution) -> object:
        """Print a solution; say when there are enough."""
        text = "".join(written(output, solution) for output in self.imported.outputs) + END_OF_SOLUTION
        if self.seen is None or text not in self.seen:
            if self.seen is not None:
                self.seen.add(text)
            say(text)
            self.last = text
            self.printed += 1
        return STOP if self.printed == self.limit else None

    def end(self, outcome: Outcome) -> None:
        """Print the solution if it was not printed, and what was proved."""
        listed = self.printed and self.imported.model.objective is None
        if outcome.solution is not None and not listed:
            text = "".join(written(output, outcome.solution) for output in self.imported.outputs)
            if text + END_OF_SOLUTION != self.last:
                self(outcome.solution)
        if not self.printed and outcome.status in MARKERS:
            say(MARKERS[str(outcome.status)])
        elif outcome.complete:
            say(COMPLETE)


def written(output: Output, solution: Solution) -> str:
    """Return a variable, or an array with its index sets, as lines of FlatZinc's output."""
    values = [int(solution[item]) for item in output.items]
    texts = [("false", "true")[v] for v in values] if output.is_bool else [str(v) for v in values]
    if output.indices is None:
        return f"{output.name} = {texts[0]};\n"
    sets = ", ".join(f"{s.start}..{s.stop - 1}" for s in output.indices)
    return f"{output.name} = array{len(output.indices)}d({sets}, [{', '.join(texts)}]);\n"


def _print_statistics(outcome: Outcome, printer: SolutionPrinter, seconds: float) -> None:
    """Print what MiniZinc reads as statistics."""
    found: dict[str, Any] = {"solutions": printer.printed, "time": f"{seconds:.3f}"}
    for ours, theirs in _STATISTICS.items():
        value = outcome.statistics.get(ours)
        if isinstance(value, int | float):
            found[theirs] = f"{value:.3f}" if isinstance(value, float) else value
    if outcome.objective is not None:
        found["objective"] = outcome.objective
        found["objectiveBound"] = outcome.bound
    for name, value in found.items():
        if value is not None:
            say(f"%%%mzn-stat: {name}={value}")
    say("%%%mzn-stat-end")


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
        for name, (solver, description, flags) in SOLVERS.items():
            program = str(_write_program(place.absolute(), name))
            tags = ["int"] if solver == "local-search" else ["cp", "int"]
            text = configuration(name, description=description, executable=program, tags=tags, stdFlags=flags)
            (place / f"{name}.msc").write_text(text, encoding="utf-8")
            say(f"written    {place / f'{name}.msc'}")
    except (OSError, ValueError) as error:
        raise ModelError(f"--dir {label(place)}: {reason_of(error)}") from None
    if folder:
        say("MiniZinc looks there if MZN_SOLVER_PATH names the folder")
    say("try        minizinc --solver cpqueens model.mzn")
    return DONE


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
@click.option("-t", "milliseconds", type=click.IntRange(1), metavar="MS", help="time limit, with reading")
@click.option("-r", "random_seed", type=click.IntRange(0, 2**31 - 1), metavar="SEED")
@click.option("-p", "num_workers", type=click.IntRange(1), metavar="N", help="threads")
@click.option("-s", "statistics", is_flag=True, help="print statistics")
@click.option("-v", "verbose", is_flag=True, help="report progress on standard error")
def solve(
    path: str,
    *,
    solver: str,
    all_solutions: bool,
    intermediate: bool,
    number: int | None,
    free: bool,
    milliseconds: int | None,
    statistics: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Solve a FlatZinc model and print checked solutions in the format of MiniZinc."""
    started = time.monotonic()
    try:
        follows = not free and solver.partition(":")[0] in ("auto", "backtracking")
        reading = stopping(lambda: milliseconds is not None and _left(milliseconds) <= 0)
        imported = reading.run(lambda: load_flatzinc(path, searched_first=follows))
        options = {name: value for name, value in given.items() if value is not None}
        if milliseconds is not None:
            options["time_limit"] = max(_left(milliseconds), 1e-6)
        listing = imported.model.objective is None and (all_solutions or (number or 1) > 1)
        guided = {"hint": hint_of(imported, imported.guides)} | (
            {} if free else parameters_of(imported, imported.guides, listing)
        )
        _say_unfollowed([] if free else unfollowed(imported.guides), verbose)
        if verbose:
            say(f"% {imported.model.scope_text()}; {solver} {shown(guided, 500)}", err=True)
        printer = SolutionPrinter(imported)
        wants_better = all_solutions or intermediate
        options = _understood(solver, options | {name: value for name, value in guided.items() if value})
        if imported.model.objective is not None:
            outcome = imported.model.solve(
                solver, on_improvement=printer if wants_better else None, **options
            )
        elif listing:
            printer.limit = None if all_solutions else number
            outcome = imported.model.enumerate(printer, solver, **options)
        else:
            outcome = imported.model.solve(solver, **options)
    except Stopped:  # while the model was read
        say(MARKERS["UNKNOWN"])
        return DONE
    except CpqueensError:
        say("=====ERROR=====")
        raise
    printer.end(outcome)
    if imported.model.assumed:
        say(f"% {imported.model.assumed}", err=True)
    if statistics:
        _print_statistics(outcome, printer, time.monotonic() - started)
    return INTERRUPTED if outcome.stop_reason == "interrupted" else DONE
