"""Arguments and options that verbs share, and what they mean to the pipeline."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cpqueens.cli.guard import JSON_WANTED
from cpqueens.errors import ModelError, UnknownParameter
from cpqueens.text.bounded import label, reason_of
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from cpqueens.answers.symmetry import Group
    from cpqueens.problems.catalog import Instance

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("board", "list", "json", "matrix", "grid", "svg")


def model_arguments(command: Command) -> Command:
    """Add MODEL and its parameters as name=value."""
    return _stacked(
        click.argument("model", metavar="MODEL"),
        click.argument("parameters", nargs=-1, metavar="[name=value]..."),
    )(command)


def solver_options(command: Command) -> Command:
    """Add what a solver can be told."""
    return _stacked(
        click.option("--solver", default="auto", show_default=True, help="backend or backend:strategy"),
        click.option("--time-limit", type=float, metavar="SECONDS", help="for build, translation and search"),
        click.option("--step-limit", type=int, metavar="STEPS", help="limit for solvers that count steps"),
        click.option("--seed", "random_seed", type=int, metavar="SEED", help="seed of the random choices"),
        click.option(
            "--workers", "num_workers", type=int, metavar="N", help="threads, for solvers that have them"
        ),
        click.option(
            "--param", "params", multiple=True, metavar="NAME=VALUE", help="a parameter of the solver"
        ),
    )(command)


def proof_option(command: Command) -> Command:
    """Add the file that a proof is written to."""

    def checked(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
        check_place(value, "--proof")
        return value

    return click.option(
        "--proof", callback=checked, metavar="FILE", help="write a proof for `cpqueens check-proof`"
    )(command)


def optima_options(command: Command) -> Command:
    """Add what asks for the best solutions alone."""
    return _stacked(
        click.option("--optimal", is_flag=True, default=None, help="only optimal solutions"),
        click.option("--gap", type=int, metavar="D", help="only solutions at most D from the optimum"),
    )(command)


def durable_options(command: Command) -> Command:
    """Add what keeps a ledger of a count in parts."""
    parts = click.option(
        "--parts", type=click.IntRange(1), metavar="N", help="the least number of parts; with --store"
    )
    return parts(store_options(command))


def store_options(command: Command) -> Command:
    """Add what keeps a ledger of a long run."""
    return _stacked(
        click.option("--store", metavar="RUN.DB", help="keep a ledger; the same command continues it"),
        click.option("--cluster", metavar="ADDRESS", help="a dask.distributed scheduler; with --store"),
        click.option(
            "--changed-code",
            is_flag=True,
            default=None,
            help="continue a ledger of another version; with --store",
        ),
    )(command)


def json_option(command: Command) -> Command:
    """Add ``--json``, which also makes errors a JSON document on standard output."""

    def note(context: click.Context, _option: click.Parameter, value: bool) -> bool:
        context.meta[JSON_WANTED] = value
        return value

    option = click.option(
        "--json", "as_json", is_flag=True, callback=note, is_eager=True, help="print one JSON document"
    )
    return option(command)


def required_rate(command: Command) -> Command:
    """Add the success rate that heuristics must reach."""

    def checked(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
        if value is not None and not 0 <= value <= 1:  # nor is a NaN
            raise ModelError(f"--require: a share from 0 to 1 is needed, got {value}")
        return value

    return click.option(
        "--require",
        type=float,
        callback=checked,
        metavar="RATE",
        help="exit with 4 if less than this share of a heuristic's runs succeeds",
    )(command)


def commands(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of each ``--external`` command.

    Raises
    ------
    ModelError
        If quotes do not match, or there is no such program.
    """
    for text in texts:
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise ModelError(f"--external {shown(text, 60)}: {str(error).lower()}") from None
        if not words or "\x00" in text or shutil.which(words[0]) is None:
            raise ModelError(f"--external {shown(text, 60)}: there is no such program")
        yield words


def check_place(path: str | None, option: str) -> None:
    """Refuse a file that cannot be written, before hours are spent on what it should hold."""
    if path is None:
        return
    try:
        place, folder = Path(path).absolute(), Path(path).absolute().parent
        there, exists, is_folder = folder.is_dir(), place.exists(), place.is_dir()
    except (OSError, ValueError) as error:
        raise ModelError(f"{option} {label(path)}: {reason_of(error)}") from None
    if not there:
        raise ModelError(f"{option} {path}: there is no folder {Path(path).parent}")
    if is_folder or not os.access(place if exists else folder, os.W_OK):
        raise ModelError(f"{option} {path}: {'is a folder' if is_folder else 'cannot be written'}")


def output_options(command: Command) -> Command:
    """Add how solutions are shown and where they are written."""
    return _stacked(
        click.option("--format", "form", type=click.Choice(FORMATS), default="board", show_default=True),
        click.option("--out", type=click.Path(dir_okay=False), help="file.csv, .jsonl, .npy or .svg"),
        click.option("--force", is_flag=True, help="replace an existing file"),
    )(command)


def _stacked(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the decorators as one, the first on top."""
    return lambda command: functools.reduce(lambda c, decorate: decorate(c), reversed(decorators), command)


def declared_symmetries(instance: Instance) -> Group:
    """Return the symmetries of a problem for --up-to-symmetry.

    Raises
    ------
    ModelError
        If it declares none.
    """
    group = instance.symmetries()
    if not group:
        raise ModelError(f"--up-to-symmetry: {instance.title} declares no symmetries")
    return group


def load(model: str, parameters: Sequence[str]) -> Instance:
    """Return the model that the arguments name."""
    from cpqueens.problems import catalog

    return catalog.load(model, parameters)


def run_options(solver: str, params: Sequence[str], **options: Any) -> dict[str, Any]:
    """Return the keyword arguments of the pipeline for the options that were given."""
    given = {name: value for name, value in options.items() if value is not None}
    return {"solver": solver, **given, **own_parameters(solver, params)}


def own_parameters(solver: str, params: Sequence[str]) -> dict[str, Any]:
    """Return a solver's own parameters that were given as name=value."""
    if not params:
        return {}
    if solver == "auto":
        raise UnknownParameter("--param: name the solver that it is for with --solver")
    from cpqueens.backends.named import parameters_of
    from cpqueens.solving.request import COMMON, named_solver

    name, backend, strategy = named_solver(solver)
    declared = parameters_of(backend, strategy)
    chosen: dict[str, Any] = {}
    for text in params:
        key, equals, value = text.partition("=")
        if not equals:
            raise ModelError(f"--param {shown(text)}: name=value is needed")
        if key in COMMON:
            raise UnknownParameter(f"--param {key}: not one of {name}'s own parameters; see --help")
        if key in chosen:
            raise ModelError(f"--param {key}: given twice")
        chosen[key] = declared[key].parse(f"--param {key}", value) if key in declared else value
    return chosen
