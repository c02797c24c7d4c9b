"""`evaluate`: every run is made once, recorded, checked, and told from what did not happen."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import heuristics
import pytest

from cpqueens import Model, ModelError, UnsupportedRequest, evaluate
from cpqueens.crosscheck.external import External
from cpqueens.kernels.jit import tiers
from cpqueens.lab import contenders, evaluate as evaluating, making
from cpqueens.lab.reference import Reference
from cpqueens.lab.runfile import COLUMNS, Ending, RunRecord
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.splitting import JobError
from cpqueens.problems.catalog import find, load

FILE = Path(heuristics.__file__)
SIX = {"problem": "queens", "sizes": [6], "reference_time": 0}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")


def test_each_run_is_that_of_its_seed() -> None:
    found = evaluate("local-search:sideways", "queens", sizes=[5, 6], runs=12, seed=7, reference_time=0)
    assert len(found.runs) == 24
    for size in (5, 6):
        model = find("queens").instance(n=size).model
        alone = model.runs("local-search:sideways", range(7, 19))
        rows = found.runs.groups()["local-search:sideways", f"queens(n={size})"]
        assert rows.column("seed") == alone.seeds.tolist()
        assert rows.column("steps") == alone.steps.tolist()
        assert rows.column("evaluations") == alone.statistics["evaluations"].tolist()
        assert rows.column("stop_reason") == alone.stop_reason.tolist()
        solved = [row.solution for row in rows if row.solution is not None]
        assert solved == [tuple(row) for row in alone.matrix[alone.solved].tolist()]
        assert found["local-search:sideways", f"queens(n={size})"].solved == alone.solved.sum()


def test_every_claim_is_judged_and_every_rejection_named() -> None:
    found = evaluate(heuristics.mixed, **SIX, runs=12)
    (p,) = found.performances
    assert (p.runs, p.solved, p.stuck) == (12, 2, 2)
    assert p.rejections == {"invalid": 2, "raised": 2, "partial": 2, "bad assignment": 2}
    assert re.fullmatch(r"seed 3: ValueError: boom \(line \d+ of heuristics\.py\)", p.examples["raised"])
    assert p.wrong == found.wrong == 6
    assert (found.exit_code(), found.exit_code(1.0)) == (10, 10)
    assert [row.ending for row in found.runs][:4] == ["solved", "rejected", "stuck", "rejected"]


def test_a_required_rate() -> None:
    found = evaluate(heuristics.honest, **SIX, runs=3)
    assert [found.exit_code(rate) for rate in (None, 1.0)] == [0, 0]
    silent = evaluate({"silent": lambda m, s, t: None}, **SIX, runs=3)
    assert [silent.exit_code(rate) for rate in (None, 0.0, 0.1)] == [0, 0, 4]


def test_processes_survive_a_heuristic_that_dies_or_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contenders, "_BEGINNING", 0.5)
    given = {"dies": f"{FILE}:dies", "hangs": f"{FILE}:hangs", "invalid": f"{FILE}:guess"}
    found = evaluate(given, **SIX, runs=3, time_limit=0.5, processes=2)
    rows = {row.key[::2]: row for row in found.runs}
    assert [rows["dies", s].stop_reason for s in range(3)] == ["solution_limit", "crashed", "solution_limit"]
    assert rows["dies", 1].message == "its process ended with exit code 5"
    assert [rows["hangs", s].ending for s in range(3)] == ["solved", "limit", "solved"]
    assert found["hangs"].rejections == {"late": 1}
    here = evaluate({"invalid": heuristics.guess}, **SIX, runs=3, time_limit=0.5)
    assert [rows["invalid", s].message for s in range(3)] == here.runs.column("message")


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_any_executor_makes_the_same_runs(kind: str) -> None:
    pools = {
        "threads": lambda: ThreadPoolExecutor(2),
        "processes": lambda: ProcessPoolExecutor(1, mp_context=get_context("spawn")),
    }
    with pools[kind]() as executor:
        found = evaluate("local-search:sideways", **SIX, runs=40, executor=executor)
    here = evaluate("local-search:sideways", **SIX, runs=40)
    assert found.runs.column("solution") == here.runs.column("solution")


def test_what_cannot_be_sent_is_refused_in_one_line() -> None:
    with pytest.raises(ModelError, match=r"cannot be sent to another process .*; a function must be one of"):
        evaluate(lambda m, s, t: None, **SIX, processes=1)


def test_commands_are_evaluated(tmp_path: Path) -> None:
    script = tmp_path / "f.py"
    script.write_text(
        "import json, sys\ns = json.loads(sys.stdin.readline())['seed']\n"
        "print(json.dumps({'assignment': {'q': [1, 3, 5, 0, 2, 4]}, 'steps': 10 + s}) if s else 'x')\n"
    )
    found = evaluate(External([sys.executable, str(script)], label="f"), **SIX, runs=3)
    assert found.runs.column("steps") == [None, 11, 12]
    assert found["f"].rejections == {"garbled": 1}
    assert all(seconds > 0 for seconds in found.runs.column("processor_seconds"))


def test_who_cannot_run_is_said_and_the_others_go_on() -> None:
    given = ["las-vegas", "local-search:sideways"]
    found = evaluate(given, "golomb_ruler", sizes=[4], runs=2, step_limit=50, reference_time=0)
    refused, other = found.performances
    assert "no objective" in refused.lost or "las-vegas" in refused.lost
    assert (refused.runs, other.runs) == (0, 2)
    assert "not run: las-vegas on golomb_ruler" in str(found)
    with pytest.raises(UnsupportedRequest):
        evaluate("las-vegas", "golomb_ruler", sizes=[4], runs=2)


def test_objectives_are_told_and_lengths_are_not() -> None:
    found = evaluate("local-search", "golomb_ruler", sizes=[4], runs=3, step_limit=3000)
    (p,) = found.performances
    assert p.lengths == {}
    assert p.quality is not None
    assert p.quality.best == found.references[0].optimum == 6
    assert "the optimum is 6, proved by" in str(found)
    assert "the best objective is 6, which is optimal" in str(found)


def test_a_solver_that_delivers_no_solution_is_rejected_run_by_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from liars import Scripted

    liar = Scripted("liar", lambda answer, model, request: setattr(answer, "rows", answer.rows * 0))
    found = evaluate(liar, **SIX, runs=2)
    assert found.performances[0].rejections == {"invalid": 2}
    assert found.exit_code() == 10


# ---- the record ---------------------------------------------------------------------------------------


def test_a_record_is_continued_and_nothing_runs_twice(tmp_path: Path) -> None:
    path, asked = tmp_path / "runs.db", []

    def counted(model, seed, time_limit):
        asked.append(seed)
        return heuristics.SOLUTION

    first = evaluate(counted, **SIX, runs=3, record=path)
    states = []
    second = evaluate(counted, **SIX, runs=5, record=path, progress=states.append)
    assert asked == [0, 1, 2, 3, 4]
    assert list(second.runs)[:3] == list(first.runs)
    assert (states[0].first, states[-1].done, states[-1].of) == (3, 5, 5)
    assert evaluate(counted, **SIX, runs=3, record=path).runs == first.runs


def test_a_record_holds_the_runs_of_all(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    given = {"problem": "queens", "sizes": [5, 6], "runs": 2, "record": path, "reference_time": 0}
    first = {run.key: run for run in evaluate(["local-search:sideways", "las-vegas"], **given).runs}
    second = {run.key: run for run in evaluate(["las-vegas", "local-search:sideways"], **given, seed=1).runs}
    assert len(first) == len(second) == 8
    assert {key: run for key, run in first.items() if key[2] == 1}.items() <= second.items()
    with closing(Ledger.open(path)) as ledger:
        assert (ledger.totals().done, ledger.totals().complete) == (12, True)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"time_limit": 9.0}, "limits"),
        ({"heuristic": ("local-search:sideways", {"max_sideways": 3})}, "heuristics"),
        ({"sizes": [7]}, "problems"),
    ],
)
def test_a_record_of_something_else_is_refused(tmp_path: Path, change: dict[str, object], what: str) -> None:
    given = {"heuristic": "local-search:sideways", **SIX, "runs": 2, "record": tmp_path / "runs.db"}
    evaluate(**given)
    with pytest.raises(ModelError, match=rf"runs\.db: holds runs of {what} .*; choose another file"):
        evaluate(**{**given, **change})


def test_a_record_of_other_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cpqueens.lab import evaluate as module

    given = {"heuristic": heuristics.honest, **SIX, "runs": 1, "record": tmp_path / "runs.db"}
    evaluate(**given)
    monkeypatch.setattr(sys.modules["cpqueens.lab.evaluate"], "code_version", lambda: "0.1.0+other")
    with pytest.raises(ModelError, match="holds runs of code "):
        evaluate(**given)
    assert module is not None


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 400])
def test_what_is_no_record_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(JobError, match=r"x\.db: .*database"):
        evaluate(heuristics.honest, **SIX, record=path)
    assert path.read_bytes() == content


def test_a_record_of_another_program_or_in_use_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "x.db")
    other.execute("CREATE TABLE t (a)")
    other.close()
    with pytest.raises(JobError, match="of another program"):
        evaluate(heuristics.honest, **SIX, record=tmp_path / "x.db")
    with pytest.raises(JobError, match=r"x\.db: No such file"):
        evaluate(heuristics.honest, **SIX, record=tmp_path / "none" / "x.db")

    def nested(model, seed, time_limit):
        evaluate(heuristics.honest, **SIX, record=tmp_path / "y.db")

    found = evaluate(nested, **SIX, runs=1, record=tmp_path / "y.db")
    assert f"process {os.getpid()} is writing it" in found["nested"].examples["raised"]


def runs_in(path: Path) -> int:
    try:
        with closing(Ledger.open(path)) as ledger:
            return ledger.totals().done
    except JobError:  # it is being made
        return 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "cpqueens", "evaluate", "queens", "n=5", "--solver", "las-vegas",
            "--runs", "1000000", "--record", "r.db", "--reference-time", "0"]  # fmt: skip
    process = subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 600
    while not runs_in(tmp_path / "r.db"):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    there = runs_in(tmp_path / "r.db")
    line[line.index("1000000")] = str(there + 2)
    done = subprocess.run([*line, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert len(json.loads(done.stdout)["runs"]["seed"]) == there + 2


# ---- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heuristic": 3}, "heuristic: a strategy's name"),
        ({"heuristic": []}, "heuristic: at least one"),
        ({"heuristic": ["cpsat", "cpsat"]}, "'cpsat' twice"),
        ({"heuristic": "no-such"}, "no solver 'no-such'"),
        ({"heuristic": "nowhere.py:f"}, "nowhere.py"),
        ({"heuristic": ("cpsat", {"no_such": 1})}, "no_such"),
        ({"runs": 0}, "runs: an integer of at least 1"),
        ({"seed": -1}, "seed: an integer of at least 0"),
        ({"sizes": []}, "sizes: a list of values"),
        ({"sizes": {"m": [1]}}, "no parameter 'm'"),
        ({"sizes": [6, 6]}, "twice"),
        ({"sizes": ["6"]}, "n: an integer"),
        ({"problem": 7}, "problem: a name, a model or a function"),
        ({"problem": []}, "problem: at least one"),
        ({"problem": Model("empty")}, "sizes: a problem with parameters is needed"),
        ({"time_limit": -1}, "time_limit"),
        ({"step_limit": 5, "heuristic": heuristics.honest}, "step_limit: honest receives only a time limit"),
        ({"reference_time": -1}, "reference_time"),
        ({"processes": 0}, "processes: an integer of at least 1"),
        ({"progress": 3}, "progress: a function"),
        ({"record": 3}, "a path is needed"),
    ],
)
def test_bad_input_is_refused_before_the_first_run(change: dict[str, object], message: str) -> None:
    with pytest.raises((ModelError, LookupError, TypeError), match=message) as raised:
        evaluate(**{"heuristic": "local-search", **SIX, **change})
    assert "\n" not in str(raised.value)


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    from cpqueens import MissingLibrary

    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingLibrary, match=r"scipy, which is optional, is not installed: pip install "):
        evaluate("cpsat", "queens")


# ---- reports ------------------------------------------------------------------------------------------


def test_reports_hold_every_run(tmp_path: Path) -> None:
    found = evaluate([heuristics.mixed, "local-search:sideways"], load("queens", ["n=6"]), runs=6)
    for name in ("x.json", "x.csv"):
        found.write(tmp_path / name)
    data = json.loads((tmp_path / "x.json").read_text())
    assert (data["schema"], data["version"], data["exit_code"]) == ("cpqueens.evaluate", 2, 10)
    assert set(data["runs"]) == {*COLUMNS, "ending"}
    assert data["runs"]["ending"] == [row.ending for row in found.runs]
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert len(lines) == 1 + len(found.runs) == 13
    with pytest.raises(ModelError, match=r"suffix \.csv, \.html, \.json"):
        found.write(tmp_path / "x.txt")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"heuristic": ["las-vegas", "local-search:sideways"], "sizes": [3, 4], "step_limit": 20}, "> 20"),
        ({"heuristic": {"bad": lambda m, s, t: [0] * 3}, "sizes": [3]}, "no solution exists, proved by"),
        ({"heuristic": "cpsat", "sizes": [4], "runs": 1}, "1 solutions were claimed"),
    ],
)
def test_reports_of_what_solves_little_or_counts_nothing(given: dict[str, object], said: str) -> None:
    found = evaluate(**{"problem": "queens", "runs": 3, **given})
    assert said in str(found)
    assert "</html>" in found.to_html()
    assert json.loads(found.to_json())["schema"] == "cpqueens.evaluate"


def test_runs_are_measured_in_what_solvers_count(tmp_path: Path) -> None:
    asked = {"runs": 40, "step_limit": 10**6, "measures": ["anneals", "attempts", "anneals"]}
    rowwise = ("local-search:annealing", {"schedule": "rowwise"})
    given = {"rows": rowwise, "vegas": "las-vegas"}
    found = evaluate(given, "queens", record=tmp_path / "x.db", reference_time=0, **asked)
    made = load("queens", ["n=8"]).model.runs(rowwise[0], seeds=40, step_limit=10**6, **rowwise[1])
    anneals = made.statistics["anneals"]
    assert found.units == ("anneals", "attempts")
    assert [list(p.lengths) for p in found.performances] == [["anneals"], ["attempts"]]
    mean = found["rows"].lengths["anneals"].mean
    assert mean.value == anneals.mean()
    assert mean.high - mean.value == pytest.approx(2.0227 * anneals.std(ddof=1) / 40**0.5, rel=1e-4)
    assert "rows on queens(n=8) counts no attempts" in str(found)
    assert "how long a solution takes, in anneals" in found.to_html().lower()
    again = evaluate(given, "queens", record=tmp_path / "x.db", reference_time=0, **asked)
    assert again.runs.rows == found.runs.rows  # counts are kept with the runs
    with pytest.raises(ModelError, match="measures: a list of names"):
        evaluate("las-vegas", "queens", measures="nodes")


def test_tasks_grow_and_what_died_is_tried_alone() -> None:
    setting = making.Setting(contenders.as_contender("cpsat"), Model(), "m", making.deque(range(20)), size=8)
    task = setting.task(contenders.RunLimits(), abroad=False)
    assert (task.seeds, list(setting.todo)) == (tuple(range(8)), list(range(8, 20)))
    taken: list[list[object]] = []
    maker = making.RunMaker([setting], contenders.RunLimits(), taken.append, None)  # type: ignore[arg-type]
    maker._died(setting, task, making.TaskLost("crashed", "it died"))
    assert (list(setting.todo), setting.size, taken) == (list(range(20)), 1, [])
    setting.learn([RunRecord("h", "p", 0, "", "")])
    assert setting.size == 1  # once bitten
    maker._died(setting, setting.task(contenders.RunLimits(), abroad=False), making.TaskLost("crashed", "x"))
    ((row,),) = taken
    assert (row.seed, row.ending) == (0, Ending.REJECTED)


# ---- what is timed, and how good it is -----------------------------------------------------------------


def ascending(model, seed, time_limit):
    """Return the ruler 0, 1, 3, 7 or, for even seeds, a longer one."""
    return [0, 1, 3, 7 + 5 * (seed % 2 == 0)]


def test_valid_is_not_optimal_and_the_gap_is_said() -> None:
    found = evaluate(ascending, "golomb_ruler", sizes=[4], runs=4)
    (p,) = found.performances
    assert (p.runs, p.solved, p.optimal and p.optimal.value) == (4, 4, 0.0)
    assert p.quality is not None
    assert (p.quality.best, p.quality.proved, p.quality.gaps) == (7, 6, "58.3 % (16.7 % to 100.0 %)")
    assert "How often a solution is found" not in str(found)
    assert "16.7 % from the optimum" in str(found)


def test_what_is_not_proved_says_how_to_give_it_longer() -> None:
    found = evaluate(ascending, "golomb_ruler", sizes=[4], runs=1, reference_time=1e-6)
    if found.references[0].optimum is None:  # a machine that proves it in a microsecond needs no advice
        assert "--reference-time SECONDS" in str(found)


def test_a_proof_that_a_run_refutes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Reference("golomb_ruler(n=4)", "liar", optimum=9, bound=9)
    monkeypatch.setattr(evaluating, "prove", lambda *_: wrong)
    found = evaluate(ascending, "golomb_ruler", sizes=[4], runs=2)
    assert "refutes this: a checked solution has 7" in str(found)
    assert found.exit_code() == 13


def test_a_solver_is_warmed_with_a_step_that_counts_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, real = [], Model.runs

    def noted(self, solver, seeds, **options):
        asked.append((len(seeds), options.get("step_limit"), tiers.MODE))
        return real(self, solver, seeds, **options)

    monkeypatch.setattr(Model, "runs", noted)
    monkeypatch.setattr(tiers, "MODE", "tiers")
    found = evaluate("local-search:sideways", "queens", sizes=[6], runs=30, reference_time=0)
    assert asked == [(1, 1, "compiled"), (10, None, "compiled"), (20, None, "compiled")]
    assert len(found.runs) == 30
    assert tiers.MODE == "tiers"


def test_an_open_end_is_explained() -> None:
    found = evaluate(lambda m, s, t: heuristics.SOLUTION, **SIX, runs=1)
    assert "; ? where too few such runs bound it" in str(found)
