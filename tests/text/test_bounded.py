"""Files and pipes are read within bounds of bytes and time; devices, folders and sockets are refused.

JSON from outside is read strictly, in linear time.
"""

from __future__ import annotations

import io
import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cpqueens.crosscheck.crosscheck import replay
from cpqueens.errors import ModelError
from cpqueens.files.modelfile import load_model
from cpqueens.files.solutionfile import read_solutions
from cpqueens.problems import catalog
from cpqueens.text import bounded
from cpqueens.text.bounded import (
    MAX_DEPTH,
    NotJsonError,
    decoded,
    label,
    parse_json,
    read_bytes,
    read_standard_input,
)

UNIX = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes and devices")


def refused(path: str | Path, most: int = 100) -> str:
    with pytest.raises(ModelError) as caught:
        read_bytes(path, most)
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_a_file_of_the_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"a" * 100)
    assert read_bytes(file, 100) == b"a" * 100
    assert "allowed are at most 99" in refused(file, 99)


def test_a_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.truncate(2**40)
    assert f"{2**40} bytes or more" in refused(tmp_path / "x")


@pytest.mark.parametrize("name", ["missing", "no/such", "\0", "x" * 5000, ".", "\x1b[2J", "\udcff"])
def test_what_is_not_there(name: str, tmp_path: Path) -> None:
    assert refused(f"{tmp_path}/{name}")


@UNIX
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/full", "/dev/random"])
def test_devices_are_refused_and_links_to_them(device: str, tmp_path: Path) -> None:
    assert "is a device" in refused(device)
    (tmp_path / "link").symlink_to(device)
    assert "is a device" in refused(tmp_path / "link")


@UNIX
def test_sockets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        assert "is a socket" in refused("s")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_files_that_say_that_they_are_empty_are_bounded_too() -> None:
    assert Path("/proc/self/status").stat().st_size == 0
    assert read_bytes("/proc/self/status", 10**6).startswith(b"Name:")
    assert "allowed are at most 10" in refused("/proc/self/status", 10)


def feed(path: Path, data: bytes) -> threading.Thread:
    thread = threading.Thread(target=path.write_bytes, args=(data,))
    thread.start()
    return thread


@UNIX
def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    thread = feed(tmp_path / "pipe", b"a" * 200_000)
    assert len(read_bytes(tmp_path / "pipe", 200_000)) == 200_000
    thread.join()


@UNIX
def test_a_pipe_to_which_nobody_writes_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "SILENCE", 0.05)
    os.mkfifo(tmp_path / "pipe")
    assert "nothing came for 0.05 seconds" in refused(tmp_path / "pipe")


@UNIX
def test_a_pipe_in_the_place_of_a_module_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(ModelError, match="is a pipe; a file is needed"):
        catalog.find(f"{tmp_path}/pipe.py:f")


QUEENS = catalog.load("queens", ["n=4"]).model

READERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: read_solutions(path, QUEENS),
    ".json": lambda path: read_solutions(path, QUEENS),
    ".jsonl": lambda path: read_solutions(path, QUEENS),
    ".csv": lambda path: read_solutions(path, QUEENS),
    ".npy": lambda path: read_solutions(path, QUEENS),
    "model.json": load_model,
    "module.py": lambda path: catalog.find(f"{path}:f"),
    "bundle": lambda path: replay(path.parent),
}


@UNIX
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_has_this_door(reader: str, tmp_path: Path) -> None:
    path = tmp_path / ("bundle.json" if reader == "bundle" else f"x{reader}")
    path.symlink_to("/dev/zero")
    with pytest.raises(ModelError, match="is a device"):
        READERS[reader](path)


@UNIX
def test_an_array_comes_through_a_pipe_too(tmp_path: Path) -> None:
    data = io.BytesIO()
    np.save(data, np.array([[1, 3, 0, 2]]))
    os.mkfifo(tmp_path / "pipe.npy")
    thread = feed(tmp_path / "pipe.npy", data.getvalue())
    assert read_solutions(tmp_path / "pipe.npy", QUEENS).matrix.tolist() == [[1, 3, 0, 2]]
    thread.join()


# ---- standard input --------------------------------------------------------------------------------------


def on_standard_input(monkeypatch: pytest.MonkeyPatch, descriptor: int) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=SimpleNamespace(fileno=lambda: descriptor)))


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ModelError, match="standard input: closed"):
        read_standard_input(10)


@UNIX
def test_standard_input_that_is_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/zero").open("rb") as device:
        on_standard_input(monkeypatch, device.fileno())
        with pytest.raises(ModelError, match="standard input: is a device"):
            read_standard_input(10)


@UNIX
def test_standard_input_is_bounded_in_bytes_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a" * 20)
    on_standard_input(monkeypatch, reading)
    with pytest.raises(ModelError, match="standard input: 20 bytes or more, allowed are at most 10"):
        read_standard_input(10)
    monkeypatch.setattr(bounded, "STANDARD_INPUT_SILENCE", 0.05)
    with pytest.raises(ModelError, match="standard input: nothing came"):
        read_standard_input(10)
    os.write(writing, b"abc")
    os.close(writing)
    assert read_standard_input(10) == b"abc"
    os.close(reading)


# ---- words -----------------------------------------------------------------------------------------------


def test_how_a_path_is_called() -> None:
    assert label("a b/é.csv") == "a b/é.csv"
    for odd in ("", "\x1b[2J", "a\nb", "\udcff", "x" * 1000):
        assert label(odd).isprintable()
        assert 0 < len(label(odd)) <= 300


def test_text_is_utf8() -> None:
    assert decoded(b"\xef\xbb\xbfa") == "a"
    with pytest.raises(ModelError, match="not a text in UTF-8: byte 1 is 0xff"):
        decoded(b"a\xff")


def test_json_is_read() -> None:
    assert parse_json('{"q": [1, {"a": null}], "x": 1.5}') == {"q": [1, {"a": None}], "x": 1.5}
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)


@pytest.mark.parametrize("text", ["", "x", "[1", "[1] x", "{'a': 1}", "[01]", "\x00"])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(NotJsonError, match="line 1, column"):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "levels deep"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "levels deep"),
        ('{"a":' * 500 + "1" + "}" * 500, "levels deep"),
        ("[NaN]", "NaN is not allowed"),
        ("[-Infinity]", "-Infinity is not allowed"),
        ("[" + "1" * 5000 + "]", "thousands of digits"),
        ('[{"a": {"b": 1, "c": 2, "b": 3}}]', r"\[0\]\.a: the key 'b' is there twice"),
        ('{"\\u001b": 1, "\\u001b": 2}', r"top level: the key '\\x1b' is there twice"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        parse_json(text)
    assert str(caught.value).isprintable()


def test_duplicate_keys_among_very_many() -> None:
    """Looked for by comparing all with all, this would take hours."""
    keys = ",".join(f'"k{k}":1' for k in range(300_000))
    with pytest.raises(ModelError, match="the key 'k299999' is there twice"):
        parse_json(f'{{{keys},"k299999":2}}')
