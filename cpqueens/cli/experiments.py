"""`cpqueens experiments`: the classical texts reproduced, as text, as one HTML page and as JSON."""

import click

from cpqueens.cli.options import PLACE, json_option
from cpqueens.cli.results import echo_document
from cpqueens.cli.terminal import Standing, progress, say, width_of_output
from cpqueens.lab.classical_texts import chosen, reproduce
from cpqueens.lab.experiments import Reproduced, data, page, text
from cpqueens.report.outputfile import write_whole
from cpqueens.system.requirements import need


@click.command()
@click.option(
    "--runs", type=click.IntRange(20, 10**6), default=400, show_default=True,
    help="runs of each experiment; expensive ones are run less often",
)  # fmt: skip
@click.option("--only", multiple=True, metavar="NAME", help="a text or a table, by its name; may be repeated")
@click.option("--out", type=PLACE, metavar="FILE.html", help="also write a page")
@json_option
def command(runs: int, only: tuple[str, ...], out: str | None, as_json: bool) -> int:
    """Reproduce the classical texts: each claim and the figure measured here.

    A signal ends it with the sections that are whole; a page or a document is written of all or not at all.
    """
    if out is not None:
        need("matplotlib", "matplotlib")
    done: list[Reproduced] = []
    sections = reproduce(runs, only)
    standing = Standing("experiments", unit="sections", done=0, of=len(chosen(only)))
    while True:
        with progress(standing):  # not while a section is printed
            found = next(sections, None)
        if found is None:
            break
        done.append(found)
        standing.done = len(done)
        if not as_json:
            say(text(found, width_of_output()))
            say()
    if out is not None:
        write_whole(out, page(done, runs))
    if as_json:
        echo_document("experiments", **data(done, runs))
    elif out is not None:
        say(f"written    {out}")
    return 0
