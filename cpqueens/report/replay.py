"""Searches to be watched: one self-contained HTML page from the traces of one run or several."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.trace import EVENTS, UNSET, Trace
from cpqueens.errors import ModelError
from cpqueens.language.statement import Statement
from cpqueens.language.views import Board
from cpqueens.report.board import piece_of
from cpqueens.report.conflicts import attacks_of
from cpqueens.report.pieces import LOOKS


@cache
def _template() -> str:
    return files("cpqueens.report").joinpath("replay.html").read_text(encoding="utf-8")


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
    texts = {"@TITLE@": escape(title), "@ABOUT@": escape(about), "@DATA@": data}
    return re.sub("|".join(texts), lambda place: texts[place[0]], _template())


def _run(outcome: Outcome) -> dict[str, Any]:
    """Return a run as the page's script reads it."""
    if outcome.trace is None:
        raise ModelError(f"{outcome.solver} recorded nothing: give it trace=, a number of events")
    return _traced(outcome.trace, outcome.model, outcome.solver, f"{outcome.status}, {outcome.ending}; ")


def _traced(trace: Trace, model: Statement, solver: str, ending: str) -> dict[str, Any]:
    kinds = list(EVENTS)
    thinned = "" if trace.thinning == 1 else f", thinned: {trace.thinning} events of the search in each"
    board = _board(model)
    attacks = attacks_of(model)
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
        "view": board,
        "piece": _piece(model),
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


def _piece(model: Statement) -> list[str]:
    """Return sign and name of what stands on the board."""
    name = piece_of(model.view)
    return [LOOKS[name].black, name]


def _shape(model: Statement, trace: Trace) -> list[int]:
    """Return rows and columns of the cells: those of a matrix that is all of the model, else one row."""
    blocks = [block for block in model.blocks if block.size]
    if len(blocks) == 1 and len(blocks[0].shape) == 2:
        return [int(size) for size in blocks[0].shape]
    return [1, int(np.size(trace.start))]
