"""What each of the classical texts claims, as experiments, and what is known to be wrong in it."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from cpqueens.errors import ModelError
from cpqueens.lab import source_tables, verdicts
from cpqueens.lab.experiments import (
    LIMIT,
    Cells,
    Experiment,
    FigureTable,
    Measured,
    Reproduced,
    Section,
    Sweep,
    claims,
    over_sizes,
    solved_within,
)
from cpqueens.lab.source_programs import ClimbProgram, Program, RowsProgram, SidewaysProgram, SwapProgram
from cpqueens.lab.verdicts import Judgement
from cpqueens.text.plaintext import shown

RATE, STEPS, IF_SOLVED, IF_NOT = (Measured(kind) for kind in ("solved", "a run", "if solved", "if not"))
EVALUATIONS = Measured("a solution", "evaluations")
RESTARTS = Measured("a run", "restarts")

Solver = tuple[str, Mapping[str, Any]]
WALK = 10_000
"""Steps of a climb with random neighbours: some runs walk for ever, so that no mean is without a limit."""

CLIMB, RESTART = "local-search:hill-climbing", "local-search:random-restart"
TEN: Mapping[str, Any] = {"max_sideways": 10}
FREE: Mapping[str, Any] = {"start": "independent"}
ROWWISE: Solver = ("local-search:annealing", {"schedule": "rowwise", "rule": "coarse"})
MINIMISING: Solver = ("local-search:sosic-gu", {"measure": "pairs"})


def _climb(
    claim: str, says: str, n: int, figure: Measured, known: bool = False, **options: str
) -> Experiment:
    program = ClimbProgram() if known else None
    share = 1 if n < 12 else 0.25
    return Experiment(claim, says, n, CLIMB, figure, options, share, program, 400, WALK)


def _sideways(claim: str, says: str, limit: int, figure: Measured) -> Experiment:
    options = {"start": "independent", "max_sideways": limit}
    program = SidewaysProgram(limit)
    return Experiment(claim, says, 8, "local-search:sideways", figure, options, 1, program, 5000)


def _vegas(claim: str, says: str, n: int, unit: str, **options: int) -> Experiment:
    return Experiment(claim, says, n, "las-vegas", Measured("a run", unit), options)


def _systematic(n: int, says: str) -> Experiment:
    claim = f"systematic search: nodes to the first solution, {n} queens"
    return Experiment(claim, says, n, "backtracking:check", Measured("a run", "nodes"), {}, 0.01)


def _restarts(n: int, measure: str, program: Program | None) -> Experiment:
    claim = f"restarts, {n} queens, conflicts counted by {measure}"
    most = {8: 2000, 14: 600}.get(n, 300)
    return Experiment(claim, "", n, "local-search:sosic-gu", RESTARTS, {"measure": measure}, 1, program, most)


def _rows(claim: str, rule: str, figure: Measured, share: float = 1.0, known: bool = False) -> Experiment:
    options = {"schedule": "rowwise", "rule": rule}
    program = RowsProgram() if known else None
    return Experiment(claim, "", 8, "local-search:annealing", figure, options, share, program, 200)


DEPTH = Sweep(
    "depth",
    "Does the depth of a climb depend on N, and how many climbs are stuck? (95 % intervals)",
    {"random neighbour": (CLIMB, {})},
    (8, 10, 12, 14, 16, 20),
    (Measured("stuck"), STEPS, Measured("a run", "evaluations")),
    share=0.5,
    limit=WALK,
)
AGAINST = Sweep(
    "random-restart",
    "Evaluations of a solution by random neighbour and by random restart (95 % intervals)",
    {
        "random neighbour": (CLIMB, {}),
        "random restart": (RESTART, {}),
        "restart with ten sideways moves": (RESTART, TEN),
    },
    (8, 10, 12, 14, 16),
    (EVALUATIONS,),
    share=0.5,
    limit=WALK,
)
POLYNOMIAL = Sweep(
    "polynomial",
    "Restarts and evaluations of conflict minimisation, as its authors count conflicts (95 % intervals)",
    {"conflict minimisation": ("local-search:sosic-gu", {})},
    (8, 20, 50, 100, 200, 500, 1000),
    (RESTARTS, Measured("a run", "evaluations")),
    share=0.1,
)
EFFICIENT = Sweep(
    "efficient",
    "What a board of 8 queens takes by annealing and by others (95 % intervals)",
    {
        "annealing by rows": ROWWISE,
        "conflict minimisation": MINIMISING,
        "restart with ten sideways moves": (RESTART, TEN),
    },
    (8,),
    (RATE, EVALUATIONS),
    share=0.4,
)
LENGTHS = partial(
    solved_within,
    "run-lengths",
    {
        "random neighbour": (CLIMB, {}),
        "random restart": (RESTART, {}),
        "sideways, at most 100": ("local-search:sideways", {"max_sideways": 100, "start": "independent"}),
        "conflict minimisation": MINIMISING,
        "annealing by rows": ROWWISE,
    },
)

SETTINGS: tuple[tuple[str, str, Solver], ...] = (
    ("random-neighbour", "its program", (CLIMB, {"measure": "surplus", "shoulder": "take-and-shake"})),
    ("random-neighbour", "its text", (CLIMB, {"measure": "pairs", "shoulder": "jump"})),
    ("sideways", "ten sideways moves", ("local-search:sideways", {**FREE, **TEN})),
    ("sideways", "the textbook's: none", ("local-search:sideways", {**FREE, "max_sideways": 0})),
    ("sideways", "the textbook's: 100", ("local-search:sideways", {**FREE, "max_sideways": 100})),
    ("las-vegas", "backtracking alone", ("backtracking:check", {})),
    ("las-vegas", "Las Vegas alone", ("las-vegas", {})),
    ("las-vegas", "two random queens, then backtracking", ("las-vegas", {"stop_vegas": 2})),
    ("occupancy", "a table of squares", ("backtracking:table", {})),
    ("occupancy", "a word for each row", ("backtracking:rowmask", {})),
    ("occupancy", "three words", ("backtracking:bitmask", {})),
    ("conflict-minimisation", "conflicts counted by pairs", MINIMISING),
    ("annealing-rows", "row after row, its rule", ROWWISE),
)  # fmt: skip
"""Texts by key: what is taken of each, and by what solver and options it is had."""


def settings(_runs: int = 0) -> FigureTable:
    """Return the table of what a reader sets to have a text's own system, one queen in each row or column."""
    names = {section.key: section.name for section in SECTIONS}
    rows = [["text", "system", "solver", "options"]]
    commands = []
    for key, system, (solver, options) in SETTINGS:
        given = [f"{name}={value}" for name, value in options.items()]
        rows.append([names.pop(key, ""), system, solver, " ".join(given)])  # each text is named once
        words = "".join(f" --param {one}" for one in given)
        commands.append(f"cpqueens solve queens n=8 --solver {solver}{words}")
    caption = (
        "Settings that are a text's own system. All have one queen in each row, which turned by a quarter is "
        "each column; an independent start draws every place by itself"
    )
    return FigureTable("settings", caption, rows, commands)


