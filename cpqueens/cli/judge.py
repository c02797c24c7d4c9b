"""`cpqueens judge`: which candidates mean the same as a reference?"""

from pathlib import Path
from typing import Any

import click

from cpqueens.cli.compare import paired
from cpqueens.cli.options import json_option, load, time_option
from cpqueens.cli.results import echo_document
from cpqueens.cli.terminal import Standing, progress, say
from cpqueens.crosscheck.judge import Assessment, Judged, judge, read_apart
from cpqueens.errors import ModelError

ENDINGS = (".json", ".fzn", ".mzn", ".py")
"""Files of a folder that are candidates."""


@click.command()
@click.argument("reference")
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATE...")
@click.option("--set", "parameters", multiple=True, metavar="NAME=VALUE", help="a parameter, for all models")
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="NAME=OTHER",
    help="a variable or term, and its name in candidates",
)
@time_option("for each; default: 10 s of processor time")
@click.option("--seed", "random_seed", type=int, default=0, metavar="SEED", help="seed of the random choices")
@json_option
def command(
    reference: str,
    candidates: tuple[str, ...],
    parameters: tuple[str, ...],
    maps: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> int:
    """Compare candidate models with a reference model.

    A CANDIDATE is a model, or a folder of models; REFERENCE is the model that they should mean. Python
    candidates run in a process of their own with limits on time and memory. This is no sandbox: judge only
    programs that you would run.
    """
    instance = load(reference, parameters)
    names = [name for given in candidates for name in _files(given)]
    found: dict[str, Assessment] = {}
    with progress(Standing("judging", f"{len(names)} candidates", since=None)) as standing:
        for done, name in enumerate(names):
            standing.done = done
            try:
                given = parameters if not name.endswith((".json", ".fzn")) else ()
                model = read_apart(name, given)
                mapping = [paired(instance.model, model, text) for text in maps] or None
                found[name] = judge(instance.model, model, mapping=mapping, **options)
            except ModelError as error:
                found[name] = Assessment(Judged.UNREADABLE, (str(error),))
    codes = {judgement.exit_code for judgement in found.values()}
    if as_json:
        judged = [
            {
                "candidate": name, "verdict": one.verdict, "reasons": list(one.reasons),
                "witnesses": [{"values": dict(v), "accepted": yes} for v, yes in one.witnesses],
                "seconds": one.seconds,
            }
            for name, one in found.items()
        ]  # fmt: skip
        echo_document("judge", instance, candidates=judged)
    else:
        say("\n".join(f"{name}: {one}" for name, one in found.items()))
    return 1 if 1 in codes else max(codes, default=0)


def _files(given: str) -> list[str]:
    """Return the candidates in a folder, or what was given itself."""
    folder = Path(given)
    if not folder.is_dir():
        return [given]
    inside = sorted(str(path) for path in folder.iterdir() if path.suffix in ENDINGS)
    if not inside:
        raise ModelError(f"{given}: no file in this folder ends in {', '.join(ENDINGS)}")
    return inside
