"""`cpqueens sample`: solutions that are drawn uniformly."""

import sys
from typing import Any

import click

from cpqueens.cli import options as shared
from cpqueens.cli.results import echo_document
from cpqueens.cli.terminal import Standing, progress, say, style_of
from cpqueens.files.solutionfile import SolutionWriter
from cpqueens.report.draw import check_format, render


@click.command()
@shared.model_arguments
@click.option("--count", "many", type=int, default=1, show_default=True, metavar="K", help="how many draws")
@click.option("--seed", "random_seed", type=int, default=0, show_default=True, metavar="SEED")
@click.option("--solver", default="auto", show_default=True, help="a solver that lists and counts")
@shared.time_option("limit for counting; default: 60 s of processor time")
@click.option("--approximate", is_flag=True, help="do not count: draw by a random walk, which is not uniform")
@shared.output_options
@shared.json_option
def command(
    model: str,
    parameters: tuple[str, ...],
    many: int,
    form: str,
    out: str | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Draw solutions uniformly at random.

    Each is drawn from all solutions, independently of the others, so one may be drawn twice.
    """
    instance = shared.load(model, parameters)
    if out is None and not as_json:
        check_format(instance.model, form)
    with progress(Standing(instance.title, options["solver"], time_limit=options["time_limit"])):
        drawn = instance.model.sample(many, **options)
    if out is not None:
        with SolutionWriter(out, instance.model, force=force) as file:
            file.write(drawn.solutions)
    if as_json:
        said = {"exact": drawn.exact, "guarantee": drawn.guarantee, "seconds": drawn.seconds, "file": out}
        solutions = [solution.as_dict() for solution in drawn]
        echo_document("sample", instance, count=drawn.count, **said, solutions=solutions)
        return 0
    for solution in drawn if out is None else ():
        say(render(solution, form, style_of(sys.stdout)))
    say(f"problem    {instance.title}\ndrawn      {drawn}", err=form != "board")
    return 0
