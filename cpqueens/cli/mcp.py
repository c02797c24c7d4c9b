"""`cpqueens mcp`: a server for agents over standard input and output, by the Model Context Protocol."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import re
import tempfile
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpqueens.cli.results import dumps
from cpqueens.crosscheck.judge import judge
from cpqueens.errors import CpqueensError, MissingLibrary, ModelError
from cpqueens.exchange.flatzinc import from_flatzinc
from cpqueens.exchange.minizinc import minizinc_model
from cpqueens.files.modelfile import parse_model
from cpqueens.model import Model
from cpqueens.solving.explain import NotInfeasible
from cpqueens.system.children import Worker, be_silent
from cpqueens.system.requirements import requirement
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    from mcp.server import MCPServer

# ---- what agents may ask: each call in a process of its own, within limits -------------------------------
# Nothing of a caller's is run as Python and no file of theirs is named: a model is a text in our JSON, in
# FlatZinc, or in MiniZinc that includes nothing but MiniZinc's own library.

LONGEST_TEXT, LARGEST_ANSWER, MEMORY = 1_000_000, 1_000_000, 4 * 2**30
"""Letters of a model, bytes of an answer, bytes of address space."""

LONGEST_TIME, READING = 60.0, 20.0
"""Seconds of one call, and for reading and answering."""

SOLVERS = ("auto", "backtracking", "cpsat", "local-search")
"""Solvers, with a strategy behind a colon or not, that a caller may name."""

_INCLUDE = re.compile(r'\binclude\b\s*("?)([^";]*)("?)')
_LIBRARY = re.compile(r"[a-z_0-9]+\.mzn")


def answer(verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a call says, or ``{"error": ...}`` in one line.

    Parameters
    ----------
    verb
        One of `CALLS`.
    arguments
        Its own, as JSON has them; ``time_limit`` is for the work itself, at most `LONGEST_TIME` seconds.
    """
    try:
        _refuse_long(arguments)
        seconds = _seconds(arguments.get("time_limit", 10.0))
    except ModelError as error:
        return {"error": str(error)}
    worker = Worker("cpqueens.cli.mcp:run_call", (verb, dict(arguments)), MEMORY)
    try:
        found: dict[str, Any] = json.loads(worker.answer(seconds + READING, LARGEST_ANSWER))
        return found
    except TimeoutError:
        return {"error": f"{verb}: no answer within {seconds + READING:g} s"}
    except (EOFError, OSError):
        return {"error": f"{verb}: its process died; {MEMORY >> 20:,} MB are allowed"}


def _refuse_long(arguments: Mapping[str, Any]) -> None:
    for name, value in arguments.items():
        if len(value if isinstance(value, str) else json.dumps(value)) > LONGEST_TEXT:
            raise ModelError(f"{name}: longer than {LONGEST_TEXT:,} letters")


def _seconds(value: float) -> float:
    if not 0 < value <= LONGEST_TIME:
        raise ModelError(f"time_limit: seconds above 0 and up to {LONGEST_TIME:g} are needed, got {value}")
    return float(value)


def run_call(connection: Connection, verb: str, arguments: dict[str, Any]) -> None:
    """Send the answer to a call; runs in the child."""
    be_silent()
    try:
        found = CALLS[verb](**arguments)
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


def solve(model: str, format: str = "json", solver: str = "auto", time_limit: float = 10.0) -> dict[str, Any]:
    """Find one solution of a model, or the best one, and say what was proved.

    Give the model's text and its format (json, minizinc or flatzinc), perhaps a solver (auto, cpsat,
    backtracking, local-search) and a limit in seconds, at most 60.
    """
    outcome = read_model(model, format).solve(solver=_solver(solver), time_limit=time_limit, num_workers=1)
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


def check(model: str, assignment: dict[str, Any], format: str = "json") -> dict[str, Any]:
    """Say whether values are a solution, and which constraints they violate, by how much.

    The assignment has a value, or nested lists of them, for each variable by its name.
    """
    found = read_model(model, format).check(assignment)
    violated = [{"constraint": v.label, "amount": v.amount, "said": str(v)} for v in found.violations]
    return {"ok": found.ok, "problems": list(found.problems), "violations": violated, "said": found.summary}


def compare(reference: str, candidate: str, format: str = "json", time_limit: float = 10.0) -> dict[str, Any]:
    """Say whether a candidate means the same as a reference: equal, too weak, too strong, or what is wrong.

    Compared are the variables that both have by name; each difference comes with a witness.
    """
    found = judge(read_model(reference, format), read_model(candidate, format), time_limit=time_limit)
    witnesses = [{"values": dict(values), "accepted": yes} for values, yes in found.witnesses]
    return {"verdict": found.verdict.value, "reasons": list(found.reasons), "witnesses": witnesses}


def explain(model: str, format: str = "json", time_limit: float = 10.0) -> dict[str, Any]:
    """Name constraints of a model without solution that contradict each other, as few as possible."""
    try:
        found = read_model(model, format).explain_infeasible(time_limit=time_limit)
    except NotInfeasible as error:
        return {"infeasible": False, "said": str(error)}
    return {"infeasible": True, "said": str(found), **found.to_dict()}


CALLS: dict[str, Callable[..., dict[str, Any]]] = {
    call.__name__: call for call in (solve, check, compare, explain)
}
"""By verb what is called in the child."""

AT_ONCE = 2
"""Calls that are worked on at the same time; others wait."""

_TURNS = threading.Semaphore(AT_ONCE)

_ABOUT = (
    "Constraint models as texts: cpqueens JSON (format=json), MiniZinc or FlatZinc. Python is never run, and "
    "no file is read. What is reported as proved was proved; limits are reported."
)


@click.command()
def command() -> int:
    """Run a Model Context Protocol server that solves, checks, compares and explains models.

    It speaks on standard input and output and runs until the input ends. Models come as texts (JSON,
    MiniZinc, FlatZinc), each call has a process of its own with limits on time and memory.
    """
    server().run("stdio")
    return 0


def server() -> MCPServer:
    """Return the server.

    Raises
    ------
    MissingLibrary
        Without the library ``mcp``.
    """
    try:
        from mcp.server import MCPServer
    except ImportError:
        raise MissingLibrary(f"a server for agents needs mcp: {requirement('mcp').remedy}") from None
    made = MCPServer("cpqueens", instructions=_ABOUT, log_level="ERROR")
    for call in CALLS.values():
        made.tool(structured_output=True)(_tool(call))
    return made


def _tool(call: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    """Return what the server offers for a call: the same, in a process of its own and in its turn."""

    @functools.wraps(call)
    async def tool(**arguments: Any) -> dict[str, Any]:
        return await asyncio.to_thread(_in_turn, call.__name__, arguments)

    return tool


def _in_turn(verb: str, arguments: dict[str, Any]) -> dict[str, Any]:
    with _TURNS:
        return answer(verb, arguments)
