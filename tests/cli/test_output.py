"""Each format and each file is read back as the same solutions."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from each import each

from cpqueens.cli.main import main
from cpqueens.files.solutionfile import read_solutions, read_text
from cpqueens.problems import catalog

SVG = "{http://www.w3.org/2000/svg}"
SIX = [[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]]


def call(*args: str, **more: object) -> Result:
    return CliRunner().invoke(main, list(args), **more)  # type: ignore[arg-type]


def solutions(text: str) -> list[list[int]]:
    return sorted(read_text(text, catalog.load("queens", ["n=6"]).model).matrix.tolist())


@pytest.mark.parametrize("form", ["list", "json", "matrix", "grid"])
def test_formats_are_read_back(form: str) -> None:
    result = call("enumerate", "queens", "n=6", "--solver", "cpsat", "--format", form)
    assert solutions(result.stdout) == SIX
    assert "solutions  4" in result.stderr


def test_the_board_is_read_back() -> None:
    result = call("enumerate", "queens", "n=6", "--solver", "cpsat")
    boards, summary = result.stdout.split("problem    ")
    assert solutions(boards) == SIX
    assert "A000170): agrees" in summary


@each("form", ["board", "list", "json", "matrix", "grid"])
@each("problem", ["magic_square n=3", "golomb_ruler marks=4", "latin_square n=3", "all_interval n=4"])
def test_every_format_of_other_problems(form: str, problem: str) -> None:
    result = call("solve", *problem.split(), "--solver", "cpsat", "--format", form)
    assert result.exit_code == 0, result.output
    assert result.stdout.strip()


def test_solve_svg_is_xml_with_one_queen_a_row() -> None:
    result = call("solve", "queens", "n=6", "--solver", "cpsat", "--format", "svg")
    paths = ET.fromstring(result.stdout).iter(f"{SVG}path")
    assert sum("transform" in path.attrib for path in paths) == 6


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "npy"])
def test_files_are_read_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    result = call("enumerate", "queens", "n=6", "--solver", "cpsat", "--out", str(path))
    assert result.exit_code == 0
    found = read_solutions(path, catalog.load("queens", ["n=6"]).model)
    assert sorted(found.matrix.tolist()) == SIX
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert call("check", "queens", "n=6", str(path)).exit_code == 0


def test_npy_is_what_numpy_reads(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    call("enumerate", "queens", "n=8", "--solver", "cpsat", "--out", str(path))
    array = np.load(path)
    assert array.shape == (92, 8)
    assert array.dtype == np.int64
    assert len(np.unique(array, axis=0)) == 92


def test_no_solution_makes_empty_files(tmp_path: Path) -> None:
    for suffix in ("csv", "jsonl", "npy", "svg"):
        result = call(
            "enumerate", "queens", "n=3", "--solver", "cpsat", "--out", str(tmp_path / f"x.{suffix}")
        )
        assert result.exit_code == 0, result.output
    assert np.load(tmp_path / "x.npy").shape == (0, 3)
    assert (tmp_path / "x.csv").read_text() == "q[0],q[1],q[2]\n"
    ET.parse(tmp_path / "x.svg")


def test_a_sheet_of_boards(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    result = call("enumerate", "queens", "n=8", "--solver", "cpsat", "--up-to-symmetry", "--out", str(path))
    assert "12 up to symmetry, 92 in all" in result.stdout
    assert "12 (OEIS A002562): agrees" in result.stdout
    paths = ET.parse(path).getroot().iter(f"{SVG}path")
    assert sum("transform" in p.attrib for p in paths) == 12 * 8


def test_force_replaces_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    assert call("solve", "queens", "n=6", "--solver", "cpsat", "--out", str(path), "--force").exit_code == 0
    assert path.read_text().startswith("q[0],")


def test_solve_without_a_solution_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("old")
    for name, more in (("x.csv", []), ("x.npy", ["--json"]), ("old.csv", ["--force"])):
        result = call("solve", "queens", "n=3", "--solver", "cpsat", "--out", str(tmp_path / name), *more)
        assert result.exit_code == 1
        assert "written" not in result.stdout
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("old.csv", "old")]


def test_up_to_symmetry_with_a_limit() -> None:
    result = call(
        "enumerate",
        "queens",
        "n=8",
        "--solver",
        "cpsat",
        "--up-to-symmetry",
        "--limit",
        "5",
        "--format",
        "list",
    )
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 5
    assert "found as many as asked" in result.stderr


def test_json_of_every_verb() -> None:
    found = {
        verb: json.loads(call(verb, "queens", "n=6", "--json", "--solver", "cpsat").stdout)
        for verb in ("solve", "enumerate", "count")
    }
    found["show"] = json.loads(call("show", "queens", "n=6", "--json").stdout)
    found["check"] = json.loads(call("check", "queens", "n=6", "246135", "--json").stdout)
    for verb, document in found.items():
        assert document["schema"] == f"cpqueens.{verb}"
        assert document["version"] == 1
        assert document["model"]["title"] == "queens(n=6)"
    assert found["count"]["published"] == {"value": 4, "source": "OEIS A000170", "agrees": True}
    assert sorted(s["q"] for s in found["enumerate"]["solutions"]) == SIX
    assert found["solve"]["solution"]["q"] in SIX
    assert found["check"]["valid"] == found["check"]["solutions"] == 1
    for verb in ("list", "doctor"):
        assert json.loads(call(verb, "--json").stdout)["schema"] == f"cpqueens.{verb}"


def test_own_json_is_checked() -> None:
    for verb in ("solve", "enumerate"):
        document = call(verb, "queens", "n=6", "--json", "--solver", "cpsat").stdout
        result = call("check", "queens", "n=6", "-", input=document)
        assert result.exit_code == 0, result.output


def test_the_best_solution_comes_with_the_published_optimum() -> None:
    result = call("solve", "golomb_ruler", "marks=5", "--solver", "cpsat")
    assert "status     OPTIMAL (complete" in result.stdout
    assert "published  11 (OEIS A003022)" in result.stdout
    assert "time       " in result.stdout


def test_show_prints_the_sizes_of_the_spaces() -> None:
    text = call("show", "queens").stdout
    for size in ("4,426,165,368", "16,777,216", "40,320", "OEIS A000170"):
        assert size in text


def test_show_keeps_to_80_columns_and_begins_with_the_value_of_the_instance() -> None:
    lines = call("show", "queens", "n=27").stdout.splitlines()
    assert max(map(len, lines[:-1])) <= 80  # the last one is a path
    assert lines[lines.index("Published values") + 2] == "    234,907,967,154,122,528 for this instance"

    for problem in ("nonogram", "killer_sudoku", "car_sequencing", "star_battle", "bin_packing", "sudoku"):
        for line in call("show", problem).stdout.splitlines()[:-1]:
            assert len(line) <= 80, line
    title, rest = call("show", "sudoku").stdout.splitlines()[:2]
    assert (
        f"{title}{rest.strip()}" == catalog.load("sudoku", ()).title
    )  # 81 clues are broken, and nothing is lost


def test_show_breaks_boards_behind_rows_and_lists_what_a_parameter_may_be_below_a_long_default() -> None:
    lines = call("show", "queens_completion").stdout.splitlines()
    at = lines.index("    board=Q......./......../......../......../......../......../......../")
    assert lines[at + 1] == "      ........: 4,"
    at = next(k for k, line in enumerate(lines) if line.startswith("  board         = ('........', "))
    assert lines[at + 1 : at + 3] == [
        " " * 18 + "'........', '........', '........')",
        " " * 26 + "a value of type tuple[str, ...]",
    ]


def test_what_our_own_loops_found_is_not_called_published() -> None:
    shown = call("show", "queens_completion").stdout
    assert "Known values" in shown
    assert "Published" not in shown
    counted = call("count", "queens_completion").stdout
    assert "known      2 (brute force: the 8! permutations" in counted
    assert "published" not in counted


def test_show_has_no_marks_of_a_page() -> None:
    out = call("show", "queens").stdout
    assert "``" not in out
    assert "*" not in out.partition("Parameters")[0]
    assert "q[i] is the column" in out


def test_an_infeasible_model_points_to_its_explanation() -> None:
    assert "--explain names constraints" in call("solve", "queens", "n=3").stdout
    explained = call("solve", "queens", "n=3", "--explain").stdout
    assert "--explain" not in explained
    assert "a minimal unsatisfiable subset" in explained


def test_check_says_from_where_it_counts() -> None:
    out = call("check", "queens", "15863742").stdout
    assert "values below count from 1 as well, places such as [0] from 0" in out
    assert "places" not in call("check", "queens", "15863724").stdout


def test_show_says_boards_in_one_word_and_keeps_columns_apart() -> None:
    text = call("show", "star_battle").stdout
    assert "regions=AAAA/BBBB/CCCC/DDDD: 2," in text
    assert "'DDFCCC')\n                          a value" in text


def test_list_has_every_problem() -> None:
    lines = call("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == catalog.names()


def test_doctor_says_how_to_install_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from cpqueens.cli import doctor

    assert call("doctor").exit_code == 0
    monkeypatch.setattr(doctor, "version_of", lambda name: None if name == "msgspec" else "9.14.1")
    result = call("doctor")
    assert result.exit_code == 2  # msgspec is missing, and ortools 9.14 is too old
    assert "missing: pip install 'msgspec>=0.18'" in result.stdout
    assert "too old, 9.15 is needed: pip install 'ortools>=9.15'" in result.stdout


def test_doctor_says_what_a_solver_that_is_ready_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    from cpqueens.backends.cpmpy import backend

    there = {"cpmpy", "hexaly", "pysat", "pysdd", "pypblib"}
    monkeypatch.setattr(backend.importlib.util, "find_spec", lambda name: name in there or None)
    lines = call("doctor").stdout.splitlines()
    assert f"  {'cpmpy:pysat':<20}ready, refuses objectives" in lines
    assert f"  {'cpmpy:pysdd':<20}ready, refuses objectives, integers and sums" in lines
    assert f"  {'cpmpy:rc2':<20}ready, refuses models without an objective" in lines
    assert f"  {'cpmpy:hexaly':<20}ready, refuses all without a licence" in lines
    there.remove("pypblib")
    lines = call("doctor").stdout.splitlines()
    assert f"  {'cpmpy:pysat':<20}ready, refuses objectives, sums without pip install pypblib" in lines
    assert f"  {'cpmpy:z3':<20}pip install z3-solver" in lines
    listed = {one["name"]: one for one in json.loads(call("doctor", "--json").stdout)["backends"]}
    assert listed["cpmpy:rc2"]["refuses"].endswith("sums without pip install pypblib")
    assert (listed["cpsat"]["refuses"], listed["cpmpy:z3"]["installed"]) == ("", False)


def test_check_reads_standard_input_and_counts_repetitions() -> None:
    result = call("check", "queens", "n=6", "-", input="246135\n246135\n362514\n")
    assert result.exit_code == 0
    assert "3 checked, 3 valid, 0 not; 1 of the valid ones are repeated" in result.stdout


@pytest.mark.parametrize("solver", ["backtracking", "cpsat", "python-constraint"])
def test_count_up_to_symmetry(solver: str) -> None:
    result = call("count", "queens", "n=6", "--up-to-symmetry", "--solver", solver)
    assert "1 up to symmetry, 4 in all" in result.stdout
    assert "orbits     1 of 4\ntheir sum  4: agrees" in result.stdout
    assert "published  1 (OEIS A002562): agrees" in result.stdout
    found = json.loads(
        call("count", "queens", "n=5", "--up-to-symmetry", "--solver", solver, "--json").stdout
    )
    assert (found["orbits"], found["orbit_sizes"], found["sum_agrees"]) == (2, {"2": 1, "8": 1}, True)


def test_count_up_to_symmetry_refuses_what_has_none() -> None:
    assert call("count", "queens", "given=[[0,0]]", "--up-to-symmetry").exit_code == 2
    assert call("count", "queens", "n=5", "--up-to-symmetry", "--store", "x.db").exit_code == 2


TITLES = ["runs", "removed", "failed", "reasons", "constraint"]


def test_a_profile_is_printed_and_is_in_the_document() -> None:
    text = call("solve", "queens", "n=6", "--profile").stdout
    lines = text.splitlines()
    first = next(k for k, line in enumerate(lines) if line.split()[1:] == TITLES)
    head, *rows = lines[first:]
    assert sum("AllDifferent(q" in row for row in rows) == 3
    assert max(map(len, (head, *rows))) < 80
    result = call("solve", "queens", "n=6", "--solver", "backtracking:forward", "--profile", "--json")
    found = json.loads(result.stdout)["profile"]
    assert sum(c["removed"] for c in found["constraints"]) > 0
    assert {v["name"] for v in found["variables"]} <= {f"q[{k}]" for k in range(6)}
    refused = call("solve", "queens", "n=6", "--solver", "cpsat", "--profile")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
