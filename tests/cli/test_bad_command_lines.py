"""Bad values in every place of the command line: one line on standard error, exit code 2, nothing lost."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from each import each

from cpqueens.cli.main import main

ESCAPE = "\x1b[2J\x1b]0;title\x07"
DIGITS = "9" * 5000

NUMBERS = ["", "x", "1.5", "-1", "0", "nan", "1 2", DIGITS, "9" * 30, "0x10", ESCAPE]
NAMES = ["", "x", ":", "+", "cpsat:", "cpsat:x", "cpsat+cpsat", "+cpsat", "CPSAT", "x" * 5000, ESCAPE]
PARAMETERS = ["x", "=", "x=", "linearization_level=", "linearization_level=x", "linearization_level=null"]
PARAMETERS += [f"linearization_level={v}" for v in ("[" * 5000, DIGITS, "9" * 30, "1.5", "{}", "NaN")]
PARAMETERS += ["num_workers=2", "time_limit=1", "random_seed=1", "relative_gap_limit=1", f"{ESCAPE}=1"]
MODELS = ["", "x", "queens:", ":", "-", "/", ".py", ".json", "x.json", "x.py:f", "\0", "\0.json", "\0.py:f"]
MODELS += ["x" * 5000, "x" * 5000 + ".json", ESCAPE, "folder", "folder.json", "folder.py"]
ASSIGNMENTS = [
    "n",
    "=",
    "n=",
    "n=8=8",
    "m=1",
    "N=8",
    "n=-1",
    f"n={DIGITS}",
    f"n={ESCAPE}",
    "given=x",
    "given=[[9,9]]",
]
ASSIGNMENTS += [f"given={'[' * 5000}", "given=null", "given=[[0]]"]
PLACES = [
    "x",
    "x.doc",
    "folder.csv",
    "none/x.csv",
    "old.csv/x.csv",
    "old.csv",
    "x" * 300 + ".csv",
    ESCAPE,
]
TEXTS = [
    "",
    "x",
    "1 3 0",
    "1 3 0 2 9",
    "1 3 0 99999999999999999999",
    "[1,3,0,NaN]",
    "{",
    "[]",
    ESCAPE,
    "Q...",
    "/",
]
TEXTS += ["+---+", "| |", "\u250c", "(1,2)", "9" * 40_000, "[" * 5000, f"[{DIGITS}]", "q="]

SOLVE, COUNT = (
    ["solve", "queens", "n=4", "--solver", "cpsat"],
    ["count", "queens", "n=4", "--solver", "cpsat"],
)
CROSS = ["cross-check", "queens", "n=4", "--solvers", "cpsat", "--bundles", ""]
EVALUATE = ["evaluate", "queens", "--solver", "las-vegas", "--reference-time", "0"]
FUZZ = ["fuzz", "--models", "1", "--solvers", "cpsat", "--processes"]

TABLE: dict[str, tuple[list[list[str]], list[str]]] = {
    "--time-limit": ([[*SOLVE, "--time-limit"]], ["", "x", "-1", "0", "nan", "1 2", ESCAPE]),
    "--seed": ([[*SOLVE, "--seed"], [*CROSS, "--seed"]], [v for v in NUMBERS if v != "0"]),
    "--workers": ([[*SOLVE, "--workers"]], [*NUMBERS, "2147483648", "1025"]),
    "--step-limit": ([["solve", "queens", "--solver", "local-search", "--step-limit"]], NUMBERS),
    "--limit": ([["enumerate", "queens", "--limit"], [*CROSS, "--limit"]], NUMBERS),
    "--seeds": ([[*CROSS, "--seeds"]], [v for v in NUMBERS if not v.startswith("9")]),
    "--processes": ([FUZZ], ["", "x", "-1", "65", "9" * 30, DIGITS]),
    "--processes, of an evaluation": ([[*EVALUATE, "--processes"]], ["", "x", "-1", "0", "65", "9" * 30]),
    "--models": ([["fuzz", "--processes", "0", "--models"]], [*NUMBERS, str(10**10)]),
    "--solver": ([["solve", "queens", "n=4", "--solver"], ["count", "queens", "n=4", "--solver"]], NAMES),
    "--solvers": ([["cross-check", "queens", "n=4", "--solvers"]], NAMES),
    "--solvers, the second": ([["cross-check", "queens", "n=27", "--solvers"]], ["cpsat,x", "cpsat,cpsat:x"]),
    "--solvers, derived models": ([[*CROSS, "--metamorphic", "--solvers"]], ["cpsat,x", "x"]),
    "--param": ([[*SOLVE, "--param"], [*COUNT, "--param"]], PARAMETERS),
    "--format": ([[*SOLVE, "--format"], ["enumerate", "queens", "--format"]], ["", "x", ESCAPE]),
    "--out": ([[*SOLVE, "--out"], ["enumerate", "queens", "n=4", "--out"]], PLACES),
    "--html": ([[*CROSS, "--html"]], ["folder", "none/x.html", "x" * 300]),
    "--external": ([[*CROSS, "--external"]], ["", "nosuch", "'x", "\0", "folder"]),
    "--heuristic": ([[*CROSS, "--heuristic"]], MODELS),
    "--solutions": (
        [["cross-check", "queens", "n=27", "--solvers", "cpsat", "--solutions"]],
        ["none", "folder", "\0"],
    ),
    "--solver, evaluated": (
        [["evaluate", "queens", "--solver"]],
        [*NAMES, "cpsat cpsat", "las-vegas x=1", "las-vegas stop_vegas", "las-vegas stop_vegas=x"],
    ),
    "--sizes": ([[*EVALUATE, "--sizes"]], ["", ",", "x", "4,4", "m=4", "n=", "4,x", "-1", DIGITS, ESCAPE]),
    "--sizes and the same": ([[*EVALUATE, "n=4", "--sizes"]], ["4"]),
    "--runs": ([[*EVALUATE, "--runs"]], [v for v in NUMBERS if v != "1"]),
    "--require": ([[*EVALUATE, "--require"], [*CROSS, "--require"]], ["", "x", "-1", "1.1", "nan"]),
    "--record": ([[*EVALUATE, "--record"]], ["", "folder", "none/x.db", "old.csv", "x" * 300, "\0"]),
    "--reference-time": ([EVALUATE[:-1]], ["", "x", "-1", "nan"]),
    "--out, of an evaluation": ([[*EVALUATE, "--out"]], ["", "x", "folder.csv", "none/x.html", "x.txt"]),
    "--base": ([["check", "queens", "n=4", "2413", "--base"]], ["", "2", "x", ESCAPE]),
    "MODEL": ([["solve"], ["show"], ["count"]], MODELS),
    "name=value": ([[*SOLVE]], ASSIGNMENTS),
    "SOLUTIONS": ([["check", "queens", "n=4", "--"]], TEXTS),
}

LINES = [
    (place, [*words, value])
    for place, (lines, values) in TABLE.items()
    for words in lines
    for value in values
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with what the table names; nothing in it may change."""
    monkeypatch.chdir(tmp_path)
    for name in ("folder", "folder.csv", "folder.json", "folder.py"):
        (tmp_path / name).mkdir()
    (tmp_path / "old.csv").write_text("mine")
    before = sorted(path.name for path in tmp_path.iterdir())
    yield tmp_path
    assert (tmp_path / "old.csv").read_text() == "mine"
    after = sorted(path.name for path in tmp_path.iterdir())
    assert [name for name in after if not name.startswith(("made", "__pycache__"))] == before


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output[:500]
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr[:500]
    assert result.stderr.startswith("cpqueens: ")
    assert result.stderr.rstrip("\n").isprintable()
    assert "internal error" not in result.stderr
    assert len(result.stderr) < 1200
    return result.stderr


