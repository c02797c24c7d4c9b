"""FlatZinc as text (MiniZinc Handbook, "FlatZinc specification"): statements, values, annotations.

What is read is plain: integers, truth values and reals as Python's, sets as ranges or tuples, arrays as
lists, names as strings, annotations and texts as the classes below. Nothing is run; the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from sys import intern
from typing import Any, NamedTuple, TypeAlias

from cpqueens.errors import ModelError
from cpqueens.text.plaintext import shown

_TOKEN = re.compile(
    r"\[(?:-?[0-9]{1,18}+,\s*+)++-?[0-9]{1,18}+\]|"  # numbers alone, which may be many, are one word
    r'"[^"\n]*"|%[^\n]*|-?\d+\.\d+(?:[eE][-+]?\d+)?|-?\d+[eE][-+]?\d+|-?0x[0-9A-Fa-f]+|-?0o[0-7]+|-?\d+'
    r"|[A-Za-z_][A-Za-z0-9_]*|::|\.\.|\S"
)
_BLANK = re.compile(r"(?:\s++|%[^\n]*+)*+")
_STATEMENT = re.compile(rf'((?:[^;"%]++|"[^"\n]*+"|%[^\n]*+)*+;){_BLANK.pattern}')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_WORD = r"[A-Za-z_][A-Za-z0-9_]*+"
_VARIABLE = re.compile(
    r"var\s++(?:bool|(-?[0-9]{1,18})\.\.(-?[0-9]{1,18}))\s*+:\s*+"
    rf"({_WORD})((?:\s*+::\s*+{_WORD})*+)\s*+;"
)
"""A variable with bounds, and no annotations but names."""

_TRUTHS = ("true", "false")
_DEEPEST = 50
"""Annotations within annotations, arrays within arrays."""
_LONGEST = 20
"""Digits of an integer; more are beyond all arithmetic anyway."""
_SLICE = 2**13
"""So many letters are split at once."""
_PIECE = 2**12
"""Of so many letters the lines are counted at once."""

Value: TypeAlias = Any
"""int, bool, float, range or tuple (sets), list (arrays), `Name`, `ArrayEntry`, `Annotation`, `Text`."""


Name: TypeAlias = str
"""A name of a parameter, a variable, an array or an annotation."""


@dataclass(frozen=True)
class Text:
    """A text in quotes; only annotations have these."""

    content: str


@dataclass(frozen=True)
class ArrayEntry:
    """``array[place]``, from 1."""

    array: str
    place: int


@dataclass(frozen=True)
class Annotation:
    """An annotation with arguments."""

    name: str
    arguments: tuple[Value, ...]


class Declared(NamedTuple):
    """A parameter, a variable or an array of either.

    Parameters
    ----------
    kind
        ``bool``, ``int``, ``float`` or ``set``.
    domain
        What its values (or entries) are in; None without bounds.
    size
        The number of entries of an array, else None.
    """

    name: str
    kind: str
    domain: range | tuple[int, ...] | None
    is_variable: bool
    size: int | None
    annotations: tuple[Name | Annotation, ...]
    value: Value


class Stated(NamedTuple):
    """A constraint."""

    name: str
    arguments: tuple[Value, ...]
    annotations: tuple[Name | Annotation, ...]


@dataclass(frozen=True)
class Goals:
    """The last statement: ``satisfy``, ``minimize`` or ``maximize``."""

    sense: str
    term: Value
    annotations: tuple[Name | Annotation, ...]


class FlatZincError(ModelError):
    """Something in a statement is not as the grammar has it; who knows where it stands says so."""


class UnendedError(ModelError):
    """The last statement does not end; it says where that begins."""


def statements(text: str, at: int = 0) -> Iterator[tuple[int, str]]:
    """Yield place and text of each statement from a place on, its semicolon included.

    Raises
    ------
    UnendedError
        If the last one does not end, with the line where it begins.
    """
    if '"' not in text and "%" not in text:  # then every ';' ends one
        last = text.rfind(";") + 1
        while at < last:
            stop = max(text.rfind(";", at, at + _SLICE), text.find(";", at)) + 1
            for piece in text[at : stop - 1].split(";"):
                plain = piece.lstrip()
                yield at + len(piece) - len(plain), f"{plain};"
                at += len(piece) + 1
    at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
    while at < len(text):
        found = _STATEMENT.match(text, at)
        if found is None:
            raise UnendedError(f"line {line_of(text, at)}: a statement without its ';'")
        yield at, found[1]
        at = found.end()


def statement_at(text: str, at: int) -> str:
    """Return the statement that begins at a place, where `statements` found one."""
    found = _STATEMENT.match(text, at)
    assert found is not None
    return found[1]


def line_of(text: str, at: int) -> int:
    """Return the number of the line of a place, from 1."""
    return text.count("\n", 0, at) + 1


class LineNumbers:
    """The numbers of the lines of a text, counted once."""

    def __init__(self, text: str) -> None:
        self._text = text
        pieces = range(0, len(text), _PIECE)
        self._before = list(accumulate((text.count("\n", at, at + _PIECE) for at in pieces), initial=1))

    def of(self, at: int) -> int:
        """Return the number of the line of a place, from 1."""
        piece = at // _PIECE
        return self._before[piece] + self._text.count("\n", piece * _PIECE, at)


def parse(statement: str) -> Declared | Stated | Goals | None:
    """Return what a statement says; None for a predicate's declaration.

    Raises
    ------
    FlatZincError
        If it is none.
    """
    tokens = _TOKEN.findall(statement)
    if "%" in statement:
        tokens = [t for t in tokens if t[0] != "%"]
    return _Parser(tokens).statement()


class Variables:
    """Reads variables with bounds, of which long files have many, as `parse` does, at one stroke."""

    def __init__(self) -> None:
        self._domains: dict[tuple[str, str], range] = {}
        self._annotations: dict[str, tuple[Name, ...]] = {}

    def declared(self, statement: str) -> Declared | None:
        """Return a variable; None if it is none of the plain ones."""
        found = _VARIABLE.fullmatch(statement)
        if found is None:
            return None
        low, high, name, said = found.groups()
        notes = self._annotations.get(said)
        if notes is None:
            notes = self._annotations[said] = tuple(re.findall(_WORD, said))
        if low is None:
            return Declared(name, "bool", None, True, None, notes, None)
        domain = self._domains.get((low, high))
        if domain is None:
            domain = self._domains[low, high] = range(int(low), int(high) + 1)
        return Declared(name, "int", domain, True, None, notes, None)


class _Parser:
    """Reads the words of one statement, of which the last one is ';'."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def statement(self) -> Declared | Stated | Goals | None:
        """Return what the statement says."""
        first = self.tokens[0]
        if first == "constraint":
            return self._constraint()
        if first == "solve":
            return self._goals()
        if first == "predicate":
            self.at = 1
            self.name()
            return None
        return self._declared()

    # ---- words ------------------------------------------------------------------------------------

    def take(self, *wanted: str) -> str:
        """Return the next word, which must be one of those that are wanted."""
        found = self.tokens[self.at]
        if found not in wanted:
            raise FlatZincError(f"{' or '.join(wanted)} is needed, got {shown(found)}")
        self.at += 1
        return found

    def accept(self, word: str) -> bool:
        """Go past a word if it is the next one."""
        if self.tokens[self.at] != word:
            return False
        self.at += 1
        return True

    def end(self) -> None:
        """Require that the statement ends."""
        self.take(";")

    def name(self) -> Name:
        """Return a name."""
        found = self.tokens[self.at]
        if not _NAME.match(found):
            raise FlatZincError(f"a name is needed, got {shown(found)}")
        self.at += 1
        return found

    def integer(self) -> int:
        """Return an integer."""
        found = self.value()
        if type(found) is not int:
            raise FlatZincError(f"an integer is needed, got {_brief(found)}")
        return found

    # ---- statements ---------------------------------------------------------------------------------

    def _constraint(self) -> Stated:
        self.at = 1
        name = self.name()
        self.take("(")
        arguments = self._sequence(")", 0)
        annotations = self.annotations()
        self.end()
        return Stated(name, tuple(arguments), annotations)

    def _goals(self) -> Goals:
        self.at = 1
        annotations = self.annotations()
        sense = self.take("satisfy", "minimize", "maximize")
        term = None if sense == "satisfy" else self.value()
        self.end()
        return Goals(sense, term, annotations)

    def _declared(self) -> Declared:
        size = self._array_size() if self.accept("array") else None
        is_variable = self.accept("var")
        kind, domain = self._type()
        self.take(":")
        name = self.name()
        annotations = self.annotations()
        value = self.value() if self.accept("=") else None
        self.end()
        if value is None and not (is_variable and size is None):
            raise FlatZincError(f"{name}: its value is missing")
        entries = len(value) if isinstance(value, list) else None
        if entries != size:
            raise FlatZincError(f"{name}: {'one value' if size is None else f'{size} entries'} needed")
        return Declared(name, kind, domain, is_variable, size, annotations, value)

    def _array_size(self) -> int:
        self.take("[")
        indices = self.value()
        self.take("]")
        self.take("of")
        if not isinstance(indices, range) or indices.start != 1:
            raise FlatZincError(f"indices 1..size are needed, got {_brief(indices)}")
        return max(0, indices.stop - 1)

    def _type(self) -> tuple[str, range | tuple[int, ...] | None]:
        word = self.tokens[self.at]
        if word in ("bool", "int", "float"):
            self.at += 1
            return word, None
        if self.accept("set"):
            self.take("of")
            return "set", self._type()[1]
        found = self.value()
        if isinstance(found, range | tuple):
            return "int", found
        if isinstance(found, _Reals):
            return "float", None
        raise FlatZincError(f"a type is needed, got {_brief(found)}")

    def annotations(self) -> tuple[Name | Annotation, ...]:
        """Return what stands behind ``::``."""
        found = []
        while self.accept("::"):
            one = self.value(0, annotating=True)
            if not isinstance(one, Name | Annotation):
                raise FlatZincError(f"an annotation is needed, got {_brief(one)}")
            found.append(intern(one) if isinstance(one, Name) else one)  # the same few say it all the time
        return tuple(found)

    # ---- values -------------------------------------------------------------------------------------

    def value(self, depth: int = 0, *, annotating: bool = False) -> Value:
        """Return a value, whatever it is."""
        word = self.tokens[self.at]
        self.at += 1
        first = word[0]
        if first.isdigit() or (first == "-" and len(word) > 1):
            return self._number(word)
        if word in _TRUTHS:
            return word == "true"
        if first == "[":
            return self._sequence("]", depth) if word == "[" else list(map(int, word[1:-1].split(",")))
        if first.isalpha() or first == "_":
            return self._named(word, depth)
        if first == "{":
            return self._set()
        if first == '"' and len(word) > 1:
            return Text(word[1:-1])
        raise FlatZincError(f"a value is needed, got {shown(word)}")

    def _number(self, word: str) -> Value:
        low = _number(word)
        if self.tokens[self.at] != "..":
            return low
        self.at += 1
        high = _number(self.tokens[self.at])
        self.at += 1
        if isinstance(low, float) or isinstance(high, float):
            return _Reals()
        return range(low, high + 1)

    def _named(self, word: str, depth: int) -> Name | ArrayEntry | Annotation:
        following = self.tokens[self.at]
        if following == "[":
            self.at += 1
            place = self.integer()
            self.take("]")
            return ArrayEntry(word, place)
        if following == "(":
            self.at += 1
            return Annotation(word, tuple(self._sequence(")", depth)))
        return word

    def _sequence(self, closing: str, depth: int) -> list[Value]:
        if depth >= _DEEPEST:
            raise FlatZincError(f"nested more than {_DEEPEST} deep")
        found: list[Value] = []
        if self.accept(closing):
            return found
        while True:
            found.append(self.value(depth + 1))
            if self.take(",", closing) == closing:
                return found
            if self.accept(closing):  # MiniZinc allows a comma behind the last one
                return found

    def _set(self) -> tuple[int, ...] | _Reals:
        found = self._sequence("}", _DEEPEST - 1)
        if any(isinstance(v, float) for v in found):
            return _Reals()
        if any(type(v) is not int for v in found):
            raise FlatZincError("a set of integers is needed")
        return tuple(sorted(set(found)))


class _Reals:
    """A set of reals, which nothing here takes."""

    def __repr__(self) -> str:
        return "a set of floats"


_REAL = re.compile(r"-?\d+(\.\d+([eE][-+]?\d+)?|[eE][-+]?\d+)", re.ASCII)


def _number(word: str) -> int | float:
    try:
        if len(word) <= _LONGEST + 4:
            return int(word)
    except ValueError:
        pass
    with suppress(ValueError):
        if _REAL.fullmatch(word) and len(word) < 400:
            return float(word)
        if word[:2] in ("0x", "0o", "-0") and len(word) <= _LONGEST + 4:
            return int(word, 0)
    raise FlatZincError(f"a number of at most {_LONGEST} digits is needed, got {shown(word)}")


def _brief(value: Value) -> str:
    return shown(value if isinstance(value, int | str | float) else repr(value))
