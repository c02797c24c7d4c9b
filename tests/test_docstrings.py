"""Public names say what they take, what they refuse, and how they are used; the examples run as doctests."""

from __future__ import annotations

import inspect
from enum import EnumType
from typing import Any

import pytest

import cpqueens
from cpqueens import Model

WRITTEN = (
    "add", "add_soft", "boolvar", "check", "count", "enumerate", "explain_infeasible", "fix", "intvar",
    "maximize", "minimize", "solutions", "solve", "then_maximize", "then_minimize",
)  # fmt: skip
"""What people write behind ``model.`` with arguments."""


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


@pytest.mark.parametrize("name", [*CLASSES_AND_FUNCTIONS, *VERBS])
def test_every_public_name_is_documented_with_an_example(name: str) -> None:
    thing = {**CLASSES_AND_FUNCTIONS, **VERBS}[name]
    text = documented(thing)
    assert text
    assert ">>> " in text or not has_example(thing)


@pytest.mark.parametrize("name", [*FUNCTIONS, *VERBS])
def test_functions_and_verbs_say_what_they_take_and_refuse(name: str) -> None:
    thing = {**FUNCTIONS, **VERBS}[name]
    text = documented(thing)
    assert "Raises\n------" in text
    described = text.partition("Parameters\n----------")[2].partition("Raises\n------")[0]
    missing = [p for p in inspect.signature(thing).parameters if p != "self" and p not in described]
    assert missing == []


def test_how_many_names_there_are() -> None:
    """Whoever adds a name adds its documentation: the tests above see it."""
    assert len(CLASSES_AND_FUNCTIONS) + len(VERBS) >= 60
    assert sum(has_example(thing) for thing in CLASSES_AND_FUNCTIONS.values()) >= 30
