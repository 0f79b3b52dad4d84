"""The fields that a JSON schema describes, as rows for a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One value that may be set; `path` is dotted, as in error messages."""

    path: str
    type: str
    default: str
    description: str


def fields(schema: Schema) -> list[Field]:
    """All fields of an object schema, those of nested objects and of tagged variants in place."""
    return list(_object(schema, "", schema))


def _object(schema: Schema, prefix: str, root: Schema, above: str = "") -> Iterator[Field]:
    """`above` describes the variant that `schema` is, where it is one."""
    for name, property in schema.get("properties", {}).items():
        path, resolved = f"{prefix}{name}", _resolve(property, root)
        description = property.get("description") or above or resolved.get("description", "")
        variants = [_resolve(variant, root) for variant in resolved.get("oneOf", [])]
        if variants and all(variant.get("properties") for variant in variants):
            yield Field(path, "one of", _default(property), description)
            for variant in variants:
                yield from _object(variant, f"{path}.", root, variant.get("description", ""))
        elif resolved.get("properties"):
            yield Field(path, "object", "", description)
            yield from _object(resolved, f"{path}.", root)
        else:
            required = name in schema.get("required", [])
            default = "required" if required else _default(property)
            yield Field(path, _type(resolved, root), default, description)


def _resolve(schema: Schema, root: Schema) -> Schema:
    """The schema itself: references followed, the `null` of an optional value left out."""
    for choice in schema.get("anyOf", []):
        if choice.get("type") != "null":
            return _resolve(choice, root)
    while "$ref" in schema:
        found = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def _type(schema: Schema, root: Schema) -> str:
    if variants := schema.get("oneOf"):
        return ", ".join(f"`{variant['const']}`" for variant in variants)
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"] if value is not None)
    kinds = schema.get("type", "any")
    name = " or ".join(kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null")
    if "items" in schema:
        return f"list of {_type(_resolve(schema['items'], root), root)}"
    if "minimum" in schema and "maximum" in schema:
        return f"{name}, {schema['minimum']:,} to {schema['maximum']:,}"
    return f"{name}, from {schema['minimum']}" if schema.get("minimum") else name


def _default(property: Schema) -> str:
    if words := property.get("x-default"):
        return str(words)
    if "default" not in property or isinstance(property["default"], dict):
        return ""
    return f"`{json.dumps(property['default'], ensure_ascii=False)}`"
