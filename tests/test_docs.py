"""The site's sources: what the build runs, and that what it does not run could be typed.

``make docs`` executes every code cell and every command output. Blocks marked ``sh`` need a cluster,
a file of the reader's or a network; their commands are parsed here.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner
from each import each

import cpqueens
from cpqueens.cli import main as cli
from cpqueens.crosscheck.external import External
from cpqueens.lab import evaluate as evaluating
from cpqueens.lab.classical_texts import SECTIONS, settings
from cpqueens.lab.experiments import CLAIMS
from cpqueens.problems import catalog
from cpqueens.report.gallery import runnable, statement_of

ROOT = Path(__file__).parent.parent
PAGES = sorted(p for p in (ROOT / "docs").rglob("*.md") if "generated" not in p.parts)
FENCE = re.compile(r"^ *```(\{?[\w-]+\}?)([^\n]*)\n(.*?)^ *```", re.M | re.S)
EXECUTED = {"{code-cell}", "{command-output}"}
SHOWN = {"{index}", "{literalinclude}", "{include}", "{toctree}", "{eval-rst}", "sh", "text"}


def blocks(page: Path) -> list[tuple[str, str, str]]:
    return FENCE.findall(page.read_text(encoding="utf-8"))


COMMANDS = sorted(
    {
        line.partition("#")[0].strip()
        for page in PAGES
        for kind, _, text in blocks(page)
        if kind == "sh"
        for line in text.splitlines()
        if line.startswith("cpqueens ")
    }
)


@each("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_run_or_say_what_they_are(page: Path) -> None:
    kinds = {kind for kind, _, _ in blocks(page)}
    assert kinds <= EXECUTED | SHOWN
    text = page.read_text(encoding="utf-8")
    assert ("{code-cell}" in kinds) == text.startswith("---\nfile_format: mystnb")
    assert text.count("```") % 2 == 0


@each("command", COMMANDS)
def test_commands_can_be_typed(command: str) -> None:
    _, verb, *arguments = shlex.split(command)
    found = cli.main.get_command(click.Context(cli.main), verb)
    assert found is not None
    found.make_context(verb, arguments)


def test_every_line_that_readers_are_told_to_type_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb, a target of make, a script of ours with its options, or what is installed by pip."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    made = [importlib.import_module(f"generating.{name}").pages() for name in ("texts", "benchmarks")]
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    texts += [text for pages in made for text in pages.values()]
    told = {
        line.partition("  #")[0].strip()
        for text in texts
        for kind, _, block in FENCE.findall(text)
        if kind == "sh"
        for line in block.splitlines()
    }
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [f"'cpqueens[{extra}]'" for extra in project["optional-dependencies"]]
    race = (ROOT / "tests/benchmarks/race.py").read_text(encoding="utf-8")
    assert len(told) > 50
    for line in told:
        words = [word for word in shlex.split(line) if "=" not in word or not word[0].isupper()]
        if words[0] == "cpqueens":
            command = cli.main.get_command(click.Context(cli.main), words[1])
            assert command is not None, line
            command.make_context(words[1], words[2:])
        elif words[0] == "make":
            assert words[1] in targets, line
        elif words[:2] == ["pip", "install"]:
            assert line.split()[2] in (".", "pumpkin-solver", *extras), line
        elif words[0] == "python":
            script = (ROOT / words[1]).read_text(encoding="utf-8")
            for option in (word for word in words if word.startswith("--")):
                assert f'"{option}"' in script + race, line
        elif words[0] == "dask":
            pytest.importorskip("distributed", reason="dask.distributed is not installed")
            program = importlib.import_module(f"distributed.cli.dask_{words[1]}").main
            known = {option for parameter in program.params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= known, line
        else:
            assert line == "minizinc --solver cpqueens model.mzn"


MODEL = """
from cpqueens import AllDifferent, Model

def model(n: int = 4) -> Model:
    m = Model("model")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += AllDifferent(x)
    return m
"""
ANSWERS = '[{"x": [0, 2, 1, 3]}]'
FOUND = """
import random

