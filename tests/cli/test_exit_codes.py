"""Each exit code is what the section on the command line promises, and bad input is one line."""

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from each import each

from cpqueens.answers.outcome import StopReason
from cpqueens.backends import named
from cpqueens.backends.base import Deliver, Ended, Order, Request
from cpqueens.cli import results
from cpqueens.cli.main import main
from cpqueens.cli.terminal import so_far
from cpqueens.crosscheck.findings import Code
from cpqueens.errors import FAULT_EXITS, CpqueensError, ModelInvalid
from cpqueens.model import Model


def call(*args: str, **more: Any) -> Result:
    return CliRunner().invoke(main, list(args), **more)


class Scripted:
    """A backend that does what the test says."""

    name = "scripted"
    proves = True
    features = named.get_backend("cpsat").features
    order = Order.ANY
    parameters: dict[str, Any] = {}
    strategies: tuple[str, ...] = ()

    def __init__(self, script: Any) -> None:
        self.script = script

    def run(self, model: Model, request: Request, deliver: Deliver) -> Ended:
        ended: Ended = self.script(model, request, deliver)
        return ended


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts a scripted backend in the place of CP-SAT."""

    def install(script: Any) -> None:
        monkeypatch.setattr("cpqueens.backends.named.get_backend", lambda name: Scripted(script))

    return install


def test_every_code_has_a_meaning() -> None:
    known = {*results.MEANINGS, *(code.exit_code for code in Code)}
    classes = [CpqueensError]
    for one in classes:
        classes += one.__subclasses__()
    asked = {one.exit_code for one in classes} | set(FAULT_EXITS.values())
    asked |= {value for name, value in vars(results).items() if name.isupper() and isinstance(value, int)}
    assert asked <= known
    assert not {*results.MEANINGS} & {code.exit_code for code in Code}


def test_done() -> None:
    for verb in ("solve", "enumerate", "count"):
        assert call(verb, "queens", "n=6", "--solver", "cpsat").exit_code == 0


def test_a_limit_of_the_user_is_done_as_asked() -> None:
    result = call("enumerate", "queens", "n=8", "--limit", "3", "--format", "list", "--solver", "cpsat")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 3


def test_proved_infeasible() -> None:
    assert call("solve", "queens", "n=3", "--solver", "cpsat").exit_code == 1


def test_a_proved_count_of_zero_is_done() -> None:
    result = call("count", "queens", "n=3", "--solver", "cpsat")
    assert result.exit_code == 0
    assert "solutions  0" in result.stdout


def stopped(_model: Model, _request: Request, _deliver: Deliver) -> Ended:
    return Ended(False, StopReason.TIME_LIMIT)


@pytest.mark.parametrize("verb", ["solve", "enumerate", "count"])
def test_a_time_limit_before_the_request_was_met(verb: str, scripted: Any) -> None:
    scripted(stopped)
    assert call(verb, "queens", "n=8", "--solver", "cpsat").exit_code == 3


def test_an_optimum_that_is_not_proved(scripted: Any) -> None:
    def script(model: Model, _request: Request, deliver: Deliver) -> Ended:
        deliver(np.array([[0, 1, 4, 6]]))
        return Ended(False, StopReason.TIME_LIMIT)

    scripted(script)
    result = call("solve", "golomb_ruler", "marks=4", "--solver", "cpsat")
    assert result.exit_code == 3
    assert "objective  6" in result.stdout


FAULTS = {
    10: lambda deliver: deliver(np.array([[0, 0, 0, 0]])),
    12: lambda deliver: deliver(np.array([[1, 3, 0, 2], [1, 3, 0, 2]])),
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_backend_that_breaks_its_contract(
    code: int, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Scripted, "order", Order.DISTINCT)

    def script(_model: Model, _request: Request, deliver: Deliver) -> Ended:
        FAULTS[code](deliver)
        return Ended(True, StopReason.EXHAUSTED)

    scripted(script)
    result = call("enumerate", "queens", "n=4", "--solver", "cpsat")
    assert result.exit_code == code
    assert result.stderr.startswith("cpqueens: cpsat broke its contract")


def test_an_objective_that_is_not_the_recomputed_one(scripted: Any) -> None:
    def script(_model: Model, _request: Request, deliver: Deliver) -> Ended:
        deliver(np.array([[0, 1, 4, 6]]))
        return Ended(True, StopReason.EXHAUSTED, objective=5, bound=5)

    scripted(script)
    assert call("solve", "golomb_ruler", "marks=4", "--solver", "cpsat").exit_code == 13


def test_a_count_that_differs_from_the_published_one(scripted: Any) -> None:
    def script(_model: Model, _request: Request, deliver: Deliver) -> Ended:
        deliver(np.array([[1, 3, 0, 2]]))
        return Ended(True, StopReason.EXHAUSTED)

    scripted(script)
    for verb in ("count", "enumerate"):
        result = call(verb, "queens", "n=4", "--solver", "cpsat")
        assert result.exit_code == 12, verb
        assert "2 (OEIS A000170): DISAGREES" in result.stdout


def test_unsupported(scripted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scripted, "features", frozenset())
    scripted(stopped)
    result = call("enumerate", "queens", "n=4", "--solver", "cpsat")
    assert result.exit_code == 20


def test_refused_by_a_backend(scripted: Any) -> None:
    def script(*_: object) -> Ended:
        raise ModelInvalid("no")

    scripted(script)
    assert call("count", "queens", "n=4", "--solver", "cpsat").exit_code == 21


@pytest.mark.parametrize(
    ("error", "code"),
    [(RuntimeError("boom"), 30), (MemoryError(), 32), (OSError(28, "No space left on device"), 2)],
)
def test_a_crash_is_one_line(error: BaseException, code: int, scripted: Any) -> None:
    def script(*_: object) -> Ended:
        raise error

    scripted(script)
    result = call("count", "queens", "n=4", "--solver", "cpsat")
    assert result.exit_code == code
    assert len(result.stderr.splitlines()) == 1
    assert "Traceback" not in result.output


def test_interrupted(scripted: Any) -> None:
    def script(_model: Model, _request: Request, deliver: Deliver) -> Ended:
        deliver(np.array([[1, 3, 0, 2]]))
        return Ended(False, StopReason.INTERRUPTED)

    scripted(script)
    for verb in ("enumerate", "count"):
        result = call(verb, "queens", "n=4", "--solver", "cpsat")
        assert result.exit_code == 130
        assert "interrupted" in result.stdout


REFUSED = [
    ["solve", "quens"],
    ["solve", "queens", "m=8"],
    ["solve", "queens", "n=-1"],
    ["solve", "queens", "n=8.0"],
    ["solve", "queens", "n=True"],
    ["solve", "queens", "n=1000000000"],
    ["solve", "queens", "8"],
    ["solve", "queens", "n=8", "n=9"],
    ["solve", "missing.json"],
    ["solve", "missing.py:f"],
    ["solve", "queens", "--solver", "cpsta"],
    ["solve", "queens", "--solver", "cpsat:none"],
    ["solve", "queens", "--time-limit", "0"],
    ["solve", "queens", "--time-limit", "nan"],
    ["solve", "queens", "--time-limit", "soon"],
    ["solve", "queens", "--seed", "-1"],
    ["solve", "queens", "--seed", str(2**64)],
    ["solve", "queens", "--workers", "0"],
    ["solve", "queens", "--param", "x=1"],
    ["solve", "queens", "--solver", "cpsat", "--param", "num_workers=2"],
    ["solve", "queens", "--solver", "cpsat", "--param", "x"],
    ["solve", "queens", "--format", "picture"],
    ["solve", "queens", "--out", "x.doc"],
    ["solve", "queens", "--out", "no/such/folder/x.csv"],
    ["enumerate", "queens", "--limit", "0"],
    ["enumerate", "queens", "given=[[0,0]]", "--up-to-symmetry"],
    ["enumerate", "queens", "--format", "svg"],
    ["check", "queens"],
    ["check", "queens", "n=8"],
    ["check", "queens", "missing.txt"],
    ["check", "queens", "hello"],
    ["show"],
    ["sovle", "queens"],
    ["solve", "queens", "--sovler", "cpsat"],
]  # fmt: skip


@each("args", REFUSED, ids=" ".join)
def test_bad_input_is_one_line(args: list[str]) -> None:
    result = call(*args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("cpqueens: ")


def test_errors_are_documents_too_with_json() -> None:
    result = call("solve", "quens", "--json")
    document = json.loads(result.stdout)
    assert document["schema"] == "cpqueens.error"
    assert document["exit_code"] == result.exit_code == 2
    assert "did you mean 'queens'" in document["error"]


def test_an_error_amid_a_json_document_leaves_it_whole(scripted: Any) -> None:
    def script(_model: Model, _request: Request, deliver: Deliver) -> Ended:
        deliver(np.array([[1, 3, 0, 2]]))
        deliver(np.array([[0, 0, 0, 0]]))
        return Ended(True, StopReason.EXHAUSTED)

    scripted(script)
    result = call("enumerate", "queens", "n=4", "--json", "--solver", "cpsat")
    document = json.loads(result.stdout)
    assert document["solutions"] == [{"q": [1, 3, 0, 2]}]
    assert document["exit_code"] == result.exit_code == 10


def test_an_existing_file_is_refused_before_the_search(tmp_path: Path, scripted: Any) -> None:
    def script(*_: object) -> Ended:
        raise AssertionError("the search has started")

    scripted(script)
    path = tmp_path / "x.csv"
    path.write_text("mine")
    result = call("enumerate", "queens", "n=4", "--out", str(path), "--solver", "cpsat")
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert path.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]


def test_an_invalid_solution_exits_with_10_and_names_the_pairs() -> None:
    result = call("check", "queens", "n=8", "15863722")
    assert result.exit_code == 10
    assert "q[6]=2 and q[7]=2" in result.stdout  # as they were written
    assert "!♛!" in result.stdout
    assert call("check", "queens", "n=4", "Q..Q\n....\n.Q..\n..Q.").exit_code == 10


def test_a_checker_that_the_problems_own_check_contradicts(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        "from cpqueens import Model\n"
        "def one(n: int = 1) -> Model:\n    m = Model('one')\n"
        "    m.intvar(0, 3, shape=2, name='x')\n    return m\n"
        "def verify(solution, n):\n    return ['never'] if solution['x'][0] == 3 else []\n"
    )
    assert call("check", f"{path}:one", "0 1").exit_code == 0
    result = call("check", f"{path}:one", "3 1")
    assert result.exit_code == 19
    assert "verify: never" in result.stdout


# ---- nothing lost, nothing ignored -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cross-check", "queens", "n=6", "--html", "no/such/x.html"], "there is no folder no/such"),
        (["cross-check", "queens", "n=6", "--external", "awk 'x"], "no closing quotation"),
        (["cross-check", "queens", "n=6", "--seeds", "0"], "--seeds: an integer of at least 1"),
        (["cross-check", "queens", "n=6", "--seed", "-1"], "--seed: an integer of at least 0"),
        (["cross-check", "queens", "n=6", "--metamorphic", "--html", "x.html"], "not with --metamorphic"),
        (["cross-check", "queens", "n=6", "--metamorphic", "--seeds", "5"], "not with --metamorphic"),
        (["fuzz", "--models", "3", "--solvers", "nosuch"], "no solver 'nosuch'"),
        (["fuzz", "--models", "3", "--out", "/dev/null/x"], "--out /dev/null/x"),
    ],
)
def test_refused_before_the_work(arguments: list[str], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_a_report_is_printed_though_its_page_cannot_be_written() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    result = call("cross-check", "queens", "n=6", "--solvers", "cpsat", "--html", "/dev/full")
    assert result.exit_code == 2
    assert "4 solutions" in result.stdout
    assert len(result.stderr.splitlines()) == 1


def test_a_report_is_printed_though_its_bundles_cannot_be_written(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"q": [0, 1, 2, 3, 4, 5]}\n')
    arguments = ["cross-check", "queens", "n=6", "--solvers", "cpsat", "--solutions", str(wrong)]
    result = call(*arguments, "--bundles", "/dev/null/x")
    assert result.exit_code == 10
    assert "bundle: not written" in result.stdout
    assert "evidence" in result.stdout


def test_the_replay_command_of_a_file_of_solutions_replays(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"q": [0, 1, 2, 3, 4, 5, 6, 7]}\n')
    place = str(tmp_path / "bundles")
    arguments = ["cross-check", "queens", "n=8", "--solvers", "cpsat", "--solutions", str(wrong)]
    assert call(*arguments, "--bundles", place).exit_code == 10
    command = next(Path(place).glob("*/replay.sh")).read_text().splitlines()[1]
    again = call(*shlex.split(command)[1:], "--bundles", "")
    assert again.exit_code == 10
    assert "INVALID_SOLUTION" in again.stdout


def test_a_users_file_that_exits_is_named(tmp_path: Path) -> None:
    file = tmp_path / "leaves.py"
    file.write_text("raise SystemExit(3)\n")
    result = call("solve", str(file))
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "leaves.py" in result.stderr
    file.write_text("import sys\ndef leave(model, seed, time_limit):\n    sys.exit(3)\n")
    line = f"cross-check queens n=6 --solvers cpsat --bundles '' --heuristic {file}:leave"
    result = call(*shlex.split(line))
    assert result.exit_code == 30  # every run of it broke down
    assert "raised, seed 0: SystemExit: 3" in result.stdout


def test_own_json_lines_are_read_under_the_obvious_name(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    file.write_text(call("enumerate", "queens", "n=6", "--format", "json", "--solver", "cpsat").stdout)
    result = call("check", "queens", "n=6", str(file))
    assert result.exit_code == 0
    assert "4 checked, 4 valid" in result.stdout + result.stderr


def test_a_count_in_progress_shows_its_estimate() -> None:
    assert so_far({"count": 1234}) == "1,234 so far"
    state = {"count": 1234, "estimate": 4.9e9, "interval": (4.8e9, 5e9)}
    assert so_far(state) == "1,234 so far, in all about 4.9e+09 (95 % interval 4.8e+09 to 5e+09)"


@pytest.mark.parametrize("solver", ["cpsat", "backtracking"])
def test_a_limit_is_seen_while_a_large_model_is_translated(solver: str) -> None:
    result = call("solve", "queens", "n=300000", "--solver", solver, "--time-limit", "0.02")
    assert result.exit_code == 3
    assert "stopped by time_limit" in result.stdout
