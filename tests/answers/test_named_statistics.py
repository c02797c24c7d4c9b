"""Every name in an outcome's statistics has its meaning in one table, and the table has no other names."""

from pathlib import Path

import pytest

import cpqueens
from cpqueens import CpqueensError
from cpqueens.answers.named_statistics import MEANINGS, OWN, PIPELINE, SEARCH
from cpqueens.backends import named
from cpqueens.problems.catalog import load

SOLVERS = [
    *("auto", "local-search+backtracking"),
    *(name for solver in named.available() for name in (
        solver, *(f"{solver}:{strategy}" for strategy in named.get_backend(solver).strategies)
    )),
]  # fmt: skip
MODELS = [("queens", ["n=5"]), ("golomb_ruler", ["marks=4"])]


@pytest.mark.parametrize("verb", ["solve", pytest.param("enumerate", marks=pytest.mark.slow)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_what_solvers_report_has_a_meaning(solver: str, verb: str) -> None:
    for name, parameters in MODELS:
        try:
            found = getattr(load(name, parameters).model, verb)(solver=solver, time_limit=0.1)
        except CpqueensError:
            continue
        assert set(found.statistics) <= set(MEANINGS)
        assert set(found.statistics) >= set(PIPELINE)


def test_each_name_stands_in_one_place_and_is_reported_somewhere() -> None:
    tables = [PIPELINE, SEARCH, *OWN.values()]
    assert len(MEANINGS) == sum(map(len, tables))
    files = Path(cpqueens.__file__).parent.rglob("*.py")
    source = "".join(f.read_text(encoding="utf-8") for f in files if f.stem != "named_statistics")
    assert [name for name in MEANINGS if f'"{name}"' not in source and f"{name}=" not in source] == []
