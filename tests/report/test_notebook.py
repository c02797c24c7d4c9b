"""What displays itself in a notebook: self-contained, escaped, well-formed, in the page's own colours."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Board, Grid, Model
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.errors import ModelError
from cpqueens.language.views import VIEWS, View
from cpqueens.problems import catalog
from cpqueens.report.board import conflicting_elements
from cpqueens.report.board_svg import ATTACKED_SQUARE
from cpqueens.report.draw import draw_svg, draw_text

NASTY = "<b>&amp;'\"</b>"


def nasty() -> Model:
    m = Model(NASTY)
    x = m.intvar(0, 3, shape=3, name=f"x{NASTY}")
    m.add(AllDifferent(x), name=NASTY)
    m.add(x[0] == x[1])
    m.minimize(x.sum())
    return m


def solution(model: Model, values: list[int]) -> Solution:
    return SolutionSet(model, model.decisions, np.array([values], dtype=np.int64))[0]


DISPLAYED: dict[str, Callable[[], Any]] = {
    "a model": nasty,
    "a check that finds something": lambda: nasty().check({f"x{NASTY}": [1, 1, 1]}),
    "a check of wrong values": lambda: nasty().check({f"x{NASTY}": [9, 1, 1]}),
    "a check that finds nothing": lambda: Model(NASTY).check({}),
    "an explanation": lambda: nasty().explain_infeasible("python-constraint"),
    "an instance": lambda: catalog.load("queens", ["n=4"]),
    "an instance of no problem": lambda: catalog.Instance(None, {}, nasty()),
    "an outcome": lambda: nasty().solve("python-constraint"),
    "a solution": lambda: solution(nasty(), [0, 1, 2]),
}


@each("name", DISPLAYED)
def test_what_a_notebook_displays(name: str) -> None:
    html = DISPLAYED[name]()._repr_html_()
    ET.fromstring(html)  # well-formed, so nothing leaks out of it
    assert NASTY not in html
    assert "http" not in html.replace("http://www.w3.org", "")
    for word in ("<script", "<style", "<link", "<img", "onerror"):
        assert word not in html
    for style in re.findall('style="([^"]*)"', html):  # a colour of text only on a ground of its own
        assert ("color:" in style.replace("background", "")) <= ("background:" in style)


def test_a_display_says_what_the_text_says() -> None:
    m = nasty()
    html = m._repr_html_()
    for text in ("3 variables, 2 constraints", "0..3", "AllDifferent(x", "test_notebook.py:", "minimize"):
        assert text in html
    found = m.check({f"x{NASTY}": [1, 2, 1]})
    assert "2 constraints violated, by 2 in all" in found._repr_html_()
    assert repr(found) == "<Check 2 constraints violated, by 2 in all>"
    assert repr(Model().check({})) == "<Check a solution: every constraint holds>"


def test_a_check_of_thousands_of_violations_stays_small() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=3000, name="x")
    m.add(x == 1)
    found = m.check({x: np.zeros(3000, dtype=int)})
    assert "... 2,900 more" in found._repr_html_()
    assert len(found._repr_html_()) < 100_000


def test_a_check_is_drawn_with_its_conflicts() -> None:
    m = catalog.load("queens", ["n=4"]).model
    good, bad = (m.check({"q": values})._repr_html_() for values in ([1, 3, 0, 2], [1, 3, 0, 0]))
    assert (good.count("<svg"), good.count(ATTACKED_SQUARE)) == (1, 0)
    assert (bad.count("<svg"), bad.count(ATTACKED_SQUARE)) == (1, 2)
    assert "<table" in bad
    assert "<svg" not in m.check({"q": [9, 3, 0, 2]})._repr_html_()
    ET.fromstring(bad)


def test_a_trace_is_the_page_that_replays_it() -> None:
    m = catalog.load("queens", ["n=5"]).model
    trace = m.solve(solver="backtracking:check", trace=100).trace
    assert trace is not None
    frame = ET.fromstring(trace._repr_html_())
    assert (frame.tag, "height:720px" in frame.attrib["style"]) == ("iframe", True)
    page = frame.attrib["srcdoc"]
    assert "queens: backtracking:check" in page
    assert page.rstrip().endswith("</html>")
    alone = replace(trace, model=None)._repr_html_()
    assert (repr(trace) in unescape(alone), "<iframe" in alone) == (True, False)


def test_all_cells_of_a_violated_sum_are_marked() -> None:
    m = Model(view=Grid("x"))
    x = m.intvar(0, 3, shape=(2, 2), name="x")
    m += x.sum(axis=1) == 3
    assert conflicting_elements(solution(m, [1, 2, 3, 3]), "x") == {2, 3}
    assert "<svg" in m.check({"x": [[1, 2], [3, 3]]})._repr_html_()


# ---- boards of own models ---------------------------------------------------------------------------


def test_a_view_is_given_with_the_model_and_kept_by_its_copies() -> None:
    m = Model("own", view=Board("q"))
    m.intvar(0, 3, shape=4, name="q")
    assert m.view == m.copy().view == Board("q")
    drawn = solution(m, [1, 3, 0, 2])
    assert drawn._repr_html_() == draw_svg(drawn) != ""
    assert "♛" in str(drawn) or "Q" in str(drawn)


@pytest.mark.parametrize("view", ["q", 3, Board, {"variable": "q"}], ids=str)
def test_what_is_no_view_is_refused(view: Any) -> None:
    with pytest.raises(ModelError, match=r"^view: a view such as Board\('q'\) or Grid\('x'\) is needed"):
        Model(view=view)
    m = Model()
    with pytest.raises(ModelError, match=r"^view: "):
        m.view = view


NEEDED: dict[str, list[Any]] = {
    "Colouring": [((0, 1),)],
    "Features": [((0,) * 4,)],
    "Schedule": [(1,) * 4],
    "Tour": [((0, 0), (1, 1))],
}
"""What a view needs beside its variable."""


@each("name", VIEWS)
def test_a_view_that_does_not_fit_shows_names_and_values_and_says_why(name: str) -> None:
    kind = VIEWS[name]
    for variable, shape in (("missing", (4,)), ("q", (2, 2, 1))):
        extra = {**NEEDED, "Armies": [variable]}.get(name, [])
        m = Model(view=kind(variable, *extra))
        m.intvar(0, 3, shape=shape, name="q")
        drawn = solution(m, [1, 3, 0, 2])
        assert draw_svg(drawn) is None
        assert draw_text(drawn).splitlines()[0].startswith("q =")
        assert re.search(r"\(not drawn: .*(no variable 'missing'|cannot show q)", draw_text(drawn))
        assert "(not drawn: " in drawn._repr_html_()


def test_edges_and_armies_that_do_not_fit_are_said() -> None:
    m = Model(view=VIEWS["Colouring"]("q", ((0, 7),)))  # type: ignore[call-arg]
    m.intvar(0, 3, shape=4, name="q")
    assert "an edge leaves the 4 vertices" in str(solution(m, [1, 3, 0, 2]))
    m = Model(view=VIEWS["Armies"]("q", "r"))  # type: ignore[call-arg]
    m.intvar(0, 1, shape=(1, 1), name="q")
    m.intvar(0, 1, shape=(1, 2), name="r")
    assert "different shapes" in str(solution(m, [1, 0, 1]))


def test_a_set_of_solutions_is_a_sheet_that_says_how_many_there_are() -> None:
    m = catalog.load("queens", ["n=6"]).model
    sheet = m.enumerate(solver="backtracking").solutions._repr_html_()
    assert (sheet.count("<svg"), "4 in all" in sheet) == (4, True)
    assert sheet.count('<svg style="width:100%;height:auto"') == sheet.count("viewBox") == 4
    m = catalog.load("queens", ["n=8"]).model
    sheet = m.enumerate(solver="backtracking").solutions._repr_html_()
    assert (sheet.count("<svg"), "92 in all, the first 12:" in sheet) == (12, True)
    none = m.enumerate(solver="backtracking").solutions[:0]._repr_html_()
    assert "0 in all" in none


def test_a_users_own_kind_of_view_shows_names_and_values() -> None:
    class Map(View):
        pass

    m = Model(view=Map("q"))
    m.intvar(0, 3, shape=2, name="q")
    assert str(solution(m, [1, 3])) == "q = [1, 3]"
    assert isinstance(Grid("x"), View)
