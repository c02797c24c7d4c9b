"""Puzzles: what is read and refused, rules that never lie, generated ones, and the verbs."""

import json
import random
from itertools import combinations, islice
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from each import each
from seeds import sweep

from cpqueens import ModelError
from cpqueens.cli.main import main
from cpqueens.errors import NotInTime
from cpqueens.puzzles import generating, rules
from cpqueens.puzzles.generating import (
    first_two,
    generated_regions,
    grown,
    joined,
    lettered,
    made,
    model_of,
    random_placement,
    shifts_of,
    solutions,
)
from cpqueens.puzzles.puzzle import Puzzle, parts, picture_of, read_puzzle
from cpqueens.report.board_svg import board_svg

EXACT = ("backtracking", "cpsat", "python-constraint")


def call(*words: str, text: str = "") -> Result:
    return CliRunner().invoke(main, ["puzzle", *words], input=text)


def random_puzzle(size: int, seed: int, stars: int = 1) -> Puzzle:
    """Return a puzzle with any number of solutions."""
    shuffle = random.Random(seed)
    while True:
        owner = joined(grown(random_placement(size, stars, shuffle), size, shuffle), stars, shuffle)
        if owner:
            return Puzzle(size, lettered(owner), stars)


def all_solutions(puzzle: Puzzle) -> list[frozenset[tuple[int, int]]]:
    model = model_of(puzzle)
    rows = [s[model["x"]].tolist() for s in model.enumerate(solver="cpsat").solutions]
    return [frozenset((r, c) for r, row in enumerate(x) for c, v in enumerate(row) if v) for x in rows]


