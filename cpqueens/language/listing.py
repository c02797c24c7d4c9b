"""A model as it is read: its variables with their domains, its constraints with their places, its objective.

Of large models the beginning and the end are listed: nothing here takes time that grows with the number of
constraints.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol, TypeVar

import numpy as np

from cpqueens.language.blocks import Block, Blocks
from cpqueens.language.labels import Names, text_of_label
from cpqueens.language.objectives import Goal, Soft
from cpqueens.language.posted import Posted
from cpqueens.language.rows import IntArray
from cpqueens.language.wording import Named, describe, describe_array

_HEAD, _TAIL = 20, 5  # entries of a long list that are shown, from its beginning and its end
_RUNS = 8  # of neighbouring values of a domain
_NARROWEST, _WIDEST = 40, 120  # columns of text

_PLACE = 30  # letters of a place

Entries = list[tuple[str, ...]]
Made = TypeVar("Made")


class Listed(Named, Protocol):
    """What is listed: a model."""

    blocks: Blocks
    domains: dict[int, IntArray]
    stated: tuple[Goal, ...]
    soft: list[Soft]

    @property
    def constraint_count(self) -> int:
        """Number of constraints."""

    def posted(self, position: int) -> Posted:
        """Return the constraint at a position."""

    def scope_text(self) -> str:
        """Return one line that says how large the model is."""


@dataclass(frozen=True)
class Listing:
    """What is listed of a model; an entry of one cell says how many are left out.

    ``sections`` are captions with their entries: variables (name, shape, domain), constraints (name and text,
    place), objectives from the most important on.
    """

    title: str
    sections: list[tuple[str, Entries]]


def listing(model: Listed, width: int = _WIDEST) -> Listing:
    """Return what is listed of a model, constraints in at most ``width`` letters."""
    objectives: Entries = [(_objective(model, goal),) for goal in model.stated]
    sections = [
        ("variables", list(_entries(len(model.blocks), lambda k: _variable(model, model.blocks[k])))),
        ("constraints", _constraints(model, model.constraint_count, model.posted, width)),
        ("soft constraints", _constraints(model, len(model.soft), lambda k: model.soft[k], width)),
        ("objectives" if objectives[1:] else "objective", objectives),
    ]
    return Listing(model.scope_text(), [(caption, entries) for caption, entries in sections if entries])


def _objective(model: Listed, goal: Goal) -> str:
    parts = [] if goal.penalties and goal.is_bare else [describe_array(model, goal.term)]
    if goal.penalties:
        times = "" if goal.penalties == 1 else f"{goal.penalties} * "
        parts.append(f"{times}<the penalties of all soft constraints>")
    return f"{'maximize' if goal.maximizing else 'minimize'} {' + '.join(parts)}"


def penalties_text(model: Listed, many: int) -> str:
    """Return the penalties of the first soft constraints, such as ``penalties (weight 3: x <= 5)``."""
    shown = _constraints(model, many, lambda k: model.soft[k], _WIDEST)
    return f"penalties ({'; '.join(entry[0] for entry in shown) or 'of no soft constraints'})"


def _entries(many: int, one: Callable[[int], Made]) -> list[Made | tuple[str]]:
    if many <= _HEAD + _TAIL + 1:
        return [one(k) for k in range(many)]
    left_out = (f"... {many - _HEAD - _TAIL:,} more",)
    return [*map(one, range(_HEAD)), left_out, *map(one, range(many - _TAIL, many))]


def _variable(model: Listed, block: Block) -> tuple[str, ...]:
    return block.name, " x ".join(map(str, block.shape)), _domain(model, block)


def _domain(model: Listed, block: Block) -> str:
    if not block.size:
        return "no elements"
    names = model.names_of(block.first)
    if names is not None:
        return names_text(names)
    values = model.domains.get(block.first)
    if values is not None:
        return domain_text(values)
    lower, upper = (b[block.first : block.first + block.size] for b in (model.lower, model.upper))
    low, high = int(lower.min()), int(upper.max())
    different = "" if int(lower.max()) == low and int(upper.min()) == high else ", bounds differ"
    return f"{low}..{high}{different}"


def domain_text(values: IntArray) -> str:
    """Return ascending values as text, neighbours as an interval.

    >>> domain_text(np.array([1, 2, 3, 5, 8, 9]))
    '{1..3, 5, 8, 9}'
    """
    starts = np.flatnonzero(np.diff(values, prepend=values[0] - 2) != 1)
    ends = np.append(starts[1:], len(values)) - 1
    runs = [_run(int(values[a]), int(values[b])) for a, b in zip(starts[:_RUNS], ends[:_RUNS], strict=True)]
    dots = [f"..., {values[-1]}"] if len(starts) > _RUNS else []
    return f"{{{', '.join([*runs, *dots])}}}"


def names_text(names: Names) -> str:
    """Return the names of a domain as text."""
    texts = [text_of_label(label) for label in names.values()]
    return f"{{{', '.join([*texts[: 2 * _RUNS], *(['...'] if len(texts) > 2 * _RUNS else [])])}}}"


def _run(first: int, last: int) -> str:
    return f"{first}{', ' if last == first + 1 else '..'}{last}" if last > first else str(first)


def _constraints(model: Listed, many: int, one: Callable[[int], Posted | Soft], width: int) -> Entries:
    """Return constraints with their places, each in at most ``width`` letters."""
    posted = _entries(many, lambda k: (one(k),))
    places = [_place(*entry) for entry in posted]
    room = width - max(map(len, places), default=0)
    return [_constraint(model, entry[0], place, room) for entry, place in zip(posted, places, strict=True)]


def _constraint(model: Listed, entry: Posted | Soft | str, place: str, room: int) -> tuple[str, ...]:
    if isinstance(entry, str):
        return (entry,)
    label = f"{entry.name}: " if entry.name else ""
    if isinstance(entry, Soft):
        weights = domain_text(np.unique(entry.weights)).strip("{}")
        label = f"weight {weights}: {label}"
    return f"{label}{describe(model, entry.constraint, max(room - len(label), _NARROWEST // 2))}", place


def _place(entry: Posted | Soft | str) -> str:
    if isinstance(entry, str) or entry.source is None:
        return ""
    return PurePath(entry.where).name[-_PLACE:]


# ---- as text ------------------------------------------------------------------------------------------


def listing_text(model: Listed, width: int | None = None) -> str:
    """Return the listing as lines of at most ``width`` columns, by default as wide as the terminal."""
    wide = shutil.get_terminal_size().columns - 1 if width is None else width
    wide = min(max(wide, _NARROWEST), _WIDEST)
    return "\n".join(line if len(line) <= wide else f"{line[: wide - 3]}..." for line in _lines(model, wide))


def _lines(model: Listed, width: int) -> Iterator[str]:
    found = listing(model, width - 4)
    yield found.title
    for caption, entries in found.sections:
        yield caption
        yield from _columns(entries)


def _columns(entries: Entries) -> Iterator[str]:
    """Yield entries as aligned columns."""
    whole = [entry for entry in entries if len(entry) > 1]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    for entry in entries:
        cells = entry if len(entry) == 1 else [c.ljust(w) for c, w in zip(entry, widths, strict=True)]
        yield f"  {'  '.join(cells)}".rstrip()
