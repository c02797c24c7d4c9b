"""Counts with a ledger: the parts cover everything once, and no end of any process changes the count."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpqueens.models.latin_square import latin_square
from cpqueens.models.queens import queens
from each import each
from executors import Here, Lying, Poisoned, Slow, Stopping, Twice, counted, found_in, job_of, run

from cpqueens import AllDifferent, Model
from cpqueens.kernels.jit import tiers
from cpqueens.longrun import coordinator, ledgerfile, work
from cpqueens.longrun.coordinator import durable_count, durable_enumerate, verify
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.partfiles import folder_of, merge
from cpqueens.longrun.splitting import JobError, Prefixes, UnitParts, code_version, split


def gaps() -> Model:
    """Holes, a large domain and a defined term."""
    m = Model("gaps")
    x = m.intvar(domain=[-3, 0, 4, 5, 9], name="x")
    y = m.intvar(0, 5000, name="y")
    z = m.boolvar(shape=2, name="z")
    m += [abs(x) + y <= 40, z[0] != z[1], (x == 4).implies(y >= 30)]
    return m


MODELS: dict[str, Callable[[], Model]] = {
    "gaps": gaps,
    "Latin squares": lambda: latin_square(4),
    "queens": lambda: queens(6),
}


@pytest.fixture(autouse=True)
def kernels_are_plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile nothing for boards this small, in no process."""
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    with tiers.mode("plain"):
        yield


# ---- splitting -----------------------------------------------------------------------------------------


@each("name", MODELS)
@each("wanted", [1, 2, 7, 60])
def test_prefixes_cover_the_space_once(name: str, wanted: int) -> None:
    model = MODELS[name]()
    splitting = Prefixes(model, wanted)
    assert len(splitting) >= wanted
    matrix = model.enumerate(solver="backtracking").solutions.matrix
    inside = np.zeros(len(matrix), dtype=int)
    for part in splitting.parts:
        lows, highs = np.array(part, dtype=np.int64).reshape(-1, 2).T
        first = matrix[:, : len(part)]
        inside += ((first >= lows) & (first <= highs)).all(axis=1)
    assert (inside == 1).all()
    if wanted == 7:
        assert sum(splitting.count(range(len(splitting)), "backtracking")) == len(matrix)


def test_of_the_last_variable_no_more_parts_than_are_needed() -> None:
    model = Model("free")
    model.intvar(1, 9, shape=6, name="x")
    assert len(Prefixes(model, 1000)) == 9**3 * 2
    assert len(Prefixes(model, 9**3)) == 9**3


def test_what_takes_no_second_is_one_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinator, "PARTS", 20)
    for name, seconds, limit, given, parts in (
        ("small", 60.0, 600.0, {}, 1),
        ("long", 1e-9, 0.3, {}, 24),
        ("asked", 60.0, 0.3, {"parts": 30}, 30),
        ("elsewhere", 60.0, 0.3, {"executor": Here()}, 24),
    ):
        monkeypatch.setattr(coordinator, "PROBE", seconds)
        found = durable_count(queens(6), tmp_path / name, workers=1, **given, time_limit=limit)
        assert found.totals.parts == parts, name
    listed = durable_enumerate(queens(4), tmp_path / "list", workers=1)
    assert listed.totals.parts == 32


@pytest.mark.parametrize(("n", "wanted"), [(8, 1000), (9, 1000), (9, 20)])
def test_units_are_what_their_narrowed_models_say(n: int, wanted: int) -> None:
    splitting = UnitParts(queens(n), n, wanted)
    assert wanted == 1000 or wanted <= len(splitting) < len(splitting.units)
    counts = splitting.count(range(len(splitting)), "backtracking")
    assert sum(counts) == {8: 92, 9: 352}[n]
    for part in range(0, len(splitting), 3):
        boards = splitting.narrowed(part)
        assert sum(w * board.count(solver="backtracking:bitmask") for board, w in boards) == counts[part]
    assert len({splitting.describe(k) for k in range(len(splitting))}) == len(splitting)


