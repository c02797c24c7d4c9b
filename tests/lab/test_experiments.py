"""The reproduced texts: figures near those published, pages that say where each comes from."""

import json
import re
import shlex
from dataclasses import replace
from html import unescape

import pytest
from click.testing import CliRunner
from each import each

from cpqueens.answers.outcome import StopReason
from cpqueens.cli import main as cli
from cpqueens.errors import ModelError
from cpqueens.lab.classical_texts import SECTIONS, SETTINGS, chosen, reproduce, settings
from cpqueens.lab.experiments import (
    Experiment,
    FigureTable,
    Measured,
    Reproduced,
    Section,
    Sweep,
    board,
    data,
    ended,
    made,
    over_sizes,
    page,
    solved_within,
    text,
)
from cpqueens.lab.source_tables import las_vegas_findings, las_vegas_table
from cpqueens.model import Model

MEASURED = [
    e
    for s in SECTIONS
    for e in s.experiments
    if s.key in ("sideways", "las-vegas", "conflict-minimisation") and e.n == 8 and e.says != "21"
]


def ends(cell: str) -> tuple[float, float, float]:
    value, low, high = (float(part.replace(",", "")) for part in re.findall(r"[\d,.]*\d", cell)[:3])
    return value, low, high


@each("experiment", MEASURED, ids=lambda e: e.claim)
def test_figures_agree_with_the_sources(experiment: Experiment) -> None:
    claim, says, program, ours, runs = experiment.row(300)
    value, low, high = ends(ours)
    assert low <= value <= high, claim
    for other in filter(None, (says, program)):  # 95 % intervals, widened for the many of them
        published = ends(f"{other} 0 0")[0]
        width = max(high - low, 1.0)
        assert low - width / 2 <= published <= high + width / 2, claim
    assert runs == f"{experiment.runs(300)}"


def test_commands_print_the_figures_of_their_tables() -> None:
    experiment = Experiment("c", "", 6, "las-vegas", Measured("a run", "attempts"), {"stop_vegas": 3})
    sweep = Sweep(
        "s",
        "c",
        {"restart": ("local-search:random-restart", {"max_sideways": 10})},
        (6, 8),
        (Measured("solved"), Measured("a solution", "evaluations"), Measured("if solved")),
    )
    table = sweep(100)
    climbs = Sweep(
        "c", "c", {"climb": ("local-search:hill-climbing", {})}, (8,), (Measured("stuck"),), limit=20
    )
    stuck = climbs(400)
    runs = board(8).runs("local-search:hill-climbing", seeds=100, step_limit=20)
    own = int((runs.stop_reason == "local_optimum").sum())
    assert 0 < own < int((~runs.solved).sum())  # the others walked to their limit
    assert stuck.rows[1][2].startswith(f"{own}.0 %")
    for command, figures in (
        (experiment.command(60), experiment.row(60)[3:4]),
        (table.commands[0], [cell for row in table.rows[1:] for cell in row[2:5]]),
        (stuck.commands[0], stuck.rows[1][2:3]),
    ):
        done = CliRunner().invoke(cli.main, [*shlex.split(command)[1:], "--reference-time", "0"])
        assert done.exit_code == 0, done.output
        assert all(figure in done.output for figure in figures), (figures, done.output)


def test_the_printed_mistake_is_found() -> None:
    (finding,) = las_vegas_findings()
    assert "p is printed as 0.1375, exact is 0.1357" in finding
    row = las_vegas_table(8).rows[7]
    assert row == ["6", "0.1375", "0.1357", "9.05", "9.05", "6.98", "6.98", "53.50", "53.50"]


def test_texts_and_tables_are_chosen_by_name() -> None:
    assert chosen(()) == SECTIONS
    assert [s.key for s in chosen(["las-vegas"])] == ["las-vegas"]
    (narrow,) = chosen(["swap-mistakes"])
    assert (len(narrow.tables), narrow.experiments) == (1, ())
    with pytest.raises(ModelError, match="--only: 'survey' is none of "):
        chosen(["survey"])
    (found,) = reproduce(20, ["settings"])
    assert [table.name for table in found.tables] == ["settings"]


def test_every_table_has_a_command_that_names_it_or_its_runs() -> None:
    for section in chosen(["settings", "acceptance", "sideways-mistakes"]):
        for table in section.tables:
            assert table(20).commands


