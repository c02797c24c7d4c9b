"""Text, values and exceptions from outside, shown in a bounded, harmless line; names read and suggested.

Small tables and texts as HTML for notebooks: no scripts, no outside files, and everything escaped.

Text has the page's own colours, so that it is legible on light and on dark ones.
"""

import difflib
import inspect
import re
import reprlib
import traceback
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from cpqueens.errors import ModelError

# Control characters, line separators, overrides of the writing direction, and halves of surrogate pairs:
# they move a terminal's cursor, hide text, break lines, or cannot be written in UTF-8.
_UNSAFE = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_ESCAPED = re.compile(f"[{_UNSAFE}]")
_ESCAPED_IN_LINES = re.compile(f"(?![\n\t])[{_UNSAFE}]")
_OWN_COLOURS = re.compile(r"(\x1b\[(?:0|38;5;\d{1,3};48;5;\d{1,3})m)")
_INTEGER = re.compile(r"([+-]?)0*([0-9]+)", re.ASCII)


def printable(text: str, *, lines: bool = True, colours: bool = False) -> str:
    """Return ``text`` with what a terminal could obey written as an escape, such as ``\\x1b``.

    Everything that reaches a terminal, a report or a log passes here.

    Parameters
    ----------
    lines
        Whether line breaks and tabs stay.
    colours
        Whether the colours that boards are drawn in stay: these two sequences and no others.
    """
    pattern = _ESCAPED_IN_LINES if lines else _ESCAPED
    if colours and "\x1b" in text:
        parts = _OWN_COLOURS.split(text)  # the colours are at odd places
        return "".join(p if k % 2 else pattern.sub(_escape, p) for k, p in enumerate(parts))
    return pattern.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def counted(count: int, noun: str) -> str:
    """Return how many of something there are.

    >>> counted(1, "solution"), counted(92, "solution")
    ('1 solution', '92 solutions')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def wrapped(line: str, width: int, hanging: str = "  ", *, broken: bool = False) -> list[str]:
    """Return a line of prose as lines of at most ``width`` characters, if words are not longer.

    >>> wrapped("  all words stay whole", 12)
    ['  all words', '  stay whole']
    >>> wrapped("5300700006001950000980", 12, broken=True)
    ['530070000600', '  1950000980']

    Parameters
    ----------
    hanging
        What all lines but the first begin with; the first keeps its own spaces.
    broken
        Whether words that are longer than a line are broken.
    """
    import textwrap

    text = line.lstrip(" ")  # before a word that is too long, textwrap drops spaces
    first = line[: len(line) - len(text)]
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=hanging,
        break_long_words=broken,
        break_on_hyphens=False,
    )


def one_line(text: str, width: int = 200) -> str:
    """Return a foreign text, such as the message of an error, as one harmless line."""
    return printable(" ".join(text[: 8 * width].split()), lines=False)[:width]


def text_of(error: BaseException) -> str:
    """Return the message of a user's own exception, whose text may be an error of its own."""
    try:
        return str(error)
    except Exception:
        return "without a message"


