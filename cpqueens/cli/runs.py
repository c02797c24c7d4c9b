"""`cpqueens runs`: what is in a ledger, counting a sample again, and writing the results out."""

import csv
import json
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from cpqueens.cli.options import json_option
from cpqueens.cli.results import DONE, INTERRUPTED, LEDGER_CONFLICT, LIMIT, echo_document
from cpqueens.cli.terminal import Standing, progress, say
from cpqueens.longrun.coordinator import verify as again
from cpqueens.longrun.ledger import Ledger, Totals, listed
from cpqueens.longrun.partfiles import merge

_SHOWN = 10
_WORDS = {"count": ("solutions", "counted by"), "evaluate": ("solved", "made by"),
          "fuzz": ("failures", "examined on")}  # fmt: skip


@click.group(invoke_without_command=False)
def command() -> None:
    """Show, verify and export the ledger of a long run."""


@command.command("show")
@click.argument("store", metavar="RUN.DB")
@json_option
def show(store: str, as_json: bool) -> int:
    """Show the finished parts, the workers, the speed, and conflicts."""
    with closing(Ledger.open(Path(store))) as ledger:
        totals = ledger.totals()
        if as_json:
            echo_document("runs", **_fields(ledger, totals))
        else:
            say("\n".join(_lines(ledger, totals)))
    return exit_of(totals)


def exit_of(totals: Totals) -> int:
    """Return the exit code that a ledger deserves."""
    if not totals.is_sound:
        return LEDGER_CONFLICT
    return DONE if totals.complete else LIMIT


def _fields(ledger: Ledger, totals: Totals) -> dict[str, Any]:
    job = ledger.job
    return {
        "kind": job.kind, "title": job.title, "solver": job.solver, "splitting": job.splitting,
        "partition": job.partition, "code": job.code, **vars(totals), "complete": totals.complete,
        "conflicts": [dict(zip(("part", "first", "later", "worker", "solver"), c, strict=True))
                      for c in ledger.conflicts()],
        "workers": [dict(zip(("worker", "parts", "seconds"), w, strict=True)) for w in ledger.workers()],
        "sessions": [dict(zip(("began", "ended", "workers", "code"), s, strict=True))
                     for s in ledger.sessions()],
        "failures": [dict(zip(("part", "message", "at"), f, strict=True)) for f in ledger.failures()],
    }  # fmt: skip


def _lines(ledger: Ledger, totals: Totals) -> list[str]:
    job = ledger.job
    at_least = "" if totals.complete else "at least "
    counted, by = _WORDS.get(job.kind, _WORDS["count"])
    lines = [
        f"problem    {job.title}",
        f"{counted:<10} {at_least}{totals.count:,}",
        f"parts      {totals.done:,} of {totals.parts:,} done ({job.splitting}, {by} {job.solver})",
    ]
    if totals.seconds:
        lines.append(
            f"work       {totals.seconds:,.1f} s, {totals.done / totals.seconds:,.1f} parts a second of it"
        )
    workers = ledger.workers()
    lines += [
        f"worker     {name}: {parts:,} parts, {spent:,.1f} s" for name, parts, spent in workers[:_SHOWN]
    ]
    if len(workers) > _SHOWN:
        lines.append(f"           and {len(workers) - _SHOWN} more")
    for began, ended, many, _ in ledger.sessions()[-_SHOWN:]:
        until = "not ended by itself" if ended is None else f"{ended - began:,.1f} s"
        lines.append(
            f"session    {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(began))}, {many} workers, {until}"
        )
    if totals.confirmed:
        lines.append(f"confirmed  {totals.confirmed:,} parts were counted again with the same result")
    for part, first, later, worker, solver in ledger.conflicts()[:_SHOWN]:
        lines.append(f"CONFLICT   part {part}: {first:,} at first, {later:,} by {solver} on {worker}")
    if totals.damaged:
        lines.append(f"DAMAGED    parts {listed(totals.damaged)}: not as they were added")
    if totals.poison:
        (message,) = ({part: text for part, text, _ in ledger.failures()}.get(totals.poison[0], ""),)
        lines.append(
            f"POISON     parts {listed(totals.poison)} failed too often, and are tried again: {message}"
        )
    return lines


@command.command("verify")
@click.argument("store", metavar="RUN.DB")
@click.option("--solver", metavar="SOLVER", help="that counts again; default: another than at first")
@click.option("--share", type=float, default=0.02, show_default=True, help="share of the finished parts")
@click.option("--least", type=click.IntRange(1), default=30, show_default=True, help="least number of parts")
@click.option("--seed", "random_seed", type=int, metavar="SEED", help="seed of the sample")
def verify(store: str, **options: Any) -> int:
    """Count a random sample of the parts again with another solver."""
    standing = Standing("counting again", options["solver"] or "", "parts")

    def note(done: int, total: int) -> None:
        standing.done, standing.of = done, total

    with progress(standing):
        found = again(store, on_progress=note, **options)
    say(found.sentence)
    if found.interrupted:
        return INTERRUPTED
    return LEDGER_CONFLICT if found.differing else DONE


@command.command("export")
@click.argument("store", metavar="RUN.DB")
@click.option("--format", "form", type=click.Choice(("csv", "json")), default="csv", show_default=True)
@click.option("--solutions", metavar="FILE", help="write all solutions into one file.npy, .jsonl or .csv")
@click.option("--force", is_flag=True, help="replace an existing file")
def export(store: str, form: str, solutions: str | None, force: bool) -> int:
    """Write all results to standard output, one part a line; or the solutions of an enumeration."""
    if solutions is not None:
        say(f"{merge(store, solutions, force):,} solutions written to {solutions}")
        return DONE
    with closing(Ledger.open(Path(store))) as ledger:
        results = ledger.sound_results()
    names = ("part", "count", "seconds", "worker")
    rows = [(r.part, r.count, round(r.seconds, 6), r.worker) for r in results]
    if form == "json":
        for row, found in zip(rows, results, strict=True):
            more = {} if found.content is None else {"content": json.loads(found.content)}
            sys.stdout.write(json.dumps(dict(zip(names, row, strict=True)) | more) + "\n")
    else:
        csv.writer(sys.stdout, lineterminator="\n").writerows([names, *rows])
    return DONE
