"""A file that appears complete or not at all: written beside its place, renamed at the end."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

from cpqueens.errors import ModelError


class OutputFile:
    """Bytes on their way to ``path``; the path is untouched until `commit`.

    Raises
    ------
    ModelError
        At once if the file exists (unless ``force``) or its folder cannot be written.
    """

    def __init__(self, path: str | Path, *, force: bool = False) -> None:
        self.path = Path(path)
        self.force = force
        self._refuse_existing()
        self.partial = self.path.with_name(f".{self.path.name}.{os.getpid()}.partial")
        try:
            self.stream: BinaryIO = self.partial.open("wb")
        except OSError as error:
            raise ModelError(f"{self.path}: cannot be written: {error.strerror}") from None

    def _refuse_existing(self) -> None:
        if self.path.is_dir():
            raise ModelError(f"{self.path}: is a folder; a file is needed")
        if self.path.exists() and not self.force:
            raise ModelError(f"{self.path}: exists already; choose another name or say --force")

    def append(self, data: bytes) -> None:
        """Write all of ``data``; when interrupted, nothing of it, so that no solution is cut in half."""
        start = self.stream.tell()
        try:
            self.stream.write(data)
        except KeyboardInterrupt:
            self.stream.seek(start)
            self.stream.truncate()
            raise
        except OSError as error:
            raise ModelError(f"{self.path}: cannot be written: {error.strerror}") from None

    def commit(self) -> None:
        """Put the file in its place, durably."""
        try:
            self.stream.flush()
            os.fsync(self.stream.fileno())
            self.stream.close()
            self._refuse_existing()
            self.partial.replace(self.path)
        except OSError as error:
            self.discard()
            raise ModelError(f"{self.path}: cannot be written: {error.strerror}") from None
        except ModelError:
            self.discard()
            raise

    def discard(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(OSError):
            self.stream.close()
        with contextlib.suppress(OSError):
            self.partial.unlink()
