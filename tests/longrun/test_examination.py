"""What workers answer is examined: whatever one says instead of a result is a failure, and never a count."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens
from executors import Here, counted

from cpqueens.fuzzing.findings import Examined
from cpqueens.fuzzing.fuzz import _read, as_text
from cpqueens.longrun.coordinator import DurableCount, durable_count, durable_enumerate
from cpqueens.longrun.ledger import Ledger
from cpqueens.longrun.work import BadAnswer, examine, read_count, residues

Change = Callable[[Any], Any]
"""Makes another answer of a good one, which is a list of one result."""


def with_(**changes: Any) -> Change:
    """Change fields of the result."""
    return lambda good: [replace(good[0], **changes)]


def with_count(count: Any, of_residues: int = 0) -> Change:
    return with_(count=count, residues=residues(of_residues))


COUNTS: dict[str, tuple[Change, str]] = {
    "nothing": (lambda good: None, "a worker answered None; a list of results"),
    "no list": (tuple, r"a worker answered \(Counted"),
    "a mapping": (lambda good: {0: good[0]}, "a worker answered {0: Counted"),
    "an error as a value": (lambda good: ValueError("no"), r"a worker answered ValueError\('no'\)"),
    "something else in the list": (lambda good: [*good, 3], "a worker answered 3; a result"),
    "a result as a tuple": (lambda good: [tuple(vars(good[0]).values())], "a result is needed"),
    "no result at all": (lambda good: [], "0 results, and none for part 0"),
    "another part alone": (with_(part=1), "part 1, which was not asked for"),
    "another part beside it": (lambda good: [*good, counted(4, 2)], "part 4, which was not asked for"),
    "a part that there is not": (with_(part=10**9), "part 1000000000, which was not asked for"),
    "a negative part": (with_(part=-1), "part -1, which was not asked for"),
    "a truth as a part": (with_(part=False), "has part False; needed is an integer"),
    "a text as a part": (with_(part="0"), "has part '0'; needed is an integer"),
    "a negative count": (with_count(-30, -30), "has count -30; needed is an integer from 0 on"),
    "a truth as a count": (with_count(True, 1), "has count True"),
    "a fraction as a count": (with_count(2.0, 2), r"has count 2\.0"),
    "a text as a count": (with_count("2", 2), "has count '2'"),
    "no count": (with_count(None), "has count None"),
    "a NumPy integer as a count": (with_count(np.int64(2), 2), "has count "),
    "a count of too many digits": (with_count(10**4000, 10**4000), "has count "),
    "a count that was changed on its way": (with_count(3, 2), "count 3 has other residues"),
    "residues of another type": (with_(residues=[0, 0]), r"has residues \[0, 0\]; needed is two integers"),
    "one residue": (with_(residues=(0,)), r"has residues \(0,\)"),
    "residues that are no integers": (with_(residues=(0.0, 0)), r"has residues \(0\.0, 0\)"),
    "negative seconds": (with_(seconds=-1.0), r"has seconds -1\.0; needed is a number from 0 on"),
    "no seconds": (with_(seconds=None), "has seconds None"),
    "seconds that are no number": (with_(seconds=float("nan")), "has seconds nan"),
    "infinite seconds": (with_(seconds=float("inf")), "has seconds inf"),
    "a worker without a name": (with_(worker=None), "has worker None; needed is a name"),
    "a name that moves the cursor": (with_(worker="\x1b[2J"), "has worker "),
    "a name that nobody can write": (with_(worker="\ud800"), "has worker "),
    "a name without end": (with_(worker="x" * 10**5), "has worker "),
    "a content of another type": (with_(content=b"{}"), "has content b'{}'; needed is a text"),
    "a content that was not asked for": (with_(content="{}"), "more than a count"),
    "solutions that were not asked for": (with_(rows=np.zeros((0, 5), dtype=int)), "more than a count"),
}


def with_rows(change: Callable[[Any], Any]) -> Change:
    """Change the solutions, and count them."""

    def changed(good: Any) -> Any:
        rows = change(good[0].rows)
        return [replace(good[0], rows=rows, count=len(rows), residues=residues(len(rows)))]

    return changed


LISTS: dict[str, tuple[Change, str]] = {
    "no solutions": (with_(rows=None), "no list of solutions"),
    "solutions as a list": (with_rows(lambda rows: rows.tolist()), "no list of solutions"),
    "solutions that are fractions": (with_rows(lambda rows: rows.astype(float)), "no list of solutions"),
    "a solution too few": (lambda good: [replace(good[0], rows=good[0].rows[1:])], "rows that are not"),
    "a column too few": (with_rows(lambda rows: rows[:, 1:]), "rows that are not"),
    "no columns": (with_rows(lambda rows: rows[:, 0]), "rows that are not"),
    "a solution twice": (with_rows(lambda rows: rows[[0, 0]]), "rows that are not"),
    "another order": (with_rows(lambda rows: rows[::-1]), "rows that are not"),
    "solutions of another part": (with_rows(lambda rows: (rows + 1) % 5), "rows that are not"),
    "values that no variable has": (
        with_rows(lambda rows: rows + np.array([0, 0, 0, 0, 5])),
        "rows that are not",
    ),
    "a content": (with_(content="{}"), "no list of solutions"),
}


class Changed(Here):
    """Changes the first answers."""

    def __init__(self, change: Change, times: int) -> None:
        self.change, self.left = change, times

    def call(self, fn: Callable[..., Any], *args: Any) -> Any:
        self.left -= 1
        good = fn(*args)
        return good if self.left < 0 else self.change(good)


def failed(path: Path) -> list[str]:
    with closing(Ledger.open(path)) as ledger:
        return [message for _, message, _ in ledger.failures()]


@pytest.mark.parametrize("name", COUNTS)
def test_what_is_no_count_is_a_failure_and_the_part_is_counted_again(name: str, tmp_path: Path) -> None:
    change, said = COUNTS[name]
    path = tmp_path / "run.db"
    found = durable_count(queens(5), path, executor=Changed(change, 1), parts=5, workers=1)
    check(found, path, said)


@pytest.mark.parametrize("name", LISTS)
def test_what_is_no_list_is_a_failure_and_the_part_is_listed_again(name: str, tmp_path: Path) -> None:
    change, said = LISTS[name]
    path = tmp_path / "run.db"
    found = durable_enumerate(queens(5), path, executor=Changed(change, 1), parts=5, workers=1)
    check(found, path, said)


def check(found: DurableCount, path: Path, said: str) -> None:
    assert (found.count, found.complete, found.totals.conflicts) == (10, True, 0)
    (message,) = failed(path)
    assert message.startswith("BadAnswer: ")
    with pytest.raises(ValueError, match=said):
        raise ValueError(message)


def test_who_always_answers_so_poisons_one_part_after_another(tmp_path: Path) -> None:
    change, _ = COUNTS["a negative count"]
    path = tmp_path / "run.db"
    found = durable_count(queens(5), path, executor=Changed(change, 10**9), parts=5, workers=1)
    assert (found.stop_reason, found.count, found.totals.poison) == ("poison", 0, (0, 1, 2, 3, 4))
    assert len(failed(path)) == 15


def test_of_several_parts_one_that_is_missing_is_named() -> None:
    with pytest.raises(BadAnswer, match="2 results, and none for part 7"):
        examine([counted(1, 2), counted(2, 2)], [1, 2, 7], read_count)
    both = [counted(1, 2), counted(2, 2), counted(2, 3)]
    assert examine(both, [1, 2], read_count) is both  # the ledger compares what came twice


def test_what_another_fuzzed_model_brought_is_refused() -> None:
    content = as_text(Examined(3, "few", {}, (), (), {}))
    _read(replace(counted(3, 0), content=content))
    for wrong in (counted(4, 0), counted(3, 1)):
        with pytest.raises(ValueError, match="another model"):
            _read(replace(wrong, content=content))
    with pytest.raises(ValueError, match="not what a model brought"):
        _read(counted(3, 0))
    for text in ("", "{}", "[" * 10):
        with pytest.raises((ValueError, LookupError)):
            _read(replace(counted(3, 0), content=text))
