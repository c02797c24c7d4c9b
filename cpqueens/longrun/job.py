"""What a long run is about: the model, how it is split, and the code that it began with."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path

import cpqueens
from cpqueens.errors import CpqueensError

_PACKAGE = Path(cpqueens.__file__).parent
_NUMBERS = ("wanted", "parts")


class JobError(CpqueensError):
    """A ledger is of another job, of other code, in use, or cannot be written."""


@dataclass(frozen=True)
class LongJob:
    """Work that is split into parts; equal jobs have equal parts, on every machine.

    Attributes
    ----------
    kind
        ``count``, ``enumerate``, ``fuzz`` or ``evaluate``.
    title
        What is shown.
    model
        What the parts are made of, as a text: the model's file; of others than counts what they depend on.
    solver
        Which counts the parts, or who is examined.
    splitting
        How it is split: ``prefixes`` or ``units``, see `cpqueens.longrun.splitting`; ``models``; ``runs``.
    wanted
        How many parts were asked for.
    parts
        How many there are.
    partition
        SHA-256 of all parts.
    code
        `code_version` at the beginning.
    """

    kind: str
    title: str
    model: str
    solver: str
    splitting: str
    wanted: int
    parts: int
    partition: str
    code: str

    @classmethod
    def read(cls, text: str) -> LongJob:
        """Return the job that `text` gave the text of.

        Raises
        ------
        TypeError, ValueError
            If it is none.
        """
        job = cls(**json.loads(text))
        if not all(type(value) is (int if name in _NUMBERS else str) for name, value in vars(job).items()):
            raise TypeError("a field of another type")
        return job

    @property
    def text(self) -> str:
        """The job as JSON, for the ledger and for workers."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def text_digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the job is, without title and code, and without parts: those may grow."""
        kept = {k: v for k, v in asdict(self).items() if k not in ("title", "code", "parts")}
        return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


@cache
def code_version() -> str:
    """Return the version of cpqueens and a digest of its source, which all workers must have, too."""
    text = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        text.update(f"{path.relative_to(_PACKAGE).as_posix()} ".encode() + path.read_bytes())
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("cpqueens")
    except PackageNotFoundError:
        number = "unknown"
    return f"{number}+{text.hexdigest()[:16]}"
