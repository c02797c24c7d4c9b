"""Requirements as the metadata states them, and what is said where a library is missing or not asked for."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from each import each

from cpqueens.backends import named
from cpqueens.cli import doctor
from cpqueens.errors import MissingLibrary
from cpqueens.system import requirements
from cpqueens.system.requirements import Requirement, parse_requirement, requirement

OLD = Requirement("ortools", "9.15", before=(3, 9))
"""A marker that excludes the Python at hand."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("numpy>=2.0.2", Requirement("numpy", "2.0.2")),
        ("numpy", Requirement("numpy")),
        ("ortools>=9.15; python_version < '3.15'", Requirement("ortools", "9.15", before=(3, 15))),
        ('scipy>=1.13; extra == "lab"', Requirement("scipy", "1.13", extra="lab")),
        (
            'a>=1 ; python_version < "3.15" and extra == "b"',
            Requirement("a", "1", before=(3, 15), extra="b"),
        ),
    ],
)
def test_lines_of_metadata_are_read(text: str, expected: Requirement) -> None:
    assert parse_requirement(text) == expected


@each("text", ["a~=1.0", "a>=1,<2", "a; sys_platform == 'win32'", "a[b]>=1", "a @ file:b"])
def test_what_is_not_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="only name>=version"):
        parse_requirement(text)


def test_the_marker_decides_by_the_python_at_hand() -> None:
    assert not Requirement("ortools", "9.15", before=(99, 0)).excluded
    assert "below Python 3.9 only" in OLD.excluded
    assert OLD.remedy == OLD.excluded
    assert Requirement("numpy", "2.0.2").remedy == "pip install 'numpy>=2.0.2'"
    assert Requirement("scipy", "1.13", extra="lab").remedy == "pip install 'cpqueens[lab]'"


def test_a_backend_whose_library_is_missing_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "is_installed", lambda name: False)
    named.get_backend.cache_clear()
    with pytest.raises(MissingLibrary, match=r"pip install 'ortools>=9\.15'"):
        named.get_backend("cpsat")
    monkeypatch.setattr(requirements, "requirements", lambda: (OLD,))
    with pytest.raises(MissingLibrary, match=r"below Python 3\.9 only"):
        named.get_backend("cpsat")


def test_a_tree_without_metadata_still_names_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "requirements", lambda: ())
    assert requirement("ortools").command == "pip install 'ortools'"


def test_doctor_knows_the_marker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "requirements", lambda: (Requirement("click", "8.1"), OLD))
    monkeypatch.setattr(doctor, "version_of", lambda name: None if name == "ortools" else "8.5")
    result = CliRunner().invoke(doctor.command, standalone_mode=False)
    assert result.return_value == 0  # nothing that is asked for here is missing
    assert "ortools             missing: ortools is asked for below Python 3.9 only" in result.output
    assert "pip install 'ortools" not in result.output
