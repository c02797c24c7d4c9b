"""Proofs of models for tests, and what brute force says of the claims."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from cpqueens import Model
from cpqueens.answers.outcome import Outcome
from cpqueens.crosscheck.oracle import Solved
from cpqueens.proofs.check import ProvedClaim, check_proof
from cpqueens.proofs.parts import BadProof


def proved(model: Model, place: Path, best: bool) -> tuple[Outcome, list[str]]:
    """Return the outcome of a run with a proof, of all solutions or the best, and the proof's lines."""
    outcome = model.solve(proof=place) if best else model.enumerate(proof=place)
    return outcome, place.read_text().splitlines()


def accepted(model: Model, lines: list[str], place: Path) -> ProvedClaim | None:
    """Return what the checker makes of lines, None if it does not believe them."""
    place.write_text("\n".join(lines) + "\n")
    try:
        return check_proof(model, place)
    except BadProof:
        return None


def is_true(claim: ProvedClaim, lines: list[str], truth: Solved) -> bool:
    """Say by brute force whether what a proof was believed to show is so."""
    rows = {tuple(map(int, line.split()[2:])) for line in lines if line.startswith("s ")}
    if not rows <= truth.rows:
        return False
    if claim.claim == "infeasible":
        return truth.count == 0
    if claim.claim == "all":
        return rows == truth.rows and claim.solutions == truth.count
    if claim.claim == "optimal":
        return claim.objectives[0] == truth.optimum
    return True


def steps_follow(model: Model, lines: list[str], truth: Solved) -> bool:
    """Say by brute force whether every clause holds in all solutions that are left when it is derived.

    Left are those that are not listed yet, and are better than the best one so far.
    """
    rows = np.array(sorted(truth.rows), dtype=np.int64).reshape(truth.count, len(model.decisions))
    values = model.complete(rows, model.decisions)
    terms = [(goal.term.evaluate(values)[:, 0], -1 if goal.maximizing else 1) for goal in model.goals]
    keys = [tuple(sign * int(term[k]) for term, sign in terms) for k in range(len(rows))]
    left = np.ones(len(rows), dtype=bool)
    for line in lines[1:]:
        words = line.split()
        if words[0] == "n":
            values = np.column_stack((values, _sum_of(words, values)))
        elif words[0] in ("s", "o"):
            row = np.array(words[2:] if words[0] == "s" else words[1:], dtype=np.int64)
            here = (rows == row).all(axis=1)
            if words[0] == "o":
                best = keys[int(np.flatnonzero(here)[0])]
                here = np.array([key >= best for key in keys], dtype=bool)
            left &= ~here
        elif words[0] in ("i", "d", "m"):
            clause = words[3:] if words[0] == "i" else words[2 : words.index(":")]
            holds = np.zeros(len(rows), dtype=bool)
            for literal in clause:
                operator = next(o for o in (">=", "<=", "==", "!=") if o in literal)
                variable, value = map(int, literal.split(operator))
                holds |= RELATIONS[operator](values[:, variable], value)
            if not holds[left].all():
                return False
    return True


def _sum_of(words: list[str], values: np.ndarray) -> np.ndarray:
    """Return the values of a new variable, ``n 8 0*2 3 : 5``, in each solution."""
    at = words.index(":")
    terms = [word.partition("*") for word in words[2:at]]
    constant = sum(map(int, words[at + 1 :]))
    return sum((values[:, int(v)] * int(a or 1) for v, _, a in terms), np.full(len(values), constant))


RELATIONS = {">=": np.greater_equal, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal}


def corrupted(lines: list[str], draw: random.Random) -> list[str]:
    """Return a proof in which one line is left out, doubled, moved or changed."""
    changed = list(lines)
    place = draw.randrange(1, len(lines))
    words = changed[place].split()
    what = draw.randrange(5)
    if what == 0:
        del changed[place]
    elif what == 1:
        changed.insert(place, changed[place])
    elif what == 2:
        other = draw.randrange(1, len(lines))
        changed[place], changed[other] = changed[other], changed[place]
    elif what == 3 and len(words) > 1:
        del words[draw.randrange(1, len(words))]
        changed[place] = " ".join(words)
    else:
        at = draw.randrange(len(words))
        words[at] = _other(words[at], draw)
        changed[place] = " ".join(words)
    return changed


def _other(word: str, draw: random.Random) -> str:
    for operator in (">=", "<=", "==", "!="):
        variable, found, value = word.partition(operator)
        if found and (not value or draw.randrange(2)):
            return f"{variable}{draw.choice(['>=', '<=', '==', '!='])}{value}"
        if found:
            return f"{variable}{operator}{int(value) + draw.choice([-1, 1])}"
    return str(int(word) + draw.choice([-1, 1])) if word.lstrip("-").isdigit() else word


def with_false_claim(model: Model, lines: list[str], truth: Solved, draw: random.Random) -> list[str] | None:
    """Return a proof whose claim is false: a solution left out, doubled or changed, an optimum off by one."""
    changed = list(lines)
    places = [k for k, line in enumerate(lines) if line.startswith("s ")]
    end = lines[-1].split()
    if end[1] == "optimal":
        end[2] = str(int(end[2]) + draw.choice([-1, 1]))
        return [*lines[:-1], " ".join(end)]
    if not places:
        end = ["end", "all", "1"]
        return [*lines[:-1], " ".join(end)]
    place = draw.choice(places)
    what = draw.randrange(3)
    if what == 0:
        del changed[place]
        changed[-1] = f"end all {len(places) - 1}" if len(places) > 1 else "end infeasible"
    elif what == 1:
        words = changed[place].split()
        changed.insert(place + 1, " ".join(["s", str(10**8), *words[2:]]))
        changed[-1] = f"end all {len(places) + 1}"
    else:
        words = changed[place].split()
        if len(words) == 2:
            return None
        at = draw.randrange(2, len(words))
        words[at] = str(int(words[at]) + draw.choice([-1, 1]))
        changed[place] = " ".join(words)
    return changed