GARBLED = (
    r"printf '1000000000\n000010000\n00000001\n0000010\n00100000\n00000010\n01000000\n000100\n' | "
    "cpqueens check queens n=8 -",
    "a 0/1 matrix of 8 rows has 8 figures in each, not 10 in line 1, 9 in line 2, 7 in line 4, 6 in line 8",
)
"""A command that checks a board garbled like the survey's eighth, and what it says."""

SURVEY = 'n-Queens的多种算法题解 ("Several algorithms for n-Queens")'
_BY = "a Chinese survey, after a course exercise by Xu Jianliang"

SECTIONS: tuple[Section, ...] = (
    Section(
        "random-neighbour",
        "N-Queen Problem | Local Search using Hill climbing with random neighbour",
        "GeeksforGeeks",
        (
            _climb("solves about 97 %, 8 queens", "97 %", 8, RATE, known=True),
            _climb("steps of a run, 8 queens", "", 8, STEPS, known=True),
            _climb("read as its text, not as its program: solved, 8 queens", "97 %", 8, RATE, shoulder="jump",
                   measure="pairs"),
            _climb("solves about 97 %, 12 queens", "97 %", 12, RATE, known=True),
        ),
        tables=(DEPTH, AGAINST, source_tables.aliased_rows),
        plots=(partial(over_sizes, AGAINST),),
        verdicts=(
            Judgement("random-neighbour-claims", verdicts.printed),
            Judgement("depth", verdicts.depth),
            Judgement("depth", verdicts.stuck),
            Judgement("random-restart", verdicts.against),
        ),
        answers=(
            "8 queens have 56 neighbours, 28 pairs that may attack each other, and 4,426,165,368 placements "
            "anywhere on the board, of which 3 queens have 84: `cpqueens show queens n=8` prints them, and "
            "`cpqueens show queens n=3`.",
        ),
        readings=(
            "The column of the program has the rewritten listing.",
            "Among equal neighbours the last one scanned is taken, as in the code.",
        ),
        mistakes=(
            "Its JavaScript listing aliases all rows of a neighbour's board; the last table shows the "
            "effect. Its Python listing lacks a bracket.",
            "It has no limit on steps: every failure on 6 queens, and some on larger boards, is an endless "
            f"walk. Here and in the rewritten program a run ends after {WALK:,} steps; means of steps "
            "and evaluations depend on this limit.",
        ),
    ),
    Section(
        "sideways",
        "Solving N-Queens (sort of)",
        "JavaScript in Plain English; the figures are Russell and Norvig's, Artificial Intelligence: A "
        "Modern Approach, 4th edition, section 4.1",
        (
            _sideways("no sideways moves: solved", "14 %", 0, RATE),
            _sideways("no sideways moves: steps if solved", "4", 0, IF_SOLVED),
            _sideways("no sideways moves: steps if not", "3", 0, IF_NOT),
            _sideways("at most 10 sideways moves in a row: solved", "", 10, RATE),
            _sideways("at most 9, as if the start counted: solved", "", 9, RATE),
            _sideways("at most 100: solved", "94 %", 100, RATE),
            _sideways("at most 100: steps if solved", "21", 100, IF_SOLVED),
            _sideways("at most 100: steps if not", "64", 100, IF_NOT),
        ),
        (source_tables.sideways_mistakes,),
        verdicts=(Judgement("sideways-claims", verdicts.printed),),
        readings=(
            "Starts have independent random columns, as in the textbook. The rewritten program next to the "
            "claims has none of the mistakes below; the second table has it with each of them.",
        ),
        mistakes=(
            "Its code never tests the state that its last try reached, which may be a solution.",
            "It counts the start as a sideways move, which leaves 9 of 10.",
            "It returns the worse neighbour, at which it stopped, as the closest state.",
            "It rounds random columns, so that those at the borders are half as likely.",
            "Its random choice is said to have a second bias. We infer that it also rounds the number of the "
            "move among the best ones, but no listing has it; the table has the effect that it would have.",
        ),
    ),
    Section(
        "las-vegas",
        "Las Vegas optimisation of the N-queens problem",
        "Deng Hongtao and Zhu Xun, Journal of Jianghan University (Natural Sciences) 34(4), 2006, after "
        "Brassard and Bratley",
        (
            _systematic(8, "114.00"),
            _vegas("nodes by chance alone, 8 queens", "55.93", 8, "nodes"),
            _vegas("attempts by chance alone, 8 queens", "", 8, "attempts"),
            _vegas("nodes with two random queens, 8 queens", "28.20", 8, "nodes", stop_vegas=2),
            _systematic(12, "262.00"),
            _vegas("nodes by chance alone, 12 queens", "", 12, "nodes"),
            _vegas("nodes with five random queens, 12 queens", "", 12, "nodes", stop_vegas=5),
        ),
        (partial(source_tables.las_vegas_table, 8), partial(source_tables.las_vegas_table, 12)),
        verdicts=(
            Judgement("las-vegas-claims", verdicts.printed),
            Judgement("las-vegas-8", verdicts.by_chance),
            Judgement("las-vegas-12", verdicts.by_chance),
        ),
        answers=(
            "It recommends five random queens for 12.",
            "4 queens step by step, by backtracking and by chance: `cpqueens solve queens n=4 --solver "
            "backtracking:check --trace-boards`, and with `--solver las-vegas`.",
        ),
        readings=(
            "The existing copies have lost p and t of the second table, for 12 queens; these cells are empty "
            "in the column of the source.",
        ),
        mistakes=("Its code restarts only the random part, its text and cpqueens restart everything.",),
    ),
    Section(
        "occupancy",
        f"{SURVEY}: backtracking",
        _BY,
        tables=(source_tables.representations,),
        verdicts=(Judgement("representations", verdicts.fastest),),
        answers=(
            "Listing 8 queens hides the difference that counting 12 queens shows: it has 2,057 nodes, 0.24 % "
            "of 856,189, and costs that are equal for all four: the call, translation, reading, checking.",
            "Its example boards can be checked directly: `cpqueens check queens n=8 f d g a h b e c`.",
            "The eighth is garbled in the existing copies: its rows have 10, 9, 8, 7, ... figures. For a "
            f"board like it, `check` says how many each row has. `{GARBLED[0]}`: {GARBLED[1]}.",
        ),
    ),
    Section(
        "conflict-minimisation",
        f"{SURVEY}: conflict minimisation",
        f"{_BY}; its algorithm is QS1 of Sosic and Gu, A polynomial time algorithm for the n-queens problem, "
        "SIGART Bulletin 1(3), 1990",
        (
            *(_restarts(n, "pairs", SwapProgram()) for n in (8, 14, 20)),
            *(_restarts(n, "surplus", None) for n in (8, 14, 20)),
        ),
        (POLYNOMIAL, source_tables.swap_mistakes),
        verdicts=(Judgement("polynomial", verdicts.polynomial),),
        readings=(
            "The program measured in the first table is QS1 as it is described, without the survey's "
            "mistakes.",
            "Sosic and Gu count conflicts by surplus, the default here; the survey counts pairs.",
        ),
        mistakes=(
            "The survey's program looks only at later rows, and shuffles with bias after every pass.",
            "It continues with a stale board: the trial board is not refreshed after the current one is "
            "shuffled. With only that line repaired it has the other two mistakes: the row *both* of the "
            "table. The last row has all three. The listing can be read in several ways here, and other "
            "readings may need other numbers of restarts.",
        ),
    ),
    Section(
        "annealing-rows",
        f"{SURVEY}: simulated annealing",
        _BY,
        (
            _rows("frees from local optima: solved", "coarse", RATE),
            _rows("rows annealed for a board, its rule", "coarse", Measured("a solution", "anneals"),
                  known=True),
            _rows("rows annealed for a board, the usual rule", "metropolis",
                  Measured("a solution", "anneals"), 0.5),
            _rows("evaluations of a board, its rule", "coarse", EVALUATIONS),
        ),
        (EFFICIENT, source_tables.acceptance),
        verdicts=(
            Judgement("annealing-rows-claims", verdicts.frees),
            Judgement("efficient", verdicts.efficient),
        ),
        readings=(
            "With the usual rule, exactly 1,886 rows are annealed for a board on average, from "
            "the chain of all 16,777,216 placements (`tests/lab/exact_anneals.py`).",
            f"A limit of {LIMIT:,} steps is a limit of {LIMIT // 168:,} rows, which ends 4 % of the runs by "
            "the usual rule. Their rows count, as do those of the following runs, until one is solved.",
        ),
        mistakes=(
            "It compares exp(-dE/T) with one of 0, 0.1, ..., 9.9, so that it takes at most a tenth of the "
            "worse moves.",
            "It has no limit: 2 and 3 queens never end.",
        ),
    ),
    Section(
        "all", "All algorithms on one page", "cpqueens, on the texts above",
        tables=(settings, source_tables.overview), plots=(LENGTHS,),
    ),
)  # fmt: skip


