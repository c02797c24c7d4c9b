"""The file of a ledger: there whole or not at all, one coordinator's, and refused in one line if damaged."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from cpqueens.models.queens import queens
from executors import Here, found_in, job_of, run

from cpqueens.kernels.jit import tiers
from cpqueens.longrun import ledgerfile
from cpqueens.longrun.coordinator import durable_count, durable_enumerate
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.partfiles import folder_of, merge
from cpqueens.longrun.splitting import JobError

# ---- making it -----------------------------------------------------------------------------------------


class Killed(BaseException):
    """Stands for the end of the process."""


def calls_of_making(monkeypatch: pytest.MonkeyPatch, dies_at: int) -> list[str]:
    """Have the process end at one of the calls by which a ledger is made; return which came until then."""
    seen: list[str] = []

    def dying(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: object, **named: object) -> object:
            seen.append(name)
            if len(seen) - 1 == dies_at:
                raise Killed
            return call(*arguments, **named)

        return called

    for where, name in ((os, "fsync"), (Path, "replace"), (Path, "unlink"), (sqlite3, "connect")):
        monkeypatch.setattr(where, name, dying(name, getattr(where, name)))
    return seen


def test_whoever_dies_while_making_it_leaves_nothing_or_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, job, there = tmp_path / "run.db", job_of(queens(5), 5), []
    for number in range(20):
        with monkeypatch.context() as patch:
            seen = calls_of_making(patch, number)
            with suppress(Killed):
                ledgerfile.make(path, job)
                break
        there.append(path.exists())
        if path.exists():
            assert found_in(path).parts == 5
            path.unlink()
    assert seen == ["unlink", "unlink", "unlink", "connect", "fsync", "replace", "fsync"]
    assert there == [False] * 6 + [True]  # who dies in a call has not made it
    assert durable_count(queens(5), path, executor=Here(), parts=5).complete


def test_the_log_of_a_ledger_that_was_deleted_is_not_read_into_the_next(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with closing(Ledger.take(path, job_of(queens(5), 5))) as ledger:
        ledger.begin_session(1, "code")
        log = path.with_name("run.db-wal").read_bytes()
    path.unlink()
    path.with_name("run.db-wal").write_bytes(log)
    durable_count(queens(5), path, executor=Here(), parts=5)
    with closing(Ledger.open(path)) as ledger:
        assert len(ledger.sessions()) == 1
        assert ledger.totals().complete


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_coordinator_that_is_killed_as_the_file_appears(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cpqueens", "count", "queens", "n=6", "--workers", "1", "--store"]
    for k in range(20):
        path = tmp_path / f"{k}.db"
        with subprocess.Popen(
            [*command, str(path), "--parts", "20"], stdout=subprocess.DEVNULL
        ) as coordinator:
            while not (path.exists() or path.with_name(f"{path.name}.new").exists()):
                assert coordinator.poll() is None
            time.sleep(0.0025 * k)
            coordinator.kill()
        assert durable_count(queens(6), path, executor=Here(), parts=20, workers=1).count == 4


def test_of_coordinators_that_begin_together_one_does(tmp_path: Path) -> None:
    path, job = tmp_path / "run.db", job_of(queens(5), 5)
    owners: list[Ledger] = []
    refused: list[str] = []
    together, decided = threading.Barrier(8), threading.Barrier(8)

    def begin() -> None:
        together.wait()
        try:
            owner = Ledger.begin(path, job)
        except JobError as error:
            refused.append(str(error))
            decided.wait()
        else:
            owners.append(owner)
            decided.wait()
            owner.close()  # a connection is of its thread

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(owners), len(refused)) == (1, 7)
    for line in refused:
        assert "is writing it; wait, or end that first" in line
        assert "\n" not in line
    assert not path.with_name("run.db.lock").exists()
    assert not path.with_name("run.db.new").exists()


# ---- damage --------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def kernels_are_plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile nothing for boards this small, in no process."""
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    with tiers.mode("plain"):
        yield


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A ledger in the middle of a count, with all kinds of rows."""
    path = tmp_path_factory.mktemp("ledgers") / "good.db"
    with closing(Ledger.begin(path, job_of(queens(5), 5))) as ledger:
        ledger.begin_session(2, "code")
        for found in _some():
            ledger.add(found, "backtracking")
        ledger.add(_some()[0], "cpsat")
        ledger.fail(4, "it died")
        ledger.add_file(0, "part-0000000.npy", "0" * 64)
        ledger.end_session(1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path.read_bytes()


def _some() -> list[object]:
    from cpqueens.longrun.work import count_parts

    return list(count_parts(job_of(queens(5), 5).text, [0, 1, 3]))


_COLUMNS = {
    "job": ("version", "text", "digest", "began"),
    "result": ("part", "count", "first", "second", "seconds", "worker", "solver", "at", "content", "digest"),
    "later": ("part", "count", "worker", "solver", "at"),
    "failure": ("part", "message", "at", "session"),
    "file": ("part", "name", "sha256"),
    "session": ("began", "ended", "workers", "code"),
}
_VALUES = ("-1", "1e999", "'abc'", "x'00ff'", "''", "9223372036854775807", "'-5'", "'" + "9" * 5000 + "'",
           "cast(x'ff' as text)")  # fmt: skip


def edits() -> Iterator[str]:
    """Yield statements that change a ledger as a database."""
    for table, columns in _COLUMNS.items():
        yield f"DROP TABLE {table}"
        yield f"DELETE FROM {table}"
        yield f"ALTER TABLE {table} RENAME COLUMN {columns[0]} TO other"
        yield f"INSERT INTO {table} SELECT * FROM {table}"
        for column in columns:
            yield from (f"UPDATE OR REPLACE {table} SET {column} = {value}" for value in _VALUES)
    yield "UPDATE result SET part = 2 WHERE part = 0"
    yield "PRAGMA application_id = 7"


def flips(content: bytes, chance: random.Random) -> Iterator[bytes]:
    """Yield contents in which a few bits, a stretch, or the end are others."""
    for _ in range(60):
        changed = bytearray(content)
        for _ in range(chance.choice((1, 1, 3, 40))):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        yield bytes(changed)
    for _ in range(20):
        at, wide = chance.randrange(len(content)), chance.choice((4, 100, 4096))
        yield content[:at] + chance.randbytes(wide) + content[at + wide :]
    for _ in range(20):
        yield content[: chance.randrange(1, len(content))]
    yield from (content[:at] + bytes(len(content) - at) for at in range(100, len(content), 4096))


def mutated(content: bytes, path: Path) -> Iterator[str]:
    """Put one damaged ledger after another at a path; yield what was done."""
    for number, changed in enumerate(flips(content, random.Random(5))):
        path.write_bytes(changed)
        yield f"bytes {number}"
    for edit in edits():
        path.write_bytes(content)
        with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.IntegrityError), connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(edit)
        yield edit


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_a_damaged_ledger_is_one_line_or_said(
    every: int,
    tmp_path: Path,
    good: bytes,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By each of three commands, or by these in turns."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    path, codes = tmp_path / "run.db", []
    commands = [("runs", "show", str(path)), ("runs", "show", str(path), "--json"),
                ("runs", "export", str(path), "--format", "json")]  # fmt: skip
    for number, what in enumerate(mutated(good, path)):
        before = path.read_bytes()
        for command in commands[number % every :: every]:
            code = run(*command)
            said = capsys.readouterr()
            assert code in (0, 2, 3, 18), (what, command, said)
            assert code != 2 or len(said.err.splitlines()) == 1, (what, command, said)
            assert "within cpqueens" not in said.err, (what, command, said)
            codes.append(code)
        if number % (5 * every) == 0:
            path.write_bytes(before)
            resumed(path, what)
    assert len(codes) >= 345 * len(commands) // every
    assert set(codes) >= {0, 2, 3, 18}


def resumed(path: Path, what: str) -> None:
    """Go on with a damaged ledger: it is refused, or red, or nothing was lost."""
    with suppress(JobError):
        found = durable_count(queens(5), path, executor=Here(), parts=5, workers=1)
        assert found.count == 10 or not found.totals.is_sound, what


def test_a_page_that_nobody_has_read_yet_is_looked_at(tmp_path: Path, good: bytes) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(good)
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'failure'").fetchone()
    path.write_bytes(good[: (page - 1) * size] + bytes(size) + good[page * size :])
    with pytest.raises(JobError, match=r"run\.db: damaged: "):
        Ledger.open(path)


def test_a_result_that_was_moved_to_another_part_shows(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    durable_count(queens(5), path, executor=Here(), parts=5)
    for edit in (
        "UPDATE result SET part = 9 WHERE part = 0",
        "DELETE FROM result WHERE part = 1; UPDATE result SET part = 1 WHERE part = 9",
        "UPDATE result SET count = '3', first = 3, second = 3 WHERE part = 2",
    ):
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(edit)
        found = durable_count(queens(5), path, executor=Here(), parts=5)
        assert not found.complete, edit
    assert found.totals.damaged == (1, 2)
    assert run("runs", "show", str(path)) == 18
    assert run("runs", "export", str(path)) == 2
    assert run("runs", "verify", str(path)) == 2


def test_a_result_of_another_job_shows(tmp_path: Path) -> None:
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for path, solver in zip(paths, ("backtracking", "cpsat"), strict=True):
        durable_count(queens(5), path, executor=Here(), parts=5, solver=solver)
    with closing(sqlite3.connect(paths[0])) as connection:
        connection.execute("ATTACH ? AS other", (str(paths[1]),))
        with connection:
            connection.execute("DELETE FROM result WHERE part = 3")
            connection.execute("INSERT INTO result SELECT * FROM other.result WHERE part = 3")
    assert found_in(paths[0]).damaged == (3,)


def test_a_job_that_was_changed_is_refused(tmp_path: Path, good: bytes) -> None:
    path = tmp_path / "run.db"
    job = json.loads(job_of(queens(5), 5).text)
    for change in ({"title": "q"}, {"parts": "5"}, {"parts": True}, {"wanted": None}, {"model": 3}, {"x": 1}):
        for honest in (False, True):
            path.write_bytes(good)
            text = json.dumps(job | change, sort_keys=True)
            digest = hashlib.sha256(text.encode()).hexdigest()
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("UPDATE job SET text = ?", (text,))
                if honest:
                    connection.execute("UPDATE job SET digest = ?", (digest,))
            if honest and "title" in change:
                assert found_in(path).done == 3
            else:
                with pytest.raises(JobError, match=r"damaged: the job in it (was changed|cannot be read)"):
                    found_in(path)


@pytest.mark.parametrize("column", ["began", "ended"])
@pytest.mark.parametrize("when", ["-1", "9e18"])
def test_a_session_at_no_time_is_refused(
    column: str, when: str, tmp_path: Path, good: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(good)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE session SET {column} = {when}")
    assert run("runs", "show", str(path)) == 2
    assert "damaged: a session began or ended at no time" in capsys.readouterr().err


def test_a_list_whose_ledger_lost_a_file_is_listed_again(tmp_path: Path) -> None:
    path, out = tmp_path / "run.db", tmp_path / "all.npy"
    durable_enumerate(queens(5), path, executor=Here(), parts=5)
    for edit in (
        "DELETE FROM file WHERE part = 2",
        "UPDATE file SET name = '/dev/zero' WHERE part = 3",
        "UPDATE file SET sha256 = 'x' WHERE part = 3",
    ):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(edit)
        if "zero" not in edit:  # names are those that the parts have, whatever the ledger says
            with pytest.raises(JobError, match="lists it again"):
                merge(path, out)
        if "DELETE" in edit:
            assert durable_enumerate(queens(5), path, executor=Here(), parts=5).complete
            assert merge(path, out) == 10
            out.unlink()
    with pytest.raises(JobError, match="has other solutions"):
        durable_enumerate(queens(5), path, executor=Here(), parts=5)
    assert len(list(folder_of(path).iterdir())) == 5
