"""Problems by name (found in the folder of models) and a user's own by path; one typed view of both.

A problem is a Python file. Its names at module level are all there is to it:

``<name of the file>(n: Annotated[int, Between(0, 100)] = 8, ...) -> Model``
    builds the model; its first docstring line is the summary, its signature declares the parameters.
``verify(solution, **parameters) -> list of complaints``
    optional: checks raw values ``{"q": [0, 2, ...]}`` in plain Python, without any constraint object.
    It may also return a bool.
    A parameter ``viewpoint`` chooses among statements with the same solutions.
``published``
    optional: a tuple of `Published` values.
``symmetries``
    optional: a group of `cpqueens.answers.symmetry`, or a function of the parameters that returns one.

A reference is a problem's name, ``path.py:name`` of a function or of a model, ``path.py`` (the function with
the file's name, or the only one that is annotated to return a Model, or the only model), or a model file:
``.json``, in FlatZinc ``.fzn``, or in MiniZinc, where that is installed, ``.mzn`` with its data files. A
model may be one of CPMpy, CP-SAT or python-constraint. Python files are executed, and may import the modules
beside them; model files never are.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from cpqueens.answers.symmetry import Group, as_group
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.exchange.origin import as_model, is_model
from cpqueens.model import Model
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import read_parameters
from cpqueens.text import plaintext
from cpqueens.text.bounded import read_bytes
from cpqueens.text.parameters import Parameter, complete, needed, parse_assignments
from cpqueens.text.plaintext import did_you_mean, raised_text, shown

_HOMES: dict[str, Path] = {}
"""By the name of a module that stands beside a user's file, its folder."""

_ADDED: set[str] = set()


@contextmanager
def beside(path: Path) -> Iterator[None]:
    """Let the modules in the folder of a file be imported: before all others meanwhile, behind them later.

    Later, because functions may import when they are called, and because worker processes take over the path.
    Two folders may have modules of one name: each file gets that of its own.

    Parameters
    ----------
    path
        The file that is about to be run.
    """
    folder = path.resolve().parent
    text = str(folder)
    ours = text in _ADDED or text not in sys.path
    others = [name for name, home in _HOMES.items() if home != folder and name in sys.modules]
    aside = {name: sys.modules.pop(name) for name in others}
    known = set(sys.modules)
    sys.path.insert(0, text)
    try:
        yield
    finally:
        sys.path.remove(text)
        if ours:
            _note(folder, known)
            if text not in sys.path:
                sys.path.append(text)
                _ADDED.add(text)
        for name, module in aside.items():
            sys.modules.setdefault(name, module)


def _note(folder: Path, known: set[str]) -> None:
    """Note which modules that were not known came from a folder."""
    for name in sys.modules.keys() - known:
        top = name.partition(".")[0]
        file = getattr(sys.modules.get(top), "__file__", None)
        if top not in known and file and Path(file) in (folder / f"{top}.py", folder / top / "__init__.py"):
            _HOMES[name] = folder


PACKAGE = "cpqueens.models"

VIEWPOINT = "viewpoint"
"""The parameter that chooses among statements of one problem: values are published of all of them alike."""

MAX_SOURCE = 2**24
"""Bytes of a user's Python file."""


@dataclass(frozen=True)
class Problem:
    """A family of models with parameters."""

    name: str
    summary: str
    description: str
    parameters: Mapping[str, Parameter]
    function: Callable[..., Any] = field(repr=False)
    module: ModuleType = field(repr=False)

    @property
    def source(self) -> str:
        """The file that states it."""
        return str(self.module.__file__)

    @property
    def published(self) -> tuple[Published, ...]:
        """All published values."""
        return tuple(getattr(self.module, "published", ()))

    @property
    def has_verify(self) -> bool:
        """Whether it brings its own check of raw values."""
        return callable(getattr(self.module, "verify", None))

    def default(self, parameter: str) -> Any:
        """Return the default of a parameter, None if there is no such parameter."""
        declared = self.parameters.get(parameter)
        return None if declared is None else declared.default

    def read(self, assignments: Iterable[str]) -> dict[str, Any]:
        """Return the parameters given as texts such as ``n=8``, validated and with all defaults.

        Raises
        ------
        ModelError
            In one line that names the problem, the parameter, the value and what is allowed.
        """
        return self._named(lambda: complete(self.parameters, parse_assignments(self.parameters, assignments)))

    def instance(self, **parameters: Any) -> Instance:
        """Build the model for the given parameters.

        Raises
        ------
        ModelError
            For a parameter that is unknown or not allowed, or if the function does not return a model.
        """
        values = self._named(lambda: complete(self.parameters, parameters))
        found = self._call(self.function, values)
        if not is_model(found):
            raise ModelError(f"{self.name}: it must return a Model, got {type(found).__name__}")
        model = self._call(lambda: as_model(found), {})
        return Instance(self, values, model)

    def _named(self, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return work()
        except ModelError as error:
            raise ModelError(f"{self.name}: {error}") from None

    def _call(self, function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        try:
            return function(**values)
        except CpqueensError as error:
            text = str(error).removeprefix(f"{self.name}: ")  # which it may have already
            raise ModelError(f"{self.name}: {text}") from error
        except (Exception, SystemExit) as error:
            raise ModelError(f"{self.name}: {raised_text(error, self.source)}") from error


@dataclass(frozen=True)
class Instance:
    """One model of a problem, with the parameters that made it; ``problem`` is None for a model file."""

    problem: Problem | None
    parameters: Mapping[str, Any]
    model: Model

    @property
    def title(self) -> str:
        """Such as ``queens(n=8)``; parameters that have their defaults by not being given included."""
        if self.problem is None:
            return self.model.name
        plain = {VIEWPOINT: self.problem.default(VIEWPOINT)}
        given = {k: v for k, v in self.parameters.items() if v not in ((), plain.get(k, ()))}
        shown = ", ".join(f"{k}={v}" for k, v in given.items())
        return f"{self.problem.name}({shown})"

    def __repr__(self) -> str:
        return f"<Instance {self.title}>"

    def __str__(self) -> str:
        return f"{self.title}\n{self.model}"

    def _repr_html_(self) -> str:
        summary = "" if self.problem is None else plaintext.line(self.problem.summary)
        return plaintext.fragment(plaintext.heading(self.title), summary, self.model._repr_html_())

    def verify(self, solution: Mapping[str, Any]) -> list[str]:
        """Return what the problem's own plain check complains about; empty if nothing or without check.

        Parameters
        ----------
        solution
            Raw values by name, as `Solution.as_dict` returns them.
        """
        if self.problem is None or not self.problem.has_verify:
            return []
        answer = self.problem.module.verify(solution, **self.parameters)
        if isinstance(answer, bool):
            return [] if answer else ["verify says no"]
        return [str(complaint) for complaint in answer]

    def published(self, what: str = "solutions") -> Published | None:
        """Return the published value for these parameters, or None."""
        if self.problem is None:
            return None
        defaults = {name: p.default for name, p in self.problem.parameters.items()}
        plain = {VIEWPOINT: defaults[VIEWPOINT]} if VIEWPOINT in defaults else {}
        for entry in self.problem.published:
            if entry.what == what and {**defaults, **entry.parameters} == {**self.parameters, **plain}:
                return entry
        return None

    def symmetries(self) -> Group:
        """Return the group that maps solutions onto solutions, empty if none is declared."""
        declared = getattr(self.problem.module, "symmetries", ()) if self.problem is not None else ()
        return as_group(declared(**self.parameters) if callable(declared) else declared)


# ---- finding ------------------------------------------------------------------------------------------


def names() -> list[str]:
    """Return the names of the problems that are shipped, sorted."""
    package = importlib.import_module(PACKAGE)
    return sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))


