"""cpqueens as a solver of MiniZinc: what it prints, what it installs, MiniZinc's own driver."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import cpqueens.exchange
from cpqueens.cli import minizinc
from cpqueens.cli.main import main
from cpqueens.exchange.flatzinc_constraints import FORMS
from cpqueens.system import platforms
from cpqueens.system.stopping import ThreadTime

MODELS = Path(__file__).parents[1] / "exchange" / "minizinc"
LIBRARY = Path(cpqueens.exchange.__file__).with_name("mznlib")
needs_minizinc = pytest.mark.skipif(shutil.which("minizinc") is None, reason="MiniZinc is not installed")


def run(*words: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(main, list(words))
    return found.exit_code, found.stdout, found.stderr


def solved(name: str, *flags: str, solver: str = "backtracking") -> list[str]:
    code, out, err = run("minizinc", "solve", "--solver", solver, *flags, str(MODELS / f"{name}.fzn"))
    assert (code, err) == (0, "")
    return out.splitlines()


def test_one_solution_and_the_best_one() -> None:
    lines = solved("search")
    assert lines == ["q = array1d(1..4, [3, 1, 4, 2]);", "----------"]  # the largest value first, as said
    assert solved("search", "-f")[-1] == "----------"
    best = solved("search_in_turn")
    assert best[-2:] == ["----------", "=========="]
    assert "s = 5;" in best
    assert solved("optimise_max", "-a")[-2:] == ["----------", "=========="]


def test_each_annotation_is_followed_for_its_variables(tmp_path: Path) -> None:
    """What is searched first changes last among the solutions, each variable in its own order of values."""
    declared = "var 0..1: x :: output_var; var 0..2: y :: output_var; var bool: b :: output_var;"
    searches = "seq_search([int_search([y], largest, indomain_max, complete),"
    searches += "bool_search([b], input_order, indomain_max, complete),"
    searches += "int_search([x, y], first_fail, indomain_min, complete)])"
    path = tmp_path / "three.fzn"
    path.write_text(f"{declared} solve :: {searches} satisfy;")
    _, out, _ = run("minizinc", "solve", "-a", str(path))
    found = [re.findall(r"= (\w+);", one) for one in out.split("----------\n")[:-1]]
    assert [(y, b, x) for x, y, b in found] == [
        (y, b, x) for y in ("2", "1", "0") for b in ("true", "false") for x in ("0", "1")
    ]


def test_all_solutions_each_printed_once() -> None:
    lines = solved("sorted", "-a")  # has variables that are not written out, and would repeat some
    assert (lines.count("----------"), lines[-1]) == (12, "==========")
    assert solved("sorted", "-n", "5").count("----------") == 5
    assert solved("relations", "-a").count("----------") == 16


def test_markers() -> None:
    assert solved("infeasible") == ["=====UNSATISFIABLE====="]
    assert solved("infeasible", "-a") == ["=====UNSATISFIABLE====="]
    assert solved("infeasible", "-t", "50", solver="local-search") in (
        ["=====UNKNOWN====="],
        ["=====UNSATISFIABLE====="],
    )


@pytest.mark.parametrize(("age", "answered"), [(59.0, True), (61.0, False)])
def test_the_limit_counts_from_the_start_of_the_program(
    age: float, answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platforms, "process_age", lambda: age)
    lines = solved("search", "-t", "60000")
    assert (lines[-1] == "----------") is answered
    assert (lines == ["=====UNKNOWN====="]) is not answered


def test_reading_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is at: what is read here never ends."""
    age = [0.0]

    def read(*_arguments: Any, **_options: Any) -> None:
        used = ThreadTime()
        age[0] = 3.0
        while used() < 10:
            sum(range(100))

    monkeypatch.setattr(platforms, "process_age", lambda: age[0])
    monkeypatch.setattr(minizinc, "load_flatzinc", read)
    assert solved("search", "-t", "2000") == ["=====UNKNOWN====="]


def test_the_age_of_a_process_begins_before_its_first_line() -> None:
    program = "import time; began = time.monotonic(); from cpqueens.system.platforms import process_age; "
    program += "print(process_age() - (time.monotonic() - began))"
    assert float(subprocess.check_output([sys.executable, "-c", program], text=True)) > 0


def test_statistics_and_errors(tmp_path: Path) -> None:
    lines = solved("optimise", "-s")
    assert "%%%mzn-stat: objective=9" in lines
    assert lines[-1] == "%%%mzn-stat-end"
    broken = tmp_path / "broken.fzn"
    broken.write_text("var 1..3: x;\nconstraint nothing(x);\nsolve satisfy;\n")
    code, out, err = run("minizinc", "solve", str(broken))
    assert (code, out) == (20, "=====ERROR=====\n")
    assert "line 2: constraint 'nothing' is not supported" in err


