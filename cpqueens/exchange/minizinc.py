"""Models in MiniZinc's own language, which its program turns into FlatZinc with our library of globals."""

import json
import re
import subprocess
import zlib
from collections.abc import Iterable
from pathlib import Path

from cpqueens.backends.minizinc import backend
from cpqueens.errors import ModelError
from cpqueens.exchange.flatzinc import ImportedFlatZinc, from_flatzinc
from cpqueens.model import Model
from cpqueens.system.requirements import version_of
from cpqueens.text.bounded import label
from cpqueens.text.plaintext import one_line, shown

LIBRARY = Path(__file__).absolute().with_name("mznlib")
"""What MiniZinc reads of the globals that are kept whole."""
_DATA = (".dzn", ".json")
_PATH = re.compile(r'[ \t]*::[ \t]*mzn_path\("((?:[^"\\]|\\.)*)"\)')
"""What MiniZinc says of where something comes from: ``file|line|column|...;``, from outside to inside."""
_INTRODUCED = re.compile(r"\bX_INTRODUCED_")


def configuration(name: str, **told: object) -> str:
    """Return what MiniZinc has to be told to write FlatZinc for us, and what more there is, as JSON."""
    known = {
        "id": f"org.cpqueens.{name}", "name": name, "version": version_of("cpqueens"),
        "mznlib": str(LIBRARY), "executable": "cpqueens", "tags": ["cp", "int"], "stdFlags": [],
        "supportsFzn": True,
    }  # fmt: skip
    return json.dumps(known | told, indent=2) + "\n"


def load_minizinc(path: str | Path, data: Iterable[str] = ()) -> ImportedFlatZinc:
    """Return the model of a file in MiniZinc, whose variables have the names that they have there.

    Parameters
    ----------
    path
        Of the model, ``.mzn``.
    data
        Paths of data files (``.dzn``, ``.json``), and texts such as ``n=8``.

    Raises
    ------
    ModelError
        For what MiniZinc refuses, in one line, and as `from_flatzinc`.
    MissingLibrary
        If MiniZinc is not installed.
    """
    words = [backend.program(), "--compile", "--keep-paths", "--no-output-ozn", "--output-mode", "dzn"]
    for given in data:
        is_file = given.lower().endswith(_DATA)
        if not is_file and "=" not in given:
            raise ModelError(
                f"{label(path)}: data files (.dzn, .json) or name=value are needed, got {shown(given)}"
            )
        words += ["--data" if is_file else "--cmdline-data", given if is_file else f"{given};"]
    if not Path(path).is_file():
        raise ModelError(f"{label(path)}: there is no such file")
    with backend.folder() as folder:
        # A name of its own: of two with one name MiniZinc takes the installed one, whose library may be
        # another version's, or gone.
        told, flat = Path(folder, "reading.msc"), Path(folder, "model.fzn")
        told.write_text(configuration("cpqueens-reading"), encoding="utf-8")
        words += ["--solver", str(told), "--fzn", str(flat), str(path)]
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", check=False,
            env=backend.writing_into(folder),
        )  # fmt: skip
        if done.returncode != 0 or not flat.exists():
            said = re.sub(r"(?m)^Warning:.*$", "", done.stderr or done.stdout)
            raise ModelError(f"{label(path)}: minizinc: {one_line(said.strip())[:300]}")
        text = flat.read_text(encoding="utf-8")
    text, places = _places(text, path)
    mark = f"{zlib.crc32(text.encode()):08x}"  # two models share what has a name there, and nothing else
    return from_flatzinc(_INTRODUCED.sub(f"introduced_{mark}_", text), str(path), places=places)


def _places(flat: str, path: str | Path) -> tuple[str, dict[int, tuple[str, int]]]:
    """Return FlatZinc without what it says of the model's lines, and these by its own lines, from 1."""
    places = {}
    for number, line in enumerate(flat.split("\n"), 1):
        said = _PATH.search(line) if line.startswith("constraint") else None
        if said is not None:
            file, first = said[1].split("|", 2)[:2]
            own = Path(file).resolve() == Path(path).resolve()
            places[number] = str(path) if own else file, int(first)
    return _PATH.sub("", flat), places


def minizinc_model(path: str, data: Iterable[str] = ()) -> Model:
    """Return the model alone."""
    return load_minizinc(path, data).model