class _Short(reprlib.Repr):
    """Representations that look at no more of a value than is shown: it may be huge, deep or cyclic."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 5
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxdict = 20
        self.maxarray = 20
        self.maxstring = self.maxother = 400

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if abs(x) < 10**80 else "a huge integer"

    def repr_str(self, x: str, level: int) -> str:
        return repr(x[: self.maxstring])

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x[: self.maxstring])


_SHORT = _Short()


def shown(value: object, width: int = 40) -> str:
    """Return the beginning of what `repr` says of a value, in one line, whatever the value is."""
    if isinstance(value, str):
        return printable(repr(str(value[:width])), lines=False)
    try:
        text = _SHORT.repr(value)
    except Exception:
        text = f"a value of type {type(value).__name__}"
    return one_line(text, width)


def integer_of(text: str) -> int | None:
    """Return the integer that a text is, None if it is none.

    Raises
    ------
    ModelError
        If it does not fit 64 bits; the number of digits does not matter.
    """
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    value = int(match[1] + match[2]) if len(match[2]) <= 19 else 2**63
    if not -(2**63) <= value < 2**63:
        raise ModelError(f"{shown(text)} does not fit 64 bits")
    return value


def first_repeated(items: Iterable[Any]) -> Any:
    """Return the first item that was there before; None if all differ."""
    seen = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None


def checked_name(name: Any, what: str, most: int, least: int = 1) -> str:
    """Return a name as plain text if it is one of printable characters.

    Raises
    ------
    ModelError
        For anything else: control characters would reach terminals, halves of surrogate pairs no file.
    """
    if type(name) is str and least <= len(name) <= most and name.isascii() and name.isprintable():
        return name  # as most are
    if not isinstance(name, str) or not least <= len(name) <= most:
        raise ModelError(f"{what} {shown(name)}: a text of {least} to {most} characters is needed")
    bad = _ESCAPED.search(name)
    if bad is not None:
        raise ModelError(f"{what} {shown(name)}: the character U+{ord(bad[0]):04X} is not allowed")
    return str.__str__(name)  # plain also where it was of a subclass, which no file takes


# ---- the one phrase that unknown names are answered with ----------------------------------------------

_MOST = 2000  # names that are compared: each takes some microseconds
_LONGEST = 200


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like a name; "" if none is.

    >>> nearest("minimise", ["maximize", "minimize"])
    'minimize'
    """
    close = difflib.get_close_matches(name[:_LONGEST], sorted(islice(known, _MOST)), n=1, cutoff=0.6)
    return close[0] if close else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest known name, else ``; known are ...``."""
    names = sorted(islice(known, _MOST))
    close = nearest(name, names)
    if close:
        return f"; did you mean {close!r}?"
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; known are {listed}" if names else ""


# ---- an exception of a user's own function as one line, with the place in the user's file -------------


def file_of(function: Any) -> str | None:
    """Return the file in which a function, or the class of a callable object, is written; None if unknown."""
    for source in (function, type(function)):
        try:
            return inspect.getsourcefile(inspect.unwrap(source))
        except TypeError:
            continue
    return None


def raised_text(error: BaseException, file: str | Path | None = None) -> str:
    """Return a foreign exception as one line, with the place in ``file`` if it was raised below it.

    >>> try:
    ...     1 // 0
    ... except ZeroDivisionError as error:
    ...     raised_text(error).partition(" (line")[0]
    'ZeroDivisionError: integer division or modulo by zero'

    Parameters
    ----------
    error
        What was raised.
    file
        The user's file: its own line says more than that of the library which it called.
    """
    if isinstance(error, SyntaxError):
        where = Path(error.filename).name if error.filename else ""
        elsewhere = f" of {where}" if file is not None and where and where != Path(file).name else ""
        return f"{type(error).__name__}: {error.msg} (line {error.lineno}{elsewhere})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if file is not None and Path(f.filename).name == Path(file).name]
    place = (own or frames)[-1:]
    lines = "".join(f" (line {f.lineno} of {Path(f.filename).name})" for f in place)
    return f"{type(error).__name__}: {one_line(text_of(error))}{lines}"


_CELL = "text-align:left;vertical-align:top;padding:1px 12px 1px 0"
_CODE = f"{_CELL};font-family:ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_BADGE = (
    '<span style="background:{};color:#fff;border-radius:4px;padding:1px 7px;'
    'font:600 12px sans-serif">{}</span>'
)

GOOD, BAD, NEUTRAL, OPEN = "#2e7d4f", "#b3261e", "#5b5f97", "#8a6d1f"
"""Backgrounds of badges, on which white is legible."""


def badge(word: str, colour: str) -> str:
    """Return a word on a coloured ground."""
    return _BADGE.format(colour, escape(word))


def line(text: str) -> str:
    """Return a line of text."""
    return f"<div>{escape(text)}</div>"


def heading(text: str, mark: str = "") -> str:
    """Return a title, perhaps behind a badge."""
    return f"<div>{mark}{' ' if mark else ''}<strong>{escape(text)}</strong></div>"


def preformatted(text: str) -> str:
    """Return lines of text as they are."""
    return f'<pre style="line-height:1.2;margin:0">{escape(text)}</pre>'


def table(rows: Iterable[Sequence[str]], *, code: bool = False) -> str:
    """Return rows of cells, as code in fixed width; "" if there are none."""
    style = _CODE if code else _CELL
    lines = [
        "<tr>" + "".join(f'<td style="{style}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    ]
    return f'<table style="margin:4px 0"><tbody>{"".join(lines)}</tbody></table>' if lines else ""


def fragment(*parts: str) -> str:
    """Return parts as one piece of HTML."""
    return f"<div>{''.join(parts)}</div>"


def page(template: str, **texts: str) -> str:
    """Return a page of `cpqueens.report`; texts, HTML already, stand in the places of their ``@NAMES@``."""
    from importlib.resources import files

    whole = files("cpqueens.report").joinpath(template).read_text(encoding="utf-8")
    return re.sub("@([A-Z]+)@", lambda place: texts[place[1].lower()], whole)
