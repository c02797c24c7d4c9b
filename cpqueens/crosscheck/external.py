"""A heuristic in any language: a command that speaks JSON lines, held to limits and checked like all else.

One process answers one seed. It reads one line from standard input,

    {"model": {...}, "variables": [{"name": "q", "shape": [8], "lower": [...], "upper": [...]}],
     "seed": 0, "time_limit": 10.0}

and writes lines to standard output, of which the last that is an answer counts:

    {"assignment": {"q": [0, 4, 7, 5, 2, 6, 1, 3]}, "steps": 120}     or     {"assignment": null}

The process runs with limits on wall time (where none is given, 60 s of a processor), memory and output, and
ends with all that it started (see
`cpqueens.system.children`). That limits resources and leaves no orphans; it is not a sandbox. Not on Windows.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cpqueens.crosscheck.heuristic import Attempt, collect_runs
from cpqueens.crosscheck.observe import Observation, Plan
from cpqueens.errors import ModelError, UnsupportedRequest
from cpqueens.files.modelfile import dump_model
from cpqueens.model import Model
from cpqueens.solving.request import as_integer
from cpqueens.system.children import LOOK_EVERY, Command, Patience
from cpqueens.system.interrupts import listening
from cpqueens.system.platforms import runs_commands
from cpqueens.text.bounded import decoded, parse_json
from cpqueens.text.parameters import needed
from cpqueens.text.plaintext import one_line, shown

DEFAULT_LIMIT = 60.0
GRACE = 0.25
_TAIL = 400


@dataclass(frozen=True)
class External:
    """An external command as a participant.

    Parameters
    ----------
    argv
        Program and arguments; no shell is involved.
    memory
        Bytes of address space that it may take.
    output
        Bytes that it may write.
    environment
        Variables added to a minimal environment.
    """

    argv: Sequence[str]
    label: str | None = None
    memory: int = 2 * 2**30
    output: int = 16 * 2**20
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        good = isinstance(self.argv, Sequence) and not isinstance(self.argv, str) and len(self.argv) > 0
        if not good or not all(isinstance(part, str) and part for part in self.argv):
            raise ModelError(
                f"external heuristic: a list of texts [program, argument, ...], got {shown(self.argv, 60)}"
            )
        for what in ("memory", "output"):
            as_integer(getattr(self, what), what)
        needed(self.environment, Mapping, "environment: {name: text}")
        if not runs_commands():
            raise UnsupportedRequest(
                "external heuristics need POSIX pipes and process groups: not on Windows"
            )

    @property
    def name(self) -> str:
        """The label, or the last part of the program's path and its arguments."""
        return self.label or " ".join([os.path.basename(self.argv[0]), *self.argv[1:]])[:40]  # noqa: PTH119

    def observe(self, model: Model, plan: Plan) -> Observation:
        """Run it once for each seed."""
        text = describe_task(model)
        return collect_runs(
            model, self.name, "external", plan, lambda seed: self._attempt(text, seed, plan.time_limit)
        )

    def attempt(self, model: Model, seed: int, time_limit: float | None) -> Attempt:
        """Run it with one seed."""
        return self._attempt(describe_task(model), seed, time_limit)

    def _attempt(self, task: Mapping[str, Any], seed: int, time_limit: float | None) -> Attempt:
        line = json.dumps({**task, "seed": seed, "time_limit": time_limit or DEFAULT_LIMIT}) + "\n"
        return judge_run(seed, self._run(line.encode(), time_limit))

    def _run(self, line: bytes, limit: float | None) -> ProcessRun:
        started = time.monotonic()
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", **self.environment}
        with listening() as interrupt:
            try:
                command = Command(self.argv, memory=self.memory, environment=environment, piped=True)
            except OSError as error:
                return self._not_started(error.errno or 0)
            try:
                out, err, why = _talk(command, line, _left(limit, command), self.output, interrupt.poll)
            finally:
                code = command.end()
        if command.errno:
            return self._not_started(command.errno)
        return ProcessRun(out, err, code, time.monotonic() - started, why)

    def _not_started(self, number: int) -> ProcessRun:
        return ProcessRun(b"", b"", None, 0.0, "cannot start", f"{self.argv[0]}: {os.strerror(number)}")


