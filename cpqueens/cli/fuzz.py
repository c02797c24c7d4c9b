"""`cpqueens fuzz`: random tiny models on every backend against brute force."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cpqueens.cli.durable import durable_given, stored
from cpqueens.cli.options import json_option, store_options
from cpqueens.cli.results import echo_document
from cpqueens.cli.terminal import Standing, progress, say
from cpqueens.crosscheck.report import plain
from cpqueens.errors import ModelError
from cpqueens.fuzzing.fuzz import fuzz
from cpqueens.report.outputfile import write_whole


@click.command()
@click.option("--models", type=int, default=2000, show_default=True, metavar="N", help="how many models")
@click.option("--seed", type=int, default=0, show_default=True, help="the same seed gives the same models")
@click.option("--solvers", metavar="A,B,...", help="default: every installed backend")
@click.option(
    "--processes", "--workers", type=int, metavar="N", help="child processes, by default 2; 0 for none"
)
@click.option("--only", type=int, metavar="INDEX", help="run one model of the series again")
@click.option("--seconds", type=float, metavar="S", help="start no further models after this time")
@click.option("--out", type=click.Path(file_okay=False), help="folder for the shrunk models of failures")
@store_options
@json_option
def command(solvers: str | None, as_json: bool, out: str | None, **options: Any) -> int:
    """Compare several solvers with an exhaustive oracle on random small models."""
    if out is not None:
        _folder(out)
    store, processes = options.pop("store"), options.pop("processes")
    durable = durable_given(store, options)
    with stored(durable, processes) as given:
        named = [s for s in solvers.split(",") if s] if solvers is not None else None
        report = _fuzzed(named, {**options, **given})
    if as_json:
        echo_document("fuzz", **_document(report))
    else:
        say(str(report))
        if store is not None and report.models < options["models"]:
            say("resume by the same command")
    if out is not None:
        _write_models(report, out)  # last: what was found must not be lost with the files
    return int(report.exit_code)


def _fuzzed(solvers: list[str] | None, options: dict[str, Any]) -> Any:
    """Return the report, with progress meanwhile."""
    standing = Standing("fuzzing", unit="models", of=options["models"])

    def note(models: int, of: int, failures: int) -> None:
        standing.done, standing.of = models, of
        standing.said = f"{failures:,} failures" if failures else ""

    with progress(standing, keeping=True):
        return fuzz(solvers=solvers, progress=note, **options)


def _document(report: Any) -> dict[str, Any]:
    data = plain(replace(report, coverage={}, asked={}))  # whose keys are tuples
    data["coverage"] = [
        {"kind": kind, "context": context, "solver": solver, "hits": hits}
        for (kind, context, solver), hits in sorted(report.coverage.items())
    ]
    data["asked"] = [
        {"what": what, "solver": solver, "times": times}
        for (what, solver), times in sorted(report.asked.items())
    ]
    return {"version": data.pop("schema"), "exit_code": report.exit_code, **data}


def _folder(name: str) -> None:
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(f"--out {name}: {error.strerror or error}") from None


def _write_models(report: Any, folder: str) -> None:
    for k, failure in enumerate(report.failures):
        if failure.model:
            write_whole(Path(folder) / f"{k:03d}-{failure.code}-{failure.accused}.json", failure.model)
