"""The file of a ledger: made in one step, written by one process, refused in one line where it is damaged."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cpqueens.longrun.splitting import JobError, LongJob
from cpqueens.text.bounded import label
from cpqueens.text.plaintext import one_line

VERSION = 3
_APPLICATION = 0x63707132
"""What tells our files from other SQLite files."""

_TABLES = f"""
PRAGMA journal_mode = OFF;
PRAGMA application_id = {_APPLICATION};
CREATE TABLE job (version INTEGER NOT NULL, text TEXT NOT NULL, digest TEXT NOT NULL, began REAL NOT NULL);
CREATE TABLE result (
    part INTEGER PRIMARY KEY, count TEXT NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL,
    seconds REAL NOT NULL, worker TEXT NOT NULL, solver TEXT NOT NULL, at REAL NOT NULL, content TEXT,
    digest TEXT NOT NULL);
CREATE TABLE later (
    part INTEGER NOT NULL, count TEXT NOT NULL, worker TEXT NOT NULL, solver TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE failure (
    part INTEGER NOT NULL, message TEXT NOT NULL, at REAL NOT NULL, session INTEGER NOT NULL);
CREATE TABLE file (part INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL);
CREATE TABLE session (began REAL NOT NULL, ended REAL, workers INTEGER NOT NULL, code TEXT NOT NULL);
"""


class Lock:
    """The right to write a ledger, until it is released or our process ends.

    Raises
    ------
    JobError
        If another process has it.
    """

    def __init__(self, path: Path) -> None:
        self._path = Path(f"{path}.lock")
        self._file: IO[bytes] | None = None
        with contextlib.suppress(ImportError), told(path):
            self._file = self._taken(path)

    def _taken(self, path: Path) -> IO[bytes]:
        from fcntl import LOCK_EX, LOCK_NB, flock

        while True:
            file = self._path.open("a+b", buffering=0)
            try:  # unlike `lockf` also against this very process
                flock(file, LOCK_EX | LOCK_NB)
            except (BlockingIOError, PermissionError):
                with file:
                    file.seek(0)
                    other = file.read().decode("ascii", "replace")
                who = f"process {other}" if other else "another process"
                raise JobError(f"{label(path)}: {who} is writing it; wait, or end that first") from None
            if _is_at(file, self._path):
                break
            file.close()  # its last owner has removed it meanwhile
        file.truncate(0)
        file.write(b"%d" % os.getpid())
        return file

    def release(self) -> None:
        """Leave the ledger to others."""
        if self._file is not None:
            with self._file, contextlib.suppress(OSError):  # removed while it is ours
                self._path.unlink()
            self._file = None


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Say whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def holds_something(path: Path) -> bool:
    """Say whether there is a file that is not empty.

    Raises
    ------
    JobError
        If nobody may know.
    """
    with told(path):
        return path.exists() and path.stat().st_size > 0


def make(path: Path, job: LongJob) -> None:
    """Put a job's ledger at a path that holds nothing, in one step; by who has the lock.

    Whoever is killed on the way leaves a file of another name, which the next call replaces.
    """
    new = path.with_name(f"{path.name}.new")
    with told(path):
        for left in (new, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))):
            left.unlink(missing_ok=True)  # a log that was left without its ledger is not to be read into ours
        with contextlib.closing(sqlite3.connect(new)) as connection, connection:
            connection.executescript(_TABLES)
            row = (VERSION, job.text, job.text_digest, time.time())
            connection.execute("INSERT INTO job VALUES (?, ?, ?, ?)", row)
        _wait_for_disk(new)
        new.replace(path)
        with contextlib.suppress(PermissionError):  # Windows opens no folders
            _wait_for_disk(path.parent)


def _wait_for_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def opened(path: Path) -> sqlite3.Connection:
    """Return a connection to a ledger whose pages are as SQLite left them.

    Raises
    ------
    JobError
        If there is no file, or it is not one of ours, or it is damaged.
    """
    with told(path):
        if not path.is_file():
            raise JobError(f"{label(path)}: there is no such ledger")
        with contextlib.closing(connected(path)) as reader:
            ((owner,),) = reader.execute("PRAGMA application_id").fetchall()
        if owner != _APPLICATION:
            raise JobError(f"{label(path)}: a database of another program; give another file")
        connection = connected(path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # commits are on the disk when they return
            ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
            if found != "ok":
                raise damaged(path, found)
        except BaseException:
            connection.close()
            raise
        return connection


def connected(path: Path) -> sqlite3.Connection:
    """Return a connection that waits for others for a while."""
    return sqlite3.connect(path, timeout=10.0)


def damaged(path: Path, what: str) -> JobError:
    """Return the refusal of a ledger that somebody else has changed."""
    return JobError(f"{label(path)}: damaged: {one_line(what, 200)}; take a copy of it, or begin another")


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say into one line."""
    try:
        yield
    except sqlite3.Error as error:
        raise JobError(f"{label(path)}: {error}; what was committed before is kept") from None
    except OSError as error:
        raise JobError(f"{label(path)}: {error.strerror or error}") from None
