"""`cpqueens export`: a model in another language."""

from collections.abc import Callable

import click

from cpqueens.backends.minizinc.flat import flatzinc_text
from cpqueens.backends.minizinc.writing import minizinc_text
from cpqueens.cli import options as shared
from cpqueens.cli.results import DONE
from cpqueens.cli.terminal import say
from cpqueens.errors import ONE_BY_ONE, ModelError
from cpqueens.files.modelfile import dump_model
from cpqueens.model import Model
from cpqueens.report.outputfile import OutputFile

LANGUAGES: dict[str, Callable[[Model], str]] = {
    "fzn": flatzinc_text,
    "json": dump_model,
    "mzn": minizinc_text,
}


@click.command()
@shared.model_arguments
@click.option("--to", "language", type=click.Choice(list(LANGUAGES)), required=True)
@click.option("--out", type=shared.PLACE, help="default: standard output")
@click.option("--force", is_flag=True, help="replace an existing file")
def command(model: str, parameters: tuple[str, ...], language: str, out: str | None, force: bool) -> int:
    """Write MODEL as MiniZinc, FlatZinc or cpqueens JSON."""
    instance = shared.load(model, parameters)
    if language != "json" and len(instance.model.goals) > 1:
        many = len(instance.model.goals)
        raise ModelError(
            f"--to {language}: one objective can be written, {instance.title} has {many}; --to json writes "
            f"all of them, or in Python {ONE_BY_ONE}"
        )
    text = LANGUAGES[language](instance.model)
    if out is None:
        say(text.rstrip("\n"))
        return DONE
    with OutputFile(out, force=force) as file:
        file.append(text.encode())
    return DONE
