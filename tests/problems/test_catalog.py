import subprocess
import sys
from pathlib import Path

import pytest
from each import each

from cpqueens import Model, ModelError
from cpqueens.files.modelfile import save_model
from cpqueens.problems import catalog

OWN = '''
"""Pairs that add up."""
from typing import Annotated
from cpqueens import Model
from cpqueens.problems.signatures import Between
from cpqueens.problems.published import series

def pairs(total: Annotated[int, Between(0, 50)] = 3) -> Model:
    """Two numbers from 0 with a given sum."""
    m = Model("pairs")
    x = m.intvar(0, total, shape=2, name="x")
    m += x.sum() == total
    return m

def broken(n: int = 1) -> Model:
    return 1 // 0

def _helper() -> int:
    return 1

def number() -> int:
    return 5

published = series("solutions", "by counting on fingers", {3: 4}, parameter="total")

def verify(solution, total):
    return sum(solution["x"]) == total
'''


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.py"
    path.write_text(OWN)
    return path


def test_problems_are_found_by_name() -> None:
    assert "queens" in catalog.names()
    problem = catalog.find("queens")
    assert problem.summary.startswith("Place n queens")
    assert list(problem.parameters) == ["n", "given", "blocked", "viewpoint"]


@pytest.mark.parametrize(
    "name",
    [
        "quens",
        "Queens",
        "queen",
        "",
        "os",
        "../queens",
        "cpqueens",
        "__init__",
        pytest.param("n" * 10**5, id="long"),
    ],
)
def test_unknown_names_are_refused_in_one_line(name: str) -> None:
    with pytest.raises(ModelError, match=r"^no problem ") as caught:
        catalog.find(name)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(ModelError, match="did you mean 'queens'"):
        catalog.find("quens")


def test_nothing_in_the_package_imports_a_problem() -> None:
    listed = "[m for m in sys.modules if m.startswith('cpqueens.models')]"
    code = f"import sys, cpqueens.problems.catalog; print({listed})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
    for path in Path(catalog.__file__).parent.rglob("*.py"):
        assert "cpqueens.models." not in path.read_text(), path


def test_an_instance_knows_what_is_published() -> None:
    instance = catalog.load("queens", ["n=8"])
    assert instance.title == "queens(n=8)"
    assert instance.published().value == 92  # type: ignore[union-attr]
    assert instance.published("fundamental").value == 12  # type: ignore[union-attr]
    assert instance.published("optimum") is None
    assert catalog.load("queens", ["n=300"]).published() is None
    assert catalog.load("queens", ["n=8", "blocked=[[0,0]]"]).published() is None
    assert len(instance.symmetries()) == 8
    assert instance.verify({"q": [0, 4, 7, 5, 2, 6, 1, 3]}) == []
    assert instance.verify({"q": [0, 1, 2, 3, 4, 5, 6, 7]})


@each("text", ["n=-1", 'n="8"', "n=8.0", "n=True", "n=1000000000", "n=", "m=8", "n"])
def test_bad_parameters_get_one_line_with_the_problem(text: str) -> None:
    with pytest.raises(ModelError, match=r"^queens: ") as caught:
        catalog.load("queens", [text])
    assert "\n" not in str(caught.value)


@each("value", [-1, "8", 8.0, True, 10**9])
def test_bad_values_get_one_line_with_the_problem(value: object) -> None:
    with pytest.raises(ModelError, match=r"^queens: n: an integer from 0 to 20000000 is needed, got "):
        catalog.find("queens").instance(n=value)


def test_a_file_of_the_user_works_the_same_way(own: Path) -> None:
    instance = catalog.load(f"{own}:pairs", ["total=3"])
    assert instance.model.count(solver="cpsat") == 4 == instance.published().value  # type: ignore[union-attr]
    assert instance.verify({"x": [1, 2]}) == []
    assert instance.verify({"x": [1, 1]}) == ["verify says no"]
    assert instance.symmetries() == ()
    assert catalog.find(f"{own}:pairs").summary == "Two numbers from 0 with a given sum."
    with pytest.raises(ModelError, match="total: an integer from 0 to 50 is needed, got 51"):
        catalog.load(f"{own}:pairs", ["total=51"])


