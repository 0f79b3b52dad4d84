"""Documents and the schemas that are committed: each schema is read, and looked at itself, once a process."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

from checks import tree


@cache
def _validator(name: str) -> Validator:
    schema = json.loads((tree.ROOT / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    kind = validator_for(schema)
    # For a large one this takes twenty times as long as a document does.
    kind.check_schema(schema)
    return kind(schema)


def obeying(document: Any, name: str) -> Any:
    """The document, which obeys the schema of that name. Raises `ValidationError`."""
    if error := best_match(_validator(name).iter_errors(document)):
        raise error
    return document
