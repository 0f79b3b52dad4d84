"""Prints the JSON schema of what `igen queue list --json` prints."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from igen.queue.entry import Listing


def listing_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of a listing."""
    (root,), definitions = msgspec.json.schema_components((Listing,), ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **root,
        "title": "iGen queue",
        "$defs": dict(sorted(definitions.items())),
    }


if __name__ == "__main__":
    print(json.dumps(listing_schema(), indent=2, ensure_ascii=False))
