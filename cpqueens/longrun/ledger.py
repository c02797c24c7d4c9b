"""The ledger of a long run: one SQLite file, written by one coordinator, in which nothing is overwritten.

A part's first result counts. What comes later for the same part is compared with it: the same is a
confirmation, another a conflict, of which both are kept and which makes the job red. Results carry
residues, so that a count that was changed on its way or on the disk shows. What a part is, a piece of
a count, a fuzzed model or a run of a heuristic, those know who do it: here it is a number, with a count and
perhaps a text, its content.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from cpqueens.longrun.job import JobError, LongJob
from cpqueens.longrun.work import Counted, residues
from cpqueens.text.bounded import label
from cpqueens.text.plaintext import one_line

VERSION = 2
_APPLICATION = 0x63707132
"""What tells our files from other SQLite files."""
FAILURES = 3
"""Failures after which a part is poison: nobody is given it again."""

_TABLES = """
CREATE TABLE job (version INTEGER NOT NULL, text TEXT NOT NULL, digest TEXT NOT NULL, began REAL NOT NULL);
CREATE TABLE result (
    part INTEGER PRIMARY KEY, count TEXT NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL,
    seconds REAL NOT NULL, worker TEXT NOT NULL, solver TEXT NOT NULL, at REAL NOT NULL, content TEXT);
