"""Running a bundle's model again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cpqueens.backends.base import Want
from cpqueens.crosscheck.bundle import want_of
from cpqueens.crosscheck.given import Exhaustive, small_enough
from cpqueens.crosscheck.participants import BackendParticipant
from cpqueens.errors import ModelError
from cpqueens.text.bounded import MAX_TEXT, decoded, parse_json, read_bytes
from cpqueens.text.parameters import as_path


def replay(folder: str | Path, solvers: Mapping[str, Any] | None = None, shrunk: bool = True) -> Any:
    """Run a bundle's model again and return the report.

    Parameters
    ----------
    solvers
        Functions and backend objects by the names that they have in the bundle; backends that are
        installed need not be given.

    Raises
    ------
    ModelError
        If the folder is not a bundle, or a solver of it is missing.
    """
    from cpqueens.crosscheck.crosscheck import cross_check
    from cpqueens.files.modelfile import load_model

    place = Path(as_path(folder))
    try:
        data = parse_json(decoded(read_bytes(place / "bundle.json", MAX_TEXT)))
    except ModelError as error:
        raise ModelError(f"{place}: not a bundle ({error})") from None
    if not isinstance(data, dict) or not {"solvers", "seeds", "want", "time_limit"} <= set(data):
        raise ModelError(f"{place}: not a bundle (bundle.json lacks what replays it)")
    model = load_model(place / ("shrunk.json" if shrunk else "model.json"))
    chosen = [_again(entry, solvers or {}) for entry in data["solvers"]]
    if small_enough(model):
        chosen.append(Exhaustive())
    want = want_of(model, Want(data["want"])).value
    return cross_check(model, chosen, seeds=data["seeds"], want=want, time_limit=data["time_limit"])


def _again(entry: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    from cpqueens.backends import named

    name = entry["name"]
    if name in given:
        return given[name]
    if entry["kind"] == "External":
        from cpqueens.crosscheck.external import External

        return External(entry["argv"], label=name)
    if entry["kind"] == "Exhaustive":
        return Exhaustive()
    solver = str(entry.get("solver", "")).partition(":")[0]
    if entry["kind"] == "BackendParticipant" and solver in named.registered():
        return BackendParticipant(name, entry["solver"], entry["parameters"])
    raise ModelError(f"replay: {name!r} is not an installed backend; give it in solvers={{{name!r}: ...}}")
