"""Benchmarks measure what a user gets: only the public interface, and peers by a contract that is kept."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parent / "benchmarks"
FILES = sorted(
    path for path in FOLDER.glob("*.py") if path.name != "curves.py"
)  # draws, and measures nothing

COUNTER = """
import sys
def place(n, row, columns, up, down):
    if row == n:
        return 1
    free = [c for c in range(n) if c not in columns and row + c not in up and row - c not in down]
    return sum(place(n, row + 1, columns | {c}, up | {row + c}, down | {row - c}) for c in free)
n = int(sys.argv[1])
print(f"{n} queens: {place(n, 0, frozenset(), frozenset(), frozenset())} solutions")
"""


BESIDE = {
    # the preparation of a search, which has no public way to it, is timed beside the whole
    "bench_everyone.py": ("cpqueens.backends.backtracking.backend", "cpqueens.backends.base"),
    # problems are listed there; what is timed is `solve`
    "bench_workers.py": ("cpqueens.problems.catalog",),
    # which viewpoints there are is declared there; what is timed is `count` and `solve`
    "bench_viewpoints.py": ("cpqueens.problems",),
}
"""What single benchmarks may import beside the public interface, and why."""


@pytest.fixture(scope="module")
def race() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)  # scripts find each other beside them
        yield importlib.import_module("race")


def command(text: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-c", text, *arguments])


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(FOLDER / name), *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_the_public_interface_is_measured(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names = [n for n in names if n not in BESIDE.get(path.name, ())]
        inner = [n for n in names if n.startswith("cpqueens.") and not f"{n}.".startswith("cpqueens.models.")]
        assert not inner, f"{path.name} imports {inner[0]}"


def test_turns_are_interleaved_and_numbered(
    race: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []

    def work(name: str) -> Callable[[int], int]:
        def once(turn: int) -> int:
            seen.append((name, turn))
            return 7

        return once

    monkeypatch.setattr(race, "TURN", 0.0)
    entries = race.race({"a": work("a"), "b": work("b"), "c": race.Absent("make it")}, 2)
    assert seen[4:] == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    race.show("job", entries)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "job: 7"
    assert lines[4].split() == ["c", "not", "measured:", "make", "it"]


@pytest.fixture
def folder(race: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return where rows are kept, of a script called bench_x.py."""
    where = tmp_path / "figures"
    asked = ["--against", "/home/me/fast {n}", "--record", str(where), "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["/somewhere/bench_x.py", *asked])
    monkeypatch.setattr(race.kept, "FOLDERS", [])
    monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.5, 0.5))  # by another one, runs are different
    monkeypatch.delenv("CPQUEENS_KERNELS", raising=False)
    race.kept.this_run.cache_clear()
    race.arguments("", 1).parse_args(["--record", str(where)])
    yield where
    race.kept.this_run.cache_clear()


def test_a_race_is_kept_in_the_place_of_its_last(race: ModuleType, folder: Path) -> None:
    entries = {"ours": race.Entry(0.5, 3, 7), "peer": race.Entry(2.0, 1, None), "other": race.Absent("pip")}
    for job, seconds in (("a", 1.0), ("b", 1.0), ("a", 0.5)):
        race.show(job, {**entries, "ours": race.Entry(seconds, 3, 7)})
    race.kept.keep_cells("sizes", "a", {"nodes": 12, "seconds": 0.123456789, "who": "x"}, "nodes")
    told = json.loads((folder / "x.json").read_text())
    assert [row["job"] for row in told["rows"]] == ["a", "b", "a"]
    assert told["rows"][0]["entries"] == [
        {"name": "ours", "ms": 500.0, "ended": False},
        {"name": "peer", "ms": 2000.0, "ended": True},
    ]
    assert told["rows"][2]["cells"] == {"nodes": 12, "seconds": 0.12346, "who": "x"}
    (run,) = told["runs"]
    assert run["command"] == "python tests/benchmarks/bench_x.py --against './fast {n}' --rounds 1"
    assert run["versions"]["cpqueens"] == version("cpqueens")