def test_the_table_is_large() -> None:
    assert len(LINES) > 300


@each("place", TABLE)
def test_a_bad_value(place: str) -> None:
    for arguments in (line for at, line in LINES if at == place):
        refused(CliRunner().invoke(main, arguments))


# ---- files -----------------------------------------------------------------------------------------------

HEADER = b"\x93NUMPY\x01\x00\x76\x00"


def npy(text: bytes) -> bytes:
    return HEADER + text.ljust(117) + b"\n"


FILES: dict[str, bytes] = {
    "long-field.csv": b"1" * 140_000,
    "signs.csv": b"1,2,3,+-5\n",
    "digits.csv": DIGITS.encode() + b",2,3,4\n",
    "returns.csv": b"1,2\r3\r",
    "quote.csv": b'"a\n',
    "nul.csv": b"\x00,1\n",
    "utf16.csv": "1,2".encode("utf-16"),
    "empty.csv": b"",
    "empty.npy": b"",
    "text.npy": b"hello",
    "header.npy": npy(b"[" * 117),
    "huge.npy": npy(b"{'descr': '<i8', 'fortran_order': False, 'shape': (100000000000, 4), }"),
    "negative.npy": npy(b"{'descr': '<i8', 'fortran_order': False, 'shape': (-1, 4), }"),
    "object.npy": npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1, 4), }"),
    "deep.json": b"[" * 100_000,
    "deeper.json": b"[" * 500 + b"]" * 500,
    "twice.json": b'{"a": 1, "a": 2}',
    "nan.json": b"[NaN]",
    "digits.json": b"[" + DIGITS.encode() + b"]",
    "trailing.json": b"[1,3,0,2] x",
    "empty.json": b"",
    "lines.jsonl": b"[1,3,0,2]\n[",
    "escape.txt": ESCAPE.encode(),
    "nul.txt": b"\x00",
    "blank.txt": b"\n \n",
    "long.txt": b"1" * 40_000,
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_of_solutions(name: str, folder: Path) -> None:
    (folder / f"made-{name}").write_bytes(FILES[name])
    assert f"made-{name}: " in refused(CliRunner().invoke(main, ["check", "queens", "n=4", f"made-{name}"]))
    refused(CliRunner().invoke(main, ["cross-check", "queens", "n=27", "--solutions", f"made-{name}"]))


