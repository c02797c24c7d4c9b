"""The reproduced texts: figures near those published, pages that say where each comes from."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from cpqueens.answers.outcome import StopReason
from cpqueens.lab.classical_texts import SECTIONS, reproduce
from cpqueens.lab.experiments import (
    Reproduced,
    Section,
    board,
    ended,
    las_vegas_findings,
    las_vegas_table,
    made,
    told,
)
from cpqueens.lab.experiments_page import data, page, text
from cpqueens.model import Model

MEASURED = [e for s in SECTIONS for e in s.experiments if s.name[:2] in ("A2", "A3", "A7") and e.n == 8]


@pytest.mark.parametrize("experiment", MEASURED, ids=lambda e: e.claim)
def test_figures_agree_with_the_sources(experiment: object) -> None:
    claim, published, ours, runs, command = experiment.row(300)  # type: ignore[attr-defined]
    value, low, high = (float(part.replace(",", "")) for part in re.findall(r"[\d,.]+", ours)[:3])
    assert low <= value <= high, claim
    found = re.match(r"[\d.]+", published)
    if found is not None:  # 95 % intervals, widened for the many of them
        assert low - (high - low) / 2 <= float(found[0]) <= high + (high - low) / 2, claim
    assert runs == "300"
    assert command.startswith("cpqueens evaluate queens n=8 --solver '")


def test_printed_mistakes_are_found() -> None:
    (finding,) = las_vegas_findings()
    assert "p is printed as 0.1375, exact is 0.1357" in finding
    rows = las_vegas_table()[1]
    assert rows[7] == ["6", "0.1357 (printed 0.1375)", "9.05", "6.98", "53.50"]


def test_open_intervals_are_said() -> None:
    assert told(float("inf"), 1234.5, float("inf")) == "at least 1.23e+03"


def test_text_and_page() -> None:
    section = Section("A <b>", "by & by", mistakes=("wrong " * 30,))
    found = Reproduced(section, (("caption <i>", [["claim", "here"], ["c" * 90, "1 (0 to 2)"]]),), 1.25)
    lines = text(found, 60).splitlines()
    assert lines[:2] == ["A <b>", "source: by & by"]
    assert all(len(line) <= 60 for line in lines if "ccc" not in line)
    html = page([found], 100)
    assert '<meta name="viewport"' in html
    assert "prefers-color-scheme: dark" in html
    assert "<caption>caption &lt;i&gt;</caption>" in html
    assert '<th scope="col" class="long">claim</th><th scope="col">here</th>' in html
    assert f'<td class="long" data-head="claim">{"c" * 90}</td><td data-head="here">1 (0 to 2)</td>' in html
    assert "<b>" not in html
    assert not re.search(r'(src|href)="|https?:', html)
    assert "A <b>" in unescape(html)


def test_as_data() -> None:
    cells = [["claim", "command"], ["c", "cpqueens list"]]
    section = Section("A", "by", mistakes=("wrong",), readings=("so",))
    told = data([Reproduced(section, (("caption", cells),), 1.25)], 100)
    assert json.loads(json.dumps(told))["sections"] == [
        {
            "name": "A",
            "source": "by",
            "tables": [{"caption": "caption", "rows": cells}],
            "notes": [
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
    assert [found.section.name[:2] for found in made] == ["A1", "A2", "A3", "A6", "A7", "A8", "Al"]
    assert all(len(cells) > 1 for found in made for _, cells in found.tables)
