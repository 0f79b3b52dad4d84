from __future__ import annotations

from typing import Any

import pytest

from checks.json_schema import Field, fields

DEFINITIONS = {
    "Arrivals": {"oneOf": [{"const": "constant"}, {"const": "poisson"}]},
    "Phases": {"description": "Lengths.", "properties": {"measure_s": {"type": "number", "default": 10.0}}},
    "Load": {
        "oneOf": [
            {
                "description": "No wait.",
                "properties": {"closed": {"properties": {"users": {"type": "integer"}}}},
            },
            {"description": "A plan.", "properties": {"open": {"properties": {"rate": {"type": "number"}}}}},
        ]
    },
}


@pytest.mark.parametrize(
    ("property", "expected"),
    [
        ({"type": "integer", "minimum": 1, "default": 4}, [("x", "integer, from 1", "`4`")]),
        ({"type": "integer", "minimum": 1, "maximum": 1000}, [("x", "integer, 1 to 1,000", "")]),
        ({"type": ["number", "string"], "default": "5ms"}, [("x", "number or string", '`"5ms"`')]),
        ({"type": ["array", "null"], "items": {"type": "string"}}, [("x", "list of string", "")]),
        ({"$ref": "#/$defs/Arrivals"}, [("x", "`constant`, `poisson`", "")]),
        ({"anyOf": [{"$ref": "#/$defs/Arrivals"}, {"type": "null"}]}, [("x", "`constant`, `poisson`", "")]),
        ({"$ref": "#/$defs/Phases"}, [("x", "object", ""), ("x.measure_s", "number", "`10.0`")]),
    ],
)
def test_a_property_becomes_rows(property: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    rows = fields({"properties": {"x": property}, "$defs": DEFINITIONS})
    assert [(row.path, row.type, row.default) for row in rows] == expected


def test_tagged_variants_keep_their_descriptions() -> None:
    load = {"$ref": "#/$defs/Load", "description": "The load."}
    rows = fields({"properties": {"load": load}, "required": ["load"], "$defs": DEFINITIONS})
    assert rows == [
        Field("load", "one of", "", "The load."),
        Field("load.closed", "object", "", "No wait."),
        Field("load.closed.users", "integer", "", ""),
        Field("load.open", "object", "", "A plan."),
        Field("load.open.rate", "number", "", ""),
    ]


def test_required_fields_say_so() -> None:
    (row,) = fields({"properties": {"users": {"type": "integer"}}, "required": ["users"]})
    assert row.default == "required"
