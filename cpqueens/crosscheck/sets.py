"""Sets of solutions that may be larger than memory: packed rows, sorted by bucket, exact comparison.

A row is packed into one byte for its bucket (of 64, by a hash of the row) and its values less the lower
bounds, big-endian in the least uniform width. Sorting packed rows as byte strings is therefore the same
whether they are in memory or in one file per bucket, and everything below goes bucket by bucket: memory
is bounded by the buffer and by the largest bucket of the sets compared, about 1/64 of each.
"""

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.answers.symmetry import LARGEST, Group, OrbitsMet
from cpqueens.language.rows import IntArray
from cpqueens.model import Model
from cpqueens.system.interrupts import on_leaving

BUCKETS = 64
BUFFER = 32 * 2**20
"""Bytes that one set keeps in memory before it goes to files."""
FEW = 4096
"""Rows of a set that is gone through at once: looking into every bucket would take longer."""

Packed = NDArray[Any]  # dtype S<width>: fixed-width byte strings, among which S compares like memcmp


class Packing:
    """How the rows of one model are packed; equal for all solvers of the model."""

    def __init__(self, model: Model) -> None:
        known = model.decisions
        self.lower = model.lower[known].astype(np.int64)
        span = int((model.upper[known].astype(object) - self.lower).max(initial=0))
        self.value_bytes = next(w for w in (1, 2, 4, 8) if span < 256**w)
        self.width = 1 + self.value_bytes * len(known)
        odd = np.random.default_rng(1).integers(0, 2**63, len(known), dtype=np.uint64)
        self._factors = odd * np.uint64(2) + np.uint64(1)

    def pack(self, rows: IntArray) -> Packed:
        """Return packed rows, of shape (batch,), for ``rows`` of shape (batch, decision variables)."""
        offsets = (rows - self.lower).view(np.uint64) if rows.size else rows.astype(np.uint64)
        mixed = (offsets + np.uint64(1)) * self._factors
        mixed ^= mixed >> np.uint64(29)
        total = (mixed * np.uint64(0x9E3779B97F4A7C15)).sum(axis=1, dtype=np.uint64)
        packed = np.empty((len(rows), self.width), dtype=np.uint8)
        packed[:, 0] = total >> np.uint64(58)
        narrow = np.ascontiguousarray(offsets.astype(f">u{self.value_bytes}"))
        packed[:, 1:] = narrow.view(np.uint8).reshape(len(rows), self.width - 1)
        return packed.view(f"S{self.width}").reshape(-1)

    def unpack(self, packed: Packed) -> IntArray:
        """Return the rows, of shape (batch, decision variables)."""
        raw = np.ascontiguousarray(packed).view(np.uint8).reshape(len(packed), self.width)
        narrow = np.ascontiguousarray(raw[:, 1:]).view(f">u{self.value_bytes}")
        return narrow.astype(np.uint64).astype(np.int64) + self.lower


