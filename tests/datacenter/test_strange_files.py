"""Whatever stands in a plan's places, it ends with an answer or with an error that names the file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from igen.datacenter.estimate import estimate
from igen.datacenter.plan_file import read_plan
from igen.errors import InputError
from igen.reference.load import reference_names
from tests.datacenter.plans import TEXT, no_run

STRANGE = ("0", "-1", "1e300", "nan", "inf", '""', '"text"', "[]", "[1, 2]", "{}", "true", "{ value = [] }",
           '{ value = 3, source = 5 }', "1979-05-27")  # fmt: skip


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from paths(each, (*path, key))


def written(value: Any, at: tuple[str | int, ...], strange: str, path: tuple[str | int, ...] = ()) -> str:
    """As inline TOML, with something strange at one place."""
    if path == at:
        return strange
    if isinstance(value, dict):
        parts = (f'"{key}" = {written(each, at, strange, (*path, key))}' for key, each in value.items())
        return f"{{ {', '.join(parts)} }}"
    if isinstance(value, list):
        return (
            f"[{', '.join(written(each, at, strange, (*path, place)) for place, each in enumerate(value))}]"
        )
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


@pytest.mark.parametrize("strange", STRANGE)
def test_strange_values_are_told(tmp_path: Path, strange: str) -> None:
    table, told = tomllib.loads(TEXT), 0
    file = tmp_path / "plan.toml"
    for at in paths(table):
        lines = [f"{key} = {written(each, at, strange, (key,))}" for key, each in table.items()]
        file.write_text("\n".join(lines), encoding="utf-8")
        try:
            estimate(read_plan(file, reference_names(), no_run))
        except InputError as error:
            assert str(file) in error.where, (at, error)  # noqa: PT017
            told += 1
    assert told > 20
