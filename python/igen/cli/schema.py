"""Prints the JSON schema of what commands other than those about results print with `--json`."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec

from igen.aspects.published.landscape_document import Landscape
from igen.datacenter.estimated import Estimated
from igen.judge.curve.laws.predict import Prediction, UsersWithin

DOCUMENTS: dict[str, tuple[type, ...]] = {
    "prediction": (Prediction, UsersWithin),
    "datacenter": (Estimated,),
    "landscape": (Landscape,),
}
"""By name. A prediction is a list of one kind for each system: at so many users, or within a limit."""


def document_schema(name: str) -> dict[str, Any]:
    """JSON schema (2020-12) of one of `DOCUMENTS`."""
    roots, definitions = msgspec.json.schema_components(DOCUMENTS[name], ref_template="#/$defs/{name}")
    is_list = name == "prediction"
    root = {"type": "array", "items": {"anyOf": [*roots]}} if is_list else dict(roots[0])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **root,
        "title": f"iGen {name}",
        "$defs": dict(sorted(definitions.items())),
    }


if __name__ == "__main__":
    print(json.dumps(document_schema(sys.argv[1]), indent=2, ensure_ascii=False))
