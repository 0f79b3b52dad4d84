"""Prints the JSON schema of the result document, for `schema/result.schema.json`."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from igen.analysis.result import Result


def result_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of what `igen run --json` and `igen compare --json` print."""
    (root,), definitions = msgspec.json.schema_components([Result], ref_template="#/$defs/{name}")
    name = root["$ref"].removeprefix("#/$defs/")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions.pop(name),
        "title": "iGen result",
        "$defs": dict(sorted(definitions.items())),
    }


if __name__ == "__main__":
    print(json.dumps(result_schema(), indent=2, ensure_ascii=False))
