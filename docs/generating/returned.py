"""Pages of what public calls return: every class that one gives, or that such a class holds."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import cpqueens
from cpqueens.language.constraints.base import Constraint
from generating import names
from generating.tables import fenced, linked_entry, table

TITLES = {
    "answers": "What models answer",
    "solving": "What models answer",
    "language": "What models answer",
    "crosscheck": "Cross-checks and comparisons",
    "lab": "Evaluations",
    "longrun": "Long counts",
    "exchange": "From and to other libraries",
    "backends": "From and to other libraries",
}
"""Under which title the classes of a folder stand."""
STATED = {
    "Constraint": "constraints have a page of their own",
    "Registry": "the model that terms belong to, as these know it",
    "Statement": "a model, as solvers know it",
    "Term": "a `LinearArray` of shape ()",
    "View": "those there are stand among the public names, under their own names",
}
"""What is returned, and has its place elsewhere."""


def pages() -> dict[str, str]:
    """Return a page for each class, and the table of calls."""
    pages = {"reference/index.md": "\n\n".join(_index()) + "\n"}
    pages |= {"reference/calls.md": names.page("Which call gives what", "What calls return", _calls())}
    for kind in classes():
        title = TITLES[kind.__module__.split(".")[1]]
        entry = fenced("{eval-rst}", _entry(kind))
        pages[f"reference/{file_of(kind)}.md"] = names.page(kind.__name__, title, entry)
    return pages


def file_of(kind: type) -> str:
    """Return the page, without its ending, on which a class stands."""
    return names.place(kind.__name__) if kind.__name__ in cpqueens.__all__ else kind.__name__


def _index() -> Iterator[str]:
    yield "# Reference"
    yield (
        "This is everything that you can import with `from cpqueens import ...`: a page for each class, "
        "function and method, with examples that the tests run. Ready models are in `cpqueens.models` "
        "([gallery](../gallery/index.md)), assertions for tests in `cpqueens.testing`. Other modules may "
        "change."
    )
    yield "## Methods of a model"
    yield table(
        ("method", "does"),
        ((linked_entry(f"Model.{v}", f"Model.{v}"), names.says(f"Model.{v}")) for v in names.verbs()),
    )
    for title in names.TITLES:
        here = [name for name in cpqueens.__all__ if names.title_of(name) == title]
        yield f"## {title}"
        if title in (*names.TOGETHER, "Constraints"):  # what each is, stands there
            yield " ".join(linked_entry(name, names.place(name)) for name in here)
        else:
            yield table(
                ("name", "is"), ((linked_entry(name, names.place(name)), names.says(name)) for name in here)
            )
    yield "## What calls return"
    yield (
        "Classes of the objects that calls return: "
        + " ".join(linked_entry(kind.__name__, file_of(kind)) for kind in classes())
        + ". [Which call returns which class](calls.md)."
    )


def _calls() -> str:
    rows = [
        (f"`{call}`", ", ".join(linked_entry(kind.__name__, file_of(kind)) for kind in kinds))
        for call, kinds in calls().items()
        if kinds[0] not in (cpqueens.LinearArray, cpqueens.BoolArray) and kinds[0].__name__ not in STATED
    ]
    return table(("call", "gives"), rows)


def calls() -> dict[str, list[type]]:
    """Return for public functions, and members of public classes, the classes of ours that each gives."""
    found = {}
    for name in cpqueens.__all__:
        thing = getattr(cpqueens, name)
        if inspect.isfunction(thing):
            found[f"{name}()"] = _told(thing, inspect.signature(thing).return_annotation)
        elif inspect.isclass(thing) and not issubclass(thing, Constraint | BaseException):
            for one in names.members(name):
                member = inspect.getattr_static(thing, one)
                function = inspect.unwrap(_function(member) or member)
                if inspect.isfunction(function):
                    called = f"{name}.{one}" + ("" if isinstance(member, property) else "()")
                    found[called] = _told(function, function.__annotations__.get("return", ""))
    return {call: kinds for call, kinds in found.items() if kinds}


def classes() -> list[type]:
    """Return the classes that calls give and that have no public name, and all that these give and hold."""
    public = {getattr(cpqueens, name) for name in cpqueens.__all__ if name not in names.MARKS}
    found: dict[type, None] = {}
    todo = [kind for kinds in calls().values() for kind in kinds]
    todo += [other for kind in public if inspect.isclass(kind) for other in _held(kind)]
    while todo:
        kind = todo.pop(0)
        if kind in found or kind in public or kind.__name__ in STATED:
            continue
        found[kind] = None
        todo += _held(kind)
        todo += [other for one in members(kind) for other in _given(kind, one)]
    return list(found)


@cache
def entries() -> dict[str, str]:
    """Return for each class that has an entry, here or among the public names, where it is."""
    public = [getattr(cpqueens, name) for name in cpqueens.__all__ if name not in names.MARKS]
    return {kind.__name__: _place(kind) for kind in (*classes(), *filter(inspect.isclass, public))}


def members(kind: type) -> list[str]:
    """Return the properties and methods that people use of a class, inherited ones first."""
    return list(
        dict.fromkeys(
            one
            for owner in kind.__mro__[::-1]
            if owner.__module__.startswith("cpqueens.")
            for one, value in vars(owner).items()
            if not one.startswith("_") and _function(value) is not None and inspect.getdoc(_function(value))
        )
    )


def fields(kind: type) -> list[str]:
    """Return the names of what objects of a class hold."""
    return list(dict.fromkeys(name for name, _ in _annotated(kind)))


def _held(kind: type) -> list[type]:
    """Return the classes of ours whose objects a class holds for its users."""
    inner = names.INNER.get(kind.__name__, ())
    return [other for name, told in _annotated(kind) if name not in inner for other in _told(*told)]


def _annotated(kind: type) -> Iterator[tuple[str, tuple[type, Any]]]:
    for owner in kind.__mro__[::-1]:
        if owner.__module__.startswith("cpqueens."):
            for name, text in vars(owner).get("__annotations__", {}).items():
                if not name.startswith("_") and "ClassVar" not in str(text):
                    yield name, (owner, text)


def _given(kind: type, one: str) -> list[type]:
    function = inspect.unwrap(_function(inspect.getattr_static(kind, one)))
    return _told(function, function.__annotations__.get("return", ""))


def _function(member: Any) -> Any:
    """Return the function behind a method or a property; None for what is none."""
    for name in ("fget", "func", "__func__"):
        member = getattr(member, name, None) or member
    return member if inspect.isfunction(member) else None


# ---- what annotations name -------------------------------------------------------------------------------


def _told(owner: Any, annotation: Any) -> list[type]:
    """Return the classes of this package that an annotation names, as its module understands it."""
    text = annotation.__name__ if inspect.isclass(annotation) else str(annotation)
    module = importlib.import_module(owner.__module__)
    named = (_named(module.__name__, word) for word in dict.fromkeys(re.findall(r"\b[A-Z]\w*", text)))
    return [kind for kind in named if kind is not None]


def _named(module: str, word: str) -> type | None:
    """Return the class of ours that a word is in a module, also where it is imported for types alone."""
    kind = vars(importlib.import_module(module)).get(word)
    if kind is None and word in _imported(module):
        kind = getattr(importlib.import_module(_imported(module)[word]), word, None)
    return kind if inspect.isclass(kind) and kind.__module__.startswith("cpqueens.") else None


@cache
def _imported(module: str) -> dict[str, str]:
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    return {alias.name: node.module or "" for node in froms for alias in node.names}


# ---- entries ---------------------------------------------------------------------------------------------


def _place(kind: type) -> str:
    public = kind.__name__ in cpqueens.__all__
    return f"cpqueens.{kind.__name__}" if public else f"{kind.__module__}.{kind.__name__}"


def _entry(kind: type) -> str:
    lines = [f".. autoclass:: {_place(kind)}"]
    inner = list(getattr(kind, "__members__", members(kind)))
    for one in inner:
        member = inspect.getattr_static(kind, one)
        what = "attribute" if _function(member) is None else "method"
        what = "property" if isinstance(member, property) or hasattr(member, "func") else what
        lines += ["", f"   .. auto{what}:: {_place(kind)}.{one}"]
    return "\n".join(lines)