@dataclass(frozen=True)
class ProcessRun:
    """What one process did; ``why`` names the limit that ended it."""

    out: bytes
    err: bytes
    code: int | None
    seconds: float
    why: str = ""
    message: str = ""

    def rejected(self, seed: int, why: str, message: str) -> Attempt:
        """Return the attempt that a named rejection makes of it."""
        return Attempt(seed, self.seconds, rejection=why, message=message)


def describe_task(model: Model) -> dict[str, Any]:
    """Return the model as its file's content, with the variables in a form that scripts read easily."""
    variables = []
    for block in model.blocks:
        part = slice(block.first, block.first + block.size)
        lower, upper = model.lower[part].tolist(), model.upper[part].tolist()
        variables.append({"name": block.name, "shape": list(block.shape), "lower": lower, "upper": upper})
    return {"model": json.loads(dump_model(model)), "variables": variables}


def _left(limit: float | None, command: Command) -> Callable[[], float]:
    """Return who tells the seconds that are left: of the user's limit by the clock, or of the processor's."""
    if limit is not None:
        deadline = time.monotonic() + limit + GRACE
        return lambda: deadline - time.monotonic()
    patience = Patience(DEFAULT_LIMIT + GRACE, command.pid)
    return lambda: 0.0 if patience.is_over() else max(LOOK_EVERY, patience.remaining() or 0.0)


def _talk(
    command: Command, line: bytes, left: Callable[[], float], output: int, interrupted: Callable[[], bool]
) -> tuple[bytes, bytes, str]:
    """Feed and read the process until it closes its output or meets a limit; return output and the limit."""
    heard, why = {"out": bytearray(), "err": bytearray()}, ""

    def over() -> bool:
        nonlocal why
        size = len(heard["out"]) + len(heard["err"])
        endings = {"interrupted": interrupted(), "oversized": size > output, "late": left() <= 0}
        why = next((name for name, met in endings.items() if met), "")
        return bool(why)

    command.talk(line, lambda stream, part: heard[stream].extend(part), over)
    if not why:
        command.wait(max(0.0, left()))
    return bytes(heard["out"]), bytes(heard["err"]), why


def judge_run(seed: int, run: ProcessRun) -> Attempt:
    """Return the answer in a process's output, or a named rejection.

    What was answered before a limit on time, or a signal, ended the process is an answer.
    """
    lines = [part for part in run.out.splitlines(keepends=True) if part.strip()]
    if run.why:
        detail = run.message or f"after {run.seconds:.2f} s and {len(run.out)} bytes"
        ended = run.rejected(seed, run.why, detail)
        in_time = [part for part in lines if part.endswith(b"\n")] if run.why in _TIMELY else []
        given = _judge_lines(seed, run, in_time) if in_time else ended
        return ended if given.assignment is None else given
    if not lines:
        tail = run.err[-_TAIL:].decode("utf-8", "replace").strip().splitlines()
        return run.rejected(seed, "no answer" if run.code == 0 else "crashed", _ended(run.code, tail))
    return _judge_lines(seed, run, lines)


_TIMELY = frozenset({"late", "interrupted"})


def _judge_lines(seed: int, run: ProcessRun, lines: Sequence[bytes]) -> Attempt:
    answers = []
    for number, part in enumerate(lines, 1):
        try:
            answers.append(parse_json(decoded(part)))
        except ModelError as error:
            text = shown(part[:60].decode("utf-8", "replace").rstrip("\n"), 60)
            return run.rejected(seed, "garbled", f"line {number} of its output is not JSON: {text} ({error})")
    found = [a for a in answers if isinstance(a, dict) and "assignment" in a]
    if not found:
        return run.rejected(seed, "garbled", 'no line has an "assignment"')
    if found[-1]["assignment"] is None:
        return run.rejected(seed, "no answer", "it answered null")
    steps = found[-1].get("steps")
    counted = steps if type(steps) is int and steps >= 0 else None
    return Attempt(seed, run.seconds, found[-1]["assignment"], steps=counted)


def _ended(code: int | None, tail: list[str]) -> str:
    how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
    return f"it ended with {how} and wrote nothing" + (f": {one_line(tail[-1], 120)}" if tail else "")
