"""`cpqueens enumerate`: all solutions, printed or written as they come."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Protocol

import click

from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.answers.solution import SolutionSet
from cpqueens.answers.symmetry import Group, OrbitsMet, orbit_members, symmetry_class
from cpqueens.backends.base import Want
from cpqueens.cli import options as shared, results
from cpqueens.cli.durable import durable_given, in_store
from cpqueens.cli.guard import JSON_WANTED
from cpqueens.cli.terminal import WIDTH, Standing, progress, say, style_of, summary
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.files.solutionfile import MOST_BOARDS, SolutionWriter
from cpqueens.language.statement import Statement
from cpqueens.longrun.partfiles import merge
from cpqueens.problems.catalog import Instance
from cpqueens.report.board import BoardPicture
from cpqueens.report.board_svg import gallery_svg
from cpqueens.report.draw import check_format, picture_of, render
from cpqueens.report.outputfile import OutputFile
from cpqueens.solving.request import positive_integer
from cpqueens.solving.solve import run, trusted
from cpqueens.system.interrupts import Interrupt

# ---- where solutions go: through a funnel that thins out and limits, to print, files or nowhere ----------

_PART = 1024
"""Solutions written between two looks for Ctrl-C."""


class Sink(Protocol):
    """Takes batches of solutions."""

    def write(self, found: SolutionSet) -> None:
        """Take a batch."""


class PrintSink:
    """Prints solutions: one a line where one line is enough, else with blank lines between."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.style = style_of(sys.stdout)
        self.started = False

    def write(self, found: SolutionSet) -> None:
        """Print a batch."""
        for solution in found:
            text = render(solution, self.form, self.style)
            if self.started and "\n" in text:
                say()
            say(text)
            self.started = True
        sys.stdout.flush()


class JsonSink:
    """Prints one JSON document whose list of solutions grows as they come."""

    def __init__(self, head: dict[str, Any]) -> None:
        self.head = head
        self.open = False

    def _begin(self) -> None:
        if not self.open:
            click.echo(results.dumps(self.head)[:-1] + ', "solutions": [', nl=False)
            self.open = True

    def write(self, found: SolutionSet) -> None:
        """Print a batch."""
        comma = "," if self.open else ""
        self._begin()
        click.echo(comma + ",\n".join(results.dumps(s.as_dict()) for s in found), nl=False)

    def finish(self, fields: dict[str, Any]) -> None:
        """Close the list and print what is known at the end."""
        self._begin()
        click.echo("], " + results.dumps(fields)[1:])


class Funnel:
    """Passes solutions on: with a group, one of each orbit, and then at most ``limit`` of them.

    The canonical member of an orbit is a solution too and comes exactly once, so that no solution needs
    to be remembered. ``reason`` says why it ended the run, if it did.
    """

    def __init__(self, sink: Sink, group: Group, limit: int | None) -> None:
        self.sink = sink
        self.group = group
        self._met = OrbitsMet(group)
        self.limit = limit
        self.count = 0
        self.reason: StopReason | None = None

    def take(self, interrupt: Interrupt, found: SolutionSet) -> int | None:
        """Pass a batch on in parts, between which Ctrl-C is looked for; answer as a `Consumer` does."""
        for start in range(0, len(found), _PART):
            if interrupt.seen:
                return start
            part = found[start : start + _PART]
            chosen = self._chosen(part)
            if len(chosen):
                self.sink.write(chosen)
            self.count += len(chosen)
            if self.group and self.limit is not None and self.count >= self.limit:
                self.reason = StopReason.SOLUTION_LIMIT
                return start + len(part)
        return None

    def _chosen(self, found: SolutionSet) -> SolutionSet:
        if not self.group:
            return found
        least = (self._met.canonical(found.matrix) == found.matrix).all(axis=1)
        room = None if self.limit is None else self.limit - self.count
        return SolutionSet(found.model, found.known, found.matrix[least][:room])


_ACROSS = 8
_GAP = 3


