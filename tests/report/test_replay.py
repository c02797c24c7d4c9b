"""The page that replays a trace: it holds the trace, asks nothing of the network, and works in a browser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cpqueens import Model, ModelError, Outcome
from cpqueens.answers.trace import UNSET
from cpqueens.cli.main import main
from cpqueens.problems import catalog
from cpqueens.report.replay import replay_page, rows_text

RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "climbing": ("queens n=8", "local-search:hill-climbing", {}),
    "annealing": ("queens n=12", "local-search:annealing", {"step_limit": 500}),
    "table": ("superqueens n=10", "backtracking:table", {}),
    "forward": ("queens n=8", "backtracking:forward", {}),
    "square": ("magic_square n=3", "backtracking:forward", {}),
    "interval": ("all_interval n=8", "local-search:tabu", {}),
}


def outcome(name: str, trace: int = 10_000) -> Outcome:
    problem, solver, options = RUNS[name]
    title, *parameters = problem.split()
    return catalog.load(title, parameters).model.solve(solver=solver, random_seed=4, trace=trace, **options)


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def test_the_page_holds_the_trace_and_nothing_from_elsewhere() -> None:
    runs = [outcome(name) for name in RUNS]
    page = replay_page(runs)
    assert not re.search(r'(src|href)="(?!data:)|@import|url\(|https?:', page)
    for run, data in zip(runs, data_of(page), strict=True):
        assert run.trace is not None
        assert data["names"] == list(run.trace.names)
        assert [data["kindnames"][k] for k in data["kinds"]] == list(run.trace.kinds)
        values = data["start"]
        for variable, new in zip(data["vars"], data["news"], strict=True):
            values[variable] = new
        last = run.trace.state(len(run.trace)).tolist()
        assert values == [None if v == UNSET else v for v in last]


def test_a_thinned_search_has_no_tree(browser: Any, tmp_path: Path) -> None:
    """Where several events are one, a placement and what undid it may be gone: values are counted instead."""
    runs = [outcome("forward", trace=room) for room in (10_000, 20)]
    file = tmp_path / "page.html"
    file.write_text(replay_page(runs), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert [data["thinning"] > 1 for data in data_of(file.read_text())] == [False, True]
    assert page.evaluate("replay.runs.map(run => run.tree === null)") == [False, True]
    states = list(runs[1].trace.states())  # type: ignore[union-attr]
    assert page.evaluate("[...replay.runs[1].many]") == [int((state != UNSET).sum()) for state in states]
    assert page.locator("canvas.tree").count() == 1
    page.close()


def test_names_cannot_end_the_script() -> None:
    m = Model("</script><b>@DATA@")
    m.intvar(0, 1, shape=2, name="</script>")
    page = replay_page([m.solve(solver="backtracking", trace=10)])
    assert data_of(page)[0]["names"][0] == "</script>[0]"
    assert "<b>" not in page


def test_values_are_shown_by_their_names() -> None:
    model = Model("map")
    colour = model.var(["red", "green"], shape=[["A", "B"]], name="colour")
    x = model.intvar(3, 4, name="x")
    model.add(colour[0] != colour[1], x == 4)
    outcome = model.solve("backtracking:check", trace=9)
    assert data_of(replay_page([outcome]))[0]["texts"] == [{"0": "red", "1": "green"}] * 2 + [{}]
    assert outcome.trace is not None
    text = "\n".join(rows_text(outcome.trace))
    assert "colour[A] = red" in text
    assert "colour[B] = green" in text
    assert "x=4" in text or "x = 4" in text


def test_refusals() -> None:
    run = catalog.load("queens", ["n=5"]).model.solve(solver="backtracking")
    for runs, message in (([], "at least one run"), ([run], "backtracking recorded nothing")):
        with pytest.raises(ModelError, match=message):
            replay_page(runs)


def test_the_verb_and_the_step_by_step_text(tmp_path: Path) -> None:
    def call(line: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, line.split())
        return done.exit_code, done.output

    page = tmp_path / "page.html"
    two = "--solver backtracking:check --solver las-vegas"
    assert call(f"replay queens n=5 {two} --seed 1 --out {page}")[0] == 0
    assert [run["title"] for run in data_of(page.read_text())] == [
        "backtracking:check on queens",
        "las-vegas on queens",
    ]
    assert call(f"replay queens n=5 --out {page}")[0] == 2
    for solver in ("cpsat", "local-search+cpsat"):  # before the first of them runs
        told = call(f"replay queens n=5 --solver las-vegas --solver {solver} --out {tmp_path / 'x.html'}")
        mine = "only this package's own engines do: backtracking, las-vegas, local-search\n"
        assert told == (20, f"cpqueens: {solver} records no trace; {mine}")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["page.html"]
    code, text = call("solve queens n=4 --solver backtracking:check --trace")
    assert code == 0
    assert [line.split()[1:4] for line in text.splitlines()[2:6]] == [
        ["place", "q[0]", "="],
        ["place", "q[1]", "="],
        ["backtrack", "q[1]", "was"],
        ["place", "q[1]", "="],
    ]
    code, text = call("solve queens n=4 --trace-boards --solver backtracking:check")
    assert code == 0
    assert text.count("┌────────────┐") == 15
    assert "▓▓▓" in text
    assert call("solve costas_array n=30 --trace-boards")[0] == 2
    assert "cpsat records no trace" in call("solve queens --solver cpsat --trace")[1]


def test_a_window_of_1280_by_720_shows_all(browser: Any, tmp_path: Path) -> None:
    for runs in (["forward"], ["climbing"], ["climbing", "forward"]):
        file = tmp_path / "page.html"
        file.write_text(replay_page([outcome(name) for name in runs]), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(file.as_uri())
        assert not page.locator(".key").first.is_visible()
        page.keyboard.press("h")
        page.keyboard.press("End")
        assert page.evaluate("document.documentElement.scrollHeight") <= 720, runs
        top = page.locator(".controls").bounding_box()["y"]
        for canvas in page.locator("canvas").all():
            box = canvas.bounding_box()
            assert box["y"] + box["height"] <= top
        assert page.locator(".key").first.is_visible()
        page.close()


# ---- in a browser --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1300, "light")])
def test_in_a_browser(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    names = ["climbing", "forward"] if width > 400 else ["annealing", "table", "square", "interval"]
    runs = [outcome(name) for name in names]
    file = tmp_path / "page.html"
    file.write_text(replay_page(runs), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url == file.as_uri() else wrong.append(request.url))
    page.goto(file.as_uri())
    longest = max(len(run.trace) for run in runs if run.trace is not None)

    def states_are_those_of(event: int) -> None:
        assert page.evaluate("replay.at") == event
        shown = page.evaluate("replay.runs.map(run => run.values)")
        for run, values in zip(runs, shown, strict=True):
            assert run.trace is not None
            state = run.trace.state(min(event, len(run.trace))).tolist()
            assert values == [None if v == UNSET else v for v in state]

    for event in (longest, 3, longest // 2, 0, 1):
        page.evaluate(f"replay.go({event})")
        states_are_those_of(event)
    for key, event in (("ArrowRight", 2), ("End", longest), ("ArrowLeft", longest - 1), ("Home", 0)):
        page.keyboard.press(key)
        states_are_those_of(event)
    assert page.inner_text(".said").startswith("Start")
    if page.is_visible("#heat"):
        page.keyboard.press("h")
        assert page.is_checked("#heat")
    page.select_option("#speed", label="1,000/s")
    page.keyboard.press(" ")
    page.wait_for_function(f"replay.at === {longest} && !replay.playing")
    states_are_those_of(longest)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = "[...document.querySelectorAll('canvas')].every(c => c.toDataURL().length > 500)"
    assert page.evaluate(drawn)
    assert [w for w in wrong if not w.startswith("data:")] == []
    page.close()