def mine(model, seed, time_limit):
    return {"x": random.Random(seed).sample(range(4), 4)}
"""
FILES = {**dict.fromkeys(("model.py", "old.py", "new.py"), MODEL), "mine.py": FOUND, "answers.json": ANSWERS}
"""What readers have where a page says `model.py`."""
ELSEWHERE = ("--cluster", "minizinc install", "fuzz --models 26120")
"""What wants a cluster (the tests of example 19 have one), writes into the reader's home, or takes
19 minutes (`make fuzz` does less of it)."""
HEURISTIC = ROOT / "examples" / "12_heuristic.awk"


@pytest.mark.slow
def test_commands_do_what_they_say(tmp_path: Path) -> None:
    """Those that the build does not run, page by page: a later one may read what an earlier one wrote."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for file in (ROOT / "docs/files").glob("*.*"):
        shutil.copy(file, tmp_path)
    for name in ("mine", "heuristic"):
        (tmp_path / name).write_text(f"#!/bin/sh\nexec awk -f {HEURISTIC}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    told = [
        line.partition("  #")[0].strip()
        for page in PAGES
        for kind, _, text in blocks(page)
        if kind == "sh"
        for line in text.splitlines()
        if line.startswith("cpqueens ") and not any(words in line for words in ELSEWHERE)
    ]
    assert len(told) >= 10
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in told:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        stuck = done.returncode == 3 and "solve" in command and "local-search" in command  # as walks may be
        assert done.returncode == 0 or stuck, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.skipif(os.name == "nt", reason="external programs need POSIX")
@pytest.mark.parametrize("language", ["Python", pytest.param("C++", marks=pytest.mark.slow)])
def test_templates_of_programs_answer(language: str, tmp_path: Path) -> None:
    files, program = ROOT / "docs/files", tmp_path / "heuristic"
    if language == "C++":
        compiler = shutil.which("c++") or pytest.skip("no C++ compiler")
        subprocess.run([compiler, "-O2", "-o", program, files / "heuristic.cpp"], check=True)
    argv = [str(program)] if language == "C++" else [sys.executable, str(files / "heuristic.py")]
    found = evaluating.evaluate(External(argv), "queens", sizes=[5], runs=2, time_limit=600)
    assert [row.ending.value for row in found.runs] == ["solved"] * 2
    assert all(row.steps and row.steps > 0 for row in found.runs)


