"""A disagreement as a folder that stands alone: models, answers, and the command that replays it."""

import json
import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cpqueens.backends.base import Want
from cpqueens.crosscheck.compare import Case, compare
from cpqueens.crosscheck.external import External
from cpqueens.crosscheck.findings import Code, Disagreement
from cpqueens.crosscheck.given import Exhaustive, GivenSolutions, SolutionFile, small_enough
from cpqueens.crosscheck.heuristic import Heuristic
from cpqueens.crosscheck.observe import Participant, Plan
from cpqueens.crosscheck.participants import BackendParticipant
from cpqueens.crosscheck.report import plain
from cpqueens.crosscheck.sets import Packing
from cpqueens.crosscheck.shrink import Budget, shrink, size
from cpqueens.errors import CpqueensError, ModelError
from cpqueens.files.modelfile import dump_model
from cpqueens.model import Model
from cpqueens.system.interrupts import on_leaving
from cpqueens.system.requirements import versions

VERSION = 1
_NOT_SHRUNK = frozenset({Code.HANG, Code.OUT_OF_MEMORY, Code.LEDGER_CONFLICT})


def shrunk_model(
    model: Model, found: Disagreement, participants: Sequence[Participant], plan: Plan, budget: Budget
) -> Model:
    """Return a smaller model on which the same solver is accused of the same."""
    involved = [p for p in participants if p.name in (found.accused, *found.against)]
    accused_only = [p for p in involved if p.name == found.accused] or involved
    judges: list[Participant] = [Exhaustive()] if small_enough(model) else []
    chosen = (accused_only or list(participants)) + (judges or [p for p in involved if p not in accused_only])
    check = same_failure(found, chosen, plan)
    if judges and not _holds(check, model):
        check = same_failure(found, involved or participants, plan)
    return shrink(model, check, budget)


def _holds(check: Callable[[Model], bool], model: Model) -> bool:
    try:
        return check(model)
    except CpqueensError:
        return False


def same_failure(
    found: Disagreement, participants: Sequence[Participant], plan: Plan
) -> Callable[[Model], bool]:
    """Return whether a model shows the same code with the same solver accused."""

    def check(model: Model) -> bool:
        seen = observe_and_compare(model, participants, replace(plan, progress=None))
        return any(d.code is found.code and d.accused == found.accused for d in seen)

    return check


def write_bundle(
    folder: str | Path,
    model: Model,
    found: Disagreement,
    participants: Sequence[Participant],
    plan: Plan,
    answers: Sequence[Any] = (),
) -> Disagreement:
    """Write a disagreement's folder and return the disagreement with its place and replay command.

    Raises
    ------
    ModelError
        If the folder cannot be written.
    """
    shrunk = model
    # given solutions, and what a function makes, are about the variables of the model as given
    kinds = SolutionFile | GivenSolutions | Heuristic
    fixed = any(isinstance(p, kinds) for p in _involved(found, participants))
    if found.code not in _NOT_SHRUNK and not fixed:
        shrunk = shrunk_model(model, found, participants, plan, Budget(seconds=20))
    place = _new_place(Path(folder), f"{found.code}-{_slug(found.accused)}")
    command = replay_command(place / "shrunk.json", shrunk, found, participants, plan)
    data = {
        "schema": "cpqueens.bundle",
        "version": VERSION,
        "disagreement": plain(found),
        "sizes": {"given": size(model), "shrunk": size(shrunk)},
        "versions": versions(),
        "want": plan.want.value,
        "seeds": list(plan.seeds),
        "time_limit": plan.time_limit,
        "solvers": [_describe(p) for p in participants],
        "answers": plain(list(answers)),
        "replay": command,
    }
    texts = {
        "model.json": dump_model(model),
        "shrunk.json": dump_model(shrunk),
        "bundle.json": json.dumps(data, indent=2, ensure_ascii=False) + "\n",
        "replay.sh": f"#!/bin/sh\n{command}\n",
    }
    _write_folder(place, texts)
    return replace(found, bundle=str(place), replay=command)


