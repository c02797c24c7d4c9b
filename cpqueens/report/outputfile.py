"""A file that appears complete or not at all: written beside its place, renamed at the end."""

import contextlib
import os
from pathlib import Path

from cpqueens.errors import ModelError
from cpqueens.system.interrupts import on_leaving


class OutputFile:
    """Bytes on their way to ``path``; the path is untouched until `commit`, or the end of a ``with`` block.

    What is written is whole batches: when the disk is full, or an interruption comes, the one under way is
    taken back.

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
        self._stay = on_leaving(lambda: self.partial.unlink(missing_ok=True))
        try:
            # unbuffered: what was refused must not wait in a buffer for the next attempt
            self.stream = self.partial.open("wb", buffering=0)
        except OSError as error:
            self._stay()
            raise ModelError(f"{self.path}: cannot be written: {error.strerror}") from None

    def __enter__(self) -> "OutputFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        if kind is None:
            self.commit()
        else:
            self.discard()

    def _refuse_existing(self) -> None:
        if self.path.is_dir():
            raise ModelError(f"{self.path}: is a folder; a file is needed")
        if self.path.exists() and not self.force:
            raise ModelError(f"{self.path}: exists already; choose another name or say --force")

    def append(self, data: bytes) -> None:
        """Write all of ``data``; when interrupted or refused, nothing of it."""
        start = self.stream.tell()
        try:
            self._write(data)
        except (KeyboardInterrupt, OSError) as error:
            with contextlib.suppress(OSError):
                self.stream.truncate(start)
                self.stream.seek(start)
            if isinstance(error, OSError):
                raise ModelError(f"{self.path}: cannot be written: {error.strerror}") from None
            raise

    def rewrite(self, data: bytes) -> None:
        """Write over the beginning."""
        self.stream.seek(0)
        self._write(data)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self.stream.write(rest) :]

    def commit(self) -> None:
        """Put the file in its place, durably."""
        try:
            self._close_durably()
            self._refuse_existing()
            self.partial.replace(self.path)
            self._stay()
        except BaseException as error:
            self.discard()
            if isinstance(error, OSError):
                raise ModelError(f"{self.path}: cannot be written: {error.strerror}") from None
            raise

    def keep_part(self) -> Path | None:
        """Keep what was written under a name that says that it is a part; None if that fails too."""
        kept = self.path.with_name(f"{self.path.name}.partial")
        try:
            self._close_durably()
            self.partial.replace(kept)
            self._stay()
        except OSError:
            self.discard()
            return None
        return kept

    def _close_durably(self) -> None:
        os.fsync(self.stream.fileno())
        self.stream.close()

    def discard(self) -> None:
        """Leave nothing behind."""
        with contextlib.suppress(OSError):
            self.stream.close()
        with contextlib.suppress(OSError):
            self.partial.unlink()
        self._stay()


def write_whole(path: str | Path, text: str) -> None:
    """Write a text to a file that may exist: all of it, or nothing.

    Raises
    ------
    ModelError
        If it cannot be written.
    """
    place = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
    data = text.encode()
    try:
        if place.exists() and not place.is_file():
            place.write_bytes(data)  # a device or a pipe
            return
    except OSError as error:
        raise ModelError(f"{path}: cannot be written: {error.strerror}") from None
    with OutputFile(place, force=True) as file:
        file.append(data)
