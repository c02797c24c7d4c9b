"""The ledger of a long run: one SQLite file, written by one coordinator, in which nothing is overwritten.

A part's first result counts. What comes later for the same part is compared with it: the same is a
confirmation, another a conflict, of which both are kept and which makes the job red. Results carry
residues and a digest, so that one that was changed on its way or on the disk, or moved to another part,
shows. What a part is, a piece of a count, a fuzzed model or a run of a heuristic, those know who do it: here
it is a number, with a count and perhaps a text, its content.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cpqueens.longrun import ledgerfile
from cpqueens.longrun.ledgerfile import VERSION, Lock, damaged, holds_something, told
from cpqueens.longrun.splitting import JobError, LongJob
from cpqueens.longrun.work import DIGITS, Counted
from cpqueens.text.bounded import label
from cpqueens.text.plaintext import one_line

FAILURES = 3
"""Failures within one session after which a part is poison: nobody is given it again before the next."""
_LATEST = 2.5e11
"""Seconds since 1970 that a calendar still knows."""
_REAL, _MAYBE_REAL, _MAYBE_TEXT = float, float | None, str | None


@dataclass(frozen=True)
class Totals:
    """The contents of a ledger.

    Attributes
    ----------
    count
        Solutions of the parts done.
    done, parts
        Parts done, of how many.
    confirmed, conflicts
        Later results that were the same, and that were not.
    damaged
        Parts whose result is not as it was added any more.
    poison
        Parts given up by a session, and not done.
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

    def __init__(self, path: Path, lock: Lock | None = None) -> None:
        self.path, self._lock, self._session = path, lock, 0
        self._connection = ledgerfile.opened(path)
        try:
            self.job = self._read_job()
            self._done = {part for (part,) in self._rows("SELECT part FROM result", int)}
        except BaseException:
            self._connection.close()
            raise

    # ---- opening ---------------------------------------------------------------------------------------

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """Open the ledger in an existing file, to read it; to write it after `claim`."""
        return cls(path)

    @classmethod
    def take(cls, path: Path, job: LongJob) -> Ledger:
        """Claim the ledger at a path, of whatever job; where there is none, that of a job is made.

        Raises
        ------
        JobError
            If another process has it.
        """
        lock = Lock(path)
        try:
            if not holds_something(path):
                ledgerfile.make(path, job)
            return cls(path, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def begin(cls, path: Path, job: LongJob, changed_code: bool = False) -> Ledger:
        """Claim the ledger of a job; make it where there is none.

        Raises
        ------
        JobError
            If the ledger is of another job, or of other code unless that is to be believed all the same; if
            another process has it.
        """
        begun = cls.take(path, job)
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
                f"{self.path}: started by cpqueens {self.job.code}, this is {job.code}; give "
                "changed_code=True (--changed-code) to use its results anyway"
            )

    def _read_job(self) -> LongJob:
        versions = self._rows("SELECT version FROM job", int)
        if versions != [(VERSION,)]:
            raise JobError(f"{label(self.path)}: not a ledger of version {VERSION}; give another file")
        ((text, digest),) = self._rows("SELECT text, digest FROM job", str, str)
        try:
            job = LongJob.read(text)
        except (TypeError, ValueError, RecursionError):
            raise damaged(self.path, "the job in it cannot be read") from None
        if job.text_digest != digest:
            raise damaged(self.path, "the job in it was changed")
        return job

    def extend(self, parts: int) -> None:
        """Let the job have so many parts, where it may grow."""
        self.job = replace(self.job, parts=parts)
        with told(self.path):
            row = self.job.text, self.job.text_digest
            self._connection.execute("UPDATE job SET text = ?, digest = ?", row)
            self._connection.commit()

    def claim(self) -> None:
        """Take the ledger for this coordinator, until it is closed or our process ends.

        Raises
        ------
        JobError
            If another process has it.
        """
        self._lock = Lock(self.path)

    def close(self) -> None:
        """Close it; what was added and not committed is committed."""
        try:
            with told(self.path), closing(self._connection):
                self._connection.commit()
        finally:
            if self._lock is not None:
                self._lock.release()

    # ---- writing ---------------------------------------------------------------------------------------

    def begin_session(self, workers: int, code: str) -> int:
        """Note that a coordinator began; return the session's number."""
        with told(self.path):
            row = time.time(), None, workers, code
            found = self._connection.execute("INSERT INTO session VALUES (?, ?, ?, ?)", row).lastrowid
            self._connection.commit()
        assert found is not None
        self._session = found
        return found

    def end_session(self, session: int) -> None:
        """Note that it ended."""
        with told(self.path):
            self._connection.execute("UPDATE session SET ended = ? WHERE rowid = ?", (time.time(), session))
            self._connection.commit()

    def add(self, found: Counted, solver: str) -> None:
        """Take a result that was examined; it is in the file after `commit`."""
        now = time.time()
        with told(self.path):
            if found.part in self._done:
                self._compare(found, solver, now)
                return
            row = (found.part, str(found.count), *found.residues, found.seconds, found.worker, solver, now)
            marks = ", ".join("?" * (len(row) + 2))
            more = found.content, found.digest(self.job.digest)
            self._connection.execute(f"INSERT INTO result VALUES ({marks})", (*row, *more))
            self._done.add(found.part)

    def _compare(self, found: Counted, solver: str, now: float) -> None:
        if found.content is not None:
            return  # what was stopped by a clock may come out otherwise the next time
        row = (found.part, str(found.count), found.worker, solver, now)
        self._connection.execute("INSERT INTO later VALUES (?, ?, ?, ?, ?)", row)

    def add_file(self, part: int, name: str, sha256: str) -> None:
        """Note a part's file; one that was written again must be the same.

        Raises
        ------
        JobError
            If it is not.
        """
        known = self.files().get(part)
        if known is None:
            with told(self.path):
                self._connection.execute("INSERT INTO file VALUES (?, ?, ?)", (part, name, sha256))
        elif known != (name, sha256):
            raise JobError(
                f"{label(self.path)}: part {part} has other solutions than when it was first listed"
            )

    def files(self) -> dict[int, tuple[str, str]]:
        """Return the name and the SHA-256 of each part's file."""
        rows = self._rows("SELECT part, name, sha256 FROM file", int, str, str)
        return {part: (name, digest) for part, name, digest in rows}

    def fail(self, part: int, message: str) -> None:
        """Note that a part failed in this session."""
        with told(self.path):
            row = part, one_line(message, 500), time.time(), self._session
            self._connection.execute("INSERT INTO failure VALUES (?, ?, ?, ?)", row)

    def commit(self) -> None:
        """Put on the disk what was added."""
        with told(self.path):
            self._connection.commit()

    # ---- reading ---------------------------------------------------------------------------------------

    def _rows(self, query: str, *kinds: Any, given: Sequence[Any] = ()) -> list[Any]:
        """Return what a query finds, of which each column is of its kind."""
        with told(self.path):
            rows = self._connection.execute(query, given).fetchall()
        for row in rows:
            if not all(map(_fits, row, kinds)):
                raise damaged(self.path, f"{query.partition(' ORDER')[0]}: a row is {row!r:.100}")
        return rows

    def _number(self, text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
            raise damaged(self.path, f"a count is {text!r:.60}")
        return int(text)

    def poison(self) -> tuple[int, ...]:
        """Return the parts that failed too often in one session, and are not done."""
        query = f"SELECT DISTINCT part FROM failure GROUP BY part, session HAVING count(*) >= {FAILURES}"
        return tuple(sorted(part for (part,) in self._rows(query, int) if part not in self._done))

    def failures(self) -> list[tuple[int, str, float]]:
        """Return all failures: part, message, seconds since 1970."""
        return self._rows("SELECT part, message, at FROM failure ORDER BY at", int, str, _REAL)

    def open_parts(self) -> list[int]:
        """Return the parts that are not done, in order."""
        return [k for k in range(self.job.parts) if k not in self._done]

    def _results(self) -> Iterator[tuple[Counted, bool]]:
        """Yield all results, by part, and whether each is as it was added."""
        query = (
            "SELECT part, count, first, second, seconds, worker, content, digest FROM result ORDER BY part"
        )
        kinds = (int, str, int, int, _REAL, str, _MAYBE_TEXT, str)
        for part, count, first, second, seconds, worker, content, digest in self._rows(query, *kinds):
            found = Counted(part, self._number(count), (first, second), seconds, worker, content=content)
            yield found, found.holds and found.digest(self.job.digest) == digest

    def results(self) -> list[Counted]:
        """Return all results, by part."""
        return [found for found, _ in self._results()]

    def sound_results(self) -> list[Counted]:
        """Return all results, by part.

        Raises
        ------
        JobError
            If one was changed since it was added.
        """
        found = list(self._results())
        for one, whole in found:
            if not whole:
                raise damaged(self.path, f"the result of part {one.part} was changed")
        return [one for one, _ in found]

    def contents(self) -> Iterator[tuple[int, str]]:
        """Yield each part's content, by part; raise `JobError` if one was changed."""
        for found in self.sound_results():
            if found.content is not None:
                yield found.part, found.content

    def _later(self) -> list[tuple[int, int, int, str, str]]:
        """Return, for each later result: part, first count, later count, who found that, by what."""
        query = (
            "SELECT later.part, result.count, later.count, later.worker, later.solver FROM later "
            "JOIN result ON result.part = later.part ORDER BY later.at"
        )
        rows = self._rows(query, int, str, str, str, str)
        return [(p, self._number(a), self._number(b), w, s) for p, a, b, w, s in rows]

    def conflicts(self) -> list[tuple[int, int, int, str, str]]:
        """Return, for each conflict: part, first count, later count, who found that, by what."""
        return [row for row in self._later() if row[1] != row[2]]

    def workers(self) -> list[tuple[str, int, float]]:
        """Return who did how many parts in how many seconds of work."""
        query = "SELECT worker, count(*), sum(seconds) FROM result GROUP BY worker ORDER BY 2 DESC"
        return self._rows(query, str, int, _REAL)

    def sessions(self) -> list[tuple[float, float | None, int, str]]:
        """Return when coordinators began and ended, with how many workers, and which code."""
        query = "SELECT began, ended, workers, code FROM session ORDER BY began"
        rows = self._rows(query, _REAL, _MAYBE_REAL, int, str)
        if not all(0 <= time < _LATEST for began, ended, *_ in rows for time in (began, ended or 0)):
            raise damaged(self.path, "a session began or ended at no time")
        return rows

    def wall_seconds(self) -> float:
        """Return how long all sessions took; of one that was killed, until its last result."""
        found = 0.0
        sessions = self.sessions()
        for k, (began, ended, _, _) in enumerate(sessions):
            until = sessions[k + 1][0] if k + 1 < len(sessions) else time.time()
            query = "SELECT coalesce(max(at), ?) FROM result WHERE at BETWEEN ? AND ?"
            found += (ended or self._rows(query, _REAL, given=(began, began, until))[0][0]) - began
        return found

    def totals(self) -> Totals:
        """Return what all of it amounts to."""
        found = list(self._results())
        later, conflicts = len(self._later()), len(self.conflicts())
        return Totals(
            count=sum(r.count for r, _ in found),
            done=len(found),
            parts=self.job.parts,
            confirmed=later - conflicts,
            conflicts=conflicts,
            damaged=tuple(r.part for r, whole in found if not whole),
            poison=self.poison(),
            seconds=sum(r.seconds for r, _ in found),
        )


def _fits(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and (not isinstance(value, float) or math.isfinite(value))


def listed(parts: Sequence[int], most: int = 5) -> str:
    """Return some parts as a text.

    >>> listed([3, 4, 5], most=2)
    '3, 4 and 1 more'
    """
    text = ", ".join(map(str, parts[:most]))
    return text if len(parts) <= most else f"{text} and {len(parts) - most} more"
