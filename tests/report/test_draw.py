"""Every view draws as text and as well-formed SVG, and colliding pieces are red."""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Model
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.errors import ModelError
from cpqueens.language import views
from cpqueens.language.views import (
    Armies,
    Board,
    Cages,
    Colouring,
    Features,
    Grid,
    Groups,
    Marks,
    Pairing,
    Pieces,
    Schedule,
    Sequence,
    Tour,
    View,
)
from cpqueens.problems import catalog
from cpqueens.report.board import board_picture, one_per_row
from cpqueens.report.board_svg import ATTACKED, BLOCKED_SQUARE, GIVEN_SQUARE, board_svg, gallery_svg
from cpqueens.report.board_text import ASCII, COLOUR, Style, board_matrix, board_rules, board_text
from cpqueens.report.draw import SVG, TEXT, draw_svg, draw_text
from cpqueens.report.groups import colouring_svg, vertex_places
from cpqueens.report.html import outcome_fragment, solution_fragment
from cpqueens.report.numbers import grid_svg
from cpqueens.report.pieces import misfit
from cpqueens.report.replay import boards_text, replay_page

NAMESPACE = "{http://www.w3.org/2000/svg}"


def solution(model: Model, values: list[int]) -> Solution:
    return SolutionSet(model, model.decisions, np.array([values], dtype=np.int64))[0]


