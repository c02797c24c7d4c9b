"""`evaluate`, `strategies` and required rates on the command line: what is printed, and the exit code."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpqueens.backends import named
from cpqueens.cli.main import main
from cpqueens.lab import evaluation_plots
from cpqueens.lab.evaluation_text import text

FUNCTIONS = """
def right(model, seed, time_limit):
    return [1, 3, 5, 0, 2, 4]

def often(model, seed, time_limit):
    return [1, 3, 5, 0, 2, 4] if seed % 4 else None

def wrong(model, seed, time_limit):
    return [1, 3, 5, 0, 2, 4] if seed < 7 else [0, 1, 2, 3, 4, 5]
"""
SIX = ["queens", "n=6"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CPQUEENS_KERNELS", "plain")
    (tmp_path / "f.py").write_text(FUNCTIONS)
    return tmp_path


def call(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])


@pytest.mark.parametrize(
    ("function", "rate", "code"),
    [
        ("right", "1", 0),
        ("often", "0.75", 0),
        ("often", "0.76", 4),
        ("wrong", "0.1", 10),
        ("wrong", None, 10),
    ],
)
def test_required_rates_and_wrong_answers(function: str, rate: str | None, code: int) -> None:
    required = [] if rate is None else ["--require", rate]
    asked = [*SIX, "--heuristic", f"f.py:{function}", *required]
    found = call("cross-check", *asked, "--solvers", "exhaustive", "--seeds", "20", "--bundles", "")
    assert found.exit_code == code, found.output


def test_a_required_rate_of_heuristics_alone() -> None:
    line = ["cross-check", *SIX, "--solvers", "las-vegas", "--seeds", "5", "--bundles", ""]
    assert call(*line, "--require", "1").exit_code == 3  # that is all that a heuristic proves
    none = ["--heuristic", "f.py:often", "--seeds", "1", "--solvers", "las-vegas"]
    assert call(*line, *none, "--require", "0.1").exit_code == 4


def test_an_evaluation_on_the_command_line(folder: Path) -> None:
    line = ["evaluate", *SIX, "--heuristic", "f.py:wrong", "--solver", "las-vegas stop_vegas=3",
            "--runs", "20", "--require", "0.9", "--record", "runs.db"]  # fmt: skip
    first = call(*line, "--out", "x.json", "--out", "x.csv")
    assert first.exit_code == 10, first.output
    assert "f.py" not in first.stderr
    assert re.search(r"^wrong on queens\(n=6.*: rejected: invalid 13$", first.stdout, re.M)
    assert "4 solutions, all there are" in first.stdout
    again = call(*line, "--json")
    data = json.loads(again.stdout)
    assert data["runs"] == json.loads((folder / "x.json").read_text())["runs"]
    assert [p["solved"] for p in data["performances"]] == [20, 7]
    assert len((folder / "x.csv").read_text().splitlines()) == 41


def test_below_the_required_rate() -> None:
    line = ["evaluate", *SIX, "--solver", "las-vegas", "--step-limit", "6", "--runs", "8"]
    assert call(*line, "--require", "0", "--reference-time", "0").exit_code == 0
    assert call(*line, "--require", "0.1", "--reference-time", "0").exit_code == 4


# ---- the report in all its forms ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evaluation() -> object:
    from cpqueens import evaluate

    given = {"random": ("las-vegas", {}), "half <b>": ("las-vegas", {"stop_vegas": 3})}
    return evaluate(given, "queens", sizes=[5, 6], runs=25, step_limit=40)


def test_the_text_fits_a_narrow_terminal_and_none(evaluation: object) -> None:
    for width in (40, 80, 200):
        lines = text(evaluation, width).splitlines()  # type: ignore[arg-type]
        assert max(map(len, lines)) <= max(width, 80)
        assert "\x1b" not in "".join(lines)
    wide = text(evaluation, 200)  # type: ignore[arg-type]
    heads = ["25 runs", "How often", "How long", "Which solutions", "told apart"]
    places = [wide.index(head) for head in heads if head in wide]
    assert len(places) >= 4
    assert places == sorted(places)


class Reader(HTMLParser):
    """What a page refers to, and its names."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: list[str] = []
        self.references: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.names.append(str(value))
            elif name in ("href", "xlink:href", "src"):
                self.references.append(str(value))


def test_the_page_needs_nothing_else(evaluation: object, folder: Path) -> None:
    evaluation.write("x.html")  # type: ignore[attr-defined]
    page = (folder / "x.html").read_text(encoding="utf-8")
    read = Reader(page)
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert "prefers-color-scheme: dark" in page
    assert "script" not in read.tags
    assert all(reference.startswith("#") for reference in read.references)
    assert {reference[1:] for reference in read.references} <= set(read.names)
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(read.names)
    assert len(read.names) == len(set(read.names))
    assert "<b>" not in page
    assert "half &lt;b&gt;" in page
    pictures = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(pictures) == page.count("<figcaption>") >= 8
    for picture in pictures:
        assert ElementTree.fromstring(picture)[0].text
        assert "#123457" not in picture
        assert "currentColor" in picture
    assert next(evaluation_plots.pictures(evaluation)).svg == pictures[0]  # type: ignore[arg-type]
    assert len(page) < 600_000


def test_a_page_without_matplotlib_is_refused_before_the_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = call("evaluate", *SIX, "--solver", "las-vegas", "--out", "x.html")
    assert result.exit_code == 2
    assert re.match(r"cpqueens: matplotlib, which is optional, is not installed: pip install ", result.stderr)


# ---- strategies -----------------------------------------------------------------------------------------


def test_all_strategies_are_listed_with_options_and_sources() -> None:
    told = {s["name"]: s for s in json.loads(call("strategies", "--json").stdout)["strategies"]}
    for name in named.available():
        backend = named.get_backend(name)
        assert {name, *(f"{name}:{strategy}" for strategy in backend.strategies)} <= set(told)
    own = [s for name, s in told.items() if name.partition(":")[0] in ("local-search", "backtracking")]
    for strategy in own:
        assert strategy["summary"].endswith("."), strategy["name"]
        assert bool(strategy["source"]) == (":" in strategy["name"]), strategy["name"]
    assert told["local-search:sideways"]["options"]["max_sideways"]["default"] == 100
    assert "Solving N-Queens (sort of)" in told["local-search:sideways"]["source"]
    assert "GeeksforGeeks" in told["local-search:hill-climbing"]["source"]
    assert "Deng" in told["las-vegas"]["source"]


def test_one_strategy_as_text() -> None:
    result = call("strategies", "local-search:tabu")
    assert result.exit_code == 0
    assert result.stdout.startswith("local-search:tabu\n  Tabu search: the variable with the largest error")
    assert "    tenure=0: steps for which a moved variable is tabu" in result.stdout
    assert 'source: Glover, "Tabu search, part I"' in result.stdout
    assert call("strategies", "nosuch").exit_code == 2
