"""`cpqueens experiments`: the classical texts reproduced, as text, as one HTML page and as JSON."""

from __future__ import annotations

import click

from cpqueens.cli.documents import document, echo_json
from cpqueens.cli.options import check_place, json_option
from cpqueens.cli.terminal import say, width_of_output


@click.command()
@click.option(
    "--runs", type=click.IntRange(20, 10**6), default=400, show_default=True,
    help="of each experiment; dear ones are run less often",
)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE.html", help="write a page as well")
@json_option
def command(runs: int, out: str | None, as_json: bool) -> int:
    """Reproduce the classical texts: each claim beside our figure, with its command.

    A signal ends it with the sections that are whole; a page or a document is written of all or not at all.
    """
    from cpqueens.lab.classical_texts import reproduce
    from cpqueens.lab.experiments import Reproduced
    from cpqueens.lab.experiments_page import data, page, text
    from cpqueens.report.outputfile import write_whole

    check_place(out, "--out")
    done: list[Reproduced] = []
    for found in reproduce(runs):
        done.append(found)
        if not as_json:
            say(text(found, width_of_output()))
            say()
    if out is not None:
        write_whole(out, page(done, runs))
    if as_json:
        echo_json(document("experiments", **data(done, runs)))
    elif out is not None:
        say(f"written    {out}")
    return 0
