"""`cpqueens evaluate`: heuristics run many times, every answer checked, with the statistics of their runs."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from cpqueens.cli import options as shared
from cpqueens.cli.durable import announced
from cpqueens.cli.terminal import Standing, progress, say, width_of_output
from cpqueens.crosscheck.external import External
from cpqueens.errors import ModelError
from cpqueens.lab import evaluation_text
from cpqueens.lab.evaluate import evaluate
from cpqueens.lab.evaluation import Evaluation, form_of
from cpqueens.lab.making import Progress
from cpqueens.problems.catalog import find, load
from cpqueens.system.requirements import need
from cpqueens.text.parameters import parse_assignments
from cpqueens.text.plaintext import shown


@click.command("evaluate")
@shared.model_arguments
@click.option(
    "--solver", "solvers", multiple=True, metavar="'NAME [OPTION=VALUE]...'", help="a solver or strategy"
)
@click.option("--heuristic", multiple=True, metavar="FILE.py:FUNCTION", help="f(model, seed, time_limit)")
@click.option("--external", multiple=True, metavar="'CMD ARG'", help="a command that speaks JSON lines")
@click.option("--sizes", metavar="A,B,...", help="values of the first parameter, or NAME=A,B,...")
@click.option("--runs", type=int, default=100, show_default=True, metavar="N", help="of each, on each size")
@click.option("--seed", type=int, default=0, show_default=True, metavar="SEED", help="first seed")
@shared.time_option("limit for each run")
@click.option("--step-limit", type=int, metavar="STEPS", help="for each run of a solver that counts steps")
@click.option(
    "--processes",
    "--workers",
    type=int,
    metavar="N",
    help="make runs in N processes, which can be stopped; default: 0, or 1 with --heuristic",
)
@click.option("--store", "--record", metavar="RUN.DB", help="keep a ledger; the same command continues it")
@click.option("--cluster", metavar="ADDRESS", help="a dask.distributed scheduler for the runs")
@click.option(
    "--reference-time",
    type=float,
    metavar="SECONDS",
    help="limit for an exact solver to find all solutions; 0: skip it; default: 2 s of processor time",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="cost of a run: steps, evaluations, restarts, processor_seconds, or other counts of solvers, such "
    "as anneals, attempts, nodes",
)
@shared.required_rate
@click.option("--out", type=shared.PLACE, multiple=True, help="a report as .html, .json or .csv (runs only)")
@shared.json_option
def command(model: str, parameters: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Run heuristics on MODEL many times: success rate, speed, missed solutions."""
    for path in options["out"]:
        _check_report(path)
    found = _evaluated(model, parameters, options)
    if as_json:
        click.echo(found.to_json())
    else:
        say(evaluation_text.text(found, width_of_output()))
    for path in options["out"]:
        found.write(path)
    return found.exit_code(options["require"])


def _check_report(path: str) -> None:
    """Refuse a report that cannot be written, before the first run."""
    form_of(Path(path))
    if path.lower().endswith(".html"):
        need("matplotlib", "matplotlib")


def _evaluated(model: str, assignments: tuple[str, ...], options: dict[str, Any]) -> Evaluation:
    """Return the evaluation, with progress meanwhile."""
    problem, sizes, parameters = _problem(model, assignments, options["sizes"])
    heuristics = _heuristics(options)
    processes, address = options["processes"], options["cluster"]
    if processes is not None and address is not None:
        raise ModelError("--cluster: has its own workers; leave out --processes")
    if processes is None and options["heuristic"] and address is None:
        processes = 1
    standing = Standing("evaluating", unit="runs", time_limit=options["time_limit"], since=None)

    def note(state: Progress) -> None:
        standing.solver, standing.done, standing.of = state.who, state.done, state.of
        standing.first, standing.began = state.first, state.began
        standing.said = f"{state.rate:.3g} a second"

    with ExitStack() as until_done:
        executor = None if address is None else until_done.enter_context(announced(address))[0]
        until_done.enter_context(progress(standing, keeping=True))
        return evaluate(
            heuristics, problem, sizes, options["runs"], parameters=parameters, seed=options["seed"],
            time_limit=options["time_limit"], step_limit=options["step_limit"], processes=processes,
            executor=executor, record=options["store"], reference_time=options["reference_time"],
            progress=note, measures=options["measures"] or None,
        )  # fmt: skip


def _problem(model: str, assignments: tuple[str, ...], sizes: str | None) -> tuple[Any, Any, Any]:
    """Return problem, sizes and parameters."""
    if sizes is None:
        return load(model, assignments), None, None
    if model.lower().endswith(".json"):
        raise ModelError("--sizes: a model file has no parameters")
    problem = find(model)
    name, equals, listed = sizes.partition("=")
    if not equals:
        name, listed = next(iter(problem.parameters), ""), sizes
    if name not in problem.parameters:
        raise ModelError(f"--sizes: {problem.name} has no parameter {shown(name)}")
    values = [problem.parameters[name].parse("--sizes", part) for part in listed.split(",") if part]
    return problem, {name: values}, parse_assignments(problem.parameters, assignments)


def _heuristics(options: dict[str, Any]) -> list[Any]:
    """Return everyone who is evaluated."""
    found: list[Any] = []
    for text in options["solvers"]:
        name, *given = text.split() or [""]
        found.append((name, shared.own_parameters(name, given)) if given else name)
    found += options["heuristic"]
    found += [External(words) for words in shared.commands(options["external"])]
    if not found:
        raise ModelError("--solver, --heuristic or --external: name something to evaluate")
    return found