def test_verbs_take_flatzinc(tmp_path: Path) -> None:
    model = str(MODELS / "search.fzn")
    assert "solutions  2" in run("count", model, "--solver", "backtracking")[1]
    answers = tmp_path / "answers.json"
    _, out, _ = run("solve", model, "--solver", "backtracking", "--json")
    answers.write_text(json.dumps(json.loads(out)["solution"]))
    assert run("check", model, str(answers))[0] == 0
    assert run("compare", model, model)[0] == 0
    assert run("count", model, "n=3")[0] == 2


def test_installed_configurations(tmp_path: Path) -> None:
    assert run("minizinc", "install", "--dir", str(tmp_path))[0] == 0
    found: dict[str, Any] = {p.stem: json.loads(p.read_text()) for p in tmp_path.glob("*.msc")}
    assert sorted(found) == ["cpqueens", "cpqueens-cpsat", "cpqueens-ls"]
    for name, told in found.items():
        assert Path(told["mznlib"]) == LIBRARY
        assert Path(told["executable"]).exists()
        assert told["name"] == name


def test_all_that_the_library_leaves_whole_is_known() -> None:
    """Each predicate without a body comes with as many arguments as its builder takes."""
    declared = {}
    for path in LIBRARY.glob("*.mzn"):
        text = " ".join(path.read_text().split())
        for name, arguments in re.findall(r"predicate (\w+)\(((?:[^()]|\([^()]*\))*)\);", text):
            declared[name] = len(re.findall(r"(?:var |set of )?(?:int|bool): ", arguments))
    assert len(declared) > 80
    for name, many in declared.items():
        base = name.removesuffix("_reif")
        assert many == len(FORMS[base].signature) + (base != name), name


@needs_minizinc
def test_minizinc_calls_us(tmp_path: Path) -> None:
    run("minizinc", "install", "--dir", str(tmp_path))
    best = driven(tmp_path, "cpqueens", "optimise_max")
    assert best[-2:] == ["----------", "=========="]
    assert driven(tmp_path, "cpqueens-ls", "tables")[-1] == "----------"


WRITTEN = sorted(p.relative_to(MODELS).with_suffix("").as_posix() for p in MODELS.rglob("*.mzn"))
"""Models of every builtin and of every global; in ``decomposed`` those that MiniZinc decomposes for us."""


@needs_minizinc
@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_the_same_solutions_as_gecode(tmp_path: Path, name: str) -> None:
    """Each model flattened afresh with our library, each solution as MiniZinc prints it, against Gecode's."""
    run("minizinc", "install", "--dir", str(tmp_path))
    theirs = driven(tmp_path, "gecode", name, "-G", "std", "-a")
    ours = driven(tmp_path, "cpqueens-cpsat", name, "-a")
    if not theirs or "=====ERROR=====" in theirs:
        pytest.skip("Gecode refuses a part of this model")
    if "=====UNSATISFIABLE=====" in theirs or name.startswith(("optimise", "search_in_turn")):
        assert ours[-1] == theirs[-1]
    else:
        assert solutions(ours) == solutions(theirs)


@needs_minizinc
def test_verbs_take_minizinc(tmp_path: Path) -> None:
    """Two texts of one problem are compared by what has a name in both; data are files or name=value."""
    text = 'include "alldifferent.mzn"; int: n; array[1..n] of var 1..n: q; var int: s; {} solve satisfy;'
    apart = "constraint alldifferent(q) /\\ {}alldifferent([q[i] + i | i in 1..n]);"
    sums = "constraint s = sum(i in 1..n)(i * q[i]);"
    (tmp_path / "a.mzn").write_text(text.replace("{}", apart.replace("{}", "") + sums))
    (tmp_path / "b.mzn").write_text(text.replace("{}", apart.replace("{}", "q[1] < 3 /\\ ") + sums))
    (tmp_path / "four.dzn").write_text("n = 4;")
    first, second, data = (str(tmp_path / name) for name in ("a.mzn", "b.mzn", "four.dzn"))
    assert "solutions  7" in run("count", first, data, "--solver", "backtracking")[1]
    long = ("--time-limit", "600")
    code, out, _ = run("compare", first, second, "n=4", "--solver", "backtracking", *long)
    assert code == 1
    assert "q" in out
    code, _, err = run("count", first, "m=4")
    assert (code, "undefined identifier" in err, err.count("\n")) == (2, True, 1)