def test_without_a_function_the_one_with_the_name_of_the_file_is_meant(own: Path) -> None:
    assert catalog.find(str(own)).name == "pairs"
    other = own.rename(own.with_name("other.py"))
    with pytest.raises(ModelError, match=r"which function\? .* functions are pairs, broken"):
        catalog.find(str(other))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("pair", "no function 'pair'; did you mean 'pairs'"),
        ("", "no function ''"),
        ("_helper", "no function '_helper'"),
        ("Model", "no function 'Model'"),
        ("broken", r"broken: ZeroDivisionError: .* \(line 16 of pairs.py\)"),
        ("number", "number: it must return a Model, got int"),
    ],
)
def test_functions_that_are_no_problem(own: Path, function: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        catalog.load(f"{own}:{function}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:", r"SyntaxError: .* \(line 1\)"),
        ("x = 1\nx / 0", r"ZeroDivisionError: .* \(line 2 of bad.py\)"),
        ("import nowhere_at_all", "ModuleNotFoundError"),
        ("", "no function 'f'"),
        ("def f(*a): ...", "f: the parameter \\*a of a problem must be named"),
    ],
)
def test_files_that_cannot_be_run(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(ModelError, match=message) as caught:
        catalog.load(f"{path}:f")
    assert "\n" not in str(caught.value)


def test_files_that_do_not_exist(tmp_path: Path) -> None:
    for reference in (
        f"{tmp_path}/none.py",
        f"{tmp_path}/none.py:f",
        f"{tmp_path}/none.json",
        f"{tmp_path}.json",
    ):
        with pytest.raises(ModelError, match=r"[Nn]o such file"):
            catalog.load(reference)


@each("name", ["\0", "n" * 10_000])
@each("ending", [".py", ".py:f", ".json"])
def test_paths_that_no_file_can_have(name: str, ending: str) -> None:
    with pytest.raises(ModelError) as caught:
        catalog.load(name + ending)
    assert "\n" not in str(caught.value)


def test_model_files_have_no_parameters_and_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "four.json"
    save_model(catalog.load("queens", ["n=4"]).model, path)
    instance = catalog.load(str(path))
    assert instance.problem is None
    assert instance.title == "queens"
    assert instance.model.count(solver="cpsat") == 2
    assert instance.published() is None
    assert instance.symmetries() == ()
    assert instance.verify({"q": [9]}) == []
    with pytest.raises(ModelError, match="a model file has no parameters, got 'n=8'"):
        catalog.load(str(path), ["n=8"])


def test_two_files_of_one_name_do_not_meet(tmp_path: Path) -> None:
    for folder, upper in (("a", 1), ("b", 2)):
        (tmp_path / folder).mkdir()
        lines = ["from cpqueens import Model", "def m():", "    m = Model()"]
        lines += [f"    m.intvar(0, {upper}, name='x')", "    return m"]
        text = "\n".join(lines)
        (tmp_path / folder / "m.py").write_text(text)
    found = [catalog.load(f"{tmp_path}/{folder}/m.py").model for folder in ("a", "b")]
    assert [int(model.upper[0]) for model in found] == [1, 2]
    assert all(isinstance(model, Model) for model in found)


def test_a_file_may_import_what_stands_beside_it(tmp_path: Path) -> None:
    for name, size in (("first", 2), ("second", 3)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helping_talks.py").write_text(f"SIZE = {size}\n")
        (folder / "helping_late.py").write_text("NAME = 'x'\n")
        (folder / "stated.py").write_text(
            "import helping_talks\nfrom cpqueens import Model\n\n"
            "def stated() -> Model:\n    from helping_late import NAME\n\n    m = Model()\n"
            "    m.intvar(0, 1, shape=helping_talks.SIZE, name=NAME)\n    return m\n"
        )
    sizes = [
        len(catalog.load(str(tmp_path / name / "stated.py")).model.decisions) for name in ("first", "second")
    ]
    assert sizes == [2, 3]  # each has its own of two modules of one name
    assert str(tmp_path / "first") not in sys.path[:1]
