"""Sets of packed solutions against Python's own sets, in memory and on disk."""

import numpy as np
import pytest

from cpqueens import Model
from cpqueens.crosscheck.sets import Packing, SolutionStore, compare_sets
from cpqueens.language.ranges import LIMIT


def packing_for(low, high, width):
    model = Model()
    model.intvar(low, high, shape=width, name="x")
    return Packing(model)


RANGES = [
    (0, 1),
    (-3, 3),
    (0, 255),
    (0, 256),
    (-(2**31), 2**31),
    (-(2**60), 2**60),
    (-LIMIT, LIMIT),
]


def test_packing_is_reversible_and_in_order_of_values_within_a_bucket():
    random = np.random.default_rng(0)
    for low, high in RANGES:
        packing = packing_for(low, high, 3)
        rows = random.integers(low, high, (200, 3), endpoint=True)
        rows[:2] = [[low] * 3, [high] * 3]
        packed = packing.pack(rows)
        assert np.array_equal(packing.unpack(packed), rows)
        again = packing.unpack(np.sort(packed))
        buckets = np.sort(packed).view(np.uint8).reshape(len(rows), -1)[:, 0]
        for bucket in np.unique(buckets):
            part = again[buckets == bucket].tolist()
            assert part == sorted(part)


@pytest.mark.parametrize("buffer", [2**20, 200])
def test_distinct_digest_and_lacks_are_those_of_python_sets(buffer, tmp_path):
    random = np.random.default_rng(1)
    packing = packing_for(-2, 3, 4)
    everything = random.integers(-2, 3, (3000, 4), endpoint=True)
    parts = {"a": everything[:2000], "b": everything[500:], "c": everything[:0]}
    stores, truth = {}, {}
    for name, rows in parts.items():
        store = SolutionStore(packing, tmp_path, buffer)
        for k in range(0, len(rows), 77):
            store.add(rows[k : k + 77])
        store.finish()
        stores[name], truth[name] = store, {tuple(r) for r in rows.tolist()}
        assert store.raw == len(rows)
        assert store.distinct == len(truth[name])
        assert {tuple(r) for part in store.rows() for r in part.tolist()} == truth[name]
    union = set.union(*truth.values())
    found = compare_sets(stores, stores, first=5)
    assert found.union == len(union)
    assert any(lack.total for lack in found.lacks.values())
    for name, lack in found.lacks.items():
        missing = union - truth[name]
        assert lack.total == len(missing)
        assert len(lack.rows) == min(5, len(missing))
        for row, holders in zip(lack.rows.tolist(), lack.held_by, strict=True):
            assert tuple(row) in missing
            assert set(holders) == {n for n in truth if tuple(row) in truth[n]}
    for store in stores.values():
        store.close()
    assert not list(tmp_path.iterdir())


def test_the_digest_depends_on_the_set_and_not_on_order_repetition_or_place(tmp_path):
    packing = packing_for(0, 9, 3)
    rows = np.random.default_rng(2).integers(0, 9, (500, 3))
    digests = set()
    for buffer, order in ((2**20, slice(None)), (2**20, slice(None, None, -1)), (100, slice(None))):
        store = SolutionStore(packing, tmp_path, buffer)
        store.add(rows[order])
        store.add(rows[:50])
        store.finish()
        digests.add(store.digest)
        store.close()
    assert len(digests) == 1
    other = SolutionStore(packing)
    other.add(np.unique(rows, axis=0)[1:])
    other.finish()
    assert other.digest not in digests


def test_zero_bytes_at_the_end_of_a_row_are_not_lost():
    packing = packing_for(0, 3, 2)
    store = SolutionStore(packing)
    store.add(np.array([[1, 0], [0, 0], [0, 1]]))
    store.finish()
    assert {tuple(r) for part in store.rows() for r in part.tolist()} == {(1, 0), (0, 0), (0, 1)}


def test_a_model_without_variables_has_one_row():
    packing = Packing(Model())
    store = SolutionStore(packing)
    store.add(np.zeros((2, 0), dtype=np.int64))
    store.finish()
    assert (store.raw, store.distinct) == (2, 1)
    assert store.first(3).shape == (1, 0)
