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
        Mutant("columns get more queens than have room", "generating._leaves_room",
               "return all(a + b <= room for a, b in pairwise(left))", "return True",
               equivalent="boards are completed or begun anew; only the time differs"),
        Mutant("a puzzle may have a second solution", "generating.made_unique",
               "if wrong is None:", "if True:", tests=PUZZLES),
        Mutant("room for several queens always has one on the first square", "rules._fit",
               "or _fit(puzzle, others, many)", "", tests=PUZZLES),
        Mutant("regions within lines are not counted", "rules._counts",
               "lacks - sum(part[2] for part in within)", "lacks", tests=PUZZLES),
        Mutant("regions that reach out are counted too often", "rules._counts",
               "sum(part[2] for part in reaching) - lacks", "sum(part[2] for part in reaching)",
               tests=PUZZLES),
        Mutant("every square can be done without", "rules._without",
               "squares - {square}", "squares", tests=PUZZLES),
        Mutant("what is cut off from a region stays in it", "generating.shifts_of",
               "if piece is not held[0]", "if False", tests=PUZZLES),
        Mutant("a region in two halves with queens is left", "generating.shifts_of",
               "if len(held) == 1", "if held", tests=PUZZLES),
        Mutant("regions lose their stars by numbering", "generating.joined",
               "len(new) // stars", "len(new)", tests=PUZZLES),
    ),
    (
        "tests/answers/test_groups.py", "tests/answers/test_symmetry.py", "tests/models/test_symmetries.py",
    ),
)  # fmt: skip
