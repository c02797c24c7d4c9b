"""Searches to be watched: one self-contained HTML page from the traces of one run or several.

A trace step by step as text: a line for each change, or a board for each event.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.trace import EVENTS, UNSET, Trace, TraceRow
from cpqueens.errors import ModelError
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.language.views import Board
from cpqueens.report.board import BLACK, BoardPicture, PairRules, attacks_of, piece_of
from cpqueens.report.board_text import PLAIN, Style, board_text
from cpqueens.report.pieces import LOOKS
from cpqueens.text.plaintext import page


def replay_page(outcomes: Sequence[Outcome]) -> str:
    """Return a page that replays the traces of one run, or of several side by side.

    Parameters
    ----------
    outcomes
        Runs that were given ``trace=``.

    Raises
    ------
    ModelError
        If there is none, or one of them recorded nothing.
    """
    if not outcomes:
        raise ModelError("a replay needs at least one run")
    runs = [_run(outcome) for outcome in outcomes]
    models = dict.fromkeys(outcome.model.name for outcome in outcomes)
    return _page(f"{', '.join(models)}: {' and '.join(outcome.solver for outcome in outcomes)}", runs)


def trace_page(trace: Trace) -> str | None:
    """Return a page that replays one trace; None where it is not known what it is about."""
    if trace.model is None:
        return None
    return _page(f"{trace.model.name}: {trace.solver}", [_traced(trace, trace.model, trace.solver, "")])


def _page(title: str, runs: Sequence[dict[str, Any]]) -> str:
    about = (
        "Space plays and pauses, the arrow keys step, Home and End go to the ends, + and - change the speed. "
        "Conflicts are told by shape as well as by colour."
    )
    # in a script element nothing may look like its end
    data = json.dumps(runs, separators=(",", ":")).replace("<", "\\u003c")
    return page("replay.html", title=escape(title), about=escape(about), data=data)


def _run(outcome: Outcome) -> dict[str, Any]:
    """Return a run as the page's script reads it."""
    if outcome.trace is None:
        raise ModelError(f"{outcome.solver} recorded nothing: give it trace=, a number of events")
    return _traced(outcome.trace, outcome.model, outcome.solver, f"{outcome.status}, {outcome.ending}; ")


def _traced(trace: Trace, model: Statement, solver: str, ending: str) -> dict[str, Any]:
    kinds = list(EVENTS)
    thinned = "" if trace.thinning == 1 else f", thinned: {trace.thinning} events of the search in each"
    attacks, piece = attacks_of(model), piece_of(model.view)
    return {
        "title": f"{solver} on {model.name}",
        "facts": f"{ending}{len(trace):,} events{thinned}",
        "names": list(trace.names),
        "start": _plain(trace.start),
        "cost": trace.cost,
        "thinning": trace.thinning,
        "kindnames": kinds,
        "meanings": EVENTS,
        "kinds": [kinds.index(kind) for kind in trace.kinds],
        "steps": trace.steps.tolist(),
        "costs": trace.costs.tolist(),
        "heats": [None if heat is None else float(f"{heat:.4g}") for heat in trace.temperatures.tolist()],
        "first": trace.first.tolist(),
        "vars": trace.variables.tolist(),
        "olds": _plain(trace.old),
        "news": _plain(trace.new),
        "cells": trace.cells.tolist(),
        "ftog": trace.first_toggled.tolist(),
        "tog": trace.toggled.tolist(),
        "texts": model.value_texts(),
        "view": _board(model),
        "piece": [LOOKS[piece].black, piece],
        "shape": _shape(model, trace),
        "rules": None if attacks is None else attacks.to_dict(),
    }


def _plain(values: Any) -> list[int | None]:
    return [None if value == UNSET else value for value in values.tolist()]


def _board(model: Statement) -> list[int] | None:
    """Return rows, columns and the least column of a board that all decision variables make, or None."""
    view = model.view
    if not isinstance(view, Board) or view.variable not in model.blocks.by_name or not len(model.decisions):
        return None
    if model[view.variable].reshape(-1).variables[:, 0].tolist() != model.decisions.tolist():
        return None
    low = min(0, int(model.lower[model.decisions].min()))
    return [len(model.decisions), int(model.upper[model.decisions].max()) + 1 - low, low]