def test_arrays_that_are_none(folder: Path) -> None:
    with zipfile.ZipFile(folder / "made-zip.npy", "w") as archive:
        archive.writestr("a", "b")
    np.save(folder / "made-large.npy", np.full((1, 4), 2**64 - 1, dtype=np.uint64))
    np.save(folder / "made-record.npy", np.zeros(4, dtype="i4,i4"))
    np.save(folder / "made-scalar.npy", np.int64(3))
    for name in ("zip", "large", "record", "scalar"):
        refused(CliRunner().invoke(main, ["check", "queens", "n=4", f"made-{name}.npy"]))


MODULES: dict[str, bytes] = {
    "syntax": b"def f(:",
    "exits": b"raise SystemExit(3)",
    "base": b"raise BaseException('\\x1b[2J')",
    "nul": b"\x00",
    "latin": b"# \xff\ndef f(): pass\n",
    "nested": b"x=" + b"(" * 1000 + b")" * 1000,
    "other": b"def f():\n    return 3\n",
    "recursive": b"def f():\n    return f()\n",
    "raises": b"def f():\n    raise ValueError('\\x1b[2J\\n' * 100)\n",
    "leaves": b"import sys\ndef f():\n    sys.exit(4)\n",
    "silent": b"class E(Exception):\n  def __str__(self):\n        raise KeyError\ndef f():\n    raise E\n",
    "named": b"from cpqueens import Model\ndef f():\n    return Model('\\x1b[2J')\n",
    "variable": b"from cpqueens import Model\ndef f():\n    Model().intvar(0, 1, name='\\ud800')\n",
    "cyclic": b"from cpqueens import Model\ndef f():\n    c = []\n    c.append(c)\n    Model().add(c)\n",
}


@pytest.mark.parametrize("name", MODULES)
def test_a_bad_module(name: str, folder: Path) -> None:
    (folder / f"made{name}.py").write_bytes(MODULES[name])
    refused(CliRunner().invoke(main, ["solve", f"made{name}.py:f"]))


def model_file(**changes: object) -> str:
    good = {"format": "cpqueens-model", "name": "m", "constraints": []}
    variables = [{"name": "x", "lower": 0, "upper": 1}, {"name": "y", "lower": 0, "upper": 1}]
    from cpqueens.files.modelfile import VERSION

    return json.dumps({**good, "version": VERSION, "variables": variables, **changes})


@pytest.mark.parametrize("name", ["\ud800", ESCAPE, "\u202e"])
def test_a_bad_name_in_a_model_file(name: str, folder: Path) -> None:
    for changes in ({"name": name}, {"variables": [{"name": name, "lower": 0, "upper": 1}]}):
        (folder / "made.json").write_text(model_file(**changes))
        refused(CliRunner().invoke(main, ["solve", "made.json"]))


# ---- what is known before the search ---------------------------------------------------------------------


@pytest.mark.parametrize("form", ["matrix", "grid", "svg"])
@pytest.mark.parametrize("verb", ["solve", "enumerate"])
def test_a_form_that_solutions_do_not_have(
    verb: str, form: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "made.json").write_text(model_file())
    monkeypatch.setattr(
        "cpqueens.backends.cpsat.backend.CpSat.run", lambda *_: pytest.fail("the search has begun")
    )
    message = refused(CliRunner().invoke(main, [verb, "made.json", "--solver", "cpsat", "--format", form]))
    assert f"{form}" in message
    if verb == "solve":
        refused(CliRunner().invoke(main, [verb, "made.json", "--solver", "cpsat", "--out", "made.svg"]))


def test_what_a_heuristic_says_cannot_steer_the_terminal(folder: Path) -> None:
    (folder / "made.py").write_text(
        "def f(model, seed, time_limit):\n    raise ValueError('\\x1b[2J\\x1b]0;title\\x07')\n"
    )
    (folder / "made.sh").write_text("#!/bin/sh\nprintf '\\033[2J\\033]0;title\\007' >&2\nexit 3\n")
    heuristics = ["--heuristic", "made.py:f", "--external", "sh made.sh"]
    result = CliRunner().invoke(main, [*CROSS, *heuristics])
    assert "raised, seed 0: ValueError: " in result.output
    assert "exit code 3" in result.output
    assert "\x1b" not in result.output
    assert "\x07" not in result.output


def test_a_proof_that_is_not_there_is_named_once(folder: Path) -> None:
    message = refused(CliRunner().invoke(main, ["check-proof", "queens", "n=4", "none.proof"]))
    assert message.strip() == "cpqueens: none.proof: there is no such file"