def chosen(names: Sequence[str]) -> tuple[Section, ...]:
    """Return the sections of these names, whole, or with the tables of these names alone; all for none.

    Raises
    ------
    ModelError
        For a name that neither a text nor a table has.
    """
    if not names:
        return SECTIONS
    known = {section.key for section in SECTIONS}.union(*map(_tables, SECTIONS))
    for name in names:
        if name not in known:
            raise ModelError(f"--only: {shown(name)} is none of {', '.join(sorted(known))}")
    narrowed = (_narrowed(section, set(names)) for section in SECTIONS)
    return tuple(section for section in narrowed if section.experiments or section.tables)


def _tables(section: Section) -> dict[str, Any]:
    """Return the tables of a section by their names."""
    return {_name(table): table for table in section.tables}


def _name(table: Any) -> str:
    if isinstance(table, Sweep):
        return table.name
    if isinstance(table, partial):
        return f"las-vegas-{table.args[0]}"
    return "all-sizes" if table is source_tables.overview else table.__name__.replace("_", "-")


def _narrowed(section: Section, names: set[str]) -> Section:
    if section.key in names:
        return section
    tables = tuple(table for name, table in _tables(section).items() if name in names)
    kept = tuple(one for one in section.verdicts if one.table in names)
    return Section(section.key, section.name, section.source, tables=tables, verdicts=kept)


def answered(section: Section, tables: Mapping[str, Cells]) -> Section:
    """Return a section whose answers begin with what is said of the rows of its tables, by their names."""
    said = [one.say(tables[one.table]) for one in section.verdicts if one.table in tables]
    found = source_tables.las_vegas_findings() if "las-vegas-8" in tables else []
    answers, mistakes = (*said, *section.answers), (*section.mistakes, *found)
    return replace(section, answers=answers, mistakes=mistakes)


def reproduce(runs: int, names: Sequence[str] = ()) -> Iterator[Reproduced]:
    """Yield each section with its figures, last all algorithms over sizes.

    Parameters
    ----------
    runs
        Of each experiment; expensive ones are run less often.
    names
        Of texts or tables, if not all are wanted.
    """
    for section in chosen(names):
        began = time.process_time()
        tables = [claims(section.key, section.experiments, runs)] if section.experiments else []
        tables += [table(runs) for table in section.tables]
        plots = [plot(runs) for plot in section.plots]
        section = answered(section, {table.name: table.rows for table in tables})
        yield Reproduced(section, tables, plots, time.process_time() - began)