def test_who_splits_how() -> None:
    assert split(queens(13), "backtracking", 10).name == "units"
    assert split(queens(8), "backtracking:halves", 10).name == "units"
    assert split(queens(13), "cpsat", 10).name == "prefixes"
    assert split(queens(8), "backtracking", 10).name == "prefixes"
    given = queens(13)
    given += given["q"][0] == 3
    assert split(given, "backtracking", 10).name == "prefixes"


# ---- the ledger ----------------------------------------------------------------------------------------


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with closing(Ledger.take(tmp_path / "run.db", job_of(queens(6)))) as opened:
        yield opened


def test_a_later_result_is_compared_and_never_overwrites(ledger: Ledger) -> None:
    ledger.add(counted(3, 7), "backtracking")
    ledger.add(counted(3, 7), "cpsat")
    ledger.add(counted(3, 8), "cpsat")
    totals = ledger.totals()
    assert (totals.count, totals.done, totals.confirmed, totals.conflicts) == (7, 1, 1, 1)
    assert ledger.conflicts() == [(3, 7, 8, "here", "cpsat")]
    assert not totals.is_sound


def test_a_flipped_bit_shows(ledger: Ledger) -> None:
    ledger.add(counted(1, 92), "backtracking")
    ledger.commit()
    with closing(sqlite3.connect(ledger.path)) as other, other:  # on the disk
        other.execute("UPDATE result SET count = '94' WHERE part = 1")
    assert ledger.totals().damaged == (1,)
    assert not ledger.totals().is_sound


def test_numbers_have_no_width(ledger: Ledger) -> None:
    ledger.add(counted(0, 10**30), "backtracking")
    assert ledger.totals().count == 10**30


def test_failures_of_several_sessions_do_not_add_up(ledger: Ledger) -> None:
    for _ in range(2):
        ledger.begin_session(1, "code")
        ledger.fail(5, "it died")
        ledger.fail(5, "it died")
    assert ledger.poison() == ()
    ledger.fail(5, "it died")
    assert ledger.poison() == (5,)
    assert 5 in ledger.open_parts()
    ledger.add(counted(5, 1), "backtracking")
    assert ledger.poison() == ()