def _shape(model: Statement, trace: Trace) -> list[int]:
    """Return rows and columns of the cells: those of a matrix that is all of the model, else one row."""
    blocks = [block for block in model.blocks if block.size]
    if len(blocks) == 1 and len(blocks[0].shape) == 2:
        return [int(size) for size in blocks[0].shape]
    return [1, int(np.size(trace.start))]


LARGEST = 26
"""Rows and columns of a board that is drawn for each event; more do not fit 80 columns."""


def shows_boards(model: Statement) -> bool:
    """Say whether every decision variable is the column of a row on a board that is not too large."""
    rows, columns, low = _board(model) or (0, 0, 0)
    return 0 < rows <= LARGEST and columns <= LARGEST and low == 0


def rows_text(trace: Trace) -> Iterator[str]:
    """Yield a line for the start and one for each change of a variable."""
    if trace.thinning > 1:
        yield f"(thinned: {trace.thinning} events of the search in each)"
    texts = dict(zip(trace.names, trace.model.value_texts() if trace.model else (), strict=False))
    named = ((n, v) for n, v in zip(trace.names, trace.start.tolist(), strict=True) if v != UNSET)
    start = ", ".join(f"{name}={texts.get(name, {}).get(value, value)}" for name, value in named)
    yield _line("step", "event", "change", "cost", "temperature")
    yield _line("0", "start", start or "nothing placed", _number(trace.cost), "")
    last = 0
    for row in trace.rows():
        again, last = row.event == last, row.event
        heat = "" if row.temperature is None else f"{row.temperature:.4g}"
        first = ("", "", "", "") if again else (str(row.step), row.kind, _number(row.cost), heat)
        yield _line(first[0], first[1], _change(row, texts.get(row.variable or "", {})), first[2], first[3])


def _line(step: str, event: str, change: str, cost: str, heat: str) -> str:
    return f"{step:>8}  {event:<11}  {change:<24}  {cost:>6}  {heat}".rstrip()


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _change(row: TraceRow, texts: Mapping[int, str]) -> str:
    if row.variable is None:
        return ""
    old, new = (None if value is None else texts.get(value, value) for value in (row.old, row.new))
    if old is None or new is None:
        return f"{row.variable} = {new}" if old is None else f"{row.variable} was {old}"
    return f"{row.variable}: {old} -> {new}"


def boards_text(trace: Trace, model: Statement, style: Style = PLAIN) -> Iterator[str]:
    """Yield a heading and a board for the start and each event; excluded squares of empty rows are dark."""
    attacks = attacks_of(model)
    columns = int(model.upper[model.decisions].max(initial=0)) + 1
    exact = trace.cost is None
    for k, values in enumerate(trace.states()):
        kind = "start" if k == 0 else trace.kinds[k - 1]
        costs = [trace.cost, *trace.costs.tolist()]
        cost = "" if costs[k] is None else f", cost {costs[k]}"
        yield f"{k}: {kind}{cost}"
        picture = picture_of(values, columns, attacks, exact)
        yield board_text(replace(picture, piece=piece_of(model.view)), style)


def picture_of(values: IntArray, columns: int, attacks: PairRules | None, exact: bool) -> BoardPicture:
    """Return the board of a state: who attacks whom, and in exact search what is excluded."""
    placed = {row: value for row, value in enumerate(values.tolist()) if value != UNSET}
    pairs, blocked = [], []
    if attacks is not None:
        for i, a in placed.items():
            pairs += [((i, a), (j, b)) for j, b in placed.items() if i < j and attacks.between(i, a, j, b)]
        empty = [row for row in range(len(values)) if exact and row not in placed]
        blocked = [
            (row, v) for row in empty for v in range(columns)
            if any(attacks.between(i, a, row, v) for i, a in placed.items())
        ]  # fmt: skip
    queens = dict.fromkeys(placed.items(), BLACK)
    return BoardPicture(len(values), columns, queens, tuple(pairs), blocked=frozenset(blocked))