class SolutionStore:
    """The solutions of one solver; add batches, then `finish`, then compare.

    Attributes
    ----------
    raw
        How many rows were added.
    distinct
        How many of them are different, once finished.
    digest
        BLAKE2b of the sorted set: equal for equal sets of one model, whatever the order of delivery.
    """

    def __init__(self, packing: Packing, folder: Path | None = None, buffer: int = BUFFER) -> None:
        self.packing = packing
        self.raw = self.distinct = 0
        self.digest = ""
        self._buffer = buffer
        self._parent = folder
        self._parts: list[Packed] = []
        self._held = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._final: Packed | None = None

    def add(self, rows: IntArray) -> None:
        """Add a batch of rows."""
        self.raw += len(rows)
        self._parts.append(self.packing.pack(rows))
        self._held += len(rows) * self.packing.width
        if self._held > self._buffer:
            self._spill()
        elif len(self._parts) > 1000:
            self._parts = [np.concatenate(self._parts)]

    def _spill(self) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="cpqueens-set-", dir=self._parent)
            self._stay = on_leaving(self._folder.cleanup)
        rows = np.unique(np.concatenate(self._parts))
        for bucket, part in _split(rows, self.packing.width):
            with (Path(self._folder.name) / f"{bucket:02d}").open("ab") as file:
                file.write(part.tobytes())
        self._parts, self._held = [], 0

    def finish(self) -> None:
        """Sort the rows and count them; none can be added afterwards."""
        if self._folder is None:
            empty = np.zeros(0, dtype=f"S{self.packing.width}")
            self._final = np.unique(np.concatenate([empty, *self._parts]))
            self._parts = []
        elif self._parts:
            self._spill()
        digest = hashlib.blake2b(digest_size=16)
        for rows in self.parts():
            self.distinct += len(rows)
            digest.update(rows.tobytes())
        self.digest = digest.hexdigest()

    def buckets(self) -> Iterator[Packed]:
        """Yield the distinct packed rows of each bucket, sorted."""
        if self._folder is None:
            assert self._final is not None, "finish() comes before reading"
            found = dict(_split(self._final, self.packing.width))
            empty = self._final[:0]
            yield from (found.get(bucket, empty) for bucket in range(BUCKETS))
            return
        for bucket in range(BUCKETS):
            path = Path(self._folder.name) / f"{bucket:02d}"
            data = path.read_bytes() if path.exists() else b""
            yield np.unique(np.frombuffer(data, dtype=f"S{self.packing.width}"))

    @property
    def is_small(self) -> bool:
        """Whether its rows are few, and in memory."""
        return self._final is not None and len(self._final) <= FEW

    def parts(self) -> Iterator[Packed]:
        """Yield the distinct packed rows, sorted: a small set at once, others by bucket."""
        return iter((self._final,)) if self._final is not None and self.is_small else self.buckets()

    def rows(self) -> Iterator[IntArray]:
        """Yield the distinct rows in batches, each (batch, decision variables)."""
        for rows in self.parts():
            if len(rows):
                yield self.packing.unpack(rows)

    def first(self, limit: int) -> IntArray:
        """Return some ``limit`` of the distinct rows."""
        kept: list[IntArray] = []
        for rows in self.rows():
            kept.append(rows[: limit - sum(map(len, kept))])
            if sum(map(len, kept)) >= limit:
                break
        return np.concatenate(kept) if kept else np.zeros((0, len(self.packing.lower)), dtype=np.int64)

    def holds(self, row: IntArray) -> bool:
        """Say whether a row of decision values is among them."""
        (packed,) = self.packing.pack(row.reshape(1, -1))
        return any(_holds(part, packed) for part in self.parts())

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()
            self._stay()


def _split(rows: Packed, width: int) -> Iterator[tuple[int, Packed]]:
    """Yield (bucket, rows) of sorted packed rows; the bucket is the first byte."""
    if not len(rows):
        return
    first = rows.view(np.uint8).reshape(len(rows), width)[:, 0]
    ends = np.searchsorted(first, np.arange(BUCKETS + 1))
    for bucket in range(BUCKETS):
        if ends[bucket] < ends[bucket + 1]:
            yield bucket, rows[ends[bucket] : ends[bucket + 1]]


@dataclass(frozen=True)
class Lack:
    """What one set lacks of the union of all: how many, and the first rows with those who have them."""

    total: int
    rows: IntArray  # (at most `first`, decision variables)
    held_by: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class SetComparison:
    """The union of several sets, and what some lack of it."""

    union: int
    lacks: Mapping[str, Lack]


def compare_sets(stores: Mapping[str, SolutionStore], whole: Iterable[str], first: int = 10) -> SetComparison:
    """Compare finished sets bucket by bucket; exact, in memory of about 1/64 of the sets.

    What they lack is looked up of those that are to be ``whole``.
    """
    union = 0
    totals = dict.fromkeys(whole, 0)
    kept: dict[str, list[tuple[bytes, tuple[str, ...]]]] = defaultdict(list)
    small = all(store.is_small for store in stores.values())  # then all rows of each are one part
    for parts in zip(*(s.parts() if small else s.buckets() for s in stores.values()), strict=True):
        together = np.unique(np.concatenate(parts))
        union += len(together)
        for name, part in zip(stores, parts, strict=True):
            if name not in totals or len(part) == len(together):
                continue
            lacking = np.setdiff1d(together, part, assume_unique=True)
            totals[name] += len(lacking)
            for row in lacking[: first - len(kept[name])]:
                holders = (o for o, theirs in zip(stores, parts, strict=True) if _holds(theirs, row))
                kept[name].append((row, tuple(holders)))
    lacks = {}
    for name, total in totals.items():
        rows, held_by = zip(*kept[name], strict=True) if kept[name] else ((), ())
        packing = stores[name].packing
        lacks[name] = Lack(total, packing.unpack(np.array(rows, dtype=f"S{packing.width}")), held_by)
    return SetComparison(union, lacks)


def _holds(part: Packed, row: Any) -> bool:
    """Say whether a row is among sorted ones."""
    at = part.searchsorted(row)
    return bool(at < len(part) and part[at] == row)


def count_orbits(group: Group, store: SolutionStore) -> int | None:
    """Return the number of orbits that a set meets; None without symmetries or for too large a set."""
    if not group or store.distinct > LARGEST:
        return None
    met, seen = OrbitsMet(group), set[bytes]()
    for rows in store.rows():
        seen.update(map(bytes, met.canonical(rows)))
    return len(seen)