IN_OTHER_WORDS = {
    "circuit_truths": """
        constraint b <-> (x[1] != 1 /\\ x[x[1]] != 1 /\\ x[x[x[1]]] != 1 /\\ x[x[x[x[1]]]] = 1);""",
    "regular": "constraint b <-> (y[1] != y[2]);",
    "decomposed/alternatives": """
        constraint sum(i in 1..2)(if occurs(s[i]) then 1 else 0 endif) = 1;
        constraint forall(i in 1..2)(if occurs(s[i]) then s0 = deopt(s[i]) /\\ d0 = d[i] else true endif);""",
    "decomposed/spans": """
        constraint d0 = max([if occurs(s[i]) then deopt(s[i]) + d[i] else 0 endif | i in 1..2])
            - min([if occurs(s[i]) then deopt(s[i]) else 9 endif | i in 1..2]);""",
    "decomposed/optional_circuit": """
        constraint forall(i in 1..3)(
            if occurs(x[i]) then deopt(x[i]) != i /\\ occurs(x[deopt(x[i])]) else true endif);
        constraint forall(i, j in 1..3 where i < j)(
            if occurs(x[i]) /\\ occurs(x[j]) then deopt(x[i]) != deopt(x[j]) else true endif);""",
}
"""What MiniZinc 2.6 cannot evaluate as data: circuit and regular within truths, and what may be absent; a
single variable that may be (``s0`` of spans) it does not even read."""
NOT_EVALUATED = re.compile(r"constraint (b <-> (circuit|regular)\(|alternative|span|circuit)[^;]*;")


@needs_minizinc
@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_solutions_pass_minizincs_own_checker(tmp_path: Path, name: str) -> None:
    """MiniZinc evaluates the model with all variables as data; where one thing more is asked it refuses."""
    run("minizinc", "install", "--dir", str(tmp_path))
    model, words = MODELS / f"{name}.mzn", IN_OTHER_WORDS.get(name)
    given = re.sub(r"solve\b[^;]*;", "", re.sub(r"\bvar ", "", model.read_text()))
    if words is not None:
        given, replaced = NOT_EVALUATED.subn(lambda _: words, given)
        assert replaced == 1
    if name == "decomposed/optional_circuit":  # nor does it read an array of nothing but what is absent
        text, model = model.read_text(), tmp_path / "some.mzn"
        model.write_text(text + "constraint exists(i in 1..3)(occurs(x[i]));")
    lines = {}
    for said, more in (("holds", ""), ("refused", "constraint false;")):
        checker = tmp_path / f"{said}.mzc.mzn"
        checker.write_text(given + more + 'output ["CORRECT"];')
        lines[said] = driven(tmp_path, "cpqueens-cpsat", model, "-n", "5", str(checker))
    many = lines["holds"].count("----------")
    assert many > 0 or lines["holds"] == ["=====UNSATISFIABLE====="]
    assert lines["holds"].count("% CORRECT") == many
    assert lines["refused"].count("% =====UNSATISFIABLE=====") == many


FLAGS = (
    ("-a",), ("-n", "3"), ("-f",), ("-f", "-a"), ("-t", "200000"), ("-r", "7"), ("-p", "2"), ("-s",), ("-v",),
    ("-i",), ("-a", "-r", "3", "-s", "-t", "200000", "-p", "2"),
)  # fmt: skip


@needs_minizinc
@pytest.mark.slow
@pytest.mark.parametrize("solver", ["cpqueens", "cpqueens-ls", "cpqueens-cpsat"])
@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
def test_every_flag_through_minizincs_driver(tmp_path: Path, solver: str, flags: tuple[str, ...]) -> None:
    run("minizinc", "install", "--dir", str(tmp_path))
    if solver == "cpqueens-ls" and {"-a", "-n", "-p"} & set(flags):
        pytest.skip("local search proves nothing and has one thread: MiniZinc is not told of the flag")
    limit = () if "-t" in flags else ("-t", "200000")
    lines = driven(tmp_path, solver, "sorted", *flags, *limit)
    many = lines.count("----------")
    assert many == (12 if "-a" in flags else 3 if "-n" in flags else 1)
    assert (lines[-1] == "==========") == ("-a" in flags and "-s" not in flags) or "-s" in flags
    assert any(line.startswith("%%%mzn-stat") for line in lines) == ("-s" in flags)
    best = driven(tmp_path, solver, "optimise_max", *(f for f in flags if f not in ("-n", "3")), *limit)
    assert best.count("----------") >= 1
    if solver != "cpqueens-ls":
        assert "==========" in best


def solutions(lines: list[str]) -> list[str]:
    return sorted(part.strip() for part in "\n".join(lines).split("----------"))


def driven(folder: Path, solver: str, model: str | Path, *flags: str) -> list[str]:
    """Return what MiniZinc prints."""
    path = MODELS / f"{model}.mzn" if isinstance(model, str) else model
    words = ["minizinc", "--solver", solver, *flags, str(path)]
    environment = {**os.environ, "MZN_SOLVER_PATH": str(folder)}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=600, check=False)
    return done.stdout.splitlines()
