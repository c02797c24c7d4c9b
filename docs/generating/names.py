"""The reference: a page for each class, function and verb of ``cpqueens.__all__``, and their index."""

import inspect
import textwrap
from collections.abc import Iterator
from enum import Enum

import cpqueens
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.views import View
from generating import constraints
from generating.tables import fenced, linked_entry, orphan, table

MARKS = {
    "ANY": """In a row of a ``Table``, a ``NegativeTable`` or a ``ShortTable``: any value. It is ``"*"``.

>>> from cpqueens import ANY, Model, Table
>>> m = Model()
>>> x = m.intvar(1, 3, shape=2, name="x")
>>> m += Table(x, [(1, ANY), (2, 3)])
>>> m.count()
4
""",
    "STOP": """Returned by a callback (``on_improvement``, ``on_solution``) to end the run.

>>> from cpqueens import STOP
>>> from cpqueens.models.queens import queens
>>> queens(6).enumerate(lambda solution: STOP, solver="backtracking").count
1
""",
}
"""Names that are no class and no function; their examples are run by tests/test_docs.py."""
TITLES = (
    "Models",
    "Constraints",
    "Functions of expressions",
    "Expressions",
    "Answers",
    "Comparing, measuring, long counts",
    "From and to other libraries",
    "Pictures",
    "Marks",
    "Errors",
)
TOGETHER = {"Pictures": "pictures", "Marks": "marks", "Errors": "errors"}
"""What is short stands on one page, by its title."""
INNER = {
    "LinearArray": {
        "as_literals", "bind", "broadcast", "coefficients", "constants", "evaluate", "registry", "row_keys",
        "rows", "scope", "single", "summed", "variables", "width",
    },
    "BoolArray": {"single"},
    "SolutionSet": {"known", "lookup", "matrix"},
}  # fmt: skip
"""What classes have for the package itself, under names that look public; it may change."""


def pages() -> dict[str, str]:
    """Return a page for each name, one for each verb of a model, and the index of all."""
    pages: dict[str, str] = {}
    for title in TITLES:
        names = [name for name in cpqueens.__all__ if title_of(name) == title]
        if title in TOGETHER:
            entries = "\n\n".join(_entry(name) for name in names)
            pages[f"reference/{TOGETHER[title]}.md"] = page(title, title, fenced("{eval-rst}", entries))
            continue
        for name in names:
            pages[f"reference/{name}.md"] = page(name, title, *_told(name))
    for verb in verbs():
        entry = fenced("{eval-rst}", f".. automethod:: cpqueens.Model.{verb}")
        pages[f"reference/Model.{verb}.md"] = page(f"Model.{verb}", "[Model](Model.md)", entry)
    return pages


def page(name: str, title: str, *parts: str) -> str:
    """Return a page of the reference, with the way back above it."""
    return orphan("\n\n".join([f"[Reference](index.md) / {title}", f"# {name}", *parts]) + "\n")


def place(name: str) -> str:
    """Return the page of the reference, without its ending, on which a public name stands."""
    return TOGETHER.get(title_of(name), name)


def says(name: str) -> str:
    """Return the first line of a documentation."""
    owner, _, member = name.partition(".")
    thing = getattr(cpqueens, owner)
    text = inspect.getdoc(inspect.getattr_static(thing, member) if member else thing) or ""
    return text.partition("\n")[0].replace("``", "`")


def verbs() -> list[str]:
    """Return what is called on a model."""
    return [one for one in members("Model") if _is_called(inspect.getattr_static(cpqueens.Model, one))]


def _told(name: str) -> Iterator[str]:
    yield fenced("{eval-rst}", _entry(name))
    if name == "Model":
        yield "## Methods"
        yield table(("name", "does"), ((linked_entry(v, f"Model.{v}"), says(f"Model.{v}")) for v in verbs()))
    if name in constraints.told():
        yield "## Solvers"
        yield constraints.natively(name)


def members(name: str) -> list[str]:
    """Return what people use of a class, inherited or not, in the order of writing."""
    kind = getattr(cpqueens, name)
    if not inspect.isclass(kind) or issubclass(kind, View | BaseException):
        return []
    if issubclass(kind, Enum):
        return [member.name for member in kind]
    if issubclass(kind, Constraint):  # made, in other ways, too, and added
        made = {one: value for one, value in vars(kind).items() if isinstance(value, classmethod)}
        return [one for one, value in made.items() if ">>> " in (inspect.getdoc(value.__func__) or "")]
    places = {
        one: (_rank(owner), line)
        for owner in kind.__mro__[::-1]
        for one, line in _written(owner).items()
        if not one.startswith("_") and one in dir(kind) and one not in INNER.get(name, ())
    }
    return sorted(places, key=lambda one: places[one])


def _written(owner: type) -> dict[str, int]:
    """Return the documented members that a class of ours has itself, with their lines."""
    if not owner.__module__.startswith("cpqueens."):
        return {}
    lines = {}
    for one, value in vars(owner).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(function) and inspect.getdoc(function):
            lines[one] = inspect.unwrap(function).__code__.co_firstlineno
    return lines


def _rank(owner: type) -> int:
    """Return the place of a class: a model is first stated, then solved."""
    order = ("Statement", "NamedValues", "Objectives", "Model", "Queries", "VariableStore")
    return order.index(owner.__name__) if owner.__name__ in order else -len(owner.__mro__)


def title_of(name: str) -> str:
    """Return under which title of the index a name stands."""
    thing = getattr(cpqueens, name)
    if name in MARKS:
        return "Marks"
    if not inspect.isclass(thing):
        if thing.__module__ == "cpqueens.language.functions":
            return "Functions of expressions"
        moved = name.startswith(("from_", "to_"))
        return "From and to other libraries" if moved else "Comparing, measuring, long counts"
    if name in {"BoolArray", "LinearArray"}:
        return "Expressions"
    bases = {cpqueens.Model: "Models", Constraint: "Constraints", View: "Pictures", BaseException: "Errors"}
    return next((title for base, title in bases.items() if issubclass(thing, base)), "Answers")


def _entry(name: str) -> str:
    if name in MARKS:
        return f".. py:data:: cpqueens.{name}\n\n{textwrap.indent(MARKS[name], '   ')}"
    if not inspect.isclass(getattr(cpqueens, name)):
        return f".. autofunction:: cpqueens.{name}"
    lines = [f".. autoclass:: cpqueens.{name}"]
    for one in members(name):
        member = inspect.getattr_static(getattr(cpqueens, name), one)
        if name == "Model" and _is_called(member):
            continue  # verbs have pages
        what = "property" if isinstance(member, property) else "method" if _is_called(member) else "attribute"
        lines += ["", f"   .. auto{what}:: cpqueens.{name}.{one}"]
    return "\n".join(lines)


def _is_called(member: object) -> bool:
    return inspect.isfunction(member) or isinstance(member, classmethod | staticmethod)