def find(reference: str) -> Problem:
    """Return the problem called ``reference``, or the one in a user's file.

    Raises
    ------
    ModelError
        If there is none, with the nearest name; or if the file cannot be run.
    """
    path, function = _split(needed(reference, str, "the name of a problem, or a file,"))
    if path is not None:
        return _from_file(path, function)
    if reference not in names():
        raise ModelError(f"no problem {shown(reference, 60)}{did_you_mean(reference, names())}")
    module = importlib.import_module(f"{PACKAGE}.{reference}")
    return _problem(reference, getattr(module, reference), module)


def load(reference: str, assignments: Iterable[str] = ()) -> Instance:
    """Return the model that ``reference`` and texts such as ``n=8`` mean, as the command line does.

    Raises
    ------
    ModelError
        For an unknown problem, a file that cannot be read, or parameters that are not allowed.
    """
    ending = Path(needed(reference, str, "the name of a problem, or a file,")).suffix.lower()
    given = list(assignments)
    if ending == ".mzn":
        from cpqueens.exchange.minizinc import minizinc_model

        return Instance(None, {}, minizinc_model(reference, given))
    if ending in (".json", ".fzn") and given:
        raise ModelError(f"{reference}: a model file has no parameters, got {shown(given[0])}")
    if ending == ".json":
        from cpqueens.files.modelfile import load_model

        return Instance(None, {}, load_model(reference))
    if ending == ".fzn":
        from cpqueens.exchange.flatzinc import load_flatzinc

        return Instance(None, {}, load_flatzinc(reference).model)
    problem = find(reference)
    return problem.instance(**problem.read(given))


def _split(reference: str) -> tuple[Path | None, str | None]:
    """Return path and function of ``path.py:function`` or ``path.py``; no path for a name."""
    if reference.endswith(".py"):
        return Path(reference), None
    path, colon, function = reference.rpartition(":")
    if colon and path.endswith(".py"):
        return Path(path), function
    return None, None


def _from_file(path: Path, function: str | None) -> Problem:
    module = _run(path)
    own = {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    models = {n: v for n, v in vars(module).items() if not n.startswith("_") and is_model(v)}
    if function is None:
        function = _only_problem(path, own, models)
    if function in models:
        return _problem(function, lambda: models[function], module)
    if function not in own:
        raise ModelError(
            f"{path}: no function {shown(function, 60)}{did_you_mean(function, [*own, *models])}"
        )
    return _problem(function, own[function], module)


def _only_problem(path: Path, functions: Mapping[str, Callable[..., Any]], models: Iterable[str]) -> str:
    if path.stem in functions:
        return path.stem
    building = [n for n, f in functions.items() if f.__annotations__.get("return") in ("Model", Model)]
    building = building or list(models)
    if len(building) != 1:
        listed = ", ".join(building or functions) or "none"
        raise ModelError(f"{path}: which function? write {path}:NAME; functions are {listed}")
    return building[0]


def _run(path: Path) -> ModuleType:
    """Execute a user's file as a module of its own."""
    read_bytes(path, MAX_SOURCE, pipes=False)  # what Python reads next is a file of a size for a module
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    name = f"cpqueens_user_{digest}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ModelError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that dataclasses and pickles of the file find their module
    try:
        with beside(path):
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[name]
        raise ModelError(f"{path}: {raised_text(error, path)}") from error
    return module


def _problem(name: str, function: Callable[..., Any], module: ModuleType) -> Problem:
    text = inspect.getdoc(function) or inspect.getdoc(module) or ""
    try:
        parameters = read_parameters(function)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None
    return Problem(name, text.partition("\n")[0], text, parameters, function, module)
