"""The page with all problems: self-contained, escaped, with a picture and a model of each."""

import html
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner
from each import each

from cpqueens import Model
from cpqueens.cli import list as listing
from cpqueens.cli.main import main
from cpqueens.problems import catalog
from cpqueens.report.gallery import Exhibit, gallery_page, runnable, statement_of

SMALL = ["all_interval", "queens", "star_battle"]


def test_the_page_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "names", lambda: SMALL)
    place = tmp_path / "gallery.html"
    result = CliRunner().invoke(main, ["list", "--gallery", str(place)])
    assert (result.exit_code, result.stdout) == (0, f"written    {place}\n")
    page = place.read_text()
    for name in SMALL:
        assert f'<article id="{name}">' in page
        assert html.escape(statement_of(catalog.find(name).function)) in page
    assert page.count("<svg") == len(SMALL)
    for outside in ("<script src", "<link", "<img", "src=", "http"):
        assert outside not in page.replace("http://www.w3.org/2000/svg", "")


def test_a_page_is_refused_before_any_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_write_gallery", lambda *_: pytest.fail("searched"))
    assert CliRunner().invoke(main, ["list", "--gallery", str(tmp_path / "no" / "x.html")]).exit_code == 2


@each("name", catalog.names())
def test_a_statement_is_short_and_says_nothing_beside_the_model(name: str) -> None:
    text = statement_of(catalog.find(name).function)
    compile(text, name, "exec")
    assert len(text.splitlines()) <= 16
    for beside in ("raise", "m.view", '"""', "return m", ">>>", "viewpoint"):
        assert beside not in text


@each("name", catalog.names())
def test_what_is_copied_runs(name: str) -> None:
    scope: dict[str, object] = {}
    exec(runnable(catalog.find(name).function), scope)
    assert isinstance(scope["m"], Model)


def test_queens_come_first() -> None:
    page = gallery_page([Exhibit(name, "", "", "", "", [], "") for name in ("alpha", "queens", "zebra")], "")
    places = [page.index(f'<article id="{name}">') for name in ("queens", "alpha", "zebra")]
    assert places == sorted(places)


def test_texts_are_escaped() -> None:
    page = gallery_page([Exhibit("a<b", "<i>", "", "&", "x < y", ["<"], "<c>")], "<t>")
    assert "<i>" not in page
    assert "x &lt; y" in page
    article = page[page.index("<article") : page.index("</main>")]
    ET.fromstring(f"<main>{article}</main>")
