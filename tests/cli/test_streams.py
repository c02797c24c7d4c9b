"""Standard streams that are closed, full or of the wrong kind: one line, an exit code, no traceback."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from each import each
from seeds import some

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")

VERBS = [
    "--help",
    "list --json",
    "show queens",
    "enumerate queens n=4 --solver cpsat --json",
    "cross-check queens n=4 --solvers exhaustive",
    "fuzz --models 1 --processes 0 --solvers cpsat",
]


def shell(command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command line in which ``cpqueens`` is the program of this environment."""
    program = f'cpqueens() {{ {shlex.quote(sys.executable)} -m cpqueens "$@"; }}; {command}'
    return subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=False, timeout=600)


def one_line(done: "subprocess.CompletedProcess[str]", code: int = 2) -> str:
    assert done.returncode == code, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("cpqueens: ")
    assert "internal error" not in done.stderr
    return done.stderr


@each("verb", some(VERBS, 4))
def test_a_full_disk_behind_standard_output(verb: str) -> None:
    assert "No space left on device" in one_line(shell(f"cpqueens {verb} > /dev/full"))


@each("closing", [">&-", "1</dev/null"])
@each("verb", ["--help", "count queens n=27 --solver cpsat"])
def test_a_closed_standard_output_is_refused_before_the_search(verb: str, closing: str) -> None:
    assert "standard output is closed" in one_line(shell(f"cpqueens {verb} {closing}"))


def test_a_file_does_not_take_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    done = shell(f"cpqueens solve queens n=4 --solver cpsat --out {shlex.quote(str(path))} 2>&- <&-")
    assert done.returncode == 0
    assert path.read_text() in ("q[0],q[1],q[2],q[3]\n1,3,0,2\n", "q[0],q[1],q[2],q[3]\n2,0,3,1\n")


@pytest.mark.parametrize("end", ["2>&-", "2>/dev/full"])
def test_errors_that_nobody_can_read_have_their_code(end: str) -> None:
    done = shell(f"cpqueens solve quens {end}")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("<&-", "standard input: closed"),
        ("</dev/zero", "standard input: is a device"),
        ("</dev/null", "standard input: is a device"),
    ],
)
def test_standard_input_that_is_none(source: str, message: str) -> None:
    assert message in one_line(shell(f"cpqueens check queens n=4 - {source}"))


def test_solutions_come_through_pipes() -> None:
    assert shell("echo 2413 | cpqueens check queens n=4 -").returncode == 0
    assert shell("echo 2413 | cpqueens check queens n=4 /dev/stdin").returncode == 0


def test_a_reader_that_has_gone_is_no_error() -> None:
    for verb in ("--help", "list"):
        done = shell(f"cpqueens {verb} | head -n 1")
        assert (done.returncode, done.stderr) == (0, "")


def test_names_that_the_output_cannot_encode_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        "from cpqueens import Model\ndef odd() -> Model:\n    m = Model('m')\n"
        "    m.intvar(0, 0, name='\\u00e9\\u65e5')\n    return m\n"
    )
    command = [sys.executable, "-m", "cpqueens", "solve", f"{path}:odd", "--solver", "cpsat"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, encoding="latin-1", env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert "\xe9\\u65e5 = 0" in done.stdout