def test_of_runs_that_no_row_is_from_nothing_is_left(race: ModuleType, folder: Path) -> None:
    race.kept.keep_race("a", {"ours": (1.0, False)})
    race.kept.keep_race("b", {"ours": (1.0, False)})
    for job, left in (("a", 2), ("b", 1)):
        race.kept.this_run.cache_clear()
        sys.argv = ["bench_x.py", "--only", "later"]
        race.kept.keep_race(job, {"ours": (2.0, False)})
        told = json.loads((folder / "x.json").read_text())
        assert len(told["runs"]) == left
        commands = {row["job"]: told["runs"][row["run"]]["command"] for row in told["rows"]}
        assert commands[job] == "python tests/benchmarks/bench_x.py --only later"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("bench_*.py")), ids=lambda path: path.stem)
def test_every_benchmark_keeps_what_the_site_shows(path: Path) -> None:
    """Those without `--record` write files of their own, which the gallery shows."""
    text = path.read_text(encoding="utf-8")
    taken = "kept.recording(" in text or re.search(r"\barguments\(__doc__", text)
    keeps = re.search(r"\bkept\.keep_|\bshow\(", text)
    assert (taken and keeps) or '"--out"' in text


def test_different_results_end_the_race(race: ModuleType) -> None:
    with pytest.raises(race.WrongResult, match="different results"):
        race.race({"a": lambda turn: 1, "b": lambda turn: 2}, 1)


def test_a_work_that_its_limit_ended_is_not_run_again(
    race: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[int] = []
    entries = race.race({"a": lambda turn: 1, "b": lambda turn: calls.append(turn)}, 3)
    assert calls == [0]
    race.show("job", entries)
    assert "at most: a limit ended a run" in capsys.readouterr().out


@pytest.mark.slow
def test_one_run_without_a_result_is_not_forgotten(race: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "TURN", 0.0)
    entries = race.race({"a": lambda turn: 1, "b": lambda turn: None if turn == 2 else 1}, 5)
    assert entries["b"].found is None
    with pytest.raises(race.WrongResult, match="run 1"):
        race.timed(lambda turn: turn, range(2))


def test_processor_time_of_child_processes_counts(race: ModuleType) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    entries = race.race({"child": race.against(command(busy, "{n}"), 5, 60.0)}, 1)
    assert entries["child"].seconds >= 0.25


def test_a_program_gets_the_size_and_the_number_of_the_run(race: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = f"import sys; open({str(log)!r}, 'a').write(' '.join(sys.argv[1:]) + chr(10))"
    assert race.against(command(text, "-n{n}", "-s", "{seed}"), 12, 60.0)(3) is True
    assert race.against(command(text), 12, 60.0)(4) is True
    assert log.read_text().splitlines() == ["-n12 -s 3", "12"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise SystemExit(3)", "ended with 3"),
        ("print('93 solutions of 192, 9.2 s, 920')", "which has no 92"),
        ("print()", "which has no 92"),
    ],
)
def test_a_program_that_does_not_do_its_job_ends_the_race(race: ModuleType, text: str, message: str) -> None:
    with pytest.raises(race.WrongResult, match=message):
        race.against(command(text, "{n}"), 8, 60.0, expected=92)(0)


def test_a_program_that_is_not_there_is_named(race: ModuleType) -> None:
    with pytest.raises(race.WrongResult, match="No such file"):
        race.against("/nonexistent/program {n}", 8, 60.0)(0)


def test_a_program_that_takes_too_long_has_found_nothing(race: ModuleType) -> None:
    assert race.against(command("import time; time.sleep(60)", "{n}"), 8, 0.3)(0) is None


@pytest.mark.slow
def test_a_program_of_a_reader_races_with_counting() -> None:
    sizes = ["--sizes", "6", "--listing", "--strategies", "--threads", "--rounds", "1"]
    done = run("bench_counting.py", *sizes, "--against", command(COUNTER, "{n}"))
    assert done.returncode == 0, done.stderr
    assert "count 6 queens: 4" in done.stdout
    assert re.search(r"--against .*\d ms +\d+\.\d+$", done.stdout, re.M | re.S)  # ours over theirs
    wrong = run("bench_counting.py", *sizes, "--against", command("print(5)", "{n}"))
    assert wrong.returncode == 1
    assert "which has no 4" in wrong.stderr


def test_peers_race_or_say_how_they_are_installed() -> None:
    done = run("bench_peers.py", "--only", "alpha", "--rounds", "1", "--patience", "30")
    assert done.returncode == 0, done.stderr
    assert "a first solution: alpha" in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if "NuCS" in line]
    installed = importlib.util.find_spec("nucs") is not None
    assert ("not measured: make bench installs it" in line) is not installed


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bench_exact.py", ["nothing"]),
        ("bench_counting.py", ["--rounds", "0"]),
        ("bench_local_search.py", ["--against", "sudoku=./a"]),
    ],
)
def test_arguments_that_mean_nothing_are_refused(name: str, arguments: list[str]) -> None:
    done = run(name, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_ratios_of_several_days_are_a_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER.parents[1] / "docs")
    summary = importlib.import_module("generating.summary")

    def day(ours: float, peer: float) -> list[dict[str, object]]:
        return [
            {"name": n, "ms": ms, "ended": False} for n, ms in (("we", ours), ("--against ./k {n}", peer))
        ]

    race = {"entries": day(2.0, 4.0), "earlier": [{"date": "2026-01-01", "entries": day(3.0, 2.5)}]}
    row = summary.Row("a job", "x", "x", "we", {"K": "--against", "L": "L"})
    told = summary._cells(row, race)
    assert told == ["2\N{NO-BREAK SPACE}ms", "K 4\N{NO-BREAK SPACE}ms, L: not measured", "**0.5 to 1.2**"]


