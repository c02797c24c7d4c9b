"""The table of structures: its rows, what is told of them, and how often a run compiles its model."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cpqueens.models.costas_array import costas_array
from cpqueens.models.graph_colouring import graph_colouring
from cpqueens.models.job_shop import job_shop
from cpqueens.models.project_scheduling import project_scheduling
from cpqueens.models.queens import queens
from cpqueens.models.sudoku import EXAMPLE, sudoku
from cpqueens.models.travelling_salesman import travelling_salesman

from cpqueens import Model
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.local_search import running
from cpqueens.backends.local_search.specials import KERNELS, SPECIALS
from cpqueens.lowered import forms
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.forms import ModelForm
from cpqueens.lowered.structures import table


def knapsack() -> Model:
    m = Model("knapsack")
    x = m.boolvar(shape=12, name="x")
    m.add((x * np.arange(3, 15)).sum() <= 40)
    m.maximize((x * (np.arange(12) * 7 % 11 + 1)).sum())
    return m


SEARCHED: dict[str, tuple[Callable[[], Model], str]] = {
    "queens": (lambda: queens(8), "shifted_permutation"),
    "knapsack": (knapsack, "linear"),
    "job shop": (job_shop, "schedule"),
    "tours": (travelling_salesman, "tours"),
    "cumulative schedule": (project_scheduling, "schedule"),
    "colouring": (graph_colouring, "pairs"),
    "Costas array": (lambda: costas_array(8), "triangle"),
}


def test_each_row_has_a_file_and_each_file_a_row() -> None:
    files = {path.stem for path in Path(str(table.__file__)).parent.glob("*.py")} - {"__init__", "table"}
    assert files == set(table.STRUCTURES)


def test_kernels_are_asked_in_the_order_of_the_table() -> None:
    asked = [*SPECIALS, *KERNELS]
    assert asked == [name for name in table.STRUCTURES if name in asked]


@pytest.mark.parametrize("name", SEARCHED)
def test_a_run_of_local_search_compiles_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a model that is not kept, and one of a structure that other rows are asked for before."""
    make, structure = SEARCHED[name]
    compiled, compile_model = [], forms.compile_model

    def counting(model: Model, form: ModelForm, backend: str) -> Compiled:
        compiled.append(model)
        return compile_model(model, form, backend)

    monkeypatch.setattr(forms, "compile_model", counting)
    monkeypatch.setattr(running, "AFTER", math.inf)  # a bound, which a slow machine gets to, has its own form
    model = make()
    monkeypatch.setattr(Model, "kept", lambda model, what, make, grow=None: make())
    outcome = model.solve(solver="local-search", step_limit=3_000, random_seed=1)
    assert outcome.statistics["structure"] == structure
    assert len(compiled) == (name != "queens"), "queens are seen as they are stated"


def test_what_a_model_is_told_to_be() -> None:
    for make, structure in SEARCHED.values():
        assert structure in table.Structures(make(), takes=takes).names()
    assert table.Structures(queens(8)).names() == ["shifted_permutation", "shifted_board", "sum_board"]
    assert table.Structures(queens(400)).names() == ["shifted_permutation"]
    outcome = queens(6).solve(solver="backtracking")
    assert outcome.statistics["structure"] == "shifted_board"
    assert "structure" not in knapsack().solve(solver="backtracking").statistics


def test_no_board_is_looked_for_in_a_puzzle_of_which_one_solution_is_asked() -> None:
    puzzle = sudoku(EXAMPLE)
    assert "structure" not in puzzle.solve(solver="backtracking").statistics
    assert puzzle.enumerate(solver="backtracking").statistics["structure"] == "shifted_board"
