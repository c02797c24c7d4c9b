"""Models of other libraries in a user's Python file, named on the command line like our own."""

import json
from pathlib import Path

import pytest

from cpqueens.cli.main import main
from cpqueens.errors import ModelError
from cpqueens.problems import catalog

FILES = {
    "ours": """
from cpqueens import Model
m = Model("pairs")
x = m.intvar(1, 6, shape=2, name="x")
m += x[0] * x[1] == 12
""",
    "cpmpy": """
import cpmpy as cp
x = cp.intvar(1, 6, shape=2, name="x")
m = cp.Model(x[0] * x[1] == 12)
""",
    "constraint": """
from constraint import Problem
m = Problem()
m.addVariables(["a", "b"], range(1, 7))
m.addConstraint(lambda a, b: a * b == 12)
""",
    "ortools.sat": """
from ortools.sat.python import cp_model
m = cp_model.CpModel()
x = [m.new_int_var(1, 6, f"x[{k}]") for k in range(2)]
m.add_multiplication_equality(12, x)
""",
}
"""Two dice whose product is 12, by the library that it needs."""

FUNCTION = """
def build(top: int = 6):
    from constraint import Problem
    m = Problem()
    m.addVariables(["a", "b"], range(1, top + 1))
    m.addConstraint(lambda a, b: a * b == 12)
    return m
"""


@pytest.mark.parametrize("library", FILES)
def test_a_model_of_any_library_is_counted(
    library: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if library != "ours":
        pytest.importorskip(library)
    path = tmp_path / "dice.py"
    path.write_text(FILES[library])
    for reference in (f"{path}:m", str(path)):
        with pytest.raises(SystemExit) as ended:
            main(["count", reference, "--solver", "python-constraint", "--json"])
        assert not ended.value.code
        assert json.loads(capsys.readouterr().out)["count"] == 4


def test_a_function_may_return_one(tmp_path: Path) -> None:
    path = tmp_path / "dice.py"
    path.write_text(FUNCTION)
    assert catalog.load(f"{path}:build", ["top=12"]).model.count(solver="python-constraint") == 6


def test_what_is_no_model_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "dice.py"
    path.write_text(FILES["ours"] + "n = 3\nother = m.copy()\n")
    with pytest.raises(ModelError, match=r"which function\?"):
        catalog.load(str(path))
    with pytest.raises(ModelError, match="no function 'n'"):
        catalog.load(f"{path}:n")
    path.write_text("import cpmpy as cp\nx = cp.boolvar(name='x')\nm = cp.Model(x + 2.5 == 3)\n")
    pytest.importorskip("cpmpy")
    with pytest.raises(ModelError, match=r"m: from_cpmpy: float 2.5"):
        catalog.load(f"{path}:m")
