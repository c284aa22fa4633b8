"""Writes taintsim/language.py, the builders of scenarios, from the schema of the scenario language.

    taintsim schema | python extra/python/generate_language.py
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any

HEAD = '''\
"""Scenarios, built of values with types.

Every class is a part of the scenario language under its own name, with its own fields; one whose
name is a word of Python has an underscore behind it. What is left out is as the language has it.
Nothing is checked when a value is made: ``Scenario.check()``, and whatever runs a scenario, finds
every mistake at once, in the words of the program.

Written by generate_language.py from the schema of the language; changes belong there.
"""

# ruff: noqa
# mypy: disable-error-code="misc"

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Mapping, Sequence, TypeAlias

from ._written import Document, Struct, Variant
'''

#: Names that would hide what the file itself uses.
HIDDEN = {"Mapping", "Sequence", "ClassVar", "Document", "Struct", "Variant", "TypeAlias", "dataclass"}

WIDTH = 100

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def hint(schema: dict[str, Any]) -> str:
    """The type of a value, as Python has it."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " | ".join(hint(s) for s in schema["anyOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(hint({**schema, "type": k}) for k in kind)
    if kind == "array":
        if "prefixItems" in schema:
            return f"tuple[{', '.join(hint(s) for s in schema['prefixItems'])}]"
        return f"Sequence[{hint(schema['items'])}]"
    if kind == "object":
        return f"Mapping[str, {hint(schema['additionalProperties'])}]"
    return PLAIN[kind]


def optional(schema: dict[str, Any]) -> str:
    written = hint(schema)
    return written if written.split(" | ")[-1] == "None" else f"{written} | None"


def doc(text: str | None, indent: str) -> list[str]:
    if not text:
        return []
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    if text.endswith('"'):
        text += " "
    wrapped = textwrap.wrap(text, 96 - len(indent))
    if len(wrapped) == 1:
        return [f'{indent}"""{wrapped[0]}"""']
    return [f'{indent}"""{wrapped[0]}', *(indent + line for line in wrapped[1:]), f'{indent}"""']


def note(text: str | None, indent: str) -> list[str]:
    wrapped = textwrap.wrap(" ".join((text or "").split()), 95 - len(indent))
    return [f"{indent}#: {wrapped[0]}", *(f"{indent}#: {line}" for line in wrapped[1:])] if wrapped else []


def struct(name: str, schema: dict[str, Any], base: str) -> list[str]:
    lines = ["@dataclass(kw_only=True)", f"class {name}({base}):"]
    said = doc(schema.get("description"), "    ")
    lines += said
    needed = schema.get("required", [])
    for field, of in schema.get("properties", {}).items():
        lines += note(of.get("description"), "    ")
        if "const" in of:
            lines.append(f"    {safe(field)}: {hint(of)} = {of['const']!r}")
        elif field in needed:
            lines.append(f"    {safe(field)}: {hint(of)}")
        else:
            lines.append(f"    {safe(field)}: {optional(of)} = None")
    if not said and not schema.get("properties"):
        lines.append("    pass")
    return lines


def resolved(schema: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    return defs[schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema


def method(cls: str, word: str, held: dict[str, Any], said: str | None, defs: dict[str, Any]) -> list[str]:
    """A variant that holds something."""
    within = resolved(held, defs)
    if "properties" in within:
        needed = within.get("required", [])
        fields = within["properties"].items()
        taken = [
            f"{safe(f)}: {hint(s)}" if f in needed else f"{safe(f)}: {optional(s)} = None"
            for f, s in sorted(fields, key=lambda item: item[0] not in needed)
        ]
        head = f"*, {', '.join(taken)}" if taken else ""
        inner = ", ".join(f'"{f}": {safe(f)}' for f, _ in fields)
        made = f"{{{inner}}}"
    elif "prefixItems" in held:
        names = [f"value{i}" for i in range(1, len(held["prefixItems"]) + 1)]
        head = ", ".join(f"{n}: {hint(s)}" for n, s in zip(names, held["prefixItems"])) + ", /"
        made = f"({', '.join(names)})"
    else:
        head, made = f"value: {hint(held)}, /", "(value,)"
    lines = ["    @staticmethod", *fitted(f"    def {safe(word)}", head, f" -> {cls}:")]
    return [*lines, *doc(said, "        "), *fitted(f"        return {cls}", f'"{word}", {made}', ""), ""]


def fitted(before: str, inside: str, after: str) -> list[str]:
    """What is in brackets on lines of its own where it would make one too long."""
    line = f"{before}({inside}){after}"
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(before) - len(before.lstrip()))
    wrapped = textwrap.wrap(inside, WIDTH - len(indent) - 4, break_long_words=False, break_on_hyphens=False)
    return [f"{before}(", *(f"{indent}    {part}" for part in wrapped), f"{indent}){after}"]


def variants(name: str, schema: dict[str, Any], defs: dict[str, Any]) -> list[str]:
    words, methods = [], []
    lines = [f"class {name}(Variant):", *doc(schema.get("description"), "    "), ""]
    for variant in schema["oneOf"]:
        for word in variant.get("enum", [variant["const"]] if "const" in variant else []):
            words.append(word)
            lines += note(variant.get("description"), "    ")
            lines.append(f"    {safe(word)}: ClassVar[{name}]")
        for word, held in variant.get("properties", {}).items():
            methods += method(name, word, held, variant.get("description"), defs)
    lines += [""] * bool(words and methods) + methods
    while lines[-1] == "":
        lines.pop()
    if words:
        lines += ["", ""] + [f'{name}.{safe(word)} = {name}("{word}")' for word in words]
    return lines


def written(schema: dict[str, Any]) -> str:
    """The whole file."""
    defs = schema["$defs"]
    assert not HIDDEN & defs.keys(), HIDDEN & defs.keys()
    parts = []
    for name, of in defs.items():
        if "oneOf" in of:
            parts.append(variants(name, of, defs))
        elif "properties" in of or of.get("type") == "object":
            parts.append(struct(name, of, "Struct"))
        else:
            parts.append([*note(of.get("description"), ""), f'{name}: TypeAlias = "{hint(of)}"'])
    parts.append(struct("Scenario", schema, "Document"))
    names = sorted([*defs, "Scenario"])
    listed = ["__all__ = [", *(f'    "{name}",' for name in names), "]"]
    parts.insert(0, listed)
    return HEAD + "".join("\n\n" + "\n".join(part) + "\n" for part in parts)


def main() -> None:
    place = Path(__file__).parent / "taintsim" / "language.py"
    place.write_text(written(json.load(sys.stdin)), encoding="utf-8")


if __name__ == "__main__":
    main()
