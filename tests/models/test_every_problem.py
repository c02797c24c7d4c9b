"""What holds for every problem: found, shipped, documented, published values typed twice, doctests."""

import doctest
import importlib
import inspect
import re
import tomllib
from pathlib import Path

import known_counts
from each import each
from library import LIBRARY

from cpqueens import Model
from cpqueens.files.modelfile import dump_model, model_digest, parse_model
from cpqueens.language.views import VIEWS
from cpqueens.problems import catalog

ROOT = Path(__file__).parents[2]
FILES = sorted(path.stem for path in (ROOT / "models").glob("*.py") if not path.stem.startswith("_"))


def test_every_file_is_in_the_catalogue_and_has_a_test() -> None:
    assert catalog.names() == FILES
    assert len(FILES) >= 36
    own = {path.stem.removeprefix("test_") for path in Path(__file__).parent.glob("test_*.py")}
    assert own - {"brute_force", "every_problem", "library", "symmetries"} | LIBRARY.keys() == set(FILES)


def test_the_folder_is_shipped_as_a_package_of_its_own_name() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert "cpqueens.models" in setuptools["packages"]
    assert setuptools["package-dir"]["cpqueens.models"] == "models"
    assert not [path for path in (ROOT / "models").iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert importlib.import_module("cpqueens.models").__name__ == "cpqueens.models"


@each("name", FILES)
def test_doctests(name: str) -> None:
    results = doctest.testmod(importlib.import_module(f"cpqueens.models.{name}"))
    assert results.failed == 0
    assert results.attempted > 0


@each("name", FILES)
def test_defaults_build_a_model_that_can_be_drawn_and_written(name: str) -> None:
    problem = catalog.find(name)
    assert problem.name == name
    assert problem.summary.endswith(".")
    assert problem.has_verify
    assert problem.published or "No values are published" in problem.description
    assert Path(problem.source).stem == name
    model = problem.instance().model
    assert type(model.view) in VIEWS.values()
    assert model.view.variable in {block.name for block in model.blocks}
    again = parse_model(dump_model(model))
    assert dump_model(again) == dump_model(model)
    assert model_digest(again) == model_digest(model)
    assert again.view == model.view


@each("name", FILES)
def test_a_source_is_named_with_its_year(name: str) -> None:
    _, found, source = catalog.find(name).description.partition("\n\nSource: ")
    assert found
    assert re.search(r"\b1[6-9]\d\d\b|\b20[012]\d\b", source.partition("\n\n")[0])


@each("name", FILES)
def test_verify_takes_the_parameters_of_the_problem(name: str) -> None:
    problem = catalog.find(name)
    parameters = inspect.signature(problem.module.verify).parameters
    assert list(parameters) == ["solution", *problem.parameters]


@each("name", FILES)
def test_problems_are_functions_that_return_a_model(name: str) -> None:
    function = catalog.find(name).function
    assert function.__annotations__["return"] == "Model"
    assert isinstance(function(), Model)


@each("name", sorted(known_counts.DECLARED))
def test_published_values_are_typed_twice_alike(name: str) -> None:
    problem = catalog.find(name)
    declared = {
        (entry.what, tuple(sorted(entry.parameters.items()))): entry.value for entry in problem.published
    }
    expected = {
        (what, tuple(sorted([*others, (parameter, n)]))): value
        for (what, others), (parameter, table) in known_counts.DECLARED[name].items()
        for n, value in table.items()
    }
    assert declared == expected
    assert all(entry.source.startswith("OEIS A") for entry in problem.published)