CREATE TABLE later (
    part INTEGER NOT NULL, count TEXT NOT NULL, agrees INTEGER NOT NULL,
    worker TEXT NOT NULL, solver TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE failure (part INTEGER NOT NULL, message TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE file (part INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL);
CREATE TABLE session (began REAL NOT NULL, ended REAL, workers INTEGER NOT NULL, code TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Totals:
    """What a ledger holds.

    Attributes
    ----------
    count
        Solutions of the parts done.
    done, parts
        Parts done, of how many.
    confirmed, conflicts
        Later results that were the same, and that were not.
    damaged
        Parts whose count and residues do not belong together any more.
    poison
        Parts given up.
    seconds
        Of work in all parts done.
    """

    count: int
    done: int
    parts: int
    confirmed: int
    conflicts: int
    damaged: tuple[int, ...]
    poison: tuple[int, ...]
    seconds: float

    @property
    def is_sound(self) -> bool:
        """Say whether nothing speaks against the results."""
        return not self.conflicts and not self.damaged

    @property
    def complete(self) -> bool:
        """Say whether every part is done, and sound."""
        return self.is_sound and self.done == self.parts


class Ledger:
    """An open ledger.

    Raises
    ------
    JobError
        In one line, from every method, if the file cannot be read or written.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self.job = self._read_job()
        self._done: set[int] = {row[0] for row in self._rows("SELECT part FROM result")}
        self._lock: IO[bytes] | None = None

    # ---- opening ---------------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path, job: LongJob) -> Ledger:
        """Begin the ledger of a job in a new file."""
        with _told(path):
            connection = _connected(path)
            connection.executescript(f"PRAGMA application_id = {_APPLICATION}; {_TABLES}")
            with connection:
                row = (VERSION, job.text, job.digest, time.time())
                connection.execute("INSERT INTO job VALUES (?, ?, ?, ?)", row)
        return cls(path, connection)

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """Open the ledger in an existing file."""
        if not path.is_file():
            raise JobError(f"{label(path)}: there is no such ledger")
        with _told(path), contextlib.closing(sqlite3.connect(path, timeout=10.0)) as reader:
            ((owner,),) = reader.execute("PRAGMA application_id").fetchall()
        if owner != _APPLICATION:
            raise JobError(f"{label(path)}: a database of another program; give another file")
        with _told(path):
            return cls(path, _connected(path))

    @classmethod
    def begin(cls, path: Path, job: LongJob, changed_code: bool = False) -> Ledger:
        """Open the ledger of a job, or make it where there is none.

        Raises
        ------
        JobError
            If the ledger is of another job, or of other code unless that is to be believed all the same.
        """
        if not holds_something(path):
            return cls.create(path, job)
        begun = cls.open(path)
        try:
            begun._must_be(job, changed_code)
        except BaseException:
            begun.close()
            raise
        return begun

    def _must_be(self, job: LongJob, changed_code: bool) -> None:
        if self.job.digest != job.digest:
            raise JobError(f"{self.path}: holds another job, {self.job.title!r}; give another file")
        if self.job.code != job.code and not changed_code:
            raise JobError(
                f"{self.path}: begun by cpqueens {self.job.code}, this is {job.code}; give changed_code=True "
                "(--changed-code) if its results are to be believed all the same"
            )

    def _read_job(self) -> LongJob:
        rows = self._rows("SELECT version, text FROM job")
        if len(rows) != 1 or rows[0][0] != VERSION:
            raise JobError(f"{label(self.path)}: not a ledger of version {VERSION}")
        try:
            return LongJob(**json.loads(rows[0][1]))
        except (TypeError, ValueError):
            raise JobError(f"{label(self.path)}: the job in it cannot be read") from None

    def extend(self, parts: int) -> None:
        """Let the job have so many parts, where it may grow."""
        self.job = replace(self.job, parts=parts)
        with _told(self.path):
            self._connection.execute("UPDATE job SET text = ?, digest = ?", (self.job.text, self.job.digest))
            self._connection.commit()

    def claim(self) -> None:
        """Take the ledger for this coordinator, until it is closed or our process ends.

        Raises
        ------
        JobError
            If another process has it.
        """
        with contextlib.suppress(ImportError), _told(self.path):
            import fcntl

            lock = Path(f"{self.path}.lock")
            while self._lock is None:
                file = lock.open("a+b", buffering=0)
                try:  # unlike `lockf` also against this very process
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except (BlockingIOError, PermissionError):
                    with file:
                        file.seek(0)
                        other = file.read().decode("ascii", "replace") or "unknown"
                    raise JobError(
                        f"{label(self.path)}: process {other} is writing it; wait, or end that first"
                    ) from None
                if _is_at(file, lock):
                    self._lock = file
                else:  # its last owner has removed it meanwhile
                    file.close()
            self._lock.truncate(0)
            self._lock.write(b"%d" % os.getpid())

    def close(self) -> None:
        """Close it; what was added and not committed is committed."""
        with _told(self.path):
            self._connection.commit()
            self._connection.close()
        if self._lock is not None:
            with self._lock, contextlib.suppress(OSError):  # removed while it is ours
                Path(f"{self.path}.lock").unlink()
            self._lock = None

    # ---- writing ---------------------------------------------------------------------------------------

    def begin_session(self, workers: int, code: str) -> int:
        """Note that a coordinator began; return the session's number."""
        with _told(self.path):
            row = time.time(), None, workers, code
            found = self._connection.execute("INSERT INTO session VALUES (?, ?, ?, ?)", row).lastrowid
            self._connection.commit()
        assert found is not None
        return found

    def end_session(self, session: int) -> None:
        """Note that it ended."""
        with _told(self.path):
            self._connection.execute("UPDATE session SET ended = ? WHERE rowid = ?", (time.time(), session))
            self._connection.commit()

    def add(self, found: Counted, solver: str) -> None:
        """Take a result; it is in the file after `commit`."""
        if not found.holds:
            self.fail(found.part, f"{found.worker}: count {found.count} has other residues than it came with")
            return
        now = time.time()
        with _told(self.path):
            if found.part in self._done:
                self._compare(found, solver, now)
                return
            row = (found.part, str(found.count), *found.residues, found.seconds, found.worker, solver, now)
            marks = "?, ?, ?, ?, ?, ?, ?, ?, ?"
            self._connection.execute(f"INSERT INTO result VALUES ({marks})", (*row, found.content))
            self._done.add(found.part)

    def _compare(self, found: Counted, solver: str, now: float) -> None:
        if found.content is not None:
            return  # what was stopped by a clock may come out otherwise the next time
        ((known,),) = self._rows("SELECT count FROM result WHERE part = ?", found.part)
        row = (found.part, str(found.count), int(known == str(found.count)), found.worker, solver, now)
        self._connection.execute("INSERT INTO later VALUES (?, ?, ?, ?, ?, ?)", row)

    def add_file(self, part: int, name: str, sha256: str) -> None:
        """Note a part's file; one that was written again must be the same.

        Raises
        ------
        JobError
            If it is not.
        """
        known = self.files().get(part)
        if known is None:
            with _told(self.path):
                self._connection.execute("INSERT INTO file VALUES (?, ?, ?)", (part, name, sha256))
        elif known != (name, sha256):
            raise JobError(
                f"{label(self.path)}: part {part} has other solutions than when it was first listed"
            )

    def files(self) -> dict[int, tuple[str, str]]:
        """Return the name and the SHA-256 of each part's file."""
        return {part: (name, digest) for part, name, digest in self._rows("SELECT * FROM file")}

    def fail(self, part: int, message: str) -> None:
        """Note that a part failed."""
        with _told(self.path):
            row = part, one_line(message, 500), time.time()
            self._connection.execute("INSERT INTO failure VALUES (?, ?, ?)", row)

    def commit(self) -> None:
        """Put on the disk what was added."""
        with _told(self.path):
            self._connection.commit()

    def forgive(self) -> None:
        """Forget the failures, so that poisoned parts are tried again."""
        with _told(self.path):
            self._connection.execute("DELETE FROM failure")
            self._connection.commit()

    # ---- reading ---------------------------------------------------------------------------------------

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with _told(self.path):
            return self._connection.execute(query, values).fetchall()

    def poison(self) -> tuple[int, ...]:
        """Return the parts that failed too often."""
        query = "SELECT part FROM failure GROUP BY part HAVING count(*) >= ? ORDER BY part"
        return tuple(row[0] for row in self._rows(query, FAILURES) if row[0] not in self._done)

    def failures(self) -> list[tuple[int, str, float]]:
        """Return all failures: part, message, seconds since 1970."""
        return self._rows("SELECT part, message, at FROM failure ORDER BY at")

    def open_parts(self) -> list[int]:
        """Return the parts that are neither done nor poison, in order."""
        given_up = set(self.poison())
        return [k for k in range(self.job.parts) if k not in self._done and k not in given_up]

    def results(self) -> list[Counted]:
        """Return all results, by part."""
        query = "SELECT part, count, first, second, seconds, worker FROM result ORDER BY part"
        return [Counted(p, int(c), (a, b), s, w) for p, c, a, b, s, w in self._rows(query)]

    def contents(self) -> Iterator[tuple[int, str]]:
        """Yield each part's content, by part."""
        query = "SELECT part, content FROM result WHERE content IS NOT NULL ORDER BY part"
        with _told(self.path):
            yield from self._connection.execute(query)

    def conflicts(self) -> list[tuple[int, int, int, str, str]]:
        """Return, for each conflict: part, first count, later count, who found that, by what."""
        query = (
            "SELECT later.part, result.count, later.count, later.worker, later.solver FROM later "
            "JOIN result ON result.part = later.part WHERE later.agrees = 0 ORDER BY later.at"
        )
        return [(p, int(a), int(b), w, s) for p, a, b, w, s in self._rows(query)]

    def workers(self) -> list[tuple[str, int, float]]:
        """Return who did how many parts in how many seconds of work."""
        query = "SELECT worker, count(*), sum(seconds) FROM result GROUP BY worker ORDER BY 2 DESC"
        return self._rows(query)

    def sessions(self) -> list[tuple[float, float | None, int, str]]:
        """Return when coordinators began and ended, with how many workers, and which code."""
        return self._rows("SELECT began, ended, workers, code FROM session ORDER BY began")

    def wall_seconds(self) -> float:
        """Return how long all sessions took; of one that was killed, until its last result."""
        found = 0.0
        sessions = self.sessions()
        for k, (began, ended, _, _) in enumerate(sessions):
            until = sessions[k + 1][0] if k + 1 < len(sessions) else time.time()
            query = "SELECT coalesce(max(at), ?) FROM result WHERE at BETWEEN ? AND ?"
            found += (ended or self._rows(query, began, began, until)[0][0]) - began
        return found

    def totals(self) -> Totals:
        """Return what all of it amounts to."""
        found = self.results()
        ((confirmed, later),) = self._rows("SELECT coalesce(sum(agrees), 0), count(*) FROM later")
        return Totals(
            count=sum(r.count for r in found),
            done=len(found),
            parts=self.job.parts,
            confirmed=confirmed,
            conflicts=later - confirmed,
            damaged=tuple(r.part for r in found if r.residues != residues(r.count)),
            poison=self.poison(),
            seconds=sum(r.seconds for r in found),
        )


def holds_something(path: Path) -> bool:
    """Say whether there is a file that is not empty.

    Raises
    ------
    JobError
        If nobody may know.
    """
    with _told(path):
        return path.exists() and path.stat().st_size > 0


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Say whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10.0)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say into one line."""
    try:
        yield
    except sqlite3.Error as error:
        raise JobError(f"{label(path)}: {error}; what was committed before is kept") from None
    except OSError as error:
        raise JobError(f"{label(path)}: {error.strerror or error}") from None


def listed(parts: Sequence[int], most: int = 5) -> str:
    """Return some parts as a text.

    >>> listed([3, 4, 5], most=2)
    '3, 4 and 1 more'
    """
    text = ", ".join(map(str, parts[:most]))
    return text if len(parts) <= most else f"{text} and {len(parts) - most} more"
