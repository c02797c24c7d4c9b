"""Names as values: strings and members of enumerations, which variables take as numbers.

A name has one number in the whole model, so that ``x == y`` and `AllDifferent` mean what they say whatever
names two variables share; members of an `IntEnum` keep theirs, since Python takes them for it. A variable
shows its values by the names that its domain was made of; in files a member is written by its name.

Series and frames of pandas have labels, too; beside what has names, equal labels stand for the same thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from enum import Enum
from itertools import islice
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.rows import IntArray, refusing
from cpqueens.language.unknown import Unknown
from cpqueens.text.plaintext import checked_name, did_you_mean, first_repeated, shown

Label = str | Enum
Names = Mapping[int, Label]
"""The names of one array of variables by their numbers."""

MAX_LABEL = 200
MAX_DOMAIN = 1_000_000


def text_of_label(label: Label) -> str:
    """Return a name as it is written in files: a string itself, a member of an enumeration by its name."""
    return str(label.name) if isinstance(label, Enum) else label


def is_label(value: Any) -> bool:
    """Say whether a value is a name; an `IntEnum` member counts as the number that it is."""
    return isinstance(value, str) or (isinstance(value, Enum) and not isinstance(value, int))


class Labels:
    """The names of one model: their numbers, and which arrays of variables take them."""

    def __init__(self) -> None:
        self.numbers: dict[Label, int] = {}
        self.of_array: dict[str, Names] = {}  # by the name of an array of variables

    def __bool__(self) -> bool:
        return bool(self.of_array)

    def copy(self) -> Labels:
        """Return an independent copy."""
        other = Labels()
        other.numbers, other.of_array = copy(self.numbers), copy(self.of_array)
        return other

    def domain(self, labels: Iterable[Label]) -> Names:
        """Return the names of a new variable by their numbers; names that are new get numbers.

        Raises
        ------
        ModelError
            For something that is no name, or two names that would be one in a file.
        """
        given = list(dict.fromkeys(labels))
        texts: dict[str, Label] = {}
        for label in given:
            if not isinstance(label, Label):
                raise ModelError(
                    f"values: all names or all integers are needed, got {shown(label)} among them"
                )
            text = checked_name(text_of_label(label), "a value", MAX_LABEL)
            if texts.setdefault(text, label) is not label:
                raise ModelError(f"values: {shown(label)} and {shown(texts[text])} have one name")
        return {self._number(label): label for label in given}

    def _number(self, label: Label) -> int:
        if isinstance(label, int):
            return int(label)
        return self.numbers.setdefault(label, len(self.numbers))

    def restored(self, texts: Iterable[str], numbers: Iterable[int]) -> Names:
        """Return the names of a variable of a file, where each has its number already.

        Raises
        ------
        ModelError
            For names and numbers that do not go together, here or with those of another variable.
        """
        names = dict(zip(numbers, texts, strict=True))
        for number, text in names.items():
            checked_name(text, "a value", MAX_LABEL)
            if self.numbers.setdefault(text, number) != number:
                raise ModelError(
                    f"{shown(text)} is {self.numbers[text]} of one variable and {number} of another"
                )
        if len(set(names.values())) < len(names):
            raise ModelError("a name is there twice")
        return names

    def number_of(self, value: Any) -> int:
        """Return the number of a name.

        Raises
        ------
        ModelError
            If no variable has this value, with the nearest name.
        """
        number = self.numbers.get(value)
        if number is None:
            known = map(text_of_label, self.numbers)
            raise ModelError(f"no variable has the value {shown(value)}{did_you_mean(str(value), known)}")
        return number


def numbered(labels: Labels, value: Any) -> Any:
    """Return ``value``, in which names stand at some depth of lists, with numbers for names."""
    if is_label(value):
        return labels.number_of(value)
    if isinstance(value, list | tuple):
        return [numbered(labels, part) for part in value]
    if isinstance(value, np.ndarray):
        return [numbered(labels, part) for part in value.tolist()]
    return sorted(labels.number_of(part) for part in value) if isinstance(value, set | frozenset) else value


def holds_labels(values: Iterable[Any]) -> bool:
    """Say whether names stand in values, at any depth of lists."""
    return any(
        is_label(v)
        or (isinstance(v, list | tuple | set | frozenset) and holds_labels(v))
        or (isinstance(v, np.ndarray) and v.dtype.kind in "UO" and v.ndim > 0 and holds_labels(v.tolist()))
        for v in values
    )


def numbers_among(names: Names, value: Any, where: str) -> Any:
    """Return the numbers of values given for variables with these names: names, their texts, or numbers.

    ``where`` says in messages whose values they are.

    Raises
    ------
    ModelError
        For a name that these variables do not have.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [numbers_among(names, part, where) for part in value]
    if not isinstance(value, str | Enum):
        return value
    for number, label in names.items():
        if value is label or value == label or value == text_of_label(label):
            return number
    near = did_you_mean(str(value), map(text_of_label, names.values()))
    raise ModelError(f"{where}: {shown(value)} is none of the values{near}")


