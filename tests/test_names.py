"""Each class name has one home in the package: a word that means two things misleads everyone."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import cpqueens

ROOT = Path(cpqueens.__file__).parent


def test_each_class_name_has_one_home() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for name in re.findall(r"^class (\w+)\b", path.read_text(encoding="utf-8"), re.M):
            homes[name].append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
