from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from igen.aspects.schema import result_schema
from igen.judge import result_of
from tests.judge.synthetic import one_system
from tests.judge.test_analyse import PLATEAU, curve

COMMITTED = Path(__file__).parents[2] / "schema" / "result.schema.json"


@pytest.fixture(scope="module")
def document() -> Any:
    systems = [one_system(curve(PLATEAU, seed=seed, system=name)) for seed, name in enumerate("AB")]
    return json.loads(msgspec.json.encode(result_of(systems)))


def test_the_committed_schema_is_up_to_date() -> None:
    command = "python -m igen.aspects.schema > schema/result.schema.json"
    as_read = json.loads(json.dumps(result_schema()))
    assert json.loads(COMMITTED.read_text()) == as_read, command


def test_a_result_obeys_the_schema(document: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(result_schema())
    jsonschema.validate(document, result_schema(), cls=jsonschema.Draft202012Validator)


def test_a_wrong_document_does_not(document: Any) -> None:
    wrong = json.loads(json.dumps(document))
    wrong["systems"][0]["levels"][0]["trust"]["verdict"] = "FINE"
    with pytest.raises(jsonschema.ValidationError, match="FINE"):
        jsonschema.validate(wrong, result_schema())


def test_a_document_has_no_number_that_json_lacks(document: Any) -> None:
    json.dumps(document, allow_nan=False)