def board(values: list[int], **special: object) -> Solution:
    n = len(values)
    m = Model("queens <8>")
    q = m.intvar(0, max(n - 1, 0), shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    m.view = Board("q", **special)  # type: ignore[arg-type]
    return solution(m, values)


EXTRA: dict[type, tuple[object, ...]] = {
    Colouring: (((0, 1), (1, 2)),),
    Features: (((0,) * 10, (1,) * 10),),
    Schedule: ((1, 2, 3),),
    Tour: (((0, 0), (3, 0), (0, 4)),),
}
"""What a view needs beside its variable."""


def example(view: type) -> Solution:
    m = Model("example")
    shapes = {Grid: (2, 2), Armies: (2, 2), Cages: (2, 2)}
    m.intvar(0, 2 if view is Tour else 9, shape=shapes.get(view, 3), name="x")
    if view is Armies:
        m.intvar(0, 1, shape=(2, 2), name="y")
        m.view = Armies("x", "y")
        return solution(m, [1, 0, 0, 0, 0, 0, 0, 1])
    m.view = view("x", *EXTRA.get(view, ()))
    return solution(m, [0, 1, 3, 2] if shapes.get(view) else [1, 2, 0] if view is Tour else [0, 1, 3])


@each("name", views.VIEWS)
def test_every_view_is_drawn(name: str) -> None:
    view = views.VIEWS[name]
    assert view in TEXT
    assert view in SVG
    drawn = example(view)
    assert draw_text(drawn).strip()
    assert draw_text(drawn, ASCII).isascii()
    picture = draw_svg(drawn)
    assert picture is not None
    assert ET.fromstring(picture).tag == f"{NAMESPACE}svg"
    assert solution_fragment(drawn) == picture


@each("name", catalog.names())
def test_every_problem_draws_a_solution(name: str) -> None:
    outcome = catalog.load(name).model.solve(solver="cpsat", time_limit=600)
    assert outcome.solution is not None
    assert str(outcome.solution).strip()
    picture = outcome.solution._repr_svg_()
    assert picture is not None
    ET.fromstring(picture)
    ET.fromstring(outcome_fragment(outcome).replace("<br>", "<br/>"))


def test_dots_are_dots_everywhere() -> None:
    """A Costas array is dots on a grid: in text, in pictures, in a replay and in the boards of a trace."""
    m = catalog.load("costas_array", ["n=4"]).model
    drawn = solution(m, [0, 1, 3, 2])
    assert draw_text(drawn).count("●") == 4
    assert "░" not in draw_text(drawn)
    assert draw_text(drawn, ASCII) == "o...\n.o..\n...o\n..o."
    assert draw_svg(drawn) != draw_svg(board([0, 1, 3, 2]))
    outcome = m.solve(solver="backtracking", trace=50)
    assert '"piece":["\\u25cf","dot"]' in replay_page([outcome])
    assert outcome.trace is not None
    assert "●" in "".join(boards_text(outcome.trace, m))


def test_pieces_that_are_too_wide_are_listed() -> None:
    m = Model(view=Armies("w", "b"))
    m.boolvar(shape=(2, 3), name="w")
    m.boolvar(shape=(2, 3), name="b")
    drawn = solution(m, [1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
    assert draw_text(drawn, Style(width=4)) == "row 0: black 2; white 0, 1\nrow 1: none"
    assert draw_text(drawn, Style(width=5)).startswith("┌───┐")


def test_board_in_text() -> None:
    drawn = board([1, 3, 0, 2])
    assert draw_text(drawn) == (
        "┌────────────┐\n│    ♛    ░░░│\n│░░░   ░░░ ♛ │\n│ ♛ ░░░   ░░░│\n│░░░    ♛    │\n└────────────┘"
    )
    assert draw_text(drawn, ASCII) == ".Q..\n...Q\nQ...\n..Q."
    coloured = draw_text(drawn, COLOUR)
    assert coloured.count("♛") == 4
    assert all(line.endswith("\x1b[0m") for line in coloured.splitlines())


def test_attacked_queens_stand_out() -> None:
    drawn = board([0, 1, 3, 2])
    picture = board_picture(drawn, drawn.model.view)
    assert picture.attacks == (((0, 0), (1, 1)), ((2, 3), (3, 2)))
    assert board_text(picture, ASCII) == "X...\n.X..\n...X\n..X."
    assert board_text(picture).count("!♛!") == 4
    assert "48;5;167" in board_text(picture, COLOUR)
    red = [p for p in ET.fromstring(board_svg(picture)).iter(f"{NAMESPACE}path") if p.get("fill") == ATTACKED]
    assert len(red) == 4


def test_boards_fit_the_width_that_there_is() -> None:
    places = [(2 * k + k // 7) % 13 for k in range(13)]
    drawn = board(places)
    for colour, least in ((False, 15), (True, 13)):
        for width in (80, 40, 39, 15, 14, 13, 12):
            text = draw_text(drawn, Style(colour, True, width))
            lines = [re.sub("\x1b[^m]*m", "", line) for line in text.splitlines()]
            assert len(lines) == (2 if width < least else 13 if colour else 15)
            if width >= least:
                assert max(map(len, lines)) <= width
                assert sum(line.count("♛") + line.count("X") for line in lines) == 13
    narrow = draw_text(board([0, 1, 3, 2]), Style(width=6))
    assert narrow == "┌────┐\n│X░ ░│\n│░X░ │\n│ ░ X│\n│░ X │\n└────┘"


def test_attacks_are_told_without_colour() -> None:
    drawn = board([0, 1, 3, 2])
    plain = re.sub("\x1b[^m]*m", "", draw_text(drawn, COLOUR))
    assert plain.count("!♛!") == 4
    crosses = [
        p
        for p in ET.fromstring(draw_svg(drawn) or "").iter(f"{NAMESPACE}path")
        if p.get("stroke-width") == "0.07"
    ]
    assert len(crosses) == 1
    assert crosses[0].get("d", "").count("M") == 8


def test_sums_and_differences_are_shown() -> None:
    texts = {}
    for name, values in (
        ("square", [[2, 7, 6], [9, 5, 1], [4, 3, 8]]),
        ("row", [[0, 3, 1]]),
        ("latin", [[1, 2], [2, 1]]),
    ):
        drawn = ET.fromstring(grid_svg(values))
        texts[name] = [t.text for t in drawn.iter(f"{NAMESPACE}text")]
    assert texts["square"][9:] == ["15"] * 7
    assert texts["row"][3:] == ["3", "2"]
    assert len(texts["latin"]) == 4


def test_forms_that_do_not_exist_are_refused_in_one_line() -> None:
    m = Model()
    m.intvar(3, 3, name="x")
    for form in ("pdf", 3, None):
        with pytest.raises(ModelError, match="allowed are text svg html outcome"):
            m.drawn(m.solve(solver="backtracking"), form)  # type: ignore[arg-type]


def test_graphs_are_drawn_as_people_know_them() -> None:
    petersen = catalog.load("graph_colouring", ["graph=petersen"]).model
    edges = petersen.view.edges
    places = vertex_places(10, edges)
    middle = 210.0
    far = [round(math.dist(p, (middle, middle))) for p in places]
    assert far[:5] == [180] * 5
    assert far[5:] == [94] * 5
    queens = catalog.load("graph_colouring", ["graph=queens", "size=4"]).model
    places = vertex_places(16, queens.view.edges)
    assert len({x for x, _ in places}) == len({y for _, y in places}) == 4
    assert len({round(math.dist(p, (middle, middle))) for p in vertex_places(9, ((0, 1),))}) == 1
    drawn = ET.fromstring(colouring_svg([0, 1, 0], [(0, 1), (0, 2)]))
    assert [t.text for t in drawn.iter(f"{NAMESPACE}text")] == ["0", "a", "1", "b", "2", "a"]
    dashed = [line for line in drawn.iter(f"{NAMESPACE}line") if line.get("stroke-dasharray")]
    assert len(dashed) == 1


def test_a_solution_has_nothing_red() -> None:
    assert ATTACKED not in (draw_svg(board([1, 3, 0, 2])) or "")


def test_attacks_are_those_of_the_model_not_of_plain_queens() -> None:
    m = Model("rooks")
    q = m.intvar(0, 3, shape=4, name="q")
    m += AllDifferent(q)
    m.view = Board("q")
    assert board_picture(solution(m, [0, 1, 2, 3]), m.view).attacks == ()
    assert board_picture(solution(m, [0, 1, 2, 0]), m.view).attacks == (((0, 0), (3, 0)),)


def test_attacks_by_constraints_on_pairs() -> None:
    m = Model("pairs")
    q = m.intvar(0, 3, shape=4, name="q")
    m += [q[i] != q[j] for i in range(4) for j in range(i)]
    m.view = Board("q")
    assert board_picture(solution(m, [2, 1, 2, 0]), m.view).attacks == (((0, 2), (2, 2)),)


def test_given_and_blocked_squares_are_marked() -> None:
    drawn = board([1, 3, 0, 2], given=((0, 1),), blocked=((0, 0),))
    picture = draw_svg(drawn) or ""
    assert GIVEN_SQUARE in picture
    assert BLOCKED_SQUARE in picture
    assert draw_text(drawn, ASCII).startswith("-Q..")
    assert "▓▓▓" in draw_text(drawn)


def test_matrix_and_rules() -> None:
    picture = one_per_row([1, 0])
    assert board_matrix(picture) == "0 1\n1 0"
    assert board_rules(picture) == "+---+---+\n|   | Q |\n+---+---+\n| Q |   |\n+---+---+"


@each("n", [0, 1, 2, 41, 200])
def test_boards_of_any_size(n: int) -> None:
    drawn = board(list(range(n)))
    paths = ET.fromstring(draw_svg(drawn) or "").iter(f"{NAMESPACE}path")
    assert sum("scale" in p.get("transform", "") for p in paths) == n
    assert str(drawn).startswith("q = [" if n > 40 else "┌")


def test_a_board_that_goes_elsewhere_keeps_to_80_columns_and_a_list_has_ten_rows_a_line() -> None:
    assert max(map(len, str(board(list(range(26)))).splitlines())) == 80
    assert max(map(len, str(board(list(range(27)))).splitlines())) == 29
    lines = str(board(list(range(100)))).splitlines()
    assert (lines[0], len(lines)) == ("q = [ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,", 10)
    assert lines[9].strip() == "90, 91, 92, 93, 94, 95, 96, 97, 98, 99]"


def test_a_big_board_is_a_small_file() -> None:
    assert len(board_svg(one_per_row(range(200)))) < 250_000


def test_titles_are_escaped() -> None:
    title = ET.fromstring(draw_svg(board([1, 3, 0, 2])) or "").find(f"{NAMESPACE}title")
    assert title is not None
    assert title.text == "queens <8>"


def test_gallery_numbers_its_boards() -> None:
    sheet = ET.fromstring(gallery_svg([one_per_row([1, 3, 0, 2])] * 5))
    assert [t.text for t in sheet.iter(f"{NAMESPACE}text")] == ["1", "2", "3", "4", "5"]
    ET.fromstring(gallery_svg([]))


def test_armies_have_two_colours() -> None:
    assert draw_text(example(Armies), ASCII) == "W.\n.Q"
    assert draw_text(example(Armies)) == "┌──────┐\n│ ♕ ░░░│\n│░░░ ♛ │\n└──────┘"


def test_colouring_shows_clashes() -> None:
    m = Model("graph")
    x = m.intvar(0, 2, shape=3, name="x")
    m += [x[0] != x[1], x[1] != x[2]]
    m.view = Colouring("x", ((0, 1), (1, 2)))
    assert "edge 0 - 1 joins colour 2 to itself" in draw_text(solution(m, [2, 2, 0]))
    assert ATTACKED in (draw_svg(solution(m, [2, 2, 0])) or "")
    assert ATTACKED not in (draw_svg(solution(m, [2, 1, 2])) or "")


def test_ruler_is_to_scale_and_labelled() -> None:
    m = Model("ruler")
    m.intvar(0, 50, shape=4, name="x")
    m.view = Marks("x")
    assert draw_text(solution(m, [0, 1, 4, 6])) == "├─┼─────┼───┤\n0 1     4   6"
    assert draw_text(solution(m, [0, 0, 4, 6])) == "0 0 4 6"


def test_pairing_is_a_row() -> None:
    m = Model("langford")
    m.intvar(0, 5, shape=3, name="p")
    m.view = Pairing("p")
    assert draw_text(solution(m, [1, 2, 0])) == "3 1 2 1 3 2"


def test_sequence_conflicts_are_red() -> None:
    m = Model("sequence")
    m += AllDifferent(m.intvar(0, 3, shape=3, name="x"))
    m.view = Sequence("x")
    assert (draw_svg(solution(m, [0, 1, 1])) or "").count(ATTACKED) == 2


def test_without_a_view_names_and_values() -> None:
    m = Model("plain")
    m.intvar(0, 3, shape=2, name="x")
    m.intvar(0, 3, shape=(2, 2), name="y")
    drawn = solution(m, [1, 2, 0, 1, 2, 3])
    assert str(drawn) == "x = [1, 2]\ny =\n  [0, 1]\n  [2, 3]"
    assert drawn._repr_svg_() is None
    assert drawn._repr_html_().startswith("<pre")


def test_outcome_in_a_notebook() -> None:
    outcome = board([1, 3, 0, 2]).model.solve(solver="cpsat")
    fragment = outcome._repr_html_()
    assert "FEASIBLE" in fragment
    assert "<svg" in fragment
    assert "queens &lt;8&gt;" in fragment


def test_regions_fit_the_terminal() -> None:
    regions = ("AAB", "ABB", "CCC")
    m = Model("regions", view=Pieces("x", "queen", regions))
    m.boolvar(shape=(3, 3), name="x")
    drawn = solution(m, [0, 1, 0, 0, 0, 1, 0, 0, 0])
    assert max(map(len, draw_text(drawn, Style(width=13)).splitlines())) == 13
    assert draw_text(drawn, Style(width=12, unicode=False)).splitlines()[:3] == [
        "+---+-+",
        "|A Q|B|",
        "| +-+ |",
    ]
    assert draw_text(drawn, Style(width=6)).splitlines() == ["A♛B", "AB♛", "CCC"]
    m = Model("cages", view=Cages("x", regions, given=((0, 0),)))
    m.intvar(1, 10, shape=(3, 3), name="x")
    drawn = solution(m, [10, 2, 3] * 3)
    assert "[10]" in draw_text(drawn, Style(width=16))
    assert draw_text(drawn, Style(width=15)).splitlines()[1] == "│10  2│ 3│"
    assert draw_text(drawn, Style(width=9)).splitlines() == ["10  2  3"] * 3


def test_labels_stand_beside_rows_and_above_columns() -> None:
    view = Pieces("x", "block", row_labels=("1 1", "12"), column_labels=("1", "1 2", "3"))
    m = Model("labels", view=view)
    m.boolvar(shape=(2, 3), name="x")
    drawn = solution(m, [1, 0, 1, 0, 1, 0])
    assert draw_text(drawn, Style(width=15)).splitlines() == [
        "         1",
        "      1  2  3",
        "    ┌─────────┐",
        "1 1 │███   ███│",
        " 12 │   ███   │",
        "    └─────────┘",
    ]
    assert draw_text(drawn, Style(width=8)).splitlines()[1] == "│█ █│"
    assert draw_text(drawn, Style(unicode=False)) == "#.#\n.#."
    coloured = draw_text(drawn, Style(colour=True)).splitlines()
    assert coloured[1] == "     1  2  3"
    assert "███" in coloured[2]
    picture = draw_svg(drawn)
    assert [picture.count(f">{word}<") for word in ("1", "2", "1 1", "12", "0")] == [2, 1, 1, 1, 0]


def test_regions_are_told_by_letters_and_borders() -> None:
    m = Model("regions", view=Pieces("x", "queen", ("AAB", "ABB", "CCC")))
    m.boolvar(shape=(3, 3), name="x")
    drawn = solution(m, [1, 0, 0, 0, 0, 1, 0, 1, 0])
    assert draw_text(drawn, ASCII) == (
        "+-------+---+\n| Q   A | B |\n|   +---+   |\n| A | B   Q |\n"
        "+---+-------+\n| C   Q   C |\n+-----------+"
    )
    letters = [t.text for t in ET.fromstring(draw_svg(drawn) or "").iter(f"{NAMESPACE}text")]
    assert letters[:9] == list("AABABBCCC")


@pytest.mark.parametrize(
    ("view", "shape", "upper", "reason"),
    [
        (Pieces("x", "pawn"), (2, 2), 1, "no piece 'pawn': allowed are queen, rook"),
        (Pieces("x", regions=("AB",)), (2, 2), 1, "the regions have not 2 rows of 2 letters"),
        (Pieces("x", row_labels=("1",)), (2, 2), 1, "1 labels for 2 rows or columns"),
        (Cages("x", ("ABC", "ABC")), (2, 2), 1, "the regions have not 2 rows of 2 letters"),
        (Tour("x", ((0, 0),) * 3), (2,), 1, "3 points for 2 elements"),
        (Tour("x", ((0, 0),) * 2), (2,), 5, "an element may be none of the points"),
        (Schedule("x", (1,)), (2,), 5, "durations, lanes and names are not of 2"),
        (Groups("x", (1, 2, 3)), (2,), 5, "3 weights for 2"),
        (Features("x", ((0, 1),)), (2,), 5, "the table has not all classes 0 to 5"),
    ],
)
def test_what_a_view_says_must_fit(view: View, shape: tuple[int, ...], upper: int, reason: str) -> None:
    m = Model("misfit", view=view)
    x = m.intvar(0, upper, shape=shape, name="x")
    drawn = solution(m, [0] * x.size)
    assert f"(not drawn: {reason}" in draw_text(drawn)
    assert draw_svg(drawn) is None


def test_clashes_on_a_machine_and_long_schedules() -> None:
    m = Model("shop", view=Schedule("x", (2, 2, 500), (0, 0, 1)))
    m.intvar(0, 9, shape=3, name="x")
    assert draw_text(solution(m, [0, 1, 0])) == "0 | 0: 0-2, 1: 1-3\n1 | 2: 0-500"
    m.view = Schedule("x", (2, 2, 5), (0, 0, 1))
    assert draw_text(solution(m, [0, 1, 0])) == "0 |0!1..\n1 |22222\n   0   5"
    assert (draw_svg(solution(m, [0, 1, 0])) or "").count(ATTACKED) == 2


def test_tasks_that_are_absent_are_not_drawn() -> None:
    m = Model("shop", view=Schedule("x", (2, 2, 3), (0, 0, 1), present="here"))
    m.intvar(0, 9, shape=3, name="x")
    m.boolvar(shape=3, name="here")
    drawn = solution(m, [0, 1, 4, 0, 1, 1])
    assert draw_text(drawn) == "0 |11....\n1 |...222\n   1    7"
    assert (draw_svg(drawn) or "").count('rx="3"') == 2
    m.view = Schedule("x", (2, 2, 3), present="there")
    assert misfit(m) == "no variable 'there' for Schedule"


def test_several_tours_are_each_a_line() -> None:
    m = Model("routes", view=Tour("x", ((0, 0), (0, 0), (3, 0), (0, 4))))
    m.intvar(0, 3, shape=4, name="x")
    drawn = solution(m, [2, 3, 0, 1])
    assert draw_text(drawn) == "0 -> 2 -> 0\n1 -> 3 -> 1"
    assert (draw_svg(drawn) or "").count("<path") == 2


def test_groups_without_weights_are_a_line_for_each_row() -> None:
    m = Model("groups", view=Groups("x", first=1))
    m.intvar(0, 1, shape=(2, 4), name="x")
    assert draw_text(solution(m, [0, 0, 1, 1, 0, 1, 0, 1])) == "1 2 | 3 4\n1 3 | 2 4"


@pytest.mark.parametrize(("width", "lines"), [(8, 2), (7, 6), (3, 6)])
def test_grids_that_are_too_wide_are_numbered_rows(width: int, lines: int) -> None:
    m = Model("grid", view=Grid("x"))
    m.intvar(0, 99, shape=(2, 3), name="x")
    text = draw_text(solution(m, [1, 20, 3, 4, 50, 6]), Style(width=width))
    assert len(text.splitlines()) == lines
    assert [int(n) for n in re.findall(r"\d+(?!:|\d)", text)] == [1, 20, 3, 4, 50, 6]
    assert max(map(len, text.splitlines())) <= max(width, 5)


def test_pictures_in_text_keep_to_the_terminal() -> None:
    narrow = Style(width=20)
    m = Model("ruler", view=views.Marks("x"))
    m.intvar(0, 99, shape=4, name="x")
    assert draw_text(solution(m, [0, 1, 4, 6]), narrow).startswith("├")
    assert draw_text(solution(m, [0, 1, 4, 60]), narrow) == "0 1 4 60"
    m = Model("shop", view=Schedule("x", (2, 2, 15), (0, 0, 1)))
    m.intvar(0, 9, shape=3, name="x")
    assert "|" in draw_text(solution(m, [0, 2, 0]), narrow).splitlines()[1]
    assert "2: 5-20" in draw_text(solution(m, [0, 2, 5]), narrow)
    m = Model("cages", view=Cages("x", ("AAABBB",) * 2))
    m.intvar(1, 9, shape=(2, 6), name="x")
    assert "│1 2 3│4 5 6│" in draw_text(solution(m, [1, 2, 3, 4, 5, 6] * 2), narrow)
    assert draw_text(solution(m, [1, 2, 3, 4, 5, 6] * 2), Style(width=12)) == "1 2 3 4 5 6\n1 2 3 4 5 6"
