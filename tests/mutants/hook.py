"""Loads one module from another text, in this process and in all that it starts.

``CPQUEENS_MUTANT`` is ``module=file``. The code says that it comes from the module's own file, so that
tracebacks, caches and tests that read sources see what they always see.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path

MODULE, _, FILE = os.environ.get("CPQUEENS_MUTANT", "").partition("=")


class MutantLoader(SourceFileLoader):
    """Compiles the mutated text; nothing of it is cached."""

    def get_code(self, fullname):
        return compile(Path(FILE).read_text(encoding="utf-8"), self.path, "exec", dont_inherit=True)


class MutantFinder:
    """Finds the module where everybody finds it."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != MODULE:
            return None
        for finder in sys.meta_path:
            spec = None if finder is cls else finder.find_spec(name, path, target)
            if spec is not None and spec.origin is not None:
                return _with_loader(spec)
        return None


def _with_loader(spec: ModuleSpec) -> ModuleSpec:
    spec.loader = MutantLoader(spec.name, spec.origin)
    spec.cached = None
    return spec


if MODULE:
    sys.meta_path.insert(0, MutantFinder)
