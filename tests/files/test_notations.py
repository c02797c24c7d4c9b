"""Every notation is read as the same board, and what is none of them is refused with its line."""

from pathlib import Path

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.answers.solution import SolutionSet
from cpqueens.files.reading import Found
from cpqueens.files.solutionfile import read_solutions, read_text
from cpqueens.language.views import Armies, Board, Grid, Pairing
from cpqueens.report.board import board_picture
from cpqueens.report.board_text import ASCII, board_matrix, board_rules
from cpqueens.report.draw import draw_text, values_text

FIRST = [0, 4, 7, 5, 2, 6, 1, 3]
LAST = [7, 3, 0, 2, 5, 1, 6, 4]


def queens(n: int = 8) -> Model:
    m = Model("queens")
    q = m.intvar(0, n - 1, shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    m.view = Board("q")
    return m


def read(text: str, model: Model | None = None, **options: object) -> Found:
    return read_text(text, model or queens(), **options)  # type: ignore[arg-type]


BOARDS = {
    "list from 0": "[0, 4, 7, 5, 2, 6, 1, 3]",
    "list from 1": "1 5 8 6 3 7 2 4",
    "tuple": "(0,4,7,5,2,6,1,3)",
    "named list": "q = [0, 4, 7, 5, 2, 6, 1, 3]",
    "list over lines": "0\n4\n7\n5\n2\n6\n1\n3",
    "digits from 1": "15863724",
    "digits from 0": "04752613",
    "letters": "a e h f c g b d",
    "letters together": "aehfcgbd",
    "positions": "\n".join(f"{k} - {{{k}, {v + 1}}}" for k, v in enumerate(FIRST, 1)),
    "squares": "Q.......\n....Q...\n.......Q\n.....Q..\n..Q.....\n......Q.\n.Q......\n...Q....",
    "spaced squares": "Q . . . . . . .\n. . . . Q . . .\n. . . . . . . Q\n. . . . . Q . .\n"
    ". . Q . . . . .\n. . . . . . Q .\n. Q . . . . . .\n. . . Q . . . .",
    "chess symbols": "♛_______\n____♛___\n_______♛\n_____♛__\n__♛_____\n______♛_\n_♛______\n___♛____",
    "matrix": "\n".join(" ".join(str(int(c == v)) for c in range(8)) for v in FIRST),
    "packed matrix": "\n".join("".join(str(int(c == v)) for c in range(8)) for v in FIRST),
    "matrix in brackets": "[" + ",\n".join(str([int(c == v) for c in range(8)]) for v in FIRST) + "]",
    "JSON by name": '{"q": [0, 4, 7, 5, 2, 6, 1, 3]}',
    "JSON by element": "{" + ", ".join(f'"q[{k}]": {v}' for k, v in enumerate(FIRST)) + "}",
    "JSON rows of squares": str(["." * v + "Q" + "." * (7 - v) for v in FIRST]).replace("'", '"'),
    "own JSON": '{"schema": "cpqueens.solve", "version": 1, "solutions": [{"q": [0, 4, 7, 5, 2, 6, 1, 3]}]}',
}


FROM_ELSEWHERE = {
    "positions with an en dash, as typeset in papers and slides": "  ".join(
        f"{k} \u2013 {{{k}, {v + 1}}}" for k, v in enumerate(FIRST, 1)
    ),
    "positions with a minus sign, as typeset": "; ".join(
        f"{k} \u2212 ({k},{v + 1})" for k, v in enumerate(FIRST, 1)
    ),
    "Python: a list of (row, column) from 0": str(list(enumerate(FIRST))),
    "(row, column) from 1": " ".join(f"({k}, {v + 1})" for k, v in enumerate(FIRST, 1)),
    "files of a chess board, in brackets": "[a, e, h, f, c, g, b, d]",
    "files of a chess board, as JSON": '["a", "e", "h", "f", "c", "g", "b", "d"]',
    "chess squares": "a8 e7 h6 f5 c4 g3 b2 d1",
    "chess squares with the piece": "Qd1, Qb2, Qg3, Qc4, Qf5, Qh6, Qe7, Qa8",
    "Forsyth-Edwards notation": "Q7/4Q3/7Q/5Q2/2Q5/6Q1/1Q6/3Q4 w - - 0 1",
    "64 digits in one line": "".join(str(int(c == v)) for v in FIRST for c in range(8)),
    "64 digits with spaces": " ".join(str(int(c == v)) for v in FIRST for c in range(8)),
    "64 squares in one line": "".join(".Q"[c == v] for v in FIRST for c in range(8)),
    "rows between slashes": "/".join("".join(".Q"[c == v] for c in range(8)) for v in FIRST),
    "LeetCode 51": str(["".join(".Q"[c == v] for c in range(8)) for v in FIRST]).replace("'", '"'),
    "bars without rules": "\n".join("|" + "|".join(" Q"[c == v] for c in range(8)) + "|" for v in FIRST),
    "Markdown table": "|---|---|---|---|---|---|---|---|\n"
    + "\n".join("| " + " | ".join(" Q"[c == v] for c in range(8)) + " |" for v in FIRST),
    "table of box characters": "\n".join(
        ["\u250c" + "\u2500\u2500\u2500\u252c" * 7 + "\u2500\u2500\u2500\u2510"]
        + ["\u2502" + "\u2502".join(f" {' Q'[c == v]} " for c in range(8)) + "\u2502" for v in FIRST]
    ),
    "squares of emoji": "\n".join(
        "".join("\U0001f451" if c == v else "\u2b1c\u2b1b"[(r + c) % 2] for c in range(8))
        for r, v in enumerate(FIRST)
    ),
    "MiniZinc": "q = [1, 5, 8, 6, 3, 7, 2, 4];\n----------\n==========\n",
    "from a word processor": "0,\u00a04,\u00a07,\u00a05,\u00a02,\u00a06,\u00a01,\u00a03",
}


@each("source", FROM_ELSEWHERE)
def test_notations_from_elsewhere(source: str) -> None:
    found = read(FROM_ELSEWHERE[source])
    assert found.matrix.tolist() == [FIRST]
    assert not found.rejected


def test_minizinc_prints_several_solutions() -> None:
    text = "q = [1, 5, 8, 6, 3, 7, 2, 4];\n----------\nq = [8, 4, 1, 3, 6, 2, 7, 5];\n----------\n=========="
    assert read(text).matrix.tolist() == [FIRST, LAST]


def test_letters_of_a_small_board() -> None:
    assert read("[b, d, a, c]", queens(4)).matrix.tolist() == [[1, 3, 0, 2]]
    assert read("0100000110000010", queens(4)).matrix.tolist() == [[1, 3, 0, 2]]
    assert read(
        "1 \u2013 {1, 2} 2 \u2013 {2, 4} 3 \u2013 {3, 1} 4 \u2013 {4, 3}", queens(4)
    ).matrix.tolist() == [[1, 3, 0, 2]]


ODD_BOARDS = {
    "a row too long": "5/4/4/4",
    "nothing but queens": "QQQQ/QQQQ/QQQQ/QQQQ",
    "off the board": "a9 b9 c9 d9",
    "a row twice": "(0,0),(0,1),(2,2),(3,3)",
    "16 zeros": "0" * 16,
}


@each("name", ODD_BOARDS)
def test_boards_that_are_none_are_rejected_with_a_reason(name: str) -> None:
    found = read(ODD_BOARDS[name], queens(4))
    assert not len(found.matrix)
    assert found.rejected[0][1]


ENDLESS = {
    "digits": "1" * 10**6,
    "spaces": "1" + " " * 10**6 + "x",
    "positions": "1 - {1, " * 10**5,
    "dashes": "1 -" * 10**5,
    "bars": "|" * 10**6,
    "letters": "a" * 10**6,
    "names": "q = " * 10**5,
    "pairs": "(1,2" * 10**5 + "x",
    "squares": "a1" * 10**5 + "!",
    "fen": "9" * 10**6 + "/1/1/1",
    "keys": "{" + ",".join(f'"k{k}":1' for k in range(30_000)) + "}",
    "signs": "+-" * 10**5,
}


@each("name", ENDLESS)
def test_long_texts_are_answered(name: str) -> None:
    """Where the time grew with the square of the length, each of these would take from minutes to hours."""
    try:
        found = read(ENDLESS[name], queens(4))
    except ModelError as error:
        assert len(str(error)) < 300  # noqa: PT017 - to be refused, or rejected below, are both right
    else:
        assert found.rejected
        assert not len(found.matrix)


def test_a_long_row_of_pairs_is_answered() -> None:
    m = Model("langford")
    m.intvar(0, 10**5, shape=30_000, name="p")
    m.view = Pairing("p")
    text = " ".join(map(str, [*range(1, 30_001)] * 2))
    assert "between the two 1 there are 29999 numbers" in read(text, m).rejected[0][1]


@each("name", BOARDS)
def test_notation(name: str) -> None:
    found = read(BOARDS[name])
    assert found.matrix.tolist() == [FIRST]
    assert not found.rejected


def test_positions_may_come_in_any_order() -> None:
    lines = BOARDS["positions"].splitlines()
    assert read(", ".join(reversed(lines))).matrix.tolist() == [FIRST]


@each("name", [n for n in BOARDS if "JSON" not in n and n not in ("tuple",)])
def test_two_solutions_by_blank_line(name: str) -> None:
    found = read(BOARDS[name] + "\n\n" + BOARDS[name])
    assert found.matrix.tolist() == [FIRST, FIRST]


def test_one_solution_a_line() -> None:
    found = read("15863724\n84136275\n")
    assert found.matrix.tolist() == [FIRST, LAST]
    assert found.place(1) == "line 2"


@each(
    "drawn",
    [
        draw_text,
        lambda s: draw_text(s, ASCII),
        values_text,
        lambda s: board_rules(board_picture(s, Board("q"))),
        lambda s: board_matrix(board_picture(s, Board("q"))),
        lambda s: str(s.values.tolist()),
    ],
)
@each("row", [FIRST, LAST, [1, 1, 2, 3, 0, 7, 7, 4]])
def test_what_is_drawn_is_read(drawn: object, row: list[int]) -> None:
    m = queens()
    solution = SolutionSet(m, m.decisions, np.array([row]))[0]
    assert read(drawn(solution), m).matrix.tolist() == [row]  # type: ignore[operator]


def test_base_is_concluded_from_all_lines_together() -> None:
    ambiguous, decided = "1 3 5 7 2 4 6 6", "8 1 2 3 4 5 6 7"
    alone = read(ambiguous)
    assert alone.matrix[0, 0] == 1
    assert "from 0 or from 1" in alone.notes[0]
    both = read(f"{ambiguous}\n{decided}")
    assert both.matrix[:, 0].tolist() == [0, 7]


def test_base_can_be_said() -> None:
    found = read("1 3 5 7 2 4 6 6", base=1)
    assert found.matrix[0, 0] == 0
    assert not found.notes


def test_rows_by_column() -> None:
    found = read("1 3 0 2", queens(4), by_column=True)
    assert found.matrix.tolist() == [[2, 0, 3, 1]]
    clash = read("1 1 0 2", queens(4), by_column=True)
    assert clash.rejected == (("line 1", "rows by column: each row is needed once"),)


def test_two_queens_in_a_row_are_rejected_not_misread() -> None:
    found = read("Q..Q\n....\n.Q..\n..Q.", queens(4))
    assert len(found.matrix) == 0
    assert "row 0 (from 0) holds several queens" in found.rejected[0][1]
    empty = read("Q...\n....\n.Q..\n..Q.", queens(4))
    assert "row 1 (from 0) holds no queen" in empty.rejected[0][1]


@each(
    "text",
    [
        "",
        "   \n",
        "hello",
        "1 2 3",
        "Q...\n.Q..",
        "123456789",
        "0 1 2 3 4 5 6 x",
        "99999999999999999999 1 2 3 4 5 6 7",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_a_matrix_with_too_many_figures_says_where() -> None:
    rows = ["0000010000", "000100000", "00000010", "1000000"]
    rows += ["00000001", "01000000", "00001000", "00100000"]
    for drawn in (rows, [" ".join(row) for row in rows]):
        with pytest.raises(
            ModelError,
            match="8 in each, not 10 in line 1, 9 in line 2, 7 in line 4".replace("8 in", "8 figures in"),
        ):
            read("\n".join(drawn))


def test_a_wrong_line_is_named() -> None:
    with pytest.raises(ModelError, match="line 3: 'nonsense'"):
        read("15863724\n\nnonsense")


def test_grid_of_numbers() -> None:
    m = Model("square")
    m.intvar(1, 4, shape=(2, 2), name="x")
    m.view = Grid("x")
    for text in (
        "1 2\n3 4",
        "[[1, 2], [3, 4]]",
        "+---+---+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+",
        "1 2 3 4",
    ):
        assert read(text, m).matrix.tolist() == [[1, 2, 3, 4]]
    assert read("1 2\n3 4\n\n4 3\n2 1", m).matrix.tolist() == [[1, 2, 3, 4], [4, 3, 2, 1]]


def test_row_of_pairs() -> None:
    m = Model("langford")
    m.intvar(0, 5, shape=3, name="p")
    m.view = Pairing("p")
    assert read("312132", m).matrix.tolist() == [[1, 2, 0]]
    assert read("3 1 2 1 3 2", m).matrix.tolist() == [[1, 2, 0]]
    assert "between the two 1" in read("113232", m).rejected[0][1]


def test_several_variables_need_names() -> None:
    m = Model("armies")
    m.boolvar((2, 2), "white")
    m.boolvar((2, 2), "black")
    m.view = Armies("white", "black")
    found = read('{"white": [[1, 0], [0, 0]], "black": [[0, 0], [0, 1]]}', m)
    assert found.matrix.tolist() == [[1, 0, 0, 0, 0, 0, 0, 1]]
    with pytest.raises(ModelError, match="variables white, black: write solutions as JSON"):
        read("1 0 0 0", m)


FILES = {
    "x.json": "[[0, 4, 7, 5, 2, 6, 1, 3], [7, 3, 0, 2, 5, 1, 6, 4]]",
    "x.jsonl": '{"q": [0, 4, 7, 5, 2, 6, 1, 3]}\n{"q": [7, 3, 0, 2, 5, 1, 6, 4]}\n',
    "y.jsonl": "[0, 4, 7, 5, 2, 6, 1, 3]\n[7, 3, 0, 2, 5, 1, 6, 4]\n",
    "x.csv": ",".join(f"q[{k}]" for k in range(8)) + "\n0,4,7,5,2,6,1,3\n7,3,0,2,5,1,6,4\n",
    "turned.csv": ",".join(f"q[{k}]" for k in reversed(range(8))) + "\n3,1,6,2,5,7,4,0\n4,6,1,5,2,0,3,7\n",
    "y.csv": "1,5,8,6,3,7,2,4\n8,4,1,3,6,2,7,5\n",
    "x.txt": "\ufeff15863724\r\n84136275\r\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name], encoding="utf-8", newline="")
    assert read_solutions(tmp_path / name, queens()).matrix.tolist() == [FIRST, LAST]


@pytest.mark.parametrize(
    "array",
    [np.array([FIRST, LAST]), np.array([FIRST, LAST], dtype=np.int8), np.array([FIRST, LAST]) + 1],
)
def test_npy(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", array)
    assert read_solutions(tmp_path / "x.npy", queens()).matrix.tolist() == [FIRST, LAST]


HEADER = b",".join(b"q[%d]" % k for k in range(8))


def test_a_name_that_is_no_value_is_told_with_its_column(tmp_path: Path) -> None:
    m = Model()
    m.var(["day", "night"], shape=2, name="shift")
    (tmp_path / "a.csv").write_text("shift[0],shift[1]\nday,night\nday,nigth\n")
    with pytest.raises(
        ModelError, match=r"line 3, column shift\[1\]: 'nigth' is none .*; did you mean 'night'"
    ):
        read_solutions(tmp_path / "a.csv", m)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"[1, 2", "not JSON"),
        ("a.json", b'{"q": 1, "q": 2}', "the key 'q' is there twice"),
        ("a.json", b"[" * 100_000, "nested more than 32 levels deep"),
        ("a.jsonl", b'{"q": [0]}\nx\n', "line 2"),
        ("a.csv", b"q[0],q[1]\n1,2\n", "is missing"),
        ("a.csv", b"1,2,3\n", "is needed, got shape"),
        ("a.csv", b"1,2,3\n1,2\n", "line 2: 2 values, 3 are needed"),
        ("a.csv", b"1,2,x\n", "integers only"),
        ("a.csv", b"1" * 140_000, "line 1: not CSV: field larger than field limit"),
        ("a.csv", b"1,2,3,+-5\n", r"line 1, column 4: integers only, got '\+-5'"),
        ("a.csv", b"1.5,2,3\n", "line 1, column 1: integers only, got '1.5'"),
        ("a.csv", HEADER + b"\n1,2,3,,5,6,7,8\n", r"line 2, column q\[3\]: integers only, got an empty cell"),
        ("a.csv", b"1,2," + b"9" * 5000, "line 1, column 3: .* does not fit 64 bits"),
        ("a.csv", b"1,2\r3\r", "line 2: 1 values, 2 are needed"),
        ("a.csv", "1,\u0661".encode(), "integers only"),
        ("a.csv", b",".join(b"x%d" % (k % 59_999) for k in range(60_000)), "column 'x0' is there twice"),
        ("a.jsonl", b"[" * 100_000, "line 1: nested more than 32 levels deep"),
        ("a.json", b"[NaN]", "NaN is not allowed"),
        ("a.json", b"[" + b"1" * 5000 + b"]", "thousands of digits"),
        ("a.npy", b"not an array", "not a NumPy array"),
        ("a.txt", b"\xff\xfe\x00", "not a text in UTF-8"),
        ("missing.txt", None, "No such file"),
    ],
)
def test_bad_files_are_one_line(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=message) as caught:
        read_solutions(tmp_path / name, queens())
    assert "\n" not in str(caught.value)


def test_an_array_of_floats_or_objects_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", np.zeros((2, 8)))
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match="integers only"):
        read_solutions(tmp_path / "f.npy", queens())
    with pytest.raises(ModelError, match="not a NumPy array of integers"):
        read_solutions(tmp_path / "o.npy", queens())