def _write_folder(place: Path, texts: Mapping[str, str]) -> None:
    """Write a folder of files: all of it, or nothing."""
    partial = place.with_name(f".{place.name}.{os.getpid()}.partial")
    stay = on_leaving(lambda: shutil.rmtree(partial, ignore_errors=True))
    try:
        partial.mkdir()
        for name, text in texts.items():
            (partial / name).write_text(text, "utf-8", "backslashreplace")  # names of files may be no text
        partial.rename(place)
    except OSError as error:
        raise ModelError(f"{place}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        stay()


def _new_place(parent: Path, name: str) -> Path:
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(f"{parent}: {error.strerror or error}") from None
    for k in range(1, 10_000):
        place = parent / (name if k == 1 else f"{name}-{k}")
        if not place.exists():
            return place
    raise ModelError(f"{parent}: too many bundles; remove some")


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in text)[:40].strip("-") or "solver"


def _describe(participant: Participant) -> dict[str, Any]:
    data: dict[str, Any] = {"name": participant.name, "kind": type(participant).__name__}
    if isinstance(participant, BackendParticipant):
        solver = participant.solver
        data["solver"] = solver if isinstance(solver, str) else solver.name
        data["parameters"] = plain(dict(participant.options))
    if hasattr(participant, "argv"):
        data["argv"] = list(participant.argv)
    return data


def _involved(found: Disagreement, participants: Sequence[Participant]) -> list[Participant]:
    """Return those whom a disagreement is between."""
    named = (*found.accused.split(" or "), *found.against)
    return [p for p in participants if p.name in named] or list(participants)


def replay_command(
    model_file: Path, model: Model, found: Disagreement, participants: Sequence[Participant], plan: Plan
) -> str:
    """Return the command that shows the disagreement again.

    Solvers that exist only in the calling program (lambdas, backend objects) cannot be named on a
    command line; the command then names the others, and `replay` does the rest from Python.
    """
    involved = _involved(found, participants)
    backends = [p.solver for p in involved if isinstance(p, BackendParticipant)]
    names = [solver if isinstance(solver, str) else "" for solver in backends]
    if small_enough(model):
        names.append("exhaustive")
    beside: list[str] = []
    for participant in involved:
        if isinstance(participant, SolutionFile):
            beside += ["--solutions", str(Path(participant.path).resolve())]
        elif isinstance(participant, External):
            beside += ["--external", shlex.join(participant.argv)]
        elif isinstance(participant, Heuristic) and (reference := _reference(participant.function)):
            beside += ["--heuristic", reference]
    parts = ["cpqueens", "cross-check", str(model_file)]
    named = ",".join(dict.fromkeys(n for n in names if n))
    if named or beside:  # else all that prove: a command without any solver would be refused
        parts += ["--solvers", named]
    parts += [*beside, "--want", want_of(model, plan.want).value, "--seed", str(plan.seeds[0])]
    if len(plan.seeds) > 1:
        parts += ["--seeds", str(len(plan.seeds))]
    if plan.time_limit is not None:
        parts += ["--time-limit", f"{plan.time_limit:g}"]
    return shlex.join(parts)


def want_of(model: Model, want: Want) -> Want:
    """Return what to ask of a shrunk model, which may have lost its objective."""
    return Want.ALL if want is Want.BEST and model.objective is None else want


def _reference(function: Callable[..., Any]) -> str | None:
    """Return ``FILE.py:FUNCTION`` of a function at the top of a file; None for all others."""
    code, name = getattr(function, "__code__", None), getattr(function, "__qualname__", "<none>")
    if code is None or not name.isidentifier() or not Path(code.co_filename).is_file():
        return None
    return f"{Path(code.co_filename).resolve()}:{name}"


# ---- the disagreements once more -------------------------------------------------------------------------


def observe_and_compare(model: Model, participants: Sequence[Participant], plan: Plan) -> list[Disagreement]:
    """Return only the disagreements on a model, for shrinking and fuzzing."""
    plan = replace(plan, packing=Packing(model), want=want_of(model, plan.want))
    observations = tuple(p.observe(model, plan) for p in participants)
    try:
        return compare(Case(model, observations))
    finally:
        for o in observations:
            o.close()
