"""`cpqueens puzzle`: region puzzles and queens completions, solved, checked, hinted at, made, drawn."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cpqueens.cli.options import PLACE, json_option, stacked, time_option
from cpqueens.cli.results import DONE, INFEASIBLE, INVALID, LIMIT, echo_document
from cpqueens.cli.terminal import Standing, progress, say, style_of
from cpqueens.puzzles.generating import first_two, made
from cpqueens.puzzles.puzzle import Puzzle, Square, picture_of, places, read_puzzle
from cpqueens.puzzles.rules import LEVELS, after, difficulty, next_step, reasoned
from cpqueens.report.board_svg import board_svg
from cpqueens.report.board_text import board_text
from cpqueens.report.outputfile import write_whole
from cpqueens.text.bounded import MAX_TEXT, decoded, read_bytes, read_standard_input


@click.group(invoke_without_command=False)
def command() -> None:
    """Solve, check, generate and draw region puzzles and queens completions.

    FILE is a text (- for standard input) with a grid of letters, one a region, or of . and Q; a second grid
    behind a blank line says what is on the board already (Q for a queen, - for none). Or it is JSON:
    {"regions": ["AAB", ...], "stars": 1, "touching": false, "queens": [[0, 1]], "empty": []}.
    """


def _puzzle_options(function: Any) -> Any:
    return stacked(
        json_option,
        click.argument("file", metavar="FILE"),
        click.option("--stars", type=int, default=1, show_default=True, help="in each line (for text grids)"),
        click.option("--touching", is_flag=True, help="queens may touch (for text grids)"),
    )(function)


def _read(file: str, stars: int, touching: bool) -> Puzzle:
    text = read_standard_input(MAX_TEXT) if file == "-" else read_bytes(Path(file), MAX_TEXT)
    puzzle = read_puzzle(decoded(text), stars=stars, touching=touching)
    for warning in puzzle.warnings:
        say(f"warning: {warning}", err=True)
    return puzzle


@command.command("solve")
@_puzzle_options
@click.option("--solver", default="auto", show_default=True, help="backend or backend:strategy")
@time_option("for build, translation and search")
def solve(file: str, stars: int, touching: bool, as_json: bool, solver: str, time_limit: float | None) -> int:
    """Tell whether there is one solution, none, or more; of two, show the squares that differ."""
    puzzle = _read(file, stars, touching)
    limits = {} if time_limit is None else {"time_limit": time_limit}
    with progress(Standing("puzzle", solver, time_limit=time_limit)):
        found, proved = first_two(puzzle, solver, **limits)
    answer = "several" if len(found) > 1 else "undecided" if not proved else "one" if found else "none"
    differing = sorted(found[0] ^ found[1]) if len(found) > 1 else []
    if as_json:
        boards = [sorted(map(list, queens)) for queens in found]
        echo_document("puzzle-solve", solutions=answer, boards=boards, differing=[list(s) for s in differing])
    else:
        level = f", {difficulty(puzzle)}" if answer == "one" else ""
        say(f"solutions  {_SAID[answer]}{level}")
        for queens in found:
            say(_drawn(replace(puzzle, queens=queens), puzzle.queens))
        if differing:
            say(f"differing  {places(differing)}")
    return {"none": INFEASIBLE, "undecided": LIMIT}.get(answer, DONE)


_SAID = {"several": "at least two", "one": "exactly one", "none": "none", "undecided": "not decided in time"}


def _drawn(puzzle: Puzzle, given: frozenset[Square] = frozenset()) -> str:
    return board_text(picture_of(puzzle, given), style_of(sys.stdout))


@command.command("check")
@_puzzle_options
def check(file: str, stars: int, touching: bool, as_json: bool) -> int:
    """Show which rules the queens on the board violate, and whether a solution is left."""
    puzzle = _read(file, stars, touching)
    faults = puzzle.faults()
    done = len(puzzle.queens) == puzzle.size * puzzle.stars and not faults
    left = done or (not faults and bool(first_two(puzzle)[0]))
    if as_json:
        echo_document(
            "puzzle-check", faults=faults, solved=done, solution_left=left, warnings=puzzle.warnings
        )
    else:
        lines = faults or [
            "solved" if done else "no fault, but no solution is left" if not left else "no fault"
        ]
        say("\n".join([_drawn(puzzle), *lines]))
    return DONE if left else INVALID


@command.command("hint")
@_puzzle_options
@click.option("--all", "every", is_flag=True, help="all steps that the rules can find")
def hint(file: str, stars: int, touching: bool, as_json: bool, every: bool) -> int:
    """Show the next logical step, its rule and the reason."""
    puzzle = _read(file, stars, touching)
    faults = puzzle.faults()
    if faults:
        say("\n".join(faults))
        return INVALID
    first = next_step(puzzle)
    end, steps = reasoned(puzzle) if every else (puzzle, [first] if first else [])
    if as_json:
        said = [
            {"rule": s.rule, "level": LEVELS[s.level], "reason": s.reason,
             "queens": sorted(map(list, s.queens)), "empty": sorted(map(list, s.empty))}
            for s in steps
        ]  # fmt: skip
        echo_document("puzzle-hint", steps=said)
        return DONE
    for step in steps:
        what = f"queen at {places(step.queens)}" if step.queens else f"nothing at {places(step.empty)}"
        say(f"{what}: {step.reason} ({step.rule}, {LEVELS[step.level]})")
    if not steps:
        say("nothing follows by these rules")
    else:
        say(_drawn(end if every else after(puzzle, steps[0])))
    return DONE


@command.command("generate")
@click.argument("size", type=int, default=8)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--stars", type=int, default=1, show_default=True, help="in each line and region: 1 to 6")
@click.option("--level", type=click.Choice(["easy", "medium", "hard", "very hard"]), help="the difficulty")
@time_option("to give up; default: 60 s of processor time")
@json_option
def generate(
    size: int, seed: int, stars: int, level: str | None, time_limit: float | None, as_json: bool
) -> int:
    """Generate a puzzle with connected regions and one solution from a seed.

    With one star, 25 rows take seconds; with two, 12 rows take seconds and 14 up to a minute. With more,
    boards above 4 rows a star are made sooner: 14 rows with three and 17 with four in seconds, 21 with five
    and 25 with six in minutes (--time-limit).
    """
    with progress(Standing("puzzle", time_limit=time_limit)):
        puzzle, hardness, used = made(size, seed, level, stars, time_limit)
    if as_json:
        echo_document(
            "puzzle-generate", regions=list(puzzle.regions), stars=stars, difficulty=hardness, seed=used
        )
    else:
        say("\n".join(" ".join(row) for row in puzzle.regions))
        say(f"difficulty {hardness}, seed {used}", err=True)
    return DONE


@command.command("draw")
@_puzzle_options
@click.option("--out", type=PLACE, metavar="FILE.SVG", help="a picture instead of text")
def draw(file: str, stars: int, touching: bool, as_json: bool, out: str | None) -> int:
    """Draw a puzzle and its board, legible without colour."""
    puzzle = _read(file, stars, touching)
    if out:
        write_whole(out, board_svg(picture_of(puzzle), title="puzzle"))
    if as_json:
        echo_document("puzzle-draw", file=out, warnings=puzzle.warnings)
    else:
        say(f"written    {out}" if out else _drawn(puzzle))
    return DONE
