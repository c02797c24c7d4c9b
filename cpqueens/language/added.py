"""What `Model.add` returns where a program goes on with it, as those of OR-Tools do: an advice."""

from types import FrameType
from typing import TYPE_CHECKING, NoReturn, cast

from cpqueens.language.expressions import BoolArray
from cpqueens.text.calling import after_call
from cpqueens.text.foreign import spelled

_KEPT = ("LIST_APPEND", "LOAD_ATTR", "LOAD_METHOD", "MAP_ADD", "STORE_")
"""How the instructions begin that go on with a result; ``assert m.add(...) is None`` does not."""

_OF_CONSTRAINTS = {
    "onlyenforceif": "m.add(b.implies(constraint))",
    "withname": "m.add(constraint, name=...)",
    "name": "m.add(constraint, name=...), and m.constraints to read it",
    "index": "m.constraints, a list in the order of adding",
    "proto": "m.constraints, or m.to_cpsat()",
}
"""What constraints have in OR-Tools, by names without case and underscores."""


class Added:
    """Nothing: it has no attribute, and says what is written instead."""

    __slots__ = ("_model", "_verb")

    def __init__(self, verb: str, model: type) -> None:
        self._verb = verb
        self._model = model

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            text = f"m.{self._verb}(...) returns nothing that has {name!r}{self._advice(name)}"
            raise AttributeError(text, name=name, obj=self)

    def _advice(self, name: str) -> str:
        if name.startswith("_"):
            return ""
        known = _OF_CONSTRAINTS.get(name.replace("_", "").lower())
        if known is not None:
            return f"; write {known.replace('m.add(', f'm.{self._verb}(')}"
        if hasattr(self._model, name):
            return f"; write m.{name}(...) on a line of its own"
        if hasattr(BoolArray, name):
            return f"; write m.{self._verb}(constraint.{name}(...))"
        return spelled(name)

    def __repr__(self) -> str:
        return f"nothing, which is what m.{self._verb}(...) returns"


def returned(verb: str, model: object, frame: FrameType) -> None:
    """Return None to a program that drops it or compares it, an advice to one that goes on with it."""
    return cast(None, Added(verb, type(model))) if after_call(frame).startswith(_KEPT) else None
