"""Runs in a SQLite file: a batch is there for good once it is written, and a later call goes on from it."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from cpqueens.errors import ModelError
from cpqueens.lab.runtable import COLUMNS, RunRecord, cells, from_cells
from cpqueens.text.bounded import label
from cpqueens.text.needed import as_path
from cpqueens.text.plaintext import shown

Made = TypeVar("Made")

_FORMAT = 1
_EVERY = 0.2
"""Seconds between writes: as much as a kill may cost."""
_APPLICATION = 0x63707131
"""What tells our files from other SQLite files."""
_TYPES = {"seed": "INTEGER", "steps": "INTEGER", "evaluations": "INTEGER", "restarts": "INTEGER",
          "processor_seconds": "REAL", "wall_seconds": "REAL", "objective": "INTEGER"}  # fmt: skip


class RunFile:
    """The runs of one experiment, in a file that survives a kill at any moment.

    Parameters
    ----------
    identity
        What the runs depend on, beside their seeds, by name; each value is plain JSON.

    Raises
    ------
    ModelError
        If the file cannot be written, is no file of runs, is in use, or holds runs of another identity.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        self.path = Path(as_path(path))
        self._name = label(str(self.path))
        self._database = self._guarded(lambda: sqlite3.connect(self.path, isolation_level=None, timeout=0.5))
        self._waiting: list[tuple[Any, ...]] = []
        self._written = time.monotonic()
        try:
            self._guarded(lambda: self._prepare(json.loads(json.dumps(identity))))
        except BaseException:
            self._database.close()
            raise

    def _guarded(self, work: Callable[[], Made]) -> Made:
        try:
            return work()
        except (sqlite3.Error, OSError, ValueError, TypeError, OverflowError) as error:
            if isinstance(error, ModelError):
                raise
            locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
            why = "another process writes to it" if locked else str(error)
            raise ModelError(f"{self._name}: cannot hold runs: {why}") from None

    def _prepare(self, identity: dict[str, Any]) -> None:
        run = self._database.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        owner, tables = (
            run("PRAGMA application_id").fetchone()[0],
            run("SELECT 1 FROM sqlite_schema").fetchone(),
        )
        if tables and owner != _APPLICATION:
            raise ModelError(f"{self._name}: a database of another program; choose another file")
        if tables and run("PRAGMA user_version").fetchone()[0] != _FORMAT:
            raise ModelError(f"{self._name}: runs in the format of another version; choose another file")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        run("BEGIN IMMEDIATE")
        if not tables:
            run(f"PRAGMA application_id = {_APPLICATION}")
            run(f"PRAGMA user_version = {_FORMAT}")
            run("CREATE TABLE identity (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
            listed = ", ".join(f"{name} {_TYPES.get(name, 'TEXT')}" for name in COLUMNS)
            run(f"CREATE TABLE runs ({listed}, PRIMARY KEY (heuristic, problem, seed))")
            for name, value in identity.items():
                run("INSERT INTO identity VALUES (?, ?)", (name, json.dumps(value)))
        run("COMMIT")
        there = {name: json.loads(value) for name, value in run("SELECT name, value FROM identity")}
        self._compare(there, identity)

    def _compare(self, there: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        for name in (*asked, *there):
            old, new = there.get(name), asked.get(name)
            if old != new:
                raise ModelError(
                    f"{self._name}: holds runs of {name} {shown(old, 80)}, asked for is {shown(new, 80)}; "
                    f"choose another file"
                )

    def read(self) -> dict[tuple[str, str, int], RunRecord]:
        """Return all runs that are there, by their keys.

        Raises
        ------
        ModelError
            If the file is damaged.
        """
        query = f"SELECT {', '.join(COLUMNS)} FROM runs"
        rows = self._guarded(lambda: [from_cells(row) for row in self._database.execute(query)])
        return {row.key: row for row in rows}

    def add(self, rows: Iterable[RunRecord]) -> None:
        """Take in runs; a few times a second what has come is written, and stays.

        Raises
        ------
        ModelError
            If the disk is full, say.
        """
        self._waiting += map(cells, rows)
        if time.monotonic() - self._written > _EVERY:
            self.write()

    def write(self) -> None:
        """Write what has come, all of it or nothing.

        Raises
        ------
        ModelError
            If the disk is full, say.
        """

        def write() -> None:
            marks = ", ".join("?" for _ in COLUMNS)
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany(f"INSERT INTO runs VALUES ({marks})", self._waiting)

        self._guarded(write)
        self._waiting, self._written = [], time.monotonic()

    def close(self) -> None:
        """Write the rest and leave the file to others."""
        try:
            self.write()
        finally:
            self._database.close()