def labelled(names: Names, values: IntArray) -> Any:
    """Return values as names: one alone, or an array of objects in the same shape."""
    if not values.ndim:
        return names.get(int(values), int(values))
    found = np.empty(values.shape, dtype=object)
    found.reshape(-1)[:] = [names.get(v, v) for v in values.reshape(-1).tolist()]
    found.flags.writeable = False
    return found


def texts_of(names: Names, values: Any) -> Any:
    """Return nested lists of values with the texts of names in their place."""
    if not names:
        return values
    if isinstance(values, list):
        return [texts_of(names, part) for part in values]
    return text_of_label(names[values]) if values in names else values


def listed_values(values: Any) -> list[Any]:
    """Return the values that a variable is made of: those of a class of an enumeration, or any others.

    Raises
    ------
    ModelError
        For a text, which is one name and no list of them, for too many values, and one that is there twice.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        bounds = "; for bounds m.intvar(lower, upper)" if isinstance(values, int | np.integer) else ""
        raise ModelError(f"values: a list of names or of integers is needed, got {shown(values)}{bounds}")
    given: Iterator[Any] = iter(values)
    found = list(islice(given, MAX_DOMAIN + 1))
    if len(found) > MAX_DOMAIN:
        raise ModelError(f"values: more than {MAX_DOMAIN}; use m.intvar with bounds")
    if not found:
        raise ModelError("values: empty; at least one value is needed")
    with refusing("values"):  # some cannot be compared
        repeated = first_repeated(found)
    if repeated is not None:
        raise ModelError(f"values: {shown(repeated)} is there twice; of a column write series.unique()")
    return found


_BY_PLACE = "write .to_numpy() to take it by place"


def is_framed(value: Any) -> bool:
    """Say whether a value is a series or a frame."""
    return not isinstance(value, Unknown) and hasattr(value, "iloc")  # a term says at length what it has not


def in_order(value: Any, labels: Sequence[Sequence[Any] | None], beside: str = "what is beside it") -> Any:
    """Return a series or a frame as an array in the order of labels along its axes; all else as it is.

    Axes go together from the last one on, as NumPy broadcasts them. Labels 0, 1, 2, ... are what pandas has
    where nobody gave any: they go by place, unless both sides have the same.

    Raises
    ------
    ModelError
        Where both sides have labels, and not the same.
    """
    if not is_framed(value) or not any(axis is not None for axis in labels):
        return value
    array = value.to_numpy()
    for axis in range(-min(len(value.axes), len(labels)), 0):
        wanted = labels[axis]
        order = None if wanted is None else _places(value.axes[axis].tolist(), list(wanted), beside)
        array = array if order is None else array.take(order, axis)
    return array


def _places(given: list[Any], wanted: list[Any], beside: str) -> list[int] | None:
    """Return where the wanted labels stand among the given ones; None for what goes by place."""
    places, own = {label: k for k, label in enumerate(given)}, set(wanted)
    if len(places) == len(given) and places.keys() == own:
        return [places[label] for label in wanted]
    if len(given) == 1 < len(wanted):  # one for all, unless it is one of theirs: what a filter left
        if given[0] not in own or given == [0]:
            return None
    elif _is_counting(given) or _is_counting(wanted):
        return None
    if len(places) < len(given):
        twice = next(label for k, label in enumerate(given) if places[label] != k)
        raise ModelError(f"labels of pandas: {shown(twice)} is there twice; {_BY_PLACE}")
    extra = next((label for label in given if label not in own), None)
    if extra is not None:
        what = f"has the label {shown(extra)}, which {beside} has not ({shown(wanted, 60)})"
    else:
        what = f"has no label {shown(next(one for one in wanted if one not in places))}, which {beside} has"
    raise ModelError(f"a series or frame {what}; {_BY_PLACE}")


def _is_counting(labels: list[Any]) -> bool:
    return labels == list(range(len(labels))) and not any(isinstance(label, bool) for label in labels)
