"""What users write passes mypy, and what they misspell does not."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import idioms
import pytest

from cpqueens.backends import named
from cpqueens.backends.base import Parameter
from cpqueens.solving.handover import _OWN
from cpqueens.solving.keywords import BackendParameters, _OwnParameters

HERE = Path(__file__).parent
OWN = ("backtracking", "las-vegas", "local-search", "minizinc", "python-constraint")


def mypy(name: str) -> str:
    """Return what mypy says of a file, the package being as good as installed."""
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(HERE / name)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def test_types_checks_what_people_write() -> None:
    """`make types` reads both: the idioms pass, and each mistake is one, or its comment is unused."""
    project = HERE.parent.parent / "pyproject.toml"
    settings = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["mypy"]
    assert {f"tests/typing/{name}.py" for name in ("idioms", "mistakes")} <= set(settings["files"])
    assert settings["strict"]


@pytest.mark.slow  # `make types` says so of a comment that nothing needs
def test_a_mistake_is_reported_without_its_comment(tmp_path: Path) -> None:
    lines = (HERE / "mistakes.py").read_text(encoding="utf-8").splitlines()
    marked = [line for line in lines if "type: ignore" in line]
    bare = tmp_path / "bare.py"
    bare.write_text("\n".join(line.split("  # type:")[0] for line in lines), encoding="utf-8")
    said = mypy(str(bare))
    assert said.count(" error: ") == len(marked) >= 12, said


def test_the_idioms_run_and_are_many() -> None:
    (function,) = (
        s for s in ast.parse(Path(idioms.__file__).read_text()).body if isinstance(s, ast.FunctionDef)
    )
    lists = [s.value for s in function.body if isinstance(s, ast.Assign | ast.AnnAssign)]
    entries = sum(len(value.elts) - 1 for value in lists if isinstance(value, ast.List))
    checks = sum(isinstance(s, ast.Assert) for s in function.body)
    assert len(function.body) + entries - checks >= 60
    idioms.main()


def declared(names: tuple[str, ...]) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}
    for name in names:
        backend = named.get_backend(name)
        for strategy in (None, *backend.strategies):
            found |= named.parameters_of(backend, strategy)
    return found


def text_of(kind: object) -> str:
    text = kind.__name__ if isinstance(kind, type) else str(kind)
    return re.sub(r"(typing|collections\.abc)\.", "", text)


def test_keywords_are_what_backends_declare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "is_installed", lambda name: True)  # what they declare needs no program
    monkeypatch.setattr(named, "get_backend", named.get_backend.__wrapped__)  # and none is kept
    hints = BackendParameters.__annotations__
    for name, parameter in {**declared((*OWN, "cpsat")), **_OWN}.items():
        hint = hints[name]
        declares = re.sub(r"Annotated\[(\w+), [^\]]*\]", r"\1", text_of(parameter.type))
        found, _, function = text_of(hint).partition(" | Callable")
        assert (declares, bool(parameter.function)) == (found, bool(function)), name
    assert set(_OwnParameters.__annotations__) == set(declared(OWN)) | set(_OWN)
