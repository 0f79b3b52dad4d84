"""The result document as JSON, as `schema/result.schema.json` describes it."""

from __future__ import annotations

import msgspec

from igen.analysis.result import Result


def to_json(result: Result) -> str:
    """The document, indented; a number that is not finite becomes `null`."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n"
