"""`cpqueens list`: the problems that are shipped."""

import click

from cpqueens.backends.clock import Share, sharing
from cpqueens.cli.options import PLACE, json_option
from cpqueens.cli.results import echo_document
from cpqueens.cli.show import values_published
from cpqueens.cli.terminal import Standing, progress, say
from cpqueens.problems import catalog
from cpqueens.report.draw import draw_svg
from cpqueens.report.gallery import Exhibit, gallery_page, runnable
from cpqueens.report.outputfile import write_whole

_SECONDS = 20
_TITLE = 80  # characters of parameters under a picture


@click.command()
@click.option("--gallery", type=PLACE, help="a page with a picture and the model of each problem")
@json_option
def command(as_json: bool, gallery: str | None) -> int:
    """List the problems."""
    problems = [catalog.find(name) for name in catalog.names()]
    if gallery is not None:
        _write_gallery(gallery, problems)
        say(f"written    {gallery}", err=as_json)
        if not as_json:
            return 0
    if as_json:
        listed = [{"name": p.name, "summary": p.summary, "parameters": list(p.parameters)} for p in problems]
        echo_document("list", problems=listed)
        return 0
    width = max((len(p.name) for p in problems), default=0)
    for problem in problems:
        say(f"{problem.name:<{width}}  {problem.summary}")
    return 0


def _write_gallery(path: str, problems: list[catalog.Problem]) -> None:
    exhibits: list[Exhibit] = []
    with progress(Standing("gallery", unit="problems", of=len(problems))) as standing:
        for problem in problems:
            standing.said = problem.name
            exhibits.append(_exhibit(problem))
            standing.done = len(exhibits)
    write_whole(path, gallery_page(exhibits, "cpqueens: the problems"))


def _exhibit(problem: catalog.Problem) -> Exhibit:
    """Solve a problem with its defaults and return what the page shows of it."""
    instance = problem.instance()
    with sharing(Share(_SECONDS)):
        outcome = instance.model.solve(random_seed=0)
    picture = "" if outcome.solution is None else draw_svg(outcome.solution) or ""
    value = "" if outcome.objective is None else f", objective {outcome.objective}"
    shown = instance.title if len(instance.title) <= _TITLE else problem.name
    verb = "count" if instance.published() else "solve"
    return Exhibit(
        name=problem.name,
        summary=problem.summary,
        picture=picture,
        caption=f"{shown}: {outcome.status.value}{value}",
        model=runnable(problem.function),
        published=[line.strip() for line in values_published(instance)[1:-1]],
        command=f"cpqueens {verb} {problem.name}",
    )
