"""Prints the JSON schema of the result document, for `schema/result.schema.json`."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from igen.aspects.aspects import ASPECTS
from igen.judge.result import LevelPart, Result, SystemPart


def result_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of what `igen run --json` and `igen compare --json` print.

    The judge knows only that levels and systems have parts; here stands which there are, by their `kind`.
    """
    parts: dict[type, list[type]] = {
        LevelPart: [each.level_part for each in ASPECTS if each.level_part],
        SystemPart: [each.system_part for each in ASPECTS if each.system_part],
    }
    types = [Result, *(part for each in parts.values() for part in each)]
    (root, *_), definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for base, found in parts.items():
        definitions[base.__name__] = _tagged_union(definitions, [part.__name__ for part in found])
    name = root["$ref"].removeprefix("#/$defs/")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions.pop(name),
        "title": "iGen result",
        "$defs": dict(sorted(definitions.items())),
    }


def _tagged_union(definitions: dict[str, Any], names: list[str]) -> dict[str, Any]:
    mapping = {}
    for name in names:
        part = definitions[name]
        part["required"] = ["kind", *part.get("required", [])]
        (kind,) = part["properties"]["kind"]["enum"]
        mapping[kind] = f"#/$defs/{name}"
    return {
        "anyOf": [{"$ref": ref} for ref in mapping.values()],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }


if __name__ == "__main__":
    print(json.dumps(result_schema(), indent=2, ensure_ascii=False))
