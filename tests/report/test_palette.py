"""Colours of areas lie apart for all eyes, and dark figures are readable on them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cpqueens.report.svg import PALETTE

SEEN: dict[str, Any] = {
    "all colours": np.eye(3),
    # Machado, Oliveira and Fernandes (2009), severity 1
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
    ],
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


def linear(colour: str) -> Any:
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light: Any) -> Any:
    x, y, z = np.cbrt(TO_XYZ @ np.clip(light, 0, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", SEEN)
def test_colours_lie_apart(eyes: str) -> None:
    """CIE 1976 differences; 2.3 is what can just be told."""
    seen = [lab(SEEN[eyes] @ linear(colour)) for colour in PALETTE]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 11


def test_dark_figures_are_readable() -> None:
    """The contrast of WCAG 2, which asks for 4.5."""
    ink = TO_XYZ[1] @ linear("#1d2530")
    assert min((TO_XYZ[1] @ linear(c) + 0.05) / (ink + 0.05) for c in PALETTE) > 6
