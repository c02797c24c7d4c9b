"""A trace step by step as text: a line for each change, or a board for each event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cpqueens.answers.trace import UNSET, Trace, TraceRow
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.language.views import Board
from cpqueens.report.board import BLACK, BoardPicture, piece_of
from cpqueens.report.board_text import PLAIN, Style, board_text
from cpqueens.report.conflicts import PairRules, attacks_of

LARGEST = 26
"""Rows and columns of a board that is drawn for each event; more do not fit 80 columns."""


def shows_boards(model: Statement) -> bool:
    """Say whether every decision variable is the column of a row on a board that is not too large."""
    view = model.view
    if not isinstance(view, Board) or view.variable not in model.blocks.by_name:
        return False
    whole = model[view.variable].reshape(-1).variables[:, 0].tolist() == model.decisions.tolist()
    columns = int(model.upper[model.decisions].max(initial=0)) + 1
    return (
        whole
        and columns <= LARGEST
        and len(model.decisions) <= LARGEST
        and int(model.lower.min(initial=0)) >= 0
    )


def rows_text(trace: Trace) -> Iterator[str]:
    """Yield a line for the start and one for each change of a variable."""
    if trace.thinning > 1:
        yield f"(thinned: {trace.thinning} events of the search in each)"
    named = ((n, v) for n, v in zip(trace.names, trace.start.tolist(), strict=True) if v != UNSET)
    start = ", ".join(f"{name}={value}" for name, value in named)
    yield _line("step", "event", "change", "cost", "temperature")
    yield _line("0", "start", start or "nothing placed", _number(trace.cost), "")
    last = 0
    for row in trace.rows():
        again, last = row.event == last, row.event
        heat = "" if row.temperature is None else f"{row.temperature:.4g}"
        first = ("", "", "", "") if again else (str(row.step), row.kind, _number(row.cost), heat)
        yield _line(first[0], first[1], _change(row), first[2], first[3])


def _line(step: str, event: str, change: str, cost: str, heat: str) -> str:
    return f"{step:>8}  {event:<11}  {change:<24}  {cost:>6}  {heat}".rstrip()


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _change(row: TraceRow) -> str:
    if row.variable is None:
        return ""
    if row.old is None or row.new is None:
        return f"{row.variable} = {row.new}" if row.old is None else f"{row.variable} was {row.old}"
    return f"{row.variable}: {row.old} -> {row.new}"


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
