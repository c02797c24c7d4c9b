"""Cryptarithms: sums of words whose letters are different digits."""

from __future__ import annotations

from collection.instance import Instance
from cpqueens import AllDifferent, Model

ALPHA = {
    "BALLET": 45, "CELLO": 43, "CONCERT": 74, "FLUTE": 30, "FUGUE": 50, "GLEE": 66, "JAZZ": 58, "LYRE": 47,
    "OBOE": 53, "OPERA": 65, "POLKA": 59, "QUARTET": 50, "SAXOPHONE": 134, "SCALE": 51, "SOLO": 37,
    "SONG": 61, "SOPRANO": 82, "THEME": 72, "VIOLIN": 100, "WALTZ": 34,
}  # fmt: skip


def cryptarithm(*words: str) -> Model:
    """All words but the last add up to it; no word begins with 0."""
    m = Model("cryptarithm")
    leading = {word[0] for word in words}
    letters = {c: m.intvar(int(c in leading), 9, name=c) for c in sorted(set("".join(words)))}
    m += AllDifferent(list(letters.values()))
    *parts, total = (sum(letters[c] * 10**k for k, c in enumerate(word[::-1])) for word in words)
    m.add(sum(parts) == total)
    return m


def with_carries() -> Model:
    """SEND + MORE = MONEY column by column."""
    m = Model("SEND + MORE, carries")
    s, e, n, d, o, r, y, one = (m.intvar(int(c in "SM"), 9, name=c) for c in "SENDORYM")
    carry = m.boolvar(shape=4, name="carry")
    m += AllDifferent([s, e, n, d, o, r, y, one])
    m.add(d + e == y + 10 * carry[0], n + r + carry[0] == e + 10 * carry[1])
    m.add(e + o + carry[1] == n + 10 * carry[2], s + one + carry[2] == o + 10 * carry[3], carry[3] == one)
    return m


def alpha() -> Model:
    """The letters are 1..26, each word has its sum (rec.puzzles)."""
    m = Model("alpha")
    letters = {c: m.intvar(1, 26, name=c) for c in map(chr, range(65, 91))}
    m += AllDifferent(list(letters.values()))
    m.add(*(sum(letters[c] for c in word) == total for word, total in ALPHA.items()))
    return m


INSTANCES = (
    Instance("SEND + MORE = MONEY", lambda: cryptarithm("SEND", "MORE", "MONEY"), "Dudeney 1924", 1),
    Instance("SEND + MORE = MONEY, carries", with_carries, "Dudeney 1924", 1),
    Instance("DONALD + GERALD = ROBERT", lambda: cryptarithm("DONALD", "GERALD", "ROBERT"), "Simon 1969", 1),
    Instance("CROSS + ROADS = DANGER", lambda: cryptarithm("CROSS", "ROADS", "DANGER"), "one solution", 1),
    Instance("TWO + TWO = FOUR", lambda: cryptarithm("TWO", "TWO", "FOUR"), "Russell and Norvig: seven", 7),
    Instance(
        "eleven letters and more", lambda: cryptarithm("BIGJK", "CATXY", "LIONZ"),
        "more letters than digits", 0,
    ),
    Instance("alpha", alpha, "rec.puzzles: one solution", 1),
)  # fmt: skip
