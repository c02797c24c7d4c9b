"""External commands: every way of answering badly is a named rejection, and nothing is left running."""

import os
import sys
import time

import numpy as np
import pytest

from cpqueens import AllDifferent, Model, cross_check
from cpqueens.crosscheck.external import External
from cpqueens.errors import ModelError


@pytest.fixture
def queens4():
    model = Model("queens")
    q, i = model.intvar(0, 3, shape=4, name="q"), np.arange(4)
    model += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    return model


def python(code, **limits):
    return External([sys.executable, "-c", code], label="script", **limits)


ANSWER = 'import json; print(json.dumps({"assignment": %s, "steps": 3}))'
READS = (
    "import json, sys; task = json.loads(sys.stdin.readline());"
    'rows = [[1, 3, 0, 2], [2, 0, 3, 1]]; print(json.dumps({"assignment": {"q": rows[task["seed"] % 2]}}))'
)


def test_it_reads_the_task_and_its_answers_are_checked(queens4):
    report = cross_check(queens4, ["cpsat", python(READS)], seeds=3)
    (found,) = report.heuristics
    assert (found.successes, found.runs, found.distinct, found.of_all) == (3, 3, 2, 2)
    assert report["script"].role == "external"
    assert report.agree


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time; time.sleep(30)", "late"),
        ("import os, time; os.fork(); time.sleep(30)", "late"),
        ('print("hello")', "garbled"),
        ("print('{\"note\": 1}')", "garbled"),
        ('print("[" * 100000)', "garbled"),
        ("import sys; sys.stdout.buffer.write(bytes(range(256)))", "garbled"),
        (ANSWER % '{"q": [1, 3]}', "partial"),
        (ANSWER % "{}", "partial"),
        (ANSWER % '{"q": [1, 3, 0, 2], "z": 1}', "bad assignment"),
        (ANSWER % '{"q": [1.5, 3, 0, 2]}', "bad assignment"),
        (ANSWER % '{"q": "1302"}', "bad assignment"),
        (ANSWER % '"yes"', "bad assignment"),
        (ANSWER % '{"q": [0, 1, 2, 3]}', "invalid"),
        (ANSWER % '{"q": [1, 3, 0, 7]}', "invalid"),
        (ANSWER % "None", "no answer"),
        ("pass", "no answer"),
        ("import sys; sys.exit(3)", "crashed"),
        ("import os; os.abort()", "crashed"),
        ("b = bytearray(2 << 30)", "crashed"),
        ("while True: print('x' * 10000)", "oversized"),
    ],
)
def test_every_bad_answer_is_a_named_rejection(queens4, code, reason):
    script = python(code, memory=512 * 2**20, output=2**20)
    report = cross_check(queens4, [script], time_limit=0.7 if reason == "late" else 600)
    (found,) = report.heuristics
    assert found.rejections == {reason: 1}, found.examples
    assert found.successes == 0
    assert found.examples[0].startswith(f"{reason}, seed 0: ")


def test_a_command_that_does_not_exist_is_a_rejection(queens4):
    report = cross_check(queens4, [External(["/no/such/program"])])
    assert report.heuristics[0].rejections == {"cannot start": 1}


@pytest.mark.parametrize("argv", [[], "ls", [1], [""]])
def test_argv_is_a_list_of_texts(argv):
    with pytest.raises(ModelError, match="external heuristic"):
        External(argv)


def test_children_of_the_command_end_with_it(queens4, tmp_path):
    note = tmp_path / "pid"
    code = (
        "import os, time\n"
        "pid = os.fork()\n"
        f"if pid == 0: time.sleep(60)\n"
        f"open({str(note)!r}, 'w').write(str(pid))\n"
        "time.sleep(60)"
    )
    for limit in (0.7, 7, 70):  # until it is there at all
        cross_check(queens4, [python(code)], time_limit=limit)
        if note.exists():
            break
    child = int(note.read_text())
    for _ in range(50):
        if not _runs(child):
            return
        time.sleep(0.05)
    raise AssertionError("the command's child is still running")


def _runs(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123 - a zombie that nobody collected is not running
            return file.read().split()[2] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_the_line_that_is_wrong_is_quoted_and_no_run_that_can_be_read_is_no_success(queens4):
    script = 'print("{\\"assignment\\": [1, 3, 0, 2]}"); print("debug: start"); print("{}")'
    report = cross_check(queens4, ["cpsat", python(script)], seeds=2)
    (found,) = report.heuristics
    assert found.examples == (
        "garbled, seed 0: line 2 of its output is not JSON: 'debug: start' ("
        + found.examples[0].partition(" (")[2],
    )
    assert report.exit_code == 30
    missing = External(["/nowhere/program"], label="missing")
    assert cross_check(queens4, ["cpsat", missing]).exit_code == 30