@each("row", range(len(SETTINGS)))
def test_settings_are_a_system_that_runs(row: int) -> None:
    table = settings()
    named = next(name for name, *_ in reversed(table.rows[1 : 2 + row]) if name)  # a text is named once
    assert named == next(section.name for section in SECTIONS if section.key == SETTINGS[row][0])
    done = CliRunner().invoke(cli.main, [*shlex.split(table.commands[row])[1:], "--seed", "1"])
    assert done.exit_code in (0, 3), done.output  # found, or stuck


def test_plots_are_of_the_runs_of_their_tables() -> None:
    sweep = Sweep("s", "c", {"r": ("local-search:random-restart", {})}, (5, 6), (Measured("solved"),), 0.5)
    plot = over_sizes(sweep, 60)
    runs = made(6, "local-search:random-restart", 30, ())
    assert plot.lines["r"]["y"][1] == runs.statistics["evaluations"].mean()
    curve = solved_within("d", {"r": ("local-search:random-restart", {})}, 60).lines["r"]
    assert curve["y"][-1] == 1
    assert sorted(curve["x"]) == curve["x"]


def test_text_and_page() -> None:
    section = Section("a", "A <b>", "by & by", mistakes=("wrong " * 30,), answers=("no",))
    table = FigureTable("t", "caption <i>", [["claim", "ours"], ["c" * 90, "1 [0, 2]"]], ("cpqueens list",))
    sweep = Sweep("s", "c", {"r": ("local-search:random-restart", {})}, (5, 6), (Measured("solved"),))
    found = Reproduced(section, (table,), (over_sizes(sweep, 80),), 1.25)
    lines = text(found, 60).splitlines()
    assert lines[:2] == ["A <b>", "source: by & by"]
    assert "  $ cpqueens list" in lines
    assert all(len(line) <= 60 for line in lines if "ccc" not in line)
    html = page([found], 100)
    assert '<meta name="viewport"' in html
    assert "prefers-color-scheme: dark" in html
    assert "<caption>caption &lt;i&gt;</caption>" in html
    assert '<th scope="col" class="long">claim</th><th scope="col">ours</th>' in html
    assert f'<td class="long" data-head="claim">{"c" * 90}</td><td data-head="ours">1 [0, 2]</td>' in html
    assert "<pre>cpqueens list</pre>" in html
    assert "<svg" in html
    assert "<b>" not in html
    assert "A <b>" in unescape(html)


def test_as_data() -> None:
    cells = [["claim", "ours"], ["c", "1"]]
    section = Section("a", "A", "by", mistakes=("wrong",), readings=("so",), answers=("no",))
    found = Reproduced(section, (FigureTable("t", "caption", cells, ("cpqueens list",)),), (), 1.25)
    told = data([found], 100)
    assert json.loads(json.dumps(told))["sections"] == [
        {
            "key": "a",
            "name": "A",
            "source": "by",
            "tables": [{"name": "t", "caption": "caption", "rows": cells, "commands": ["cpqueens list"]}],
            "plots": [],
            "notes": [
                {"title": "Its claims, answered", "lines": ["no"]},
                {"title": "How it is read", "lines": ["so"]},
                {"title": "Known mistakes", "lines": ["wrong"]},
            ],
            "seconds": 1.25,
        }
    ]
    assert (told["runs"], told["seconds"]) == (100, 1.25)


def test_no_figure_is_told_of_interrupted_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = board(8).runs("las-vegas", seeds=3)
    monkeypatch.setattr(Model, "runs", lambda *_, **__: whole)
    assert made(8, "las-vegas", 3, (("stop_vegas", 1),)) is whole
    with pytest.raises(KeyboardInterrupt):
        made(8, "las-vegas", 4, (("stop_vegas", 1),))


def test_no_figure_is_told_of_an_interrupted_search() -> None:
    found = board(8).solve(solver="backtracking")
    assert ended(found) is found
    with pytest.raises(KeyboardInterrupt):
        ended(replace(found, stop_reason=StopReason.INTERRUPTED))


@pytest.mark.slow
def test_all_sections_are_made() -> None:
    made = list(reproduce(20))
    assert [found.section.key for found in made] == [section.key for section in SECTIONS]
    assert all(len(table.rows) > 1 and table.commands for found in made for table in found.tables)