def test_rows_where_a_peer_is_ahead_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER.parents[1] / "docs")
    summary = importlib.import_module("generating.summary")
    monkeypatch.setattr(summary, "MEASURED", tmp_path)
    run = {"date": "2026-01-01", "machine": "one", "load": None, "versions": {"nucs": "19"}, "command": ""}
    ratios = {"a": 1.0, "b": 3.0, "c": 0.5, "d": 2.0}
    rows = [
        {"run": 0, "job": job, "entries": [{"name": n, "ms": ms, "ended": False} for n, ms in told]}
        for job, told in ((job, [("we", ratio), ("peer", 1.0)]) for job, ratio in ratios.items())
    ]
    (tmp_path / "x.json").write_text(json.dumps({"runs": [run], "rows": rows}))
    monkeypatch.setattr(summary, "ROWS", [summary.Row(j, "x", j, "we", {"P": "peer"}) for j in ratios])
    said = summary.summary()
    assert re.findall(r"^\| (\w) \|", said, re.M) == ["b", "d", "a", "c"]
    assert "\nNuCS 19.\n" in said
    pages = importlib.import_module("generating.benchmarks")
    monkeypatch.setattr(pages, "_purpose", lambda name: "")
    listed = re.findall(r"^\| (\w) \|", pages.part(tmp_path / "x.json"), re.M)
    assert listed == ["b", "d", "a", "c"]


def test_what_a_race_had_on_other_days_is_kept(race: ModuleType) -> None:
    kept = importlib.import_module("kept")
    today = kept.this_run()["date"]
    old = {
        "entries": ["b"],
        "earlier": [{"date": today, "entries": ["a"]}, {"date": "1999-01-01", "entries": []}],
    }
    assert [d["date"] for d in kept._earlier(old, "2000-01-01")] == ["2000-01-01", "1999-01-01"]
    assert kept._earlier({"cells": {}}, "2000-01-01") == []


def test_pages_name_kluevs_program_and_no_slow_one_beside_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(FOLDER.parents[1] / "docs")
    pages = importlib.import_module("generating.benchmarks")

    def entries(**ms: float) -> list[dict[str, object]]:
        names = {"kluev": pages.KLUEV, "slow": pages.SLOW}
        return [{"name": names.get(n, n), "ms": value, "ended": value > 99} for n, value in ms.items()]

    earlier = [{"entries": entries(we=3.0, kluev=2.0)}, {"entries": entries(we=1.0, kluev=100.0)}]
    race = pages._named({"entries": entries(we=2.0, kluev=4.0, slow=9.0), "earlier": earlier})
    assert [entry["name"] for entry in race["entries"]] == ["we", "Kluev's C++"]
    assert pages._told(race, race["entries"][1]) == "0.5 to 1.5"  # a day that met a limit has no ratio
    alone = pages._named({"entries": entries(we=2.0, slow=8.0)})
    assert pages._told(alone, alone["entries"][1]) == "0.25"
