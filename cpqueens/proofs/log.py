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
``n 8 0*2 3*-1 : 5``    *definition*: a new variable 8 is 2 times variable 0, less variable 3, plus 5; from
                        here on ``x8`` is a part
``f 5 7``               the clauses are not needed any more
``end all 92``          what is claimed; also ``infeasible``, ``optimal 42``, ``solution``, or ``nothing``
======================  ================================================================================

A literal is a variable's number, one of ``>= <= == !=`` and a value. A clause of one literal narrows the
domains for all later steps; a clause without literals ends the search. Lines that begin
with ``#`` say nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cpqueens.proofs.parts import BadProof, Literal

HEADER = "cpqueens proof 1"

LONGEST = 1 << 24
"""Characters of one line."""

_LITERAL = "literal such as 3>=5 or 3!=2", re.compile(r"(\d{1,9})(>=|<=|==|!=)(-?\d{1,18})")
_NUMBER = "number", re.compile(r"(-?\d{1,18})")
_TERM = "part or variable times a number, such as c3*2", re.compile(r"([\w.]{1,30})(?:\*(-?\d{1,18}))?")


@dataclass(frozen=True)
class ProofStep:
    """One line: what it is, its number if it is a clause, and what else it says.

    Attributes
    ----------
    verb
        One of ``model i m d s o n f end``.
    clause
        Its number; of a definition the variable.
    terms
        Parts of the model or variables, each with a factor.
    literals, numbers
        Of a clause; clauses that are used or forgotten, values of a solution, or the constant of a sum.
    claim
        Of the end.
    """

    verb: str
    clause: int = 0
    terms: tuple[tuple[str, int], ...] = ()
    literals: tuple[Literal, ...] = ()
    numbers: tuple[int, ...] = ()
    claim: str = ""


def read(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log with their numbers, without comments.

    Raises
    ------
    BadProof
        For what is no log.
    OSError
        For what cannot be read.
    """
    with Path(path).open(encoding="ascii", errors="replace") as file:
        if file.readline(100).strip() != HEADER:
            raise BadProof(f"{HEADER!r} is needed: this is not a proof of cpqueens")
        for line, text in enumerate(iter(partial(file.readline, LONGEST), ""), 2):
            if text.strip() and not text.startswith("#"):
                yield line, text


def step_of(text: str) -> ProofStep:
    """Return what a line says.

    Raises
    ------
    BadProof
        For what is not a step.
    """
    if len(text) == LONGEST:
        raise BadProof(f"longer than {LONGEST} characters")
    verb, *rest = text.split()
    if verb == "end":
        return ProofStep(verb, claim=" ".join(rest))
    if verb in ("model", "f", "o"):
        return ProofStep(verb, numbers=_numbers(rest))
    if verb not in ("i", "m", "d", "s", "n") or not rest or not rest[0].isdecimal():
        raise BadProof(f"{text.strip()[:60]!r} is not a step")
    (clause,), words = _numbers(rest[:1]), rest[1:]
    if verb == "s":
        return ProofStep(verb, clause, numbers=_numbers(words))
    if verb == "i":
        return ProofStep(verb, clause, _terms(words[:1]), _literals(words[1:]))
    if ":" not in words:
        raise BadProof(f"a step {verb} says behind a colon what it uses")
    at = words.index(":")
    before, after = words[:at], words[at + 1 :]
    if verb == "n":
        return ProofStep(verb, clause, _terms(before), numbers=_numbers(after))
    if verb == "m":
        return ProofStep(verb, clause, _terms(after), _literals(before))
    return ProofStep(verb, clause, (), _literals(before), _numbers(after))


def _groups(such: tuple[str, re.Pattern[str]], words: list[str]) -> Iterator[tuple[Any, ...]]:
    for word in words:
        match = such[1].fullmatch(word)
        if match is None:
            raise BadProof(f"{word[:40]!r} is no {such[0]}")
        yield match.groups()


def _literals(words: list[str]) -> tuple[Literal, ...]:
    return tuple([(int(v), operator, int(x)) for v, operator, x in _groups(_LITERAL, words)])


def _numbers(words: list[str]) -> tuple[int, ...]:
    return tuple([int(number) for (number,) in _groups(_NUMBER, words)])


def _terms(words: list[str]) -> tuple[tuple[str, int], ...]:
    return tuple([(name, int(factor or 1)) for name, factor in _groups(_TERM, words)])
