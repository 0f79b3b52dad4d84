"""Each field of every schema is classified: a new one fails here until somebody has decided about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.dangers.field import Field
from igen.dangers.fields import JOB, MONITORS, OF_WORKLOAD, STUDY
from igen.dangers.params import PARAMS
from igen.fleet.agent import Agent
from igen.study.study import WRITTEN, Study

ROOT = Path(__file__).parents[2]
Schema = dict[str, Any]
WORKLOADS = {each["name"]: each["params"] for each in Agent().list("workloads")}


def faults(
    schema: Schema, field: Field, root: Schema, place: str, seen: set[tuple[int, int]]
) -> Iterator[str]:
    """Fields of the schema that are not classified, and classified ones that the schema does not have."""
    if (id(schema), id(field)) in seen or field is OF_WORKLOAD:
        return
    seen.add((id(schema), id(field)))
    if "$ref" in schema:
        yield from faults(root["$defs"][schema["$ref"].rpartition("/")[2]], field, root, place, seen)
        return
    known: set[str] = set()
    for each in variants(schema, root):
        types = each.get("type", [])
        types = [types] if isinstance(types, str) else types
        if (
            "const" in each or "enum" in each or {"string", "number", "integer", "boolean"} & set(types)
        ) and (field.value is None):
            yield f"{place}: not classified"
        if "items" in each:
            if field.items is None:
                yield f"{place}[]: not classified"
            elif isinstance(each["items"], dict):
                yield from faults(each["items"], field.items, root, f"{place}[]", seen)
        properties = each.get("properties", {})
        known |= properties.keys()
        for name, below in properties.items():
            inside = field.fields.get(name) or field.others
            if inside is None:
                yield f"{place}.{name}: not classified"
            else:
                yield from faults(below, inside, root, f"{place}.{name}", seen)
        others = each.get("additionalProperties", False)
        if others and field.others is None:
            yield f"{place}.*: not classified"
        elif isinstance(others, dict):
            yield from faults(others, field.others or Field(), root, f"{place}.*", seen)
    takes_any_name = any(each.get("additionalProperties") for each in variants(schema, root))
    if not takes_any_name:
        yield from (f"{place}.{name}: not in the schema" for name in field.fields.keys() - known)


def variants(schema: Schema, root: Schema) -> Iterator[Schema]:
    """The forms that a value may have, references resolved."""
    if "$ref" in schema:
        yield from variants(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    elif "anyOf" in schema or "oneOf" in schema:
        for each in schema.get("anyOf", []) + schema.get("oneOf", []):
            yield from variants(each, root)
    else:
        yield schema


def of_study() -> Schema:
    """The schema of a study's file, without what nobody writes."""
    schema = msgspec.json.schema(Study)
    described: Schema = schema["$defs"].pop("Study")
    described["properties"] = {name: described["properties"][name] for name in WRITTEN}
    return {**described, "$defs": schema["$defs"]}


def without(schema: Schema, *names: str) -> Schema:
    """The schema without fields of these names, wherever they are."""
    text = json.loads(json.dumps(schema))
    for table in [text, *text["$defs"].values()]:
        for name in names:
            table.get("properties", {}).pop(name, None)
    return text  # type: ignore[no-any-return]


def without_field(field: Field, *names: str) -> Field:
    """The same of what is classified."""
    left = {name: each for name, each in field.fields.items() if name not in names}
    items = {
        name: Field(items=without_field(each.items, *names)) if each.items and each.items.fields else each
        for name, each in left.items()
    }
    return Field(field.value, field.items, items, field.others)


def test_each_field_of_a_job_is_classified() -> None:
    schema = json.loads((ROOT / "schema/job.schema.json").read_text())
    assert [*faults(schema, JOB, schema, "job", set())] == []


@pytest.mark.parametrize("workload", WORKLOADS)
def test_each_parameter_is_classified(workload: str) -> None:
    schema = WORKLOADS[workload]
    assert [*faults(schema, PARAMS[workload], schema, workload, set())] == []


def test_each_field_of_a_study_is_classified() -> None:
    apart = ("job", "axes", "tiers")
    schema = without(of_study(), *apart)
    assert [*faults(schema, without_field(STUDY, *apart), schema, "study", set())] == []


def test_each_monitor_is_classified() -> None:
    assert sorted(MONITORS) == sorted(each["name"] for each in Agent().list("monitors"))


def test_no_workload_is_classified_that_is_not_there() -> None:
    assert PARAMS.keys() == WORKLOADS.keys()


def test_a_new_field_of_any_schema_is_noticed() -> None:
    schema = json.loads((ROOT / "schema/job.schema.json").read_text())
    schema["$defs"]["Tier"]["properties"]["command"] = {"type": "string"}
    assert [*faults(schema, JOB, schema, "job", set())] == ["job.tiers[].command: not classified"]