class OrbitPrinter(PrintSink):
    """Prints each orbit: how large it is, what leaves its first solution as it is, and all its solutions."""

    def __init__(self, form: str, group: Group) -> None:
        super().__init__(form)
        self.group = group
        self.count = 0

    def write(self, found: SolutionSet) -> None:
        """Print the orbits of a batch of fundamental solutions."""
        for row in found.matrix:
            names, members = orbit_members(row, self.group)
            self.count += 1
            kept = ", ".join(symmetry_class(row, self.group))
            say(
                f"{'' if self.count == 1 else chr(10)}orbit {self.count}, size {len(members)}, kept by {kept}"
            )
            solutions = SolutionSet(found.model, found.known, members)
            blocks = [
                f"{name}\n{render(s, self.form, self.style)}".split("\n")
                for name, s in zip(names, solutions, strict=True)
            ]
            say("\n".join(self._beside(blocks)))
        sys.stdout.flush()

    def _beside(self, blocks: list[list[str]]) -> list[str]:
        """Return blocks of lines side by side, as many as fit the terminal."""
        wide = max(len(line) for block in blocks for line in block) + _GAP
        across = 1 if self.style.colour else max(1, (self.style.width or WIDTH) // wide)
        lines: list[str] = []
        for start in range(0, len(blocks), across):
            rows = zip_longest(*blocks[start : start + across], fillvalue="")
            lines += ["".join(cell.ljust(wide) for cell in cells).rstrip() for cells in rows]
        return lines


class OrbitSheet:
    """Collects boards, one orbit a row, and writes them as one picture when the ``with`` block ends."""

    def __init__(self, path: str, model: Statement, group: Group, force: bool) -> None:
        if not path.lower().endswith(".svg"):
            raise ModelError(f"--orbits: a sheet is a file.svg, got {path}")
        check_format(model, "svg")
        self.group = group
        self.title = model.name
        self.pictures: list[BoardPicture | None] = []
        self.captions: list[str] = []
        self.rows = 0
        self.file = OutputFile(path, force=force)

    def write(self, found: SolutionSet) -> None:
        """Keep the orbits of a batch of fundamental solutions."""
        for row in found.matrix:
            names, members = orbit_members(row, self.group)
            self.rows += 1
            drawn = [picture_of(s) for s in SolutionSet(found.model, found.known, members)]
            empty = -len(drawn) % _ACROSS
            self.pictures += [*drawn, *[None] * empty]
            self.captions += [f"orbit {self.rows}, size {len(drawn)}", *names[1:], *[""] * empty]
            if None in drawn or len(self.pictures) > MOST_BOARDS:
                most = f"at most {MOST_BOARDS}" if None not in drawn else "nothing else"
                raise ModelError(f"{self.file.path}: a sheet holds boards, {most}; use --limit, or no --out")

    def __enter__(self) -> OrbitSheet:
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        if kind is not None and not issubclass(kind, KeyboardInterrupt):
            self.file.discard()
            return
        sheet = gallery_svg(self.pictures, across=_ACROSS, title=self.title, captions=self.captions)
        with self.file:
            self.file.append(sheet.encode())


@click.command()
@shared.model_arguments
@shared.solver_options
@shared.proof_option
@click.option("--limit", type=int, metavar="K", help="stop after K solutions")
@shared.optima_options
@click.option("--best", type=int, metavar="K", help="only the K best solutions, the best first")
@click.option("--up-to-symmetry", is_flag=True, help="one solution of each orbit")
@click.option("--orbits", is_flag=True, help="print whole orbits: as text, or one per row in a file.svg")
@shared.output_options
@shared.durable_options
@shared.json_option
def command(
    model: str,
    parameters: tuple[str, ...],
    limit: int | None,
    up_to_symmetry: bool,
    orbits: bool,
    form: str,
    out: str | None,
    force: bool,
    as_json: bool,
    store: str | None,
    **options: Any,
) -> int:
    """Find all solutions."""
    instance = shared.load(model, parameters)
    up_to_symmetry = up_to_symmetry or orbits
    if orbits and as_json:
        raise ModelError("--orbits: --json is not taken; solutions with --up-to-symmetry are one of each")
    durable = durable_given(store, options)
    given = shared.run_options(**options)
    if store is not None:
        asked = {"--limit": limit, "--proof": given.get("proof"), "--up-to-symmetry": up_to_symmetry or None}
        refused = [option for option, value in asked.items() if value is not None]
        if refused:
            raise ModelError(f"--store: {refused[0]} is not taken")
        code = in_store("enumerate", instance, store, given, durable, as_json)
        if out and code == results.DONE:
            merge(store, out, force)
            say(f"written    {out}", err=as_json)
        return code
    group = shared.declared_symmetries(instance) if up_to_symmetry else ()
    if positive_integer(limit, "--limit") is not None and not group:
        given["solution_limit"] = limit
    asked = {"up_to_symmetry": up_to_symmetry, "file": out}
    head = results.document("enumerate", instance, **asked) if as_json else None
    with ExitStack() as stack:
        shown = group if orbits else ()
        sink = _sink(stack, instance, head, shown, form, out, force)
        funnel = Funnel(sink, group, limit)
        outcome = _run(instance, funnel, given, out is not None)
    classes = funnel.count if group else None
    comparison = results.compared(instance, outcome, classes, given)
    if as_json:
        told = {**results.outcome_fields(outcome), "orbits": classes, "published": comparison}
        if isinstance(sink, JsonSink):
            sink.finish(told)
        else:
            results.echo_document("enumerate", instance, **asked, **told)
    else:
        _print(outcome, funnel, instance.title, form, out, results.published_lines(comparison))
    return results.exit_of_compared(outcome, comparison)


def _sink(
    stack: ExitStack, instance: Instance, head: dict[str, Any] | None, whole: Group, form: str,
    out: str | None, force: bool,
) -> Sink:  # fmt: skip
    """Return where the solutions go, or ``whole`` orbits; a file is opened, or refused, before the search."""
    model = instance.model
    if out and whole:
        return stack.enter_context(OrbitSheet(out, model, whole, force))
    if out:
        return stack.enter_context(SolutionWriter(out, model, force=force))
    if head is not None:
        return JsonSink(head)
    if form == "svg":
        raise ModelError("--format svg: name the file for the boards with --out x.svg")
    check_format(model, form)
    return OrbitPrinter(form, whole) if whole else PrintSink(form)


def _run(instance: Instance, funnel: Funnel, given: dict[str, Any], shown: bool) -> Outcome:
    options = dict(given)
    solver = options.pop("solver")
    standing = Standing(instance.title, solver, "solutions", options.get("time_limit"))

    def take(interrupt: Interrupt, found: SolutionSet) -> int | None:
        taken = funnel.take(interrupt, found)
        standing.done = funnel.count
        return taken

    try:
        with progress(standing, shown, keeping=True):
            options["on_progress"] = standing.hear
            outcome = trusted(run(instance.model, solver, Want.ALL, take, options))
    except CpqueensError as error:
        if isinstance(funnel.sink, JsonSink) and funnel.sink.open:
            funnel.sink.finish({"error": str(error), "exit_code": error.exit_code})
            click.get_current_context().meta[JSON_WANTED] = False  # the document is complete
        raise
    return outcome if funnel.reason is None else replace(outcome, stop_reason=funnel.reason)


def _print(outcome: Outcome, funnel: Funnel, title: str, form: str, out: str | None, said: list[str]) -> None:
    many = f"{funnel.count:,} up to symmetry" if funnel.group else f"{outcome.count:,}"
    if funnel.group and outcome.complete:
        many += f", {outcome.count:,} in all"
    lines = [f"problem    {title}", f"solutions  {many}", *summary(outcome), *said]
    if out:
        is_all = outcome.complete or outcome.stop_reason is StopReason.SOLUTION_LIMIT
        lines.append(f"written    {out}{'' if is_all else ' (the results so far)'}")
    sys.stdout.flush()
    say("\n".join(lines), err=form != "board" and out is None)
