"""`cpqueens check`: solutions from anywhere, each violated constraint named."""

import dataclasses
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from cpqueens.answers.check import Check, Checker, Violation
from cpqueens.answers.solution import SolutionSet
from cpqueens.answers.stated import soft_violations
from cpqueens.cli.options import json_option, load
from cpqueens.cli.results import CHECKER_DOUBT, DONE, INVALID, echo_document
from cpqueens.cli.terminal import say, style_of
from cpqueens.errors import ModelError
from cpqueens.files.reading import Found, target_of
from cpqueens.files.solutionfile import FORMATS, read_solutions, read_text
from cpqueens.model import Model
from cpqueens.problems.catalog import Instance
from cpqueens.report.draw import TEXT_ROWS, draw_text
from cpqueens.text.bounded import MAX_TEXT, decoded, read_standard_input

_SHOWN = 5  # invalid solutions that are explained
_VERIFIED = 1000  # solutions that the problem's own plain check looks at too


@click.command()
@click.argument("model", metavar="MODEL")
@click.argument("rest", nargs=-1, required=True, metavar="[name=value]... SOLUTIONS")
@click.option("--base", type=click.Choice(["0", "1"]), help="the first column, if the text does not say")
@click.option("--by-column", is_flag=True, help="values are the row in each column")
@json_option
def command(model: str, rest: tuple[str, ...], base: str | None, by_column: bool, as_json: bool) -> int:
    """Check solutions, in any notation.

    SOLUTIONS is a file (.json, .jsonl, .csv, .npy, or text), - for standard input, or the solution itself,
    such as 15863724. Lists and digit strings may count from 0 or 1; boards may be drawn with Q and dots,
    as 0/1 matrix, as positions 1 - {1, 2}, as column letters, or between +---+ rules.
    """
    parameters = [text for text in rest if re.match(r"[A-Za-z_]\w*=", text)]
    sources = [text for text in rest if text not in parameters]
    if not sources:
        raise ModelError("SOLUTIONS is missing: a file, - for standard input, or the solution itself")
    instance = load(model, parameters)
    found = _read(sources, instance, None if base is None else int(base), by_column)
    report = _examine(instance, found)
    if as_json:
        echo_document("check", instance, **report)
    else:
        say("\n".join(_lines(instance, found, report)))
    if report["doubts"]:
        return CHECKER_DOUBT
    return DONE if report["valid"] == report["solutions"] else INVALID


def _read(sources: list[str], instance: Instance, base: int | None, by_column: bool) -> Found:
    if sources == ["-"]:
        return read_text(_standard_input(), instance.model, base, by_column)
    only = sources[0]
    readable = {suffix for suffix, kept in FORMATS.items() if kept.read is not None}
    is_name = Path(only).suffix.lower() in readable or "/" in only
    if len(sources) == 1 and (is_name or _exists(Path(only))):
        return read_solutions(only, instance.model, base=base, by_column=by_column)
    return read_text(" ".join(sources), instance.model, base, by_column)


def _exists(path: Path) -> bool:
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):
        return False  # a board given as text is too long for a name, or has a NUL


def _standard_input() -> str:
    data = read_standard_input(MAX_TEXT)
    try:
        return decoded(data)
    except ModelError as error:
        raise ModelError(f"standard input: {error}") from None


def _examine(instance: Instance, found: Found) -> dict[str, Any]:
    """Return what the checker says about all solutions, and the problem's own check about the first."""
    checker = Checker(instance.model)
    typed = _as_typed(instance, found)
    good = checker.accepts(found.matrix) if len(found.matrix) else np.zeros(0, dtype=bool)
    invalid = [
        {"place": found.place(row), "row": row, **_violations(checker.explain(found.matrix[row]), typed)}
        for row in np.flatnonzero(~good)[:_SHOWN].tolist()
    ]
    distinct = len(np.unique(found.matrix[good], axis=0)) if good.any() else 0
    fields = {"penalties": _penalties(instance.model, found, good)} if instance.model.soft else {}
    return {
        **fields,
        "solutions": len(found.matrix) + len(found.rejected),
        "valid": int(good.sum()),
        "distinct": distinct,
        "invalid": invalid,
        "rejected": [{"place": place, "problem": problem} for place, problem in found.rejected],
        "doubts": _doubts(instance, found, good),
        "notes": list(found.notes),
    }


