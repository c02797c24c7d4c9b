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


def load(model: str, parameters: Sequence[str]) -> catalog.Instance:
    """Return the model that the arguments name."""
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
_METHODS = ("sum", "reshape")
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
        found = _TermReader(model).read(ast.parse(text, mode="eval").body)
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


class _TermReader:
    """Walks what `ast` made of a text; everything that it does not know is refused."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def read(self, node: ast.AST) -> Any:
        """Return terms, truths or numbers."""
        reader = _READERS.get(type(node))
        if reader is None:
            raise TypeError
        return reader(self, node)

    def _name(self, node: ast.Name) -> Any:
        return self._model[node.id]

    def _constant(self, node: ast.Constant) -> int:
        if type(node.value) is not int or abs(node.value) >= 2**63:
            raise TypeError
        return node.value

    def _list(self, node: ast.List | ast.Tuple) -> Any:
        return np.array([self._number(one) for one in node.elts], dtype=np.int64)

    def _number(self, node: ast.AST) -> int:
        found = self.read(node)
        if not isinstance(found, int):
            raise TypeError
        return found

    def _binary(self, node: ast.BinOp) -> Any:
        return self._joined(node.op, self.read(node.left), self.read(node.right))

    def _compared(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1:
            raise TypeError
        return self._joined(node.ops[0], self.read(node.left), self.read(node.comparators[0]))

    def _joined(self, op: ast.AST, left: Any, right: Any) -> Any:
        if type(op) not in _BINARY:
            raise TypeError
        if isinstance(left, int) and isinstance(right, int):
            return self._constant(ast.Constant(_BINARY[type(op)](left, right)))
        many = max(np.size(left), getattr(left, "size", 1)) * max(np.size(right), getattr(right, "size", 1))
        if many > _MOST:
            raise ValueError
        return _BINARY[type(op)](left, right)

    def _unary(self, node: ast.UnaryOp) -> Any:
        if type(node.op) not in _UNARY:
            raise TypeError
        return _UNARY[type(node.op)](self.read(node.operand))

    def _item(self, node: ast.Subscript) -> Any:
        at = node.slice
        parts = at.elts if isinstance(at, ast.Tuple) else [at]
        return self.read(node.value)[tuple(map(self._index, parts))]

    def _index(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Slice):
            ends = (node.lower, node.upper, node.step)
            return slice(*(None if end is None else self._number(end) for end in ends))
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        return self._number(node)

    def _attribute(self, node: ast.Attribute) -> Any:
        if node.attr != "T":
            raise TypeError
        return self.read(node.value).T

    def _call(self, node: ast.Call) -> Any:
        named = {word.arg: self._number(word.value) for word in node.keywords if word.arg == "axis"}
        if len(named) < len(node.keywords):
            raise TypeError
        given = [self._number(one) for one in node.args]
        if isinstance(node.func, ast.Name) and node.func.id == "arange" and not named:
            if len(range(*given)) > _MOST:
                raise ValueError
            return np.arange(*given, dtype=np.int64)
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in _METHODS:
            raise TypeError
        return getattr(self.read(node.func.value), node.func.attr)(*given, **named)


_READERS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Name: _TermReader._name, ast.Constant: _TermReader._constant, ast.List: _TermReader._list,
    ast.Tuple: _TermReader._list, ast.BinOp: _TermReader._binary, ast.Compare: _TermReader._compared,
    ast.UnaryOp: _TermReader._unary, ast.Subscript: _TermReader._item, ast.Attribute: _TermReader._attribute,
    ast.Call: _TermReader._call,
}  # fmt: skip
