"""Faults of what people read and write: texts of models, names as values, habits of other tools."""

from __future__ import annotations

from mutant import Area, Mutant

READABLE = Area(
    "readable",
    (
        Mutant("a relation is turned without its sign", "Wording.relation",
               "-constant, _MIRRORED[relation]", "-constant, relation"),
        Mutant("a constant changes sides as it is", "Wording.relation",
               "kept - constant", "kept + constant"),
        Mutant("a divisor of several parts stands without brackets", "Wording.between",
               "closed(other, ' *-')", "other"),
        Mutant("any single truth at least 1 is a Boolean variable", "Wording.relation",
               "and self._binary(variables[0])", ""),
        Mutant("a part of an array is the array", "Wording._array_of",
               "math.prod(found[1]) != array.size", "math.prod(found[1]) < array.size"),
        Mutant("the text of a term has no bound", "Wording.variable",
               "self.left -= 1", "self.left -= 0"),
        Mutant("a name is a new number for each variable", "Labels._number",
               "self.numbers.setdefault(label, len(self.numbers))", "len(self.numbers)"),
        Mutant("an unknown name is compared all the same", "NamedValues.numbered",
               "None if of is None else self.common_names(of)", "None"),
        Mutant("a copy shares its names", "Labels.copy",
               "copy(self.numbers)", "self.numbers"),
        Mutant("a name as an index is its number", "NamedValues.positions",
               "np.arange(len(numbers))", "np.array(numbers)"),
        Mutant("members that are numbers count as places", "NamedValues.positions",
               " or all(isinstance(label, int) for label in names.values())", ""),
        Mutant("fractions are cut", "rows.are_whole",
               "(array == np.floor(array))", "(array == array)"),
        Mutant("the greatest of nothing holds", "arithmetic.reduced",
               "if not groups.shape[1] and kind != connective:", "if False:"),
        Mutant("one of two spellings of a seed wins", "request.respelled",
               "if other in options and own in options:", "if False:"),
        Mutant("the other one of two names is shown", "Wording._pairs",
               "(low + 1, low) if factor > 0", "(low, low + 1) if factor > 0"),
        Mutant("a literal of two names is the wrong one", "Wording.literal",
               "1 if sign == 1 else 0", "0 if sign == 1 else 1"),
        Mutant("chains of rows are shown as one", "Wording._fields",
               " and values[0][1].ndim < 2", ""),
        Mutant("another axis is shown", "Wording._on_axis",
               "== step).all()", ">= 1).all()"),
    ),
    (
        "tests/language/test_wording.py", "tests/language/test_labels.py", "tests/test_habits.py",
        "tests/language/test_indexing.py",
    ),
)  # fmt: skip
