"""Many cases in one test: a loop, where a table of parameters would make each case an item of its own.

An item costs the runner some milliseconds, whatever it does; thousands of cases of a fraction of that are
cheaper in a loop. The case that fails is named in a note of its exception.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any


def each(
    names: str, cases: Iterable[Any], ids: Sequence[str] | Callable[[Any], object] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test once for each case, within one item: like ``pytest.mark.parametrize``, for cheap cases.

    `names` are separated by commas; of several, a case is a sequence of values. What a fixture gives is the
    same for all cases, so that a test which changes it (``monkeypatch``, ``tmp_path``) stays parametrized.
    ``pytest -k`` finds a test by the names of its cases, too.
    """
    words = [word.strip() for word in names.split(",")]
    told: list[tuple[str, tuple[Any, ...]]] = []
    for place, case in enumerate(cases):
        values = tuple(case) if len(words) > 1 else (case,)
        assert len(values) == len(words), f"{case!r} gives other than {names}"
        told.append((str(ids(case) if callable(ids) else ids[place]), values))
    assert told, f"no case of {names}"

    def over(test: Callable[..., None]) -> Callable[..., None]:
        """Return the test as a loop over the cases."""
        signature = inspect.signature(test)

        @wraps(test)
        def loop(**given: Any) -> None:
            for name, values in told:
                try:
                    test(**given, **dict(zip(words, values, strict=True)))
                except BaseException as error:
                    error.add_note(f"in the case {names} = {name}")
                    raise

        kept = [parameter for name, parameter in signature.parameters.items() if name not in words]
        loop.__dict__.update(dict.fromkeys(name for name, _ in told))
        loop.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return loop

    return over
