"""A lowered model as CP-SAT's native one, which grows with the model: what is new is added to it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cpqueens.backends.cpsat.clauses import split_clauses, written_out
from cpqueens.backends.cpsat.constraints import PLAIN, UNDER, write_definition, write_encodings
from cpqueens.backends.cpsat.native import new_proto, read
from cpqueens.backends.cpsat.writer import NativeWriter, Row, joined
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Definition, Truth, one_block, results_of
from cpqueens.language.expressions import LinearArray
from cpqueens.language.posted import join
from cpqueens.language.rows import IntArray, Mask
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import Lowered

Started = Callable[[Mask], NativeWriter]
"""Makes the writer of a model, given which variables are written."""


@dataclass(frozen=True)
class WrittenModel:
    """A native model, which nobody has who solves it, and what it takes to add to it."""

    proto: Any  # CP-SAT's CpModelProto
    writer: NativeWriter
    lowered: Lowered
    present: Mask  # which of the lowered model's variables it has, or does without for good
    written_out: Mask  # the latter


@dataclass(frozen=True)
class Portion:
    """What is to be written of a lowered model: all of it, or what was added."""

    decisions: IntArray
    definitions: list[Definition]
    constraints: list[Constraint]
    objective: LinearArray | None = None
    sign: int = 1


def written_model(model: Statement, lowered: Lowered, named: bool) -> WrittenModel:
    """Return the native model of all decision variables and what else the lowered one needs.

    One without names is kept if the model is large; who solves it takes a copy then.
    """
    if named:
        names = dict(zip(model.decisions.tolist(), model.blocks.names(), strict=True))
        return _whole(lowered, model.decisions, names)
    if not model.is_large:
        return _whole(lowered, model.decisions, {})
    return model.kept(
        ("written by cpsat", lowered.objective is None),
        lambda: _whole(lowered, model.decisions, {}),
        lambda before: _grown(before, lowered, model),
    )


def _whole(lowered: Lowered, decisions: IntArray, names: Mapping[int, str]) -> WrittenModel:
    sign = -1 if lowered.maximizing else 1
    part = Portion(decisions, lowered.definitions, lowered.constraints, lowered.objective, sign)
    writer, left_out = _write(part, lowered, lambda used: NativeWriter(lowered.store, used, names))
    proto = new_proto()
    read(proto, writer.all_parts())
    writer.finish(proto)
    return WrittenModel(proto, writer, lowered, _present(part, lowered), left_out)


def _grown(before: WrittenModel, lowered: Lowered, model: Statement) -> WrittenModel | None:
    """Add to the native model of one that has got more; None if what is new needs what was left out."""
    old, count = before.lowered, lowered.store.variable_count
    others = len(old.constraints) - old.rows
    if lowered.line is not old.line:
        return None
    rows = model._constraints.rows(len(old.how)) if lowered.rows else []
    present, left_out = (np.pad(a, (0, count - len(a))) for a in (before.present, before.written_out))
    definitions = [] if lowered.definitions is old.definitions else _new(lowered.definitions, present)
    decisions = model.decisions[model.decisions >= len(before.present)]
    part = Portion(decisions, definitions, [*rows, *lowered.constraints[lowered.rows + others :]])
    users: list[Definition | Constraint] = [*part.definitions, *part.constraints]
    if any(left_out[a.scope()].any() for user in users for a in user.arguments):
        return None
    proto = before.proto
    size = len(proto.constraints)
    further = partial(before.writer.further, lowered.store, size)
    writer, newly = _write(part, lowered, further)
    read(proto, writer.all_parts())
    writer.finish(proto)
    return WrittenModel(proto, writer, lowered, present | _present(part, lowered), left_out | newly)


def _new(definitions: Iterable[Definition], present: Mask) -> list[Definition]:
    """Return the definitions of results that are not there yet."""
    found = []
    for definition in definitions:
        rows = np.flatnonzero(~present[definition.results])
        if len(rows) == len(definition.results):
            found.append(definition)
        elif rows.size:
            found.append(definition.take(rows, definition.results[rows]))
    return found


def _present(part: Portion, lowered: Lowered) -> Mask:
    found = np.zeros(lowered.store.variable_count, dtype=bool)
    found[part.decisions] = True
    if part.definitions:
        found[results_of(part.definitions)] = True
    return found


def _write(part: Portion, lowered: Lowered, start: Started) -> tuple[NativeWriter, Mask]:
    """Write a part of a lowered model; return its writer and which variables are left out."""
    store = lowered.store
    definitions = joined_definitions(part.definitions)
    truths = [d for d in definitions if isinstance(d, Truth)]
    functions = [d for d in definitions if not isinstance(d, Truth)]
    constraints, found = split_clauses(join(part.constraints), store)
    users: Iterable[Definition | Constraint] = [*truths, *functions, *constraints]
    arrays = [a for user in users for a in user.arguments] if found else []
    arrays += [] if part.objective is None else [part.objective]
    clauses = written_out(found, truths, arrays, store)
    writer = start(_present(part, lowered) & ~clauses.written_out)
    writer.stated = constraints
    for definition in functions:
        write_definition(writer, definition)
    kept = list[Definition]()
    for truth in truths:
        needed = np.flatnonzero(~clauses.written_out[truth.results])
        if needed.size:
            kept.append(truth.take(needed, truth.results[needed]))
            write_definition(writer, kept[-1])
    if kept:
        write_encodings(writer, kept)
    for constraint in constraints:
        PLAIN[constraint.kind](writer, constraint)
    for plain in clauses.plain:
        writer.booleans("bool_or", writer.native(plain))
    for enforced in clauses.enforced:
        literals = writer.native(enforced.literals)
        UNDER[enforced.constraint.kind](writer, enforced.constraint, enforced.negated, literals)
    if part.objective is not None:
        (row,) = part.objective.rows()
        _write_objective(writer, row, part.sign)
    return writer, clauses.written_out


def _write_objective(writer: NativeWriter, row: Row, sign: int) -> None:
    """Write what is minimised; `NativeWriter.offset` has the constant that is left out.

    CP-SAT compares objective values as floats, so one that is far from 0 is shifted to it.
    """
    variables, coefficients, writer.offset = row
    low, high = writer.bounds((variables, coefficients, 0))
    sizes = np.maximum(np.abs(writer.store.lower), np.abs(writer.store.upper))[variables]
    reach = float(np.abs(np.array(coefficients, dtype=np.float64)) @ sizes)
    names = writer.names(variables)
    if max(abs(low), abs(high)) >= 2**52 and (low > 0 or high < 0):
        shifted = writer.new_variable(0, high - low)
        writer.raw_linear(f"{names},{shifted}", [*coefficients, -1], -low, "==")
        names, coefficients, writer.offset = str(shifted), [1], row[2] + low
        low, high, reach = 0, high - low, float(high - low)
    writer.least, writer.terms_reach = (low if sign > 0 else -high), reach
    writer.parts.append(f"objective{{vars:[{names}]coeffs:[{joined([sign * a for a in coefficients])}]}}")


def joined_definitions(definitions: Iterable[Definition]) -> list[Definition]:
    """Return the definitions with those of single terms joined, by what they are of how many terms."""
    groups: dict[object, list[Definition]] = {}
    for k, definition in enumerate(definitions):
        groups.setdefault(definition.sort() or k, []).append(definition)
    return [one_block(group) for group in groups.values()]
