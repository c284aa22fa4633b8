"""How values are written in the scenario language: what the builders in ``language`` stand on."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Mapping

from . import _taintsim

#: Lines are broken where they would be longer.
WIDTH = 100
INDENT = "    "


class Value:
    """A value of the scenario language. As text it is what one would write in a scenario."""

    def _head(self) -> str:
        raise NotImplementedError

    def _parts(self) -> list[tuple[str, Any]] | None:
        """Fields, or parts without names, or none where there are no brackets."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(_lines(self, WIDTH))


class Struct(Value):
    """Fields. What is left out, or None, is not written."""

    def _head(self) -> str:
        return ""

    def _parts(self) -> list[tuple[str, Any]]:
        named = [(f.name, getattr(self, f.name)) for f in dataclasses.fields(self)]  # type: ignore[arg-type]
        return [(name.rstrip("_"), value) for name, value in named if value is not None]


class Variant(Value):
    """One of several words, some of which have something in brackets."""

    __slots__ = ("_word", "_held")

    def __init__(self, word: str, held: tuple[Any, ...] | Mapping[str, Any] | None = None) -> None:
        self._word = word
        self._held = held

    def _head(self) -> str:
        return self._word

    def _parts(self) -> list[tuple[str, Any]] | None:
        if self._held is None:
            return None
        if isinstance(self._held, Mapping):
            return [(name, value) for name, value in self._held.items() if value is not None]
        return [("", value) for value in self._held]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{' '.join(_lines(self, math.inf))}"


class Document(Struct):
    """A whole scenario."""

    def _head(self) -> str:
        return "Scenario"

    def text(self) -> str:
        """The scenario as one would write it into a file."""
        return "\n".join(_lines(self, 0)) + "\n"

    def check(self) -> None:
        """Raises InputError with every mistake that there is, at its place in ``text()``."""
        _taintsim.check("<scenario>", self.text().encode())


def _quoted(text: str) -> str:
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    escaped = (short.get(c) or (f"\\u{{{ord(c):x}}}" if ord(c) < 32 or ord(c) == 127 else c) for c in text)
    return f'"{"".join(escaped)}"'


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise TypeError(f"a scenario cannot hold {value!r}")


def _inside(value: Any) -> tuple[str, str, list[tuple[str, Any]]] | None:
    """Opening, closing, and what is between, each with what is written before it."""
    if isinstance(value, Value):
        parts = value._parts()
        if parts is None:
            return None
        named = [(f"{name}: " if name else "", part) for name, part in parts]
        return (f"{value._head()}(", ")", named)
    if isinstance(value, Mapping):
        return ("{", "}", [(f"{_quoted(str(key))}: ", part) for key, part in value.items()])
    if isinstance(value, tuple):
        return ("(", ")", [("", part) for part in value])
    if not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        return ("[", "]", [("", part) for part in value])
    return None


def _lines(value: Any, width: float) -> list[str]:
    """The lines of a value, as one if it is no longer than that."""
    inside = _inside(value)
    if inside is None:
        return [value._head() if isinstance(value, Value) else _plain(value)]
    opening, closing, parts = inside
    broken = [(before, _lines(part, WIDTH if width == 0 else width)) for before, part in parts]
    if all(len(lines) == 1 for _, lines in broken):
        line = opening + ", ".join(before + lines[0] for before, lines in broken) + closing
        if len(line) <= width:
            return [line]
    made = [opening]
    for before, lines in broken:
        made.extend(INDENT + line for line in [before + lines[0], *lines[1:]])
        made[-1] += ","
    return [*made, closing]
