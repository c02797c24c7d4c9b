"""Faults of symmetries and puzzles."""

from __future__ import annotations

from mutant import Area, Mutant

PUZZLES = ("tests/puzzles/test_puzzles.py",)

PROBLEMS = Area(
    "problems",
    (
        Mutant("an orbit ends with the first images", "OrbitsMet._add",
               "new = _solutions(fresh, new.shape[1])", "new = new[:0]"),
        Mutant("the form of an orbit is any of its solutions", "symmetry._least",
               "solutions[:, k].min()", "solutions[0, k]"),
        Mutant("a generated group is taken for one written down", "symmetry.as_group",
               "group if isinstance(group, Generated) else tuple(group)", "tuple(group)"),
        Mutant("a unit multiplies columns alone", "groups.torus",
               "q[:, source] * unit % n", "q * unit % n"),
        Mutant("lines beyond the first are lost", "groups.exchanges",
               "np.arange(many, shape[axis])", "np.arange(many, many)"),
        Mutant("values are numbered by where they are not", "groups.numbered",
               "there.argmax(axis=1)", "there.argmin(axis=1)"),
        Mutant("rows are sorted by their last column first", "groups.sorted_rows",
               "reversed(range(arrays.shape[2]))", "range(arrays.shape[2])"),
        Mutant("two queens a line may touch", "pairs.arrangements",
               "max(abs(a - r), abs(b - c)) <= 1", "max(abs(a - r), abs(b - c)) <= 0", tests=PUZZLES),
        Mutant("no queen on the chosen square is not tried", "pairs.arrangements",
               "if room:", "if False:", tests=PUZZLES),
        Mutant("a puzzle may have a second solution", "generating._made_unique",
               "if second is None:", "if True:", tests=PUZZLES),
        Mutant("room for several queens always has one on the first square", "rules._fit",
               "or _fit(puzzle, others, many)", "", tests=PUZZLES),
        Mutant("no region for two is looked for", "pairs.joined",
               "row[:] = [new[k] for k in row]", "row[:] = list(row)", tests=PUZZLES),
    ),
    (
        "tests/answers/test_groups.py", "tests/answers/test_symmetry.py", "tests/models/test_symmetries.py",
    ),
)  # fmt: skip
