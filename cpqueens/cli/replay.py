"""`cpqueens replay`: a search to be watched, as one HTML page."""

import click

from cpqueens.cli import options as shared
from cpqueens.cli.results import echo_document
from cpqueens.cli.terminal import Standing, progress, say, watched
from cpqueens.report.outputfile import OutputFile
from cpqueens.report.replay import replay_page
from cpqueens.solving.request import recording_solver
from cpqueens.solving.solve import solve


@click.command()
@shared.model_arguments
@click.option(
    "--solver", "solvers", multiple=True, default=("local-search:min-conflicts",), show_default=True,
    help="backend or backend:strategy that can record; several are shown side by side",
)  # fmt: skip
@shared.time_option("limit for each run")
@click.option("--step-limit", type=int, metavar="STEPS", help="limit for each run")
@click.option("--seed", "random_seed", type=int, metavar="SEED", help="seed of the random choices")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="a parameter of the solver")
@click.option(
    "--events", type=click.IntRange(2, 10**6), default=100_000, show_default=True,
    help="number of events to keep; longer traces are thinned",
)  # fmt: skip
@click.option("--out", required=True, type=shared.PLACE, help="file.html")
@click.option("--force", is_flag=True, help="replace an existing file")
@shared.json_option
def command(
    model: str,
    parameters: tuple[str, ...],
    solvers: tuple[str, ...],
    params: tuple[str, ...],
    events: int,
    out: str,
    force: bool,
    as_json: bool,
    **options: object,
) -> int:
    """Record a search and write a page that replays it.

    Several solvers are shown side by side.
    """
    instance = shared.load(model, parameters)
    solvers = tuple(map(recording_solver, solvers))
    outcomes = []
    with OutputFile(out, force=force) as file:
        for solver in solvers:
            given = shared.run_options(solver=solver, params=params, **options)
            standing = Standing(instance.title, solver, time_limit=given.get("time_limit"))
            with progress(standing):
                told = watched(standing, instance.model)
                outcomes.append(solve(instance.model, trace=events, **given, **told))
        page = replay_page(outcomes).encode()
        file.append(page)
    runs = [
        {"solver": o.solver, "status": o.status, "events": 0 if o.trace is None else len(o.trace)}
        for o in outcomes
    ]
    if as_json:
        echo_document("replay", instance, file=out, bytes=len(page), runs=runs)
    else:
        say("\n".join(f"{r['solver']}: {r['status']}, {r['events']:,} events" for r in runs))
        say(f"written    {out} ({len(page) / 1000:,.0f} kB)")
    return 0
