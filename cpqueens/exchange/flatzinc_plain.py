"""The two kinds of statements that long files consist of, each read at one stroke.

These are variables with bounds, and constraints over names, integers and arrays of them, with no annotations
but names. `flatzinc_text` reads all others, and says what is wrong with what is none.
"""

from __future__ import annotations

import re

from cpqueens.exchange import flatzinc_text as text

_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_INTEGER = r"-?[0-9]{1,18}"
_ARGUMENT = r"\s*+(?:\[[^][(){}\"%;]*+\]\s*+|[^][(){}\"%;,]++)"
_CONSTRAINT = re.compile(
    rf"constraint\s++({_NAME})\s*+\(({_ARGUMENT}(?:,{_ARGUMENT})*+)\)"
    rf"(?:\s*+::\s*+{_NAME}(?:\s*+\(\s*+{_NAME}\s*+\))?+)*+\s*+;"
)
_VARIABLE = re.compile(
    rf"var\s++(?:bool|({_INTEGER})\.\.({_INTEGER}))\s*+:\s*+({_NAME})((?:\s*+::\s*+{_NAME})*+)\s*+;"
)
_PARTS = re.compile(r"\[([^]]*)\]|([^][,\s][^][,]*)")
_WORD = re.compile(rf"({_NAME})|{_INTEGER}")
_TRUTHS = {"true": True, "false": False}


class _Words(dict[str, "text.Name | int"]):
    """What words stand for, each looked at once: names and integers."""

    def __missing__(self, word: str) -> text.Name | int:
        plain = word.strip()
        found = _WORD.fullmatch(plain)
        if found is None:
            raise LookupError(word)
        value = self[word] = (
            _TRUTHS[plain] if plain in _TRUTHS else text.Name(plain) if found[1] else int(plain)
        )
        return value


class PlainReader:
    """Reads statements as `flatzinc_text.parse` does, or not at all."""

    def __init__(self) -> None:
        self._words = _Words()
        self._domains: dict[tuple[str, str], range] = {}
        self._annotations: dict[str, tuple[text.Name, ...]] = {}

    def stated(self, statement: str) -> text.Stated | None:
        """Return a constraint without its annotations; None if it is none of the plain ones."""
        found = _CONSTRAINT.fullmatch(statement)
        if found is None:
            return None
        words = self._words
        try:
            arguments = [
                words[word] if word else [words[entry] for entry in entries.split(",")] if entries else []
                for entries, word in _PARTS.findall(found[2])
            ]
        except LookupError:
            return None
        return text.Stated(found[1], tuple(arguments), ())

    def declared(self, statement: str) -> text.Declared | None:
        """Return a variable; None if it is none of the plain ones."""
        found = _VARIABLE.fullmatch(statement)
        if found is None:
            return None
        low, high, name, said = found.groups()
        notes = self._annotations.get(said)
        if notes is None:
            notes = self._annotations[said] = tuple(map(text.Name, re.findall(_NAME, said)))
        if low is None:
            return text.Declared(name, "bool", None, True, None, notes, None)
        domain = self._domains.get((low, high))
        if domain is None:
            domain = self._domains[low, high] = range(int(low), int(high) + 1)
        return text.Declared(name, "int", domain, True, None, notes, None)