def _as_typed(instance: Instance, found: Found) -> Callable[[Violation], Violation]:
    """Return what puts values into the numbers in which they were written."""
    if not found.counts_from:
        return lambda violation: violation
    name = re.escape(target_of(instance.model).variable)
    valued = re.compile(rf"^({name}(?:\[.*\])?)=(-?\d+)$")

    def counted(text: str) -> str:
        return valued.sub(lambda m: f"{m[1]}={int(m[2]) + found.counts_from}", text)

    def typed(violation: Violation) -> Violation:
        said = (counted(f"{k}={v}").rpartition("=") for k, v in violation.values.items())
        pairs = tuple((counted(a), counted(b)) for a, b in violation.pairs)
        return dataclasses.replace(violation, values={k: v for k, _, v in said}, pairs=pairs)

    return typed


def _violations(check: Check, typed: Callable[[Violation], Violation]) -> dict[str, Any]:
    """Return what is violated: fields in the model's numbers, the text in those that were written."""
    names = ("constraint", "name", "where", "amount", "values", "pairs")
    violated = [
        {name: getattr(v, name) for name in names} | {"text": str(typed(v))} for v in check.violations
    ]
    return {"problems": list(check.problems), "violations": violated, "amount": check.amount}


def _penalties(model: Model, found: Found, good: np.ndarray[Any, Any]) -> list[dict[str, Any]]:
    """Return what the first valid solutions violate of the soft constraints, and what that costs."""
    valid = np.flatnonzero(good)[:_SHOWN].tolist()
    violated = [soft_violations(model, found.matrix[row]) for row in valid]
    return [
        {
            "place": found.place(row),
            "penalty": sum(v.penalty for v in each),
            "violated": [dataclasses.asdict(v) | {"text": str(v)} for v in each],
        }
        for row, each in zip(valid, violated, strict=True)
    ]


def _doubts(instance: Instance, found: Found, good: np.ndarray[Any, Any]) -> list[dict[str, str]]:
    """Return where the problem's own plain check and the checker say different things."""
    if instance.problem is None or not instance.problem.has_verify:
        return []
    solutions = SolutionSet(instance.model, instance.model.decisions, found.matrix)
    doubts = []
    for row in range(min(len(solutions), _VERIFIED)):
        complaints = instance.verify(solutions[row].as_dict())
        if bool(complaints) == bool(good[row]):
            verdict = "; ".join(complaints[:3]) or "nothing is wrong"
            doubts.append({"place": found.place(row), "verify": verdict})
    return doubts


def _lines(instance: Instance, found: Found, report: dict[str, Any]) -> list[str]:
    lines = [f"note: {note}" for note in report["notes"]]
    if found.counts_from and report["invalid"]:
        lines.append("note: values below count from 1 as well, places such as [0] from 0")
    lines += [
        f"{entry['place']}: not a solution: {entry['problem']}" for entry in report["rejected"][:_SHOWN]
    ]
    for entry in report["invalid"]:
        lines.append(f"{entry['place']}: not a solution")
        lines += [f"  {problem}" for problem in entry["problems"]]
        lines += [f"  {violation['text']}" for violation in entry["violations"]]
        lines += _drawn(instance, found, entry["row"])
    for entry in report.get("penalties", ()):
        lines.append(f"{entry['place']}: penalty {entry['penalty']}")
        lines += [f"  {violation['text']}" for violation in entry["violated"]]
    lines += [
        f"{d['place']}: the checker and the problem's own verify differ; verify: {d['verify']}"
        for d in report["doubts"][:_SHOWN]
    ]
    return [*lines, _total(instance, report)]


def _drawn(instance: Instance, found: Found, row: int) -> list[str]:
    if instance.model.view is None or len(found.matrix[row]) > TEXT_ROWS**2:
        return []
    solution = SolutionSet(instance.model, instance.model.decisions, found.matrix[row : row + 1])[0]
    return [draw_text(solution, style_of(sys.stdout))]


def _total(instance: Instance, report: dict[str, Any]) -> str:
    total, valid, distinct = report["solutions"], report["valid"], report["distinct"]
    if total == 1:
        return f"{instance.title}: {'a solution, every constraint holds' if valid else 'not a solution'}"
    text = f"{instance.title}: {total:,} checked, {valid:,} valid, {total - valid:,} not"
    return text + (f"; {valid - distinct:,} of the valid ones are repeated" if distinct < valid else "")
