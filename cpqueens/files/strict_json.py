"""From bytes to plain values: the limits and refusals of model files that need no knowledge of models."""

from __future__ import annotations

from typing import Any

from cpqueens.errors import ModelError
from cpqueens.text.jsontext import MAX_DEPTH as MAX_DEPTH
from cpqueens.text.jsontext import parse_json

MAX_BYTES = 32 * 2**20


def parse(data: bytes) -> Any:
    """Return what the JSON text says; everything that is doubtful is refused.

    Raises
    ------
    ModelError
        For too many bytes or levels, a byte order mark, NUL, bad UTF-8, numbers that are not integers,
        duplicate keys, trailing text.
    """
    if len(data) > MAX_BYTES:
        raise ModelError(f"{len(data)} bytes, allowed are at most {MAX_BYTES}")
    return parse_json(_decode(data))


def _decode(data: bytes) -> str:
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise ModelError("begins with a byte order mark; write plain UTF-8")
    at = data.find(b"\x00")
    if at >= 0:
        raise ModelError(f"a NUL at byte {at}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"not UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from None