@pytest.mark.parametrize(
    ("text", "regions", "queens", "empty"),
    [
        ("AB\nAB", ("AB", "AB"), set(), set()),
        ("A B\nA B\n\nQ.\n.x\n", ("AB", "AB"), {(0, 0)}, {(1, 1)}),
        (".Q\n-.", (), {(0, 1)}, {(1, 0)}),
        ('{"regions": ["AB", "AB"], "queens": [[0, 1]]}', ("AB", "AB"), {(0, 1)}, set()),
        ('{"board": ["Q.", ".."], "empty": [[1, 0]]}', (), {(0, 0)}, {(1, 0)}),
    ],
)
def test_what_is_read(text: str, regions: tuple[str, ...], queens: set[object], empty: set[object]) -> None:
    puzzle = read_puzzle(text)
    assert (puzzle.regions, set(puzzle.queens), set(puzzle.empty)) == (regions, queens, empty)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "one or two grids"),
        ("AB\nA", "row 2, 'A', has 1 squares instead of 2"),
        ("AA\nAA", "2 regions are needed, got 1"),
        ("AB\nAB\n\nQ?\n..", "'?' in row 1, column 2: allowed are Q . -"),
        ("AB\nAB\n\nQ.", "2 rows are needed, got 1"),
        ("{", "puzzle: "),
        ('{"region": []}', "unknown field `region`"),
        ("{}", "regions or a board are needed"),
        ('{"regions": ["AB", "AB"], "queens": [[0, 2]]}', "the square (0, 2) is not on the board"),
        ('{"board": [".."], "stars": 1}', "row 1, '..', has 2 squares instead of 1"),
        ('{"board": ["."], "stars": 2}', "stars: 1 is needed"),
        ("A\x1b\nAB", "has a sign that cannot be printed"),
    ],
)
def test_what_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_puzzle(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@each("seed", sweep(2, 6))
def test_no_rule_says_what_a_solution_denies(seed: int) -> None:
    """Of puzzles with many solutions and of completions, what each rule says holds in all of them."""
    shuffle = random.Random(seed)
    puzzles = [random_puzzle(6, seed), Puzzle(6, queens=frozenset({(0, shuffle.randrange(6))}))]
    puzzles.append(random_puzzle(8, seed, 2))
    for puzzle in puzzles:
        found = all_solutions(puzzle)
        for _ in range(4):
            for rule in rules.RULES if found else ():
                for step in islice(rule(puzzle), 20):
                    assert all(step.queens <= s and not step.empty & s for s in found), step
            step = rules.next_step(puzzle)
            if step is None:
                break
            puzzle = rules.after(puzzle, step)


HARD = "CCCDDDDDA CCDDCCEAA FCCDCEEEA FCCCCCCEA FFCHHGCCA FFHHHGGAA FIHHHGAAA IIHHGGGAB IIIHHHBBB"
"""Two queens a line and region."""


def test_rules_for_several_queens_a_line() -> None:
    puzzle = Puzzle(9, tuple(HARD.split()), 2)
    end, steps = rules.reasoned(puzzle)
    assert all_solutions(puzzle) == [end.queens]
    assert rules.difficulty(puzzle) == "hard"
    reasons = [step.reason for step in steps]
    assert "without a queen at r9c7 too few squares would be left to region B" in reasons
    assert "a queen at r4c5 would leave too few squares to rows 1 to 7 without regions A C D E F" in reasons


def test_what_is_counted_is_true_of_every_solution() -> None:
    for seed in range(3):
        puzzle = random_puzzle(8, seed, 2)
        found = all_solutions(puzzle)
        assert found
        counts = list(rules._counts(puzzle, rules.open_squares(puzzle)))
        assert len(counts) > 10
        assert all(len(squares & s) == many for _, squares, many in counts for s in found)


@pytest.mark.parametrize(("size", "seed"), [(5, 0), (6, 1), (7, 2), (8, 3)])
def test_generated_puzzles_are_connected_and_unique_on_every_exact_backend(size: int, seed: int) -> None:
    puzzle, hardness, used = made(size, seed)
    assert used == seed
    assert puzzle.warnings == []
    assert puzzle.regions == generated_regions(size, seed)
    answers = [first_two(puzzle, solver) for solver in EXACT]
    assert all(answer == answers[0] for answer in answers)
    (solution,), proved = answers[0]
    assert proved
    end, _ = rules.reasoned(puzzle)
    assert end.queens <= solution
    assert (end.queens == solution) == (hardness != rules.LEVELS[5])


@each("seed", range(5))
def test_the_search_of_the_generator_finds_every_solution(seed: int) -> None:
    puzzle = random_puzzle(7, seed)
    letters = sorted(puzzle.by_region)
    owner = [[letters.index(letter) for letter in row] for row in puzzle.regions]
    found = [frozenset(s) for s in solutions(owner)]
    assert len(found) == len(set(found)) > 0
    assert set(found) == set(all_solutions(puzzle))


@pytest.mark.parametrize(("size", "stars"), [(4, 1), (9, 1), (8, 2), (11, 2), (12, 3), (13, 3), (14, 3)])
def test_random_placements_and_regions_around_them(size: int, stars: int) -> None:
    shuffle = random.Random(size)
    queens = random_placement(size, stars, shuffle)
    assert all(
        sum(line == k for line in lines) == stars for lines in zip(*queens, strict=True) for k in range(size)
    )
    assert all(max(abs(a - c), abs(b - d)) > 1 for (a, b), (c, d) in combinations(queens, 2))
    boards = (joined(grown(queens, size, shuffle), stars, shuffle) for _ in range(200))
    owner = next(board for board in boards if board)
    puzzle = Puzzle(size, lettered(owner), stars, queens=frozenset(queens))
    assert (puzzle.warnings, puzzle.faults()) == ([], [])
    for squares, region in shifts_of(owner, queens, puzzle.squares):
        shifted = [row.copy() for row in owner]
        for r, c in squares:
            shifted[r][c] = region
        after = Puzzle(size, lettered(shifted), stars, queens=frozenset(queens))
        assert (after.warnings, after.faults()) == ([], [])


def test_a_generator_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotInTime, match=r"no puzzle of size 24 with stars=6 and seed=0 was found in 0.1 s"):
        made(24, 0, stars=6, time_limit=0.1)
    late = call("generate", "20", "--stars", "5", "--time-limit", "0.1")
    assert (late.exit_code, late.stderr.count("\n")) == (3, 1)

    def first_alone(size: int, seed: int, stars: int, time_limit: float) -> tuple[str, ...]:
        return generated_regions(size, seed, stars, time_limit if seed < 5 else 1e-9)

    monkeypatch.setattr(generating, "generated_regions", first_alone)
    with pytest.raises(NotInTime, match="--level very hard: none of the seeds 4 to 4"):
        made(4, 4, "very hard")


@pytest.mark.parametrize(("size", "stars"), [(8, 2), pytest.param(10, 2, marks=pytest.mark.slow), (12, 3)])
def test_generated_puzzles_of_several_a_line(size: int, stars: int) -> None:
    puzzle, hardness, used = made(size, 1, stars=stars)
    assert (used, puzzle.stars, puzzle.warnings) == (1, stars, [])
    assert puzzle.regions == generated_regions(size, 1, stars)
    assert len(puzzle.by_region) == size
    answers = [first_two(puzzle, solver) for solver in (EXACT if size < 10 else EXACT[1:])]
    (solution,), proved = answers[0]
    assert proved
    assert all(answer == answers[0] for answer in answers)
    end, _ = rules.reasoned(puzzle)
    assert end.queens <= solution
    assert (end.queens == solution) == (hardness != rules.LEVELS[5])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "stars", "many"),
    [*((size, 1, 50) for size in range(7, 12)), (8, 2, 60), (9, 2, 30), (10, 2, 20), (11, 2, 5), (12, 3, 10)],
)
def test_a_few_hundred_generated_puzzles_on_every_exact_backend(size: int, stars: int, many: int) -> None:
    for seed in range(many):
        puzzle = Puzzle(size, generated_regions(size, seed, stars, 600), stars)
        assert puzzle.warnings == []
        (solution,), proved = first_two(puzzle, EXACT[0])
        assert proved
        assert all(first_two(puzzle, solver) == ([solution], True) for solver in EXACT[1:])
        assert [model_of(puzzle).count(solver=solver) for solver in EXACT] == [1, 1, 1]
        assert rules.reasoned(puzzle)[0].queens <= solution


