"""The log of a proof: lines of text, one step each.

======================  ================================================================================
``cpqueens proof 1``    the first line
``model 8 3``           how many variables (defined ones too) and constraints the model has
``i 5 c0 0!=3 1!=4``    *inference*: clause 5, that variable 0 is not 3 or variable 1 is not 4, follows from
                        the part ``c0`` of the model (see `parts`) and the domains
``m 6 0<=7 : c0*2 c3``  *multipliers*: the clause follows from a sum of linear parts, each times its number
``d 9 0>=3 : 5 7``      *derived*: denied, the clauses 5 and 7, one after the other, leave a contradiction
``s 12 0 4 7 5``        *solution*: values of the decision variables; clause 12 excludes it
``o 3 1 0 2``           *improvement*: a solution with better objectives; the part ``better`` may be used
``f 5 7``               the clauses are not needed any more
``end all 92``          what is claimed; also ``infeasible``, ``optimal 42``, ``solution``, or ``nothing``
======================  ================================================================================

A literal is a variable's number, one of ``>= <= == !=`` and a value. A clause of one literal narrows the
domains for all later steps; a clause without literals ends the search. Lines that begin
with ``#`` say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cpqueens.proofs.domains import Literal
from cpqueens.proofs.parts import BadProof

HEADER = "cpqueens proof 1"

LONGEST = 1 << 24
"""Characters of one line."""

_LITERAL = re.compile(r"(\d{1,9})(>=|<=|==|!=)(-?\d{1,18})\Z")
_NUMBER = re.compile(r"-?\d{1,18}\Z")


@dataclass(frozen=True)
class ProofStep:
    """One line: what it is, its number if it is a clause, and what else it says.

    Attributes
    ----------
    line
        Its place in the file, from 1.
    verb
        One of ``model i m d s o f end``.
    words
        What follows the verb and the clause's number, as far as it is no literal and no number.
    literals, numbers
        Of a clause; clauses that are used or forgotten, or values of a solution.
    """

    line: int
    verb: str
    clause: int = 0
    words: tuple[str, ...] = ()
    literals: tuple[Literal, ...] = ()
    numbers: tuple[int, ...] = ()


def text_of(literals: Iterable[Literal]) -> str:
    """Return literals as a line has them, each behind a space.

    >>> text_of([(0, "!=", 3), (12, ">=", -1)])
    ' 0!=3 12>=-1'
    """
    return "".join([f" {v}{operator}{value}" for v, operator, value in literals])


def read(path: str | Path) -> Iterator[ProofStep]:
    """Yield the steps of a log.

    Raises
    ------
    BadProof
        For what is no step.
    OSError
        For what cannot be read.
    """
    with Path(path).open(encoding="ascii", errors="replace") as file:
        if file.readline(100).strip() != HEADER:
            raise BadProof(f"{path}: line 1: {HEADER!r} is needed: this is no proof of cpqueens")
        for line, text in _lines(file):
            words = text.split()
            if words and not words[0].startswith("#"):
                try:
                    yield _step(line, words)
                except BadProof as error:
                    raise BadProof(f"line {line}: {error}") from None


def _lines(file: IO[str]) -> Iterator[tuple[int, str]]:
    line = 1
    while text := file.readline(LONGEST):
        line += 1
        if len(text) == LONGEST:
            raise BadProof(f"line {line}: longer than {LONGEST} characters")
        yield line, text


def _step(line: int, words: list[str]) -> ProofStep:
    verb = words[0]
    if verb in ("model", "f", "o"):
        return ProofStep(line, verb, numbers=_numbers(words[1:]))
    if verb == "end":
        return ProofStep(line, verb, words=tuple(words[1:]))
    if verb not in ("i", "m", "d", "s") or len(words) < 2 or not words[1].isdecimal():
        raise BadProof(f"{' '.join(words)[:60]!r} is no step")
    clause, rest = _numbers(words[1:2])[0], words[2:]
    if verb == "s":
        return ProofStep(line, verb, clause, numbers=_numbers(rest))
    if verb == "i":
        return ProofStep(line, verb, clause, words=tuple(rest[:1]), literals=_literals(rest[1:]))
    if ":" not in rest:
        raise BadProof(f"a step {verb} says behind a colon what it uses")
    at = rest.index(":")
    if verb == "m":
        return ProofStep(line, verb, clause, words=tuple(rest[at + 1 :]), literals=_literals(rest[:at]))
    return ProofStep(line, verb, clause, literals=_literals(rest[:at]), numbers=_numbers(rest[at + 1 :]))


def _literals(words: list[str]) -> tuple[Literal, ...]:
    found = []
    for word in words:
        match = _LITERAL.match(word)
        if match is None:
            raise BadProof(f"{word[:40]!r} is no literal such as 3>=5 or 3!=2")
        found.append((int(match[1]), match[2], int(match[3])))
    return tuple(found)


def _numbers(words: list[str]) -> tuple[int, ...]:
    for word in words:
        if not _NUMBER.match(word):
            raise BadProof(f"{word[:40]!r} is no number")
    return tuple([int(word) for word in words])
