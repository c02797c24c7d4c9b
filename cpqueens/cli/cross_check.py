"""`cpqueens cross-check`: one model on several solvers, everything compared."""

import sys
import time
from typing import Any

import click
from click.core import ParameterSource

from cpqueens.backends.base import Want
from cpqueens.cli import options as shared, results
from cpqueens.cli.terminal import Standing, columns_of, progress, say, width_of_output
from cpqueens.crosscheck.crosscheck import cross_check
from cpqueens.crosscheck.external import External
from cpqueens.crosscheck.given import SolutionFile
from cpqueens.crosscheck.metamorphic import metamorphic
from cpqueens.crosscheck.participants import default_solvers
from cpqueens.crosscheck.report import plain, print_report, render_html, to_json
from cpqueens.errors import ModelError
from cpqueens.problems.catalog import Instance, find
from cpqueens.report.outputfile import write_whole
from cpqueens.solving.request import as_integer, choose
from cpqueens.system.interrupts import listening

BUNDLES = "cpqueens-bundles"


@click.command("cross-check")
@shared.model_arguments
@click.option(
    "--solvers", metavar="A,B,...", help="backend, backend:strategy, 'exhaustive'; default: all exact"
)
@click.option("--solutions", multiple=True, metavar="FILE", help="a file of solutions to compare")
@click.option("--external", multiple=True, metavar="'CMD ARG'", help="a command that speaks JSON lines")
@click.option("--heuristic", multiple=True, metavar="FILE.py:FUNCTION", help="f(model, seed, time_limit)")
@click.option("--seed", type=int, default=0, show_default=True, metavar="SEED", help="first seed")
@click.option("--seeds", type=int, default=1, show_default=True, metavar="N", help="runs of each heuristic")
@click.option(
    "--want", type=click.Choice(("auto", "all", "count", "best", "one")), default="auto", show_default=True
)
@shared.time_option("for each run; a Python function receives it, and counts as late if it takes longer")
@click.option(
    "--limit", "solution_limit", type=int, metavar="K", help="solutions asked of each exact backend"
)
@shared.optima_options
@click.option("--proof", is_flag=True, help="also check a proof step by step")
@click.option("--repeat", is_flag=True, help="run each twice with the same seed and compare")
@click.option("--isolate", is_flag=True, help="run each backend in a separate process")
@click.option(
    "--metamorphic", "relations", is_flag=True, help="compare each solver with itself on derived models"
)
@click.option(
    "--bundles", default=BUNDLES, show_default=True, metavar="FOLDER", help="for disagreements; '' for none"
)
@shared.required_rate
@click.option("--html", "page", type=shared.PLACE, help="write the report as a page")
@shared.json_option
def command(model: str, parameters: tuple[str, ...], as_json: bool, relations: bool, **options: Any) -> int:
    """Run MODEL on several solvers and compare their claims."""
    first, runs = as_integer(options["seed"], "--seed", 0), as_integer(options["seeds"], "--seeds")
    instance = shared.load(model, parameters)
    if relations:
        return _metamorphic(instance, as_json, options)
    report = _compared(instance, range(first, first + runs), options)
    if as_json:
        click.echo(to_json(report))
    else:
        _print(report)
    if options["page"]:
        write_whole(options["page"], render_html(report))  # last: what was found must not be lost with it
    return _exit_of(report, options["require"])


def _exit_of(report: Any, rate: float | None) -> int:
    """Return the exit code of a report, or of rates that are below a bound where nothing is worse."""
    code: int = report.exit_code
    if rate is None or code not in (results.DONE, results.LIMIT, results.BELOW):
        return code
    if any(not h.rate >= rate for h in report.heuristics):
        return results.BELOW
    return results.DONE if code == results.BELOW else code  # as many miss the optimum as may


_PASSED_ON = ("want", "gap", "time_limit", "solution_limit", "repeat", "isolate", "proof")


def _compared(instance: Instance, seeds: range, options: dict[str, Any]) -> Any:
    """Return the report of a cross-check, with progress meanwhile."""
    standing = Standing(instance.title, unit="solutions", time_limit=options["time_limit"])

    def note(solver: str, count: int, seconds: float) -> None:
        standing.solver, standing.done = solver, count
        standing.since = time.monotonic() - seconds

    with progress(standing, keeping=True):
        return cross_check(
            instance,
            _participants(options),
            seeds=seeds,
            optimal=bool(options["optimal"]),
            bundles=options["bundles"] or None,
            progress=note,
            **{name: options[name] for name in _PASSED_ON},
        )


def _print(report: Any) -> None:
    from rich.console import Console

    class Printer(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would exit with 1, which has a meaning here

    console = Printer(file=sys.stdout, highlight=False, width=width_of_output())
    print_report(report, console, columns_of(sys.stdout))


def _participants(options: dict[str, Any]) -> list[Any] | None:
    """Return everyone who takes part; None for the default."""
    chosen: list[Any] = _solvers(options)
    chosen += [External(words) for words in shared.commands(options["external"])]
    chosen += [find(text).function for text in options["heuristic"]]  # that FILE.py:FUNCTION names
    chosen += [SolutionFile(path) for path in options["solutions"]]
    return chosen


def _solvers(options: dict[str, Any]) -> list[str]:
    named: str | None = options["solvers"]
    return default_solvers() if named is None else [s for s in named.split(",") if s]


_OF_RELATIONS = frozenset(
    ("model", "parameters", "solvers", "seed", "want", "time_limit", "relations", "bundles", "as_json")
)
"""What can be said with ``--metamorphic``."""


def _metamorphic(instance: Instance, as_json: bool, options: dict[str, Any]) -> int:
    context = click.get_current_context()
    for option in context.command.params:
        is_given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if is_given and option.name not in _OF_RELATIONS:
            why = "which runs each solver with one seed, and compares it with itself"
            raise ModelError(f"{option.opts[0]}: not with --metamorphic, {why}")
    measures = {"auto": "auto", "all": "count", "count": "count", "best": "optimum", "one": "feasible"}
    solvers = _solvers(options)
    for solver in solvers:
        choose(instance.model, solver, Want.ONE)  # an unknown one is refused before the first runs
    with listening() as interrupt:
        reports = [
            metamorphic(
                instance.model,
                solver,
                measure=measures[options["want"]],
                time_limit=options["time_limit"],
                seed=options["seed"],
                symmetries=instance.symmetries(),
            )
            for solver in interrupt.until_seen(solvers)
        ]
    not_run = solvers[len(reports) :]
    if as_json:
        fields = {"solvers": plain(reports), "interrupted": interrupt.seen, "not_run": not_run}
        results.echo_document("metamorphic", **fields)
    else:
        lines = [*map(str, reports), *(f"{solver}: not run: interrupted" for solver in not_run)]
        say("\n".join(lines))
    broken = [r.exit_code for r in reports if r.disagreements]
    return min(broken) if broken else max((r.exit_code for r in reports), default=0)
