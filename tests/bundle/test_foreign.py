"""Bundles that were made to break iGen end in a sentence, whatever stands in their runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from igen.bundle.contents import RESULT_FILE
from igen.bundle.foreign import runs_of
from igen.bundle.permissions import secrets_of, what_it_does, with_secrets
from igen.bundle.reproduce import study_again
from igen.bundle.unpack import unpack
from igen.bundle.verify import verify
from igen.cli import run_arguments
from igen.errors import IgenError
from tests.bundle.made import RUN, archive, members_of

ODD = [None, True, -1, 1e308, "", "x", "\x1b[2J", [], [1], {}, {"a": {}}, [[[]]]]
EXAMPLES = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return members_of(tmp_path_factory.mktemp("bundle"))


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, each in inside for place in places(each, (*at, key)))]


def with_odd(document: Any, at: tuple[Any, ...], odd: Any) -> Any:
    """The document with an odd value at one place."""
    if not at:
        return odd
    made = json.loads(json.dumps(document))
    holder = made
    for key in at[:-1]:
        holder = holder[key]
    holder[at[-1]] = odd
    return made


def place_of_the_fault(path: Path, folder: Path) -> str:
    """Where the error says that it is; the bundle where there is none. Anything but an `IgenError` fails."""
    try:
        bundle = unpack(path, folder)
        verify(bundle)
        with runs_of(path):
            for run in bundle.runs:
                study = study_again(run)
                list(map(str, what_it_does(study)))
                with_secrets(study, dict.fromkeys(secrets_of([study]), "env:IGEN_X"))
    except IgenError as error:
        return error.where
    return str(path)


@EXAMPLES
@given(place=st.integers(min_value=0), odd=st.sampled_from(ODD))
def test_an_odd_value_in_a_record(
    members: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, place: int, odd: Any
) -> None:
    record = json.loads(members[RUN])
    found = places(record)
    changed = with_odd(record, found[place % len(found)], odd)
    folder = tmp_path_factory.mktemp("odd")
    path = archive(folder / "x.igen", members | {RUN: json.dumps(changed).encode()})
    assert place_of_the_fault(path, folder / "unpacked").startswith(str(path))


@EXAMPLES
@given(line=st.integers(min_value=0), place=st.integers(min_value=0), odd=st.sampled_from(ODD))
def test_an_odd_value_in_an_event(
    members: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, line: int, place: int, odd: Any
) -> None:
    name = "runs/noop/jobs/0001.jsonl"
    lines = members[name].splitlines()
    number = line % len(lines)
    event = json.loads(lines[number])
    found = places(event)
    lines[number] = json.dumps(with_odd(event, found[place % len(found)], odd)).encode()
    folder = tmp_path_factory.mktemp("odd")
    path = archive(folder / "x.igen", members | {name: b"\n".join(lines)})
    assert place_of_the_fault(path, folder / "unpacked").startswith(str(path))


def test_a_result_that_is_deeply_nested(
    members: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for depth in (100, 900):
        nested = b'{"title": ' + b"[" * depth + b"]" * depth + b"}"
        path = archive(tmp_path / f"{depth}.igen", members | {RESULT_FILE: nested})
        assert run_arguments(["publish", "verify", str(path), "--quiet"]) in (1, 2)
        assert capsys.readouterr().err.startswith(f"igen: error: {path}: ")
