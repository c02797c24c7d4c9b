"""Public names say what they take, what they refuse, and how they are used; the examples run as doctests."""

from __future__ import annotations

import inspect
import re
from enum import EnumType
from pathlib import Path
from typing import Any

from each import each

import cpqueens
from cpqueens import Model
from cpqueens.language.constraints.base import Constraint

WRITTEN = (
    "add", "add_soft", "boolvar", "check", "count", "drawn", "enumerate", "explain_infeasible", "fix",
    "intvar", "maximize", "minimize", "runs", "solutions", "solve", "then_maximize", "then_minimize",
    "to_cpsat", "var", "without",
)  # fmt: skip
"""What people write behind ``model.`` with arguments."""


MADE_BY_US = ("BoolArray", "LinearArray", "Outcome", "Solution", "SolutionSet")
"""What nobody makes by its name."""


def public() -> dict[str, Any]:
    return {name: getattr(cpqueens, name) for name in cpqueens.__all__}


def documented(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def has_example(thing: Any) -> bool:
    """Whether it must have one: errors, words and marks are not used by themselves."""
    return not isinstance(thing, EnumType) and not (
        isinstance(thing, type) and issubclass(thing, BaseException)
    )


CLASSES_AND_FUNCTIONS = {n: t for n, t in public().items() if inspect.isclass(t) or inspect.isfunction(t)}
FUNCTIONS = {n: t for n, t in public().items() if inspect.isfunction(t)}
VERBS = {f"Model.{name}": getattr(Model, name) for name in WRITTEN}


@each("name", [*CLASSES_AND_FUNCTIONS, *VERBS])
def test_every_public_name_is_documented_with_an_example(name: str) -> None:
    thing = {**CLASSES_AND_FUNCTIONS, **VERBS}[name]
    text = documented(thing)
    assert text
    assert ">>> " in text


@each("name", [*FUNCTIONS, *VERBS])
def test_functions_and_verbs_say_what_they_take_and_refuse(name: str) -> None:
    thing = {**FUNCTIONS, **VERBS}[name]
    text = documented(thing)
    assert "Raises\n------" in text
    described = text.partition("Parameters\n----------")[2].partition("Raises\n------")[0]
    missing = [p for p in inspect.signature(thing).parameters if p != "self" and p not in described]
    assert missing == []


CLASSES = {
    n: t
    for n, t in CLASSES_AND_FUNCTIONS.items()
    if inspect.isclass(t) and has_example(t) and t is not cpqueens.Model
}
KINDS = {n: t for n, t in CLASSES.items() if issubclass(t, Constraint)}


@each("name", CLASSES)
def test_classes_say_what_they_are_made_of(name: str) -> None:
    thing = CLASSES[name]
    text = documented(thing)
    taken = name not in MADE_BY_US
    described = text.partition(("Parameters" if taken else "Attributes") + "\n----------")[2]
    assert described
    parameters = inspect.signature(getattr(thing, "__init__")).parameters if taken else {}  # noqa: B009
    missing = [p for p in parameters if p != "self" and p not in described.partition("Raises\n")[0]]
    assert missing == []


@each("name", KINDS)
def test_constraints_say_what_they_refuse(name: str) -> None:
    assert "Raises\n------" in documented(KINDS[name])


SECTION = re.compile(r"^ *\w[\w ]*\n *-{4,}$", re.M)


def test_examples_stand_before_sections() -> None:
    """Within one they would be read as parameters, or as errors."""
    for file in Path(cpqueens.__path__[0]).rglob("*.py"):
        for text in re.findall(r'"""(.*?)"""', file.read_text(encoding="utf-8"), re.S):
            first = SECTION.search(text)
            assert first is None or ">>> " not in text[first.start() :], f"{file}: {text[:60]}"


def test_signatures_are_those_that_are_documented() -> None:
    for name, kind in KINDS.items():
        taken = [p for p in inspect.signature(getattr(kind, "__init__")).parameters if p != "self"]  # noqa: B009
        assert list(inspect.signature(kind).parameters) == taken, name


def test_names_that_are_imported_when_used_are_listed() -> None:
    assert sorted(cpqueens.__all__) == dir(cpqueens)


def test_how_many_names_there_are() -> None:
    """Whoever adds a name adds its documentation: the tests above see it."""
    assert len(CLASSES_AND_FUNCTIONS) + len(VERBS) >= 60
    assert (len(KINDS), len(CLASSES)) >= (30, 45)
    assert sum(has_example(thing) for thing in CLASSES_AND_FUNCTIONS.values()) >= 30
