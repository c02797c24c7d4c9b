"""Arguments and options that verbs share, and what they mean to the pipeline.

Terms over a model's variables, written as text: read into terms, and nothing of the text is executed.
"""

import ast
import functools
import operator
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from cpqueens.answers.symmetry import Group
from cpqueens.backends.named import parameters_of
from cpqueens.cli.guard import JSON_WANTED
from cpqueens.errors import CpqueensError, ModelError, UnknownParameter
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.model import Model
from cpqueens.problems import catalog
from cpqueens.solving.request import COMMON, named_solver
from cpqueens.text.bounded import label, reason_of
from cpqueens.text.plaintext import shown


class _Place(click.Path):
    """A file that can be written, which is looked at before hours are spent on what it should hold."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path; refuse one that cannot be written."""
        option = param.opts[0] if param is not None else "file"
        try:
            place, folder = Path(value).absolute(), Path(value).absolute().parent
            there, exists, is_folder = folder.is_dir(), place.exists(), place.is_dir()
        except (OSError, ValueError) as error:
            raise ModelError(f"{option} {label(value)}: {reason_of(error)}") from None
        if not there:
            raise ModelError(f"{option} {value}: there is no folder {Path(value).parent}")
        if value and (is_folder or not os.access(place if exists else folder, os.W_OK)):
            raise ModelError(f"{option} {value}: {'is a folder' if is_folder else 'cannot be written'}")
        return str(value)


PLACE = _Place(dir_okay=False)
Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("board", "list", "json", "matrix", "grid", "svg")


def model_arguments(command: Command) -> Command:
    """Add MODEL and its parameters as name=value."""
    return stacked(
        click.argument("model", metavar="MODEL"),
        click.argument("parameters", nargs=-1, metavar="[name=value]..."),
    )(command)


def solver_options(command: Command) -> Command:
    """Add what a solver can be told."""
    return stacked(
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

    option = click.option("--proof", type=PLACE, help="write a proof for `cpqueens check-proof`")
    return option(command)


def optima_options(command: Command) -> Command:
    """Add what asks for the best solutions alone."""
    return stacked(
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
    return stacked(
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


def output_options(command: Command) -> Command:
    """Add how solutions are shown and where they are written."""
    return stacked(
        click.option("--format", "form", type=click.Choice(FORMATS), default="board", show_default=True),
        click.option("--out", type=PLACE, help="file.csv, .jsonl, .npy or .svg"),
        click.option("--force", is_flag=True, help="replace an existing file"),
    )(command)


def stacked(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the decorators as one, the first on top."""
    return lambda command: functools.reduce(lambda c, decorate: decorate(c), reversed(decorators), command)


def time_option(about: str) -> Callable[[Command], Command]:
    """Return ``--time-limit``; what it limits is said by its help."""
    return click.option("--time-limit", type=float, metavar="SECONDS", help=about)


def declared_symmetries(instance: catalog.Instance) -> Group:
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


load = catalog.load
"""Return the model that the arguments name."""


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


_MOST = 10**6  # numbers that a text may ask for
_LONGEST = 10_000  # characters

_BINARY: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.MatMult: operator.matmul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_UNARY: Mapping[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
_SAID = (
    "names, numbers, lists, [...], + - * @ // %, comparisons, & | ~, .T, .sum(axis=), .reshape(), arange()"
)


def term_of(model: Model, text: str) -> Any:
    """Return the terms that a text says, or the text itself if it is the name of a variable or an array.

    Parameters
    ----------
    model
        Whose variables the text names.
    text
        Such as ``x @ arange(8)`` or ``q[0] == 3``, as in Python.

    Raises
    ------
    ModelError
        If it is no such term.
    """
    text = text.strip()
    if text in model.blocks.by_name or model.blocks.element(text) is not None:
        return text
    if len(text) > _LONGEST:
        raise ModelError(f"{shown(text)}: a term of at most {_LONGEST} characters is needed")
    try:
        found = _meant(model, ast.parse(text, mode="eval").body)
    except CpqueensError as error:
        raise ModelError(f"{shown(text)}: {error}") from None
    except (SyntaxError, ValueError, TypeError, IndexError, ArithmeticError, RecursionError, MemoryError):
        raise ModelError(f"{shown(text)} is neither a variable nor a term; known are {_SAID}") from None
    if not isinstance(found, LinearArray | BoolArray):
        raise ModelError(f"{shown(text)}: a term of the model's variables is needed")
    return found


def split_pair(text: str) -> tuple[str, str] | None:
    """Return what stands on both sides of the first ``=`` that is outside brackets and no comparison."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "=" and depth == 0 and text[k + 1 : k + 2] != "=" and text[k - 1 : k] not in tuple("=<>!"):
            left, right = text[:k].strip(), text[k + 1 :].strip()
            return (left, right) if left and right else None
    return None


def _meant(model: Model, node: ast.AST) -> Any:
    """Return the terms, truths or numbers that a node of `ast` says; what is not known here is refused."""
    read = functools.partial(_meant, model)
    match node:
        case ast.Name(name):
            return model[name]
        case ast.Constant(value):
            return _number(value)
        case ast.List(parts) | ast.Tuple(parts):
            return np.array([_number(read(one)) for one in parts], dtype=np.int64)
        case ast.BinOp(left, op, right) | ast.Compare(left, [op], [right]) if type(op) in _BINARY:
            return _joined(_BINARY[type(op)], read(left), read(right))
        case ast.UnaryOp(op, term) if type(op) in _UNARY:
            return _UNARY[type(op)](read(term))
        case ast.Subscript(term, at):
            parts = at.elts if isinstance(at, ast.Tuple) else [at]
            return read(term)[tuple(_index(model, one) for one in parts)]
        case ast.Attribute(term, "T"):
            return read(term).T
        case ast.Call(ast.Name("arange"), given, []):
            numbers = [_number(read(one)) for one in given]
            if len(range(*numbers)) > _MOST:
                raise ValueError
            return np.arange(*numbers, dtype=np.int64)
        case ast.Call(ast.Attribute(term, ("sum" | "reshape") as method), given, named):
            axis = {word.arg: _number(read(word.value)) for word in named if word.arg == "axis"}
            if len(axis) == len(named):
                return getattr(read(term), method)(*(_number(read(one)) for one in given), **axis)
    raise TypeError


def _number(found: Any) -> int:
    if type(found) is not int or abs(found) >= 2**63:
        raise TypeError
    return found


def _index(model: Model, node: ast.AST | None) -> Any:
    match node:
        case None | ast.Constant(None):
            return None
        case ast.Slice():
            return slice(*(_index(model, end) for end in (node.lower, node.upper, node.step)))
    return _number(_meant(model, node))


def _joined(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return _number(operation(left, right))
    many = max(np.size(left), getattr(left, "size", 1)) * max(np.size(right), getattr(right, "size", 1))
    if many > _MOST:
        raise ValueError
    return operation(left, right)