@pytest.mark.parametrize("seed", range(3))
def test_puzzles_of_many_solutions_are_counted_alike_on_every_exact_backend(seed: int) -> None:
    for size, stars in ((6, 1), (8, 2)):
        counts = [model_of(random_puzzle(size, seed, stars)).count(solver=solver) for solver in EXACT]
        assert counts[0] == counts[1] == counts[2] > 0


def test_a_wanted_difficulty() -> None:
    puzzle, hardness, used = made(6, 0, "medium")
    assert (hardness, rules.difficulty(puzzle)) == ("medium", "medium")
    assert made(6, used, "medium")[2] == used
    with pytest.raises(ModelError, match="size: 4 to 25 is needed with stars=1, got 3"):
        made(3, 0)
    with pytest.raises(ModelError, match="size: 8 to 25 is needed with stars=2, got 7"):
        made(7, 0, stars=2)
    with pytest.raises(ModelError, match="stars: 1 to 6 are needed, got 7"):
        made(25, 0, stars=7)
    with pytest.raises(ModelError, match="time_limit: more than 0 seconds are needed, got nan"):
        made(8, 0, time_limit=float("nan"))


def test_parts_of_a_region() -> None:
    assert sorted(map(len, parts({(0, 0), (0, 1), (2, 2)}, 3))) == [1, 2]
    assert random_puzzle(6, 1).warnings == []
    assert read_puzzle("AAB\nBBB\nCCA").warnings == ["region A is in 2 parts"]


def test_two_solutions_differ_where_it_says(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_text("AABB\nAABB\nCCDD\nCCDD\n")
    found = json.loads(call("solve", str(file), "--json").stdout)
    assert found["solutions"] == "several"
    assert len(found["differing"]) == 8
    result = call("solve", str(file))
    assert "at least two" in result.stdout
    assert "differing  r1c2 r1c3" in result.stdout


def test_verbs_on_the_way_to_a_solution() -> None:
    text = ".Q..\n....\n....\n....\n"
    assert (
        "nothing at r2c1 r2c3 r3c4: attacked on a diagonal by the queen at r1c2"
        in call("hint", "-", text=text).stdout
    )
    end = call("hint", "--all", "--json", "-", text=text)
    assert {tuple(q) for s in json.loads(end.stdout)["steps"] for q in s["queens"]} == {
        (1, 3),
        (2, 0),
        (3, 2),
    }
    assert "exactly one, easy" in call("solve", "-", text=text).stdout
    assert call("check", "-", text=text).exit_code == 0
    wrong = call("check", "-", text="Q...\n.Q..\n....\n....\n")
    assert wrong.exit_code == 10
    assert "r1c1 and r2c2 attack each other on a diagonal" in wrong.stdout
    none = call("check", "-", text="Q...\n....\n....\n....\n")
    assert (none.exit_code, "no solution is left" in none.stdout) == (10, True)
    assert call("solve", "-", text="Q...\n....\n....\n....\n").exit_code == 1
    assert "solved" in call("check", "-", text=".Q..\n...Q\nQ...\n..Q.\n").stdout


def test_generate_and_draw(tmp_path: Path) -> None:
    pair = call("generate", "8", "--stars", "2", "--json")
    assert json.loads(pair.stdout)["stars"] == 2
    assert (
        "exactly one"
        in call("solve", "-", "--stars", "2", text="\n".join(json.loads(pair.stdout)["regions"])).stdout
    )
    made_once, again = call("generate", "6", "--seed", "4"), call("generate", "6", "--seed", "4")
    assert made_once.stdout == again.stdout
    drawn = tmp_path / "p.svg"
    grid = "\n".join(line for line in made_once.stdout.splitlines() if "seed" not in line)
    assert call("draw", "-", "--out", str(drawn), text=grid).exit_code == 0
    assert drawn.read_text() == board_svg(picture_of(read_puzzle(grid)), title="puzzle")
    broken = call("draw", "-", text="AAB\nBBB\nCCA\n")
    assert "warning: region A is in 2 parts" in broken.output
    assert call("generate", "3").exit_code == 2