@pytest.mark.slow
@pytest.mark.parametrize("problem", catalog.names())
def test_commands_of_the_gallery_do_what_they_say(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    for command in importlib.import_module("generating.gallery").commands(problem):
        done = CliRunner().invoke(cli.main, shlex.split(command)[1:])
        assert done.exit_code == 0, f"{command}\n{done.output}"


LINES = 10
"""That a model on its page of the gallery may have."""


@pytest.mark.parametrize("problem", catalog.names())
def test_models_of_the_gallery_have_ten_lines_and_are_found(
    problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    spec = importlib.util.spec_from_file_location("shown", ROOT / "models" / f"{problem}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shown = statement_of(getattr(module, problem))
    assert len(shown.splitlines()) <= LINES, shown
    space: dict[str, Any] = {}
    exec(importlib.import_module("generating.gallery").imported(problem), space)
    assert space[problem] is catalog.find(problem).function
    stated: dict[str, Any] = {}
    exec(runnable(catalog.find(problem).function), stated)
    assert isinstance(stated["m"], cpqueens.Model)


def options(command: click.Command) -> set[str]:
    """Return all that a command, and those within it, can be given."""
    named = {one for p in command.params for one in (*p.opts, *p.secondary_opts)}
    return named.union(*(options(inner) for inner in getattr(command, "commands", {}).values()))


def test_options_in_prose_exist() -> None:
    verbs = [cli.main.get_command(click.Context(cli.main), verb) for verb in cli.VERBS]
    known = {"--help"}.union(*(options(verb) for verb in verbs if verb is not None))
    scripts = [*(ROOT / "tests/benchmarks").glob("*.py"), ROOT / "tests/mutants/run.py"]
    known.update(o for f in scripts for o in re.findall(r'"(--[a-z-]+)"', f.read_text(encoding="utf-8")))
    for page in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        prose = FENCE.sub("", page.read_text(encoding="utf-8"))
        spans = re.findall(r"`([^`]+)`", prose)
        named = {option for span in spans for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", span)}
        assert named <= known, page


def executed(page: str) -> list[str]:
    """Return what a page runs, without the names and comments that readers see in their own language."""
    found = blocks(ROOT / "docs" / page)
    return [re.sub(r'"[^"\n]*"|#.*', "", head + text) for kind, head, text in found if kind in EXECUTED]


def test_the_chinese_pages_run_what_the_english_ones_run() -> None:
    english = executed("start/queens.md")
    assert executed("zh/tutorial.md")[: len(english)] == english
    assert executed("zh/index.md") == executed("index.md") != []
    front = (ROOT / "docs/index.md").read_text(encoding="utf-8").partition("```{toctree}")[0]
    chinese = (ROOT / "docs/zh/index.md").read_text(encoding="utf-8")
    asked = re.findall(r"\]\(([\w/]+\.md)\)", front.partition("| you wonder")[0])
    assert len(asked) >= 10
    for link in asked:
        assert link in {"zh/index.md", "start/queens.md"} or f"(../{link})" in chinese


def test_every_page_is_within_the_site() -> None:
    """Sphinx follows these; a page that no list names would be built and never found."""
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    lessons = (ROOT / "docs/teaching/index.md").read_text(encoding="utf-8")
    for page in PAGES:
        name = str(page.relative_to(ROOT / "docs").with_suffix(""))
        assert name == "index" or f"\n{name}\n" in index or f"\n{page.stem}\n" in lessons, name


@pytest.mark.parametrize("page", sorted((ROOT / "docs/explanation").glob("*.md")), ids=lambda page: page.stem)
def test_what_decisions_name_is_there(page: Path) -> None:
    """Files, and what is called in code."""
    files = [path for folder in ("cpqueens", "tests") for path in (ROOT / folder).rglob("*.py")]
    places = [f"/{path.relative_to(ROOT)}" for path in files]
    words = set(re.findall(r"\w+", "".join(path.read_text(encoding="utf-8") for path in files)))
    told = re.findall(r"`([^`]+)`", FENCE.sub("", page.read_text(encoding="utf-8")))
    for name in told:
        if name.endswith(".py"):
            assert any(place.endswith(f"/{name}") for place in places), name
        elif re.fullmatch(r"[A-Za-z_][\w.]*", name):
            assert set(name.split(".")) <= words, name
    assert told


def test_figures_of_the_texts_are_of_the_experiments_that_there_are() -> None:
    """Whoever changes an experiment measures it anew: make docs-figures."""
    told = json.loads((ROOT / "docs/files/experiments.json").read_text(encoding="utf-8"))
    asked = [(s.key, s.name, s.source, [(e.claim, e.says) for e in s.experiments]) for s in SECTIONS]
    listed = [
        (
            section["key"],
            section["name"],
            section["source"],
            [tuple(r[:2]) for one in section["tables"] if one["rows"][0] == CLAIMS for r in one["rows"][1:]],
        )
        for section in told["sections"]
    ]
    assert listed == asked, "make docs-figures"


def test_the_chinese_page_of_texts_has_their_systems() -> None:
    page = (ROOT / "docs/zh/texts.md").read_text(encoding="utf-8")
    assert all(f"\n{command}\n" in page for command in settings().commands)
    assert all(section.name in page for section in SECTIONS if section.key != "all")


@pytest.mark.parametrize(
    ("exercise", "right", "wrong"),
    [
        ("corner", 4, 8),
        ("smallest", 4, 3),
        ("restarts", 7, 20),
        ("kinds", 12, 92),
        ("by_chance", 2, 0),
        pytest.param("by_chance n=12", 5, 2, marks=pytest.mark.slow),
        ("luck", 13, 40),
        ("enough", 120, 20),
        ("lost", 1, 0),
        ("hours", 3, 5),
        ("fewest", 2, 3),
    ],
)
def test_exercises_tell_right_answers_from_wrong_ones(exercise: str, right: int, wrong: int) -> None:
    for answer, code in ((right, 0), (wrong, 10)):
        words = ["check", *f"{ROOT / 'docs/files/exercises.py'}:{exercise}".split(), str(answer)]
        done = CliRunner().invoke(cli.main, words)
        assert done.exit_code == code, done.output


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_run(path: Path) -> None:
    """Also as plain scripts, the slow tests say; the build of the site runs them in a kernel each time."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") for cell in cells)
    space: dict[str, Any] = {"__name__": path.stem}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for cell in cells:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), path.name, "exec"), space)
    assert printed.getvalue()


def test_links_that_lead_nowhere_and_requests_to_elsewhere_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build looks at every page by this."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    looked_at = importlib.import_module("generating.looked_at")
    (tmp_path / "b.html").write_text('<h1 id="top">B</h1>')
    right = """<link rel="stylesheet" href="b.html"><a href="https://oeis.org/A000170">elsewhere</a>
        <a href="b.html#top">there</a><a href="#here" id="here">here</a><img src="data:image/png;base64,AA==">
        <script>var a = '<img src="nowhere.png">';</script><!-- <a href="gone.html"> -->"""
    page = tmp_path / "a.html"
    page.write_text(right)
    assert list(looked_at.faults(page, tmp_path)) == []
    wrong = {
        '<a href="gone.html">': "nowhere",
        '<a href="b.html#bottom">': "no place",
        '<a href="../a.html">': "nowhere",
        '<a class="x" href="#gone">': "no place",
        '<img src="https://example.org/a.png">': "asks for",
        '<script src="//example.org/a.js"></script>': "asks for",
        '<link rel="stylesheet" href="https://example.org/a.css">': "asks for",
        "<style>@import 'https://example.org/a.css'</style>": "asks for",
        "<p style='background: url(https://example.org/a.png)'>": "asks for",
    }
    for k, (text, fault) in enumerate(wrong.items()):
        page = tmp_path / f"wrong{k}.html"
        page.write_text(right + text)
        (said,) = looked_at.faults(page, tmp_path)
        assert fault in said


def test_places_of_the_machine_are_shortened_and_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    places = importlib.import_module("generating.places")
    looked_at = importlib.import_module("generating.looked_at")
    cell = Path(tempfile.gettempdir()) / "ipykernel_17" / "123.py"
    told = {
        f"AllDifferent(q) ({ROOT}/models/queens.py:47)": "AllDifferent(q) (models/queens.py:47)",
        f"{cpqueens.__path__[0]}/model.py": "cpqueens/model.py",
        f"({cell}:6)": "(cell.py:6)",
        "(3846846248.py:6)": "(cell.py:6)",
        "/tmp/mine.txt, models/queens.py": "/tmp/mine.txt, models/queens.py",
    }
    for k, (text, short) in enumerate(told.items()):
        assert places.shortened(text) == short
        page = tmp_path / f"{k}.html"
        page.write_text(f"<p>{text}</p>")
        assert len(list(looked_at.faults(page, tmp_path))) == (text != short)
        page.write_text(f"<p>{short}</p>")


def test_the_page_of_public_names_has_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `dir` shows of a model stands there, and nothing else."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    names = importlib.import_module("generating.names")
    text = "\n".join(names.pages().values())
    entries = re.findall(r"^ *\.\. (?:auto|py:)\w+:: cpqueens\.([\w.]+)$", text, re.M)
    assert sorted(e for e in entries if "." not in e) == sorted(cpqueens.__all__)
    assert len(set(entries)) == len(entries)
    public = {one for one in dir(cpqueens.Model) if not one.startswith("_")}
    listed = {e.removeprefix("Model.") for e in entries if e.startswith("Model.")}
    assert {"intvar", "boolvar", "var", "add", "add_soft", "then_maximize", "fix", "copy", "solve"} <= listed
    assert public == listed
    for name, inner in names.INNER.items():
        assert all(hasattr(getattr(cpqueens, name), one) for one in inner), name


def test_all_that_the_page_of_public_names_has_comes_with_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members too; of enumerations each member says what it means."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    names = importlib.import_module("generating.names")
    for name, text in names.MARKS.items():
        test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0, name
    for name in cpqueens.__all__:
        kind = getattr(cpqueens, name)
        if inspect.isclass(kind) and issubclass(kind, Enum):
            said = re.findall(r'^    (\w+) = "\w+"\n    """', inspect.getsource(kind), re.M)
            assert said == names.members(name), name
            continue
        for one in names.members(name):
            assert ">>> " in (inspect.getdoc(inspect.getattr_static(kind, one)) or ""), f"{name}.{one}"


def test_what_public_calls_return_is_in_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose class has no public name; with all that it holds, each field of which is described."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    returned = importlib.import_module("generating.returned")
    entries = re.findall(r"^\.\. autoclass:: ([\w.]+)$", "\n".join(returned.pages().values()), re.M)
    m = cpqueens.Model()
    x = m.intvar(1, 2, shape=2, name="x")
    m += x[0] < x[1]
    report = cpqueens.cross_check(m, ["backtracking", "local-search"], seeds=2)
    given = [
        m.check({"x": [2, 1]}), m.check({"x": [2, 1]}).violations[0], m.constraints[0], m.solutions(),
        m.solve(solver="backtracking:check", trace=9).trace, m.runs("local-search", seeds=2), report,
        m.solve(solver="backtracking", assumptions=[x[0] == 2]).core, report.verdict, *report.solvers,
        *report.not_compared, cpqueens.compare(m, m), m.to_cpsat(), cpqueens.to_cpmpy(m),
        cpqueens.from_flatzinc("var 1..2: x :: output_var; solve satisfy;"),
    ]  # fmt: skip
    for answer in given:
        kind = type(answer)
        assert f"{kind.__module__}.{kind.__name__}" in entries, kind
    assert len(entries) == len(set(entries)) > 50
    assert set(entries) <= set(returned.entries().values())
    assert returned.entries()["Outcome"] == "cpqueens.Outcome"
    for kind in returned.classes():
        said = (inspect.getdoc(kind) or "").partition("Attributes\n----------\n")[2]
        names = {name for line in re.findall(r"^\w.*", said, re.M) for name in line.split(", ")}
        assert names >= set(returned.fields(kind)), kind
        assert all(inspect.getdoc(getattr(kind, one)) for one in returned.members(kind)), kind
        if any(kind in kinds for kinds in returned.calls().values()):
            assert ">>> " in (inspect.getdoc(kind) or ""), kind


def test_options_of_help_stand_on_the_page_of_commands() -> None:
    """In a process of its own: a command keeps the option that it was first asked for."""
    code = "from generating import command_line; print(command_line.pages()['command_line.md'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "docs")])},
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert done.stdout.count("  -h, --help") == done.stdout.count("Usage: ") > 10


def test_examples_are_named_with_a_link() -> None:
    for page in PAGES:
        prose = FENCE.sub("", page.read_text(encoding="utf-8"))
        named = re.findall(r"(?<!\{download\})`examples/[^`]*`", prose)
        assert not named, page
        for target in re.findall(r"\{download\}`[^`<]*<([^`>]*)>`", prose):
            assert (page.parent / target).is_file(), target


def kept_file(path: Path, rows: list[dict[str, Any]]) -> Path:
    run = {
        "date": "2026-01-02", "command": "python tests/benchmarks/bench_auto.py",
        "versions": {"Python": "3.11"},
        "machine": "2 processors", "load": 0.5,
    }  # fmt: skip
    path.write_text(json.dumps({"runs": [run], "rows": [{"run": 0, **row} for row in rows]}))
    return path


def raced(job: str, ours: float, **peers: float) -> dict[str, Any]:
    told = {"ours": ours, **peers}
    return {"job": job, "entries": [{"name": n, "ms": ms, "ended": ms == 60_000} for n, ms in told.items()]}


def test_charts_of_few_and_of_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    benchmarks = importlib.import_module("generating.benchmarks")
    few = kept_file(tmp_path / "auto.json", [raced("a", 10, b=20, c=5), raced("d", 60_000, b=30)])
    text = benchmarks.part(few)
    assert "| a | 10 | 20 | 0.5 | 5 | 2 |" in text
    assert "| d | > 60,000 | 30 | at least 2000 |  |  |" in text
    assert text.count("<rect") == 3
    assert "On 2026-01-02, 2 processors, load 0.5; Python 3.11." in text
    assert "python tests/benchmarks/bench_auto.py" in text
    ratios = [0.004 * 1.1**k for k in range(100)]
    many = kept_file(tmp_path / "auto.json", [raced(f"job {k}", 10 * r, b=10) for k, r in enumerate(ratios)])
    text = benchmarks.part(many)
    assert "100 jobs by their ratio" in text
    shown = re.findall(r">([^<>]*)</text><text[^>]*>(\d+)</text>", text)
    assert sum(int(count) for _, count in shown) == 100
    assert dict(shown)["1 to 2"] == str(sum(1 <= ratio < 2 for ratio in ratios))
    assert len(re.findall(r"^\| job \d", text, re.M)) == benchmarks.LISTED
    assert "| job 99 |" in text
    cells = [
        {"table": "runs", "job": j, "cells": {"who": "x", "s": s}, "bar": "s"}
        for j, s in (("p", 1.5), ("q", 3))
    ]
    text = benchmarks.part(kept_file(tmp_path / "auto.json", cells))
    assert "| p | x | 1.5 |" in text
    assert text.count("<rect") == 2


def test_links_to_elsewhere_are_there_or_gone_or_not_known(tmp_path: Path) -> None:
    """What a machine without a network could not reach is neither right nor wrong."""
    there = {"filename": "a.md", "uri": "https://a.org/", "status": "working", "info": ""}
    gone = "404 Client Error: Not Found for url: https://a.org/gone"
    lost = "HTTPSConnectionPool(host='a.org', port=443): Max retries exceeded with url: /lost"
    lines = {
        0: [there, {**there, "status": "redirected", "uri": "https://a.org/x"}],
        1: [there, {**there, "status": "broken", "uri": "https://a.org/gone", "info": gone}],
        2: [there, {**there, "status": "broken", "uri": "https://a.org/lost", "info": lost}],
    }
    for code, told in lines.items():
        file = tmp_path / "output.json"
        file.write_text("".join(json.dumps(line) + "\n" for line in told))
        script = ROOT / "docs/generating/elsewhere.py"
        done = subprocess.run(
            [sys.executable, str(script), str(file)], capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == code, done.stdout
        assert f"2 addresses: {2 - (code > 0)} there" in done.stdout


def test_pages_with_code_can_be_taken_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a script that Python reads, and as a notebook with the same code."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    downloads = importlib.import_module("generating.downloads")
    downloads.pages(tmp_path)
    assert len(downloads.sources()) > 25
    for page in downloads.sources():
        file = tmp_path / "extra/downloads" / page
        script = compile(file.with_suffix(".py").read_text(encoding="utf-8"), page, "exec")
        cells = json.loads(file.with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        assert script.co_names == compile(code, page, "exec").co_names
        assert not any("](../" in "".join(cell["source"]) for cell in cells)


GUIDE = {
    "reify": "logic", "boolean": "variables", "if then": "logic", "pandas": "roster",
    "vehicle routing": "routing_and_packing", "cumulative": "scheduling", "soft limit": "objectives",
    "lot sizing": "production", "nurse": "roster", "excel": "roster", "gantt": "scheduling",
    "blending": "production", "tournament": "production", "crew": "production", "VRP": "routing_and_packing",
    "inventory": "production", "facility location": "production",
}  # fmt: skip
"""Words that people look for, and the page of the guide that they are to find first."""
SITE = ROOT / "build/site"


@pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site is not built: make docs")
@pytest.mark.parametrize(
    ("width", "scheme", "medium"),
    [(390, "dark", "screen"), (390, "light", "screen"), (1280, "dark", "screen"), (700, "light", "print")],
)
def test_pages_in_a_browser_ask_for_nothing_and_fit(
    browser: Any, width: int, scheme: str, medium: str
) -> None:
    """As `make docs-browser` looks at them: a phone, a wide screen, and a sheet of paper (700 pixels)."""
    wrong: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.emulate_media(media=medium)
    page.on("console", lambda message: wrong.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else wrong.append(r.url))
    files = [f for f in SITE.rglob("*.html") if "_static" not in f.parts]
    assert len(files) > 100
    for file in files:
        page.goto(file.as_uri())
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            wrong.append(f"{file}: {wide} pixels wide")
        if medium == "print":
            wrong += [f"{file}: {fault}" for fault in page.evaluate(LOST_ON_PAPER)]
    page.close()
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not (SITE / "index.html").exists(), reason="the site is not built: make docs")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("cumulative", "generated/constraints.html"),
        ("las vegas", "teaching/3_las_vegas.html"),
        *((words, f"modelling/{page}.html") for words, page in GUIDE.items()),
        ("timeout", "solving/options.html"),
        ("warm start", "solving/options.html"),
        ("log", "solving/options.html"),
        ("Evaluation", "generated/reference/Evaluation.html"),
        ("皇后", "zh/tutorial.html"),
    ],
)
def test_search_in_a_browser_finds_pages(browser: Any, words: str, found: str) -> None:
    wrong: list[str] = []
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((SITE / "index.html").as_uri())
    page.goto(f"{(SITE / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    page.wait_for_selector("#search-results li a")
    page.wait_for_function("/finished|found/.test(document.querySelector('#search-results p').textContent)")
    links = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href.split(/[?#]/)[0])")
    page.close()
    assert (SITE / found).as_uri() in links
    if found.startswith(("modelling/", "solving/")):
        assert (SITE / found).as_uri() in links[:3]  # the guide comes first
    assert wrong == []


LOST_ON_PAPER = """() => {
  const seen = e => e.getClientRects().length > 0;
  const shown = [...document.querySelectorAll(".sidebar-drawer, .toc-drawer, .mobile-header")].filter(seen);
  const blocks = [...document.querySelectorAll("article pre, article .table-wrapper")];
  const cut = blocks.filter(e => e.scrollWidth > e.clientWidth + 1);
  return [...shown.map(e => e.className + " is printed"),
          ...cut.map(e => "cut off: " + e.textContent.slice(0, 60))];
}"""
"""What a reader of the printed page would miss, or not want: navigation, and lines beyond the margin."""


@pytest.mark.slow
def test_forked_commands_are_as_if_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments, folder, environment, output, exit code and a signal; the build runs kernels by it."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    monkeypatch.setenv("JUPYTER_PATH", "")
    monkeypatch.setenv("PATH", os.environ["PATH"])
    forks = importlib.import_module("generating.kernel").Forks(tmp_path / "jupyter")
    ends: list[Any] = []
    forks.connect(SimpleNamespace(connect=lambda event, end: ends.append(end)))
    try:
        script = tmp_path / "script.py"
        script.write_text(
            "import os, sys, time\nprint(__name__, sys.argv[1:], os.environ['THIS'])\nsys.exit(7)"
        )
        env = {**os.environ, "THIS": "there"}
        for command in (["python", "script.py", "a b"], [sys.executable, "script.py", "a b"]):
            done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (7, "__main__ ['a b'] there\n", "")
        done = subprocess.run(["cpqueens", "nonsense"], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "nonsense" in done.stderr
        script.write_text("import time\nprint(1, flush=True)\ntime.sleep(600)")
        with subprocess.Popen(["python", "script.py"], cwd=tmp_path, stdout=subprocess.PIPE) as waiting:
            assert waiting.stdout is not None
            assert waiting.stdout.readline() == b"1\n"
            waiting.terminate()
            assert waiting.wait() != 0
            assert waiting.stdout.read() == b""  # nobody is left to write
    finally:
        for end in ends:
            end(None, None)
