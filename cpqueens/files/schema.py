"""The outline of a model file, from bytes to types that msgspec checks; ``args`` are read later."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

import msgspec

from cpqueens.errors import ModelError
from cpqueens.text.bounded import parse_json
from cpqueens.text.plaintext import did_you_mean, one_line

P = ParamSpec("P")
R = TypeVar("R")


class Misplaced(ModelError):  # noqa: N818 - named for what it says, as the other errors are
    """Something is wrong at ``path``; the path grows as the error passes the parts that enclose it."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message

    def inside(self, outer: str) -> Misplaced:
        """Return the same complaint as seen from outside."""
        joint = "." if outer and self.path and not self.path.startswith("[") else ""
        return Misplaced(f"{outer}{joint}{self.path}", self.message)


def at(path: str, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what ``work`` returns; what it complains about is placed at ``path``."""
    try:
        return work(*args, **kwargs)
    except Misplaced as error:
        raise error.inside(path) from None
    except ModelError as error:
        raise Misplaced(path, str(error)) from None


def converted(value: Any, kind: type[R]) -> R:
    """Return ``value`` as msgspec checks it against a type, nothing being coerced.

    Raises
    ------
    Misplaced
        With the place within ``value``.
    """
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        raise Misplaced(place.rstrip("`").lstrip("."), one_line(message)) from None


VERSION = 2
RELATIONAL = 2
"""The first version in which a truth over an undefined term is false."""

MAX_VARIABLES = 2_000_000
MAX_CONSTRAINTS = 1_000_000
MAX_BYTES = 32 * 2**20

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Title = Annotated[str, msgspec.Meta(max_length=1000)]
Size = Annotated[int, msgspec.Meta(ge=0)]


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """Part of a file; unknown keys are refused."""


class VariableEntry(_Entry):
    """An array of variables; ``names`` are those of the values in ``domain``, in the same order.

    ``labels`` are those along each axis, null for one that has none.
    """

    name: Name
    shape: tuple[Size, ...] = ()
    lower: int | list[int] | msgspec.UnsetType = msgspec.UNSET
    upper: int | list[int] | msgspec.UnsetType = msgspec.UNSET
    domain: list[int] | msgspec.UnsetType = msgspec.UNSET
    names: list[str] | msgspec.UnsetType = msgspec.UNSET
    labels: list[list[str | int] | None] | msgspec.UnsetType = msgspec.UNSET


class ConstraintEntry(_Entry):
    """A constraint: its kind and the values of its fields in their order."""

    kind: str
    args: list[Any]
    name: Title | None = None


class DefinitionEntry(_Entry):
    """A block of defined variables: a function of arrays of terms, or the truth of a constraint."""

    name: Name
    kind: str
    args: list[Any] | None = None
    constraint: ConstraintEntry | None = None


class SoftEntry(ConstraintEntry):
    """A soft constraint: what each of its elements costs where it does not hold."""

    weight: int | list[int] = 1


class ObjectiveEntry(_Entry):
    """What to minimize or maximize: a term, the penalties of the soft constraints, or a term and these.

    A number says how often they are added to the term.
    """

    sense: Literal["minimize", "maximize"]
    term: Any = None
    penalties: bool | int = False


class Document(_Entry):
    """A whole file."""

    format: Literal["cpqueens-model"]
    version: Literal[1, 2]
    variables: Annotated[list[VariableEntry], msgspec.Meta(max_length=MAX_VARIABLES)]
    constraints: Annotated[list[ConstraintEntry], msgspec.Meta(max_length=MAX_CONSTRAINTS)]
    name: Title = "model"
    definitions: Annotated[list[DefinitionEntry], msgspec.Meta(max_length=MAX_VARIABLES)] = []
    soft: Annotated[list[SoftEntry], msgspec.Meta(max_length=MAX_CONSTRAINTS)] = []
    objective: ObjectiveEntry | None = None
    then: list[ObjectiveEntry] = []
    view: dict[str, Any] | None = None


_KEYS = {
    f
    for entry in (Document, VariableEntry, ConstraintEntry, DefinitionEntry, SoftEntry, ObjectiveEntry)
    for f in entry.__struct_fields__
}


def read_document(value: Any) -> Document:
    """Return the checked outline of a file.

    Raises
    ------
    ModelError
        In one line with the path of what is wrong, such as ``variables[0].lower``.
    """
    version = value.get("version") if isinstance(value, dict) else None
    if type(version) is int and version > VERSION:
        newest = f"this one reads versions up to {VERSION}"
        raise Misplaced("version", f"{version} was written by a newer cpqueens; {newest}")
    try:
        return converted(value, Document)
    except Misplaced as error:
        unknown = re.search(r"unknown field `(.*)`", error.message)
        advice = did_you_mean(unknown[1], _KEYS) if unknown else ""
        advice = advice if "did you mean" in advice else ""
        raise Misplaced(error.path or "top level", error.message + advice) from None


def parse(data: bytes) -> Any:
    """Return what the JSON text says; everything that is doubtful is refused.

    Raises
    ------
    ModelError
        For too many bytes or levels, a byte order mark, NUL, bad UTF-8, numbers that are not integers,
        duplicate keys, trailing text.
    """
    if len(data) > MAX_BYTES:
        raise ModelError(f"{len(data)} bytes, allowed are at most {MAX_BYTES}")
    return parse_json(_decode(data))


def _decode(data: bytes) -> str:
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise ModelError("begins with a byte order mark; write plain UTF-8")
    at = data.find(b"\x00")
    if at >= 0:
        raise ModelError(f"a NUL at byte {at}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"not UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from None