def test_only_one_coordinator(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    Ledger.take(path, job_of(queens(6))).close()
    code = f"""
import sys, time
from pathlib import Path
from cpqueens.longrun.ledger import Ledger
ledger = Ledger.open(Path({str(path)!r})); ledger.claim(); print("mine", flush=True); time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"mine\n"
        for _ in range(2):  # who was refused has not opened the door for others
            with pytest.raises(JobError, match=f"process {other.pid} is writing it"):
                durable_count(queens(6), path, workers=1)
        other.kill()
    assert durable_count(queens(6), path, executor=Here()).complete


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no database at all, but text that is long enough", "not a database"), (b"", None)],
)
def test_a_file_that_is_no_ledger(tmp_path: Path, content: bytes, said: str | None) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(content)
    if said is None:
        assert durable_count(queens(4), path, executor=Here(), parts=2).count == 2
    else:
        with pytest.raises(JobError, match=said):
            durable_count(queens(4), path, executor=Here())


def test_a_ledger_of_another_job_or_other_code(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(5), path, executor=Here(), parts=5)
    with pytest.raises(JobError, match="holds another job"):
        durable_count(queens(6), path, executor=Here())
    with pytest.raises(JobError, match="holds another job"):
        durable_count(queens(5), path, executor=Here(), solver="cpsat")
    path = tmp_path / "older.db"
    Ledger.take(path, replace(job_of(queens(5), 5), title="queens", code="0.0+older")).close()
    with pytest.raises(JobError, match="started by cpqueens"):
        durable_count(queens(5), path, executor=Here())
    assert durable_count(queens(5), path, executor=Here(), changed_code=True).count == 10


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE job (a)")
    before = path.read_bytes()
    with pytest.raises(JobError, match="of another program"):
        durable_count(queens(5), path, executor=Here())
    assert path.read_bytes() == before


def test_a_worker_with_other_code_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    work._prepared.cache_clear()
    monkeypatch.setattr(work, "code_version", lambda: "9.9+other")
    with pytest.raises(JobError, match=r"has cpqueens 9\.9\+other, the job began with"):
        durable_count(queens(5), tmp_path / "run.db", executor=Here())


def test_a_full_disk_loses_nothing_that_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(6), path, executor=Stopping(1), workers=1, parts=200)
    before = found_in(path).done
    connected = ledgerfile.connected

    def full(path: Path) -> sqlite3.Connection:
        connection = connected(path)
        connection.execute("PRAGMA max_page_count = 1")  # the file may not grow
        return connection

    monkeypatch.setattr(ledgerfile, "connected", full)
    with pytest.raises(JobError, match="full"):
        durable_count(queens(6), path, executor=Here(), parts=200)
    monkeypatch.undo()
    assert found_in(path).parts > found_in(path).done >= before > 0
    assert durable_count(queens(6), path, executor=Here(), parts=200).count == 4


def test_a_ledger_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(5), path, executor=Stopping(2), parts=5)
    before = found_in(path)
    connected = ledgerfile.connected

    def locked(path: Path) -> sqlite3.Connection:
        connection = connected(path)
        connection.execute("PRAGMA query_only = ON")  # root may write every file
        return connection

    monkeypatch.setattr(ledgerfile, "connected", locked)
    with pytest.raises(JobError, match="readonly"):
        durable_count(queens(5), path, executor=Here(), parts=5)
    assert found_in(path) == before
    monkeypatch.undo()
    assert durable_count(queens(5), path, executor=Here(), parts=5).count == 10


# ---- executors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_every_executor_finds_the_same(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    expected = model.count(solver="backtracking")
    with ThreadPoolExecutor(2) as threads:
        for k, executor in enumerate((Here(), Twice(), threads)):
            found = durable_count(model, tmp_path / f"{k}.db", executor=executor, workers=2, parts=20)
            assert (found.count, found.complete, found.stop_reason) == (expected, True, "exhausted")


def test_a_count_is_resumed(tmp_path: Path) -> None:
    path, seen = tmp_path / "run.db", []
    first = durable_count(queens(6), path, executor=Stopping(9), workers=1, parts=30)
    assert first.stop_reason == "interrupted"
    assert 0 < first.totals.done < first.totals.parts
    second = durable_count(queens(6), path, executor=Here(), on_progress=seen.append)
    assert (second.count, second.complete) == (4, True)
    assert seen[-1]["done"] == seen[-1]["total"] == second.totals.parts
    with closing(Ledger.open(path)) as ledger:
        assert len(ledger.sessions()) == 2
        assert len({r.part for r in ledger.results()}) == second.totals.parts


def test_poison_makes_the_job_incomplete(tmp_path: Path) -> None:
    found = durable_count(queens(5), tmp_path / "run.db", executor=Poisoned(), parts=5)
    assert (found.stop_reason, found.complete, found.totals.poison) == ("poison", False, (3,))


def test_a_poisoned_count_leaves_with_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(5), path, executor=Poisoned(), parts=5, title="queens(n=5)")
    assert run("runs", "show", str(path)) == 3
    printed = capsys.readouterr().out
    assert (
        "POISON     parts 3 failed too often, and are tried again: RuntimeError: it eats all mem" in printed
    )
    assert run("count", "queens", "n=5", "--store", str(path), "--workers", "1", "--time-limit", "1e-9") == 3
    printed = capsys.readouterr().out
    assert "solutions  at least " in printed
    assert "trouble    cpqueens runs show" in printed
    assert "resume     by the same command" in printed


def test_a_new_start_gives_poisoned_parts_a_new_chance_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "run.db"
    assert durable_count(queens(5), path, executor=Poisoned(), parts=5).count < 10
    assert run("count", "queens", "n=5", "--store", str(path), "--workers", "1") == 0
    assert "run.db: tries parts again that failed too often before: 3" in caplog.text
    assert "solutions  10" in capsys.readouterr().out
    assert run("runs", "show", str(path)) == 0
    assert "POISON" not in capsys.readouterr().out


def test_two_results_for_a_part_make_the_job_red(tmp_path: Path) -> None:
    found = durable_count(queens(5), tmp_path / "run.db", executor=Lying(), parts=5)
    assert found.totals.conflicts == 1
    assert not found.complete


def test_a_model_with_an_objective_is_refused(tmp_path: Path) -> None:
    model = queens(4)
    model.minimize(model["q"][0])
    with pytest.raises(ValueError, match="objective"):
        durable_count(model, tmp_path / "run.db")


def test_time_limit(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    found = durable_count(queens(6), path, executor=Slow(), workers=1, parts=36, time_limit=0.01)
    assert (found.stop_reason, found.complete) == ("time_limit", False)


# ---- enumeration -------------------------------------------------------------------------------------


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder_of(path).iterdir())}


@pytest.mark.parametrize("name", MODELS)
def test_files_have_all_solutions_in_order(name: str, tmp_path: Path) -> None:
    model, path = MODELS[name](), tmp_path / "run.db"
    expected = model.enumerate(solver="backtracking").solutions.matrix
    found = durable_enumerate(model, path, executor=Here(), parts=20)
    assert (found.count, found.complete) == (len(expected), True)
    assert merge(path, tmp_path / "all.npy") == len(expected)
    matrix = np.load(tmp_path / "all.npy")
    np.testing.assert_array_equal(matrix, expected[np.lexsort(expected.T[::-1])])
    merge(path, tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()) == len(expected) + 1


def test_two_runs_give_the_same_bytes_and_damage_is_mended(tmp_path: Path) -> None:
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    durable_enumerate(queens(6), first, executor=Here(), parts=36)
    durable_enumerate(queens(6), second, executor=Stopping(1), workers=1, parts=36, solver="backtracking")
    durable_enumerate(queens(6), second, executor=Here(), parts=36)
    whole = contents(first)
    assert contents(second) == whole
    victims = sorted(folder_of(second).iterdir())[:2]
    victims[0].unlink()
    victims[1].write_bytes(b"damaged")
    with pytest.raises(JobError, match="lists it again"):
        merge(second, tmp_path / "all.npy")
    assert not (tmp_path / "all.npy").exists()
    seen: list[dict[str, Any]] = []
    again = durable_enumerate(queens(6), second, executor=Here(), parts=36, on_progress=seen.append)
    assert again.complete
    assert (seen[-1]["done"], seen[-1]["count"]) == (36, again.count)
    assert contents(second) == whole
    victims[1].write_bytes(next(content for content in whole.values() if content != whole[victims[1].name]))
    with pytest.raises(JobError, match="damaged; the same command lists it again"):
        merge(second, tmp_path / "all.npy")


def test_a_count_has_no_solutions(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(4), path, executor=Here(), parts=4)
    with pytest.raises(JobError, match="has no solutions"):
        merge(path, tmp_path / "all.npy")
    with pytest.raises(JobError, match="holds another job"):
        durable_enumerate(queens(4), path, executor=Here(), parts=4)


# ---- verification ------------------------------------------------------------------------------------


def test_a_sample_is_counted_again(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(6), path, executor=Here(), parts=36)
    found = verify(path, least=10)
    assert (found.solver, found.checked, found.differing) == ("cpsat", 10, ())
    assert "95 % confidence fewer than 26 %" in found.sentence
    assert found_in(path).confirmed == 10
    assert "All 36 parts" in verify(path, least=36, solver="backtracking").sentence
    with closing(sqlite3.connect(path)) as other, other:
        part = other.execute("SELECT part FROM result WHERE count = '0'").fetchone()[0]
        digest = counted(part, 5).digest(job_of(queens(6), 36).digest)  # as if a worker had said so
        changed = "UPDATE result SET count = '5', first = 5, second = 5, digest = ? WHERE part = ?"
        other.execute(changed, (digest, part))
    wrong = verify(path, least=36)
    assert wrong.differing == (part,)
    assert "not to be believed" in wrong.sentence


def interrupting(at: int) -> Callable[..., int]:
    """Return what counts, and during one of its calls a signal comes."""
    calls = iter(range(10**6))
    counts = coordinator.count

    def count(*arguments: Any, **named: Any) -> int:
        if next(calls) == at:
            signal.raise_signal(signal.SIGINT)
        return counts(*arguments, **named)

    return count


def test_a_verification_that_is_interrupted_says_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(6), path, executor=Here(), parts=36)
    monkeypatch.setattr(coordinator, "count", interrupting(5))
    found = verify(path, solver="backtracking")
    assert (found.checked, found.differing, found.interrupted) == (5, (), True)
    monkeypatch.setattr(coordinator, "count", interrupting(3))
    assert run("runs", "verify", str(path), "--solver", "backtracking") == 130
    assert "3 of 36 parts, drawn at random, counted again by backtracking" in capsys.readouterr().out
    monkeypatch.setattr(coordinator, "count", interrupting(0))
    assert run("runs", "verify", str(path), "--solver", "backtracking") == 130
    assert capsys.readouterr().out == "Nothing was counted again, which shows nothing.\n"
    monkeypatch.undo()
    ends = verify(path, on_progress=lambda done, _: done == 2 and signal.raise_signal(signal.SIGINT))
    assert (ends.checked, ends.interrupted) == (2, True)
    assert not verify(path, solver="backtracking").interrupted


# ---- the command line ----------------------------------------------------------------------------------


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "run.db")
    assert run("count", "queens", "n=5", "--store", store, "--workers", "1", "--parts", "5") == 0
    assert "published  10 (OEIS A000170): agrees" in capsys.readouterr().out
    assert run("runs", "show", store) == 0
    assert "5 of 5 done" in capsys.readouterr().out
    assert run("runs", "show", store, "--json") == 0
    assert '"complete":true' in capsys.readouterr().out.replace(" ", "")
    assert run("runs", "verify", store, "--solver", "backtracking:check") == 0
    assert "All 5 parts" in capsys.readouterr().out
    assert run("runs", "export", store) == 0
    assert capsys.readouterr().out.splitlines()[0] == "part,count,seconds,worker"
    assert run("runs", "export", store, "--format", "json") == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    out = tmp_path / "all.csv"
    arguments = (
        "queens",
        "n=5",
        "--store",
        f"{store}.2",
        "--workers",
        "1",
        "--parts",
        "5",
        "--out",
        str(out),
    )
    assert run("enumerate", *arguments) == 0
    assert "written" in capsys.readouterr().out
    assert len(out.read_text().splitlines()) == 11
    assert run("runs", "export", f"{store}.2", "--solutions", str(out), "--force") == 0
    assert "10 solutions" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("runs", "show", "none.db"), "there is no such ledger"),
        (("count", "queens", "--parts", "5"), "--parts: only with --store"),
        (("count", "queens", "--store", "x.db", "--seed", "1"), "random_seed is not taken"),
        (("count", "golomb_ruler", "--store", "x.db"), "objective"),
        (("enumerate", "queens", "--store", "x.db", "--limit", "3"), "--limit is not taken"),
        (("runs", "verify", "none.db", "--share", "2"), "share"),
    ],
)
def test_refused(
    arguments: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err


def test_code_version_is_of_this_source() -> None:
    assert code_version().count("+") == 1
    assert work.code_version() == code_version()


def test_a_model_without_solutions(tmp_path: Path) -> None:
    m = Model("none")
    x = m.intvar(0, 1, shape=3, name="x")
    m += AllDifferent(x)
    found = durable_count(m, tmp_path / "run.db", executor=Here())
    assert (found.count, found.complete) == (0, True)
