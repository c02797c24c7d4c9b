"""What agents may ask of the server: each call in a process of its own, on texts of models, within limits.

Nothing of a caller's is run as Python and no file of theirs is named: a model is a text in our JSON, in
FlatZinc, or in MiniZinc that includes nothing but MiniZinc's own library.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cpqueens.errors import CpqueensError, ModelError
from cpqueens.model import Model
from cpqueens.system.children import Worker
from cpqueens.text.plaintext import shown

LONGEST_TEXT, LARGEST_ANSWER, MEMORY = 1_000_000, 1_000_000, 4 * 2**30
"""Letters of a model, bytes of an answer, bytes of address space."""

LONGEST_TIME, READING, _LOOK_EVERY = 60.0, 20.0, 0.05
"""Seconds of one call, for reading and answering, and between two looks whether it has answered."""

SOLVERS = ("auto", "backtracking", "cpsat", "local-search")
"""Solvers, with a strategy behind a colon or not, that a caller may name."""

_INCLUDE = re.compile(r'\binclude\b\s*("?)([^";]*)("?)')
_LIBRARY = re.compile(r"[a-z_0-9]+\.mzn")


def answer(verb: str, arguments: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return what a call says, or ``{"error": ...}`` in one line.

    Parameters
    ----------
    verb
        One of `CALLS`.
    arguments
        Its own, as JSON has them.
    seconds
        For the work itself, at most `LONGEST_TIME`.
    """
    try:
        _refuse_long(arguments)
        seconds = _seconds(seconds)
    except ModelError as error:
        return {"error": str(error)}
    worker = Worker("cpqueens.cli.mcp_calls:run_call", (verb, dict(arguments), seconds), MEMORY)
    done = False
    try:
        end = time.monotonic() + seconds + READING
        while not worker.connection.poll(_LOOK_EVERY):
            if time.monotonic() > end:
                return {"error": f"{verb}: no answer within {seconds + READING:g} s"}
        found: dict[str, Any] = json.loads(worker.connection.recv_bytes(LARGEST_ANSWER))
        done = True
        return found
    except (EOFError, OSError):
        return {"error": f"{verb}: its process died; {MEMORY >> 20:,} MB are allowed"}
    finally:
        worker.end(0.5 if done else 0.0)


def _refuse_long(arguments: Mapping[str, Any]) -> None:
    for name, value in arguments.items():
        if len(value if isinstance(value, str) else json.dumps(value)) > LONGEST_TEXT:
            raise ModelError(f"{name}: longer than {LONGEST_TEXT:,} letters")


def _seconds(value: float) -> float:
    if not 0 < value <= LONGEST_TIME:
        raise ModelError(f"time_limit: seconds above 0 and up to {LONGEST_TIME:g} are needed, got {value}")
    return float(value)


def run_call(connection: Connection, verb: str, arguments: dict[str, Any], seconds: float) -> None:
    """Send the answer to a call; runs in the child."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    from cpqueens.cli.documents import dumps

    try:
        found = CALLS[verb](**arguments, seconds=seconds)
    except CpqueensError as error:
        found = {"error": str(error).split("\n")[0]}
    except MemoryError:
        found = {"error": f"{verb}: it needs more memory than is allowed"}
    said = dumps(found).encode()
    refused = dumps({"error": f"{verb}: the answer has more than {LARGEST_ANSWER:,} bytes"}).encode()
    connection.send_bytes(said if len(said) <= LARGEST_ANSWER else refused)


def read_model(text: str, form: str) -> Model:
    """Return the model of a text.

    Raises
    ------
    ModelError
        For another form, a text that is none, or MiniZinc that includes a file.
    """
    from cpqueens.exchange.flatzinc import from_flatzinc
    from cpqueens.exchange.minizinc import minizinc_model
    from cpqueens.files.modelfile import parse_model

    if form == "json":
        return parse_model(text)
    if form == "flatzinc":
        return from_flatzinc(text).model
    if form != "minizinc":
        raise ModelError(f"format: json, minizinc or flatzinc is needed, got {shown(form)}")
    for opened, name, closed in _INCLUDE.findall(text):
        if not (opened and closed and _LIBRARY.fullmatch(name)):
            raise ModelError(f'include {shown(name)}: only MiniZinc\'s own library, such as "globals.mzn"')
    with tempfile.TemporaryDirectory(prefix="cpqueens-") as folder:
        os.chdir(folder)  # we are in a process of our own, and what is said names no place of this machine
        Path("model.mzn").write_text(text, encoding="utf-8")
        return minizinc_model("model.mzn")


def _solver(name: str) -> str:
    if name.partition(":")[0] not in SOLVERS:
        raise ModelError(f"solver: one of {', '.join(SOLVERS)} is needed, got {shown(name)}")
    return name


def _solve(model: str, form: str, solver: str, seconds: float) -> dict[str, Any]:
    outcome = read_model(model, form).solve(solver=_solver(solver), time_limit=seconds, num_workers=1)
    solution = outcome.solution
    return {
        "status": outcome.status.value,
        "proved": outcome.complete,
        "solution": None if solution is None else solution.as_dict(),
        "objective": outcome.objective,
        "bound": outcome.bound,
        "bounds": list(outcome.bounds),
        "said": str(outcome),
        "messages": list(outcome.messages),
    }


def _check(model: str, form: str, assignment: dict[str, Any], seconds: float) -> dict[str, Any]:
    found = read_model(model, form).check(assignment)
    violated = [{"constraint": v.label, "amount": v.amount, "said": str(v)} for v in found.violations]
    return {"ok": found.ok, "problems": list(found.problems), "violations": violated, "said": found.summary}


def _compare(reference: str, candidate: str, form: str, seconds: float) -> dict[str, Any]:
    from cpqueens.crosscheck.judge import judge

    found = judge(read_model(reference, form), read_model(candidate, form), time_limit=seconds)
    witnesses = [{"values": dict(values), "accepted": yes} for values, yes in found.witnesses]
    return {"verdict": found.verdict.value, "reasons": list(found.reasons), "witnesses": witnesses}


def _explain(model: str, form: str, seconds: float) -> dict[str, Any]:
    from cpqueens.solving.explain import NotInfeasible

    try:
        found = read_model(model, form).explain_infeasible(time_limit=seconds)
    except NotInfeasible as error:
        return {"infeasible": False, "said": str(error)}
    return {"infeasible": True, "said": str(found), **found.to_dict()}


CALLS: dict[str, Callable[..., dict[str, Any]]] = {
    "solve": _solve,
    "check": _check,
    "compare": _compare,
    "explain": _explain,
}
"""By verb what is called in the child."""
