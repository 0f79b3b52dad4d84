"""Scenarios in files of their own, and the tables beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import InputError
from igen.study.scenario import MOST_BYTES, read_scenario
from igen.study.study import load_study

SCENARIO = 'name = "own"\n[data.people]\nfile = "people.csv"\npick = "next"\n'


def test_tables_beside_a_scenario_are_put_into_it(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name\nann\n")
    (tmp_path / "own.toml").write_text(SCENARIO)
    study = (
        '[job]\nworkload = "web"\nparams = { scenario = "@own.toml" }\n[axes]\n"load.closed.users" = [1]\n'
    )
    (tmp_path / "study.toml").write_text(study)
    read = read_scenario(tmp_path / "own.toml", "--set scenario")
    assert read["data"]["people"]["text"] == "name\nann\n"
    assert load_study(tmp_path / "study.toml").job["params"]["scenario"] == read


def test_each_persona_may_have_a_scenario_of_its_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(f'name = "{name}"\n')
    personas = "".join(
        f'[job.personas.{name}]\nparams = {{ scenario = "@{name}.toml" }}\n' for name in ("one", "two")
    )
    study = tmp_path / "study.toml"
    study.write_text(f'[job]\nworkload = "web"\n{personas}')
    found = load_study(study).job["personas"]
    assert {name: each["params"]["scenario"]["name"] for name, each in found.items()} == {
        "one": "one",
        "two": "two",
    }
    (tmp_path / "two.toml").unlink()
    with pytest.raises(InputError) as refused:
        load_study(study)
    assert refused.value.where == "job.personas.two.params.scenario"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "people.csv cannot be read"),
        (b"name\n\xff\n", "is not in UTF-8: line 2"),
        (b"n" * (MOST_BYTES + 1), "at most 4 MiB"),
    ],
)
def test_a_table_that_cannot_travel_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "people.csv").write_bytes(content)
    (tmp_path / "own.toml").write_text(SCENARIO)
    with pytest.raises(InputError, match="people") as refused:
        read_scenario(tmp_path / "own.toml", "--set scenario")
    assert said in str(refused.value) + refused.value.hint
    assert refused.value.where == "--set scenario.data.people"


def test_what_says_to_be_empty_and_never_ends_is_refused() -> None:
    with pytest.raises(InputError, match="/dev/zero"):
        read_scenario(Path("/dev/zero"), "--set scenario")


@pytest.mark.parametrize("text", ["a = " + "9" * 5_000, "a = " + "[" * 5_000])
def test_numbers_and_lists_beyond_reason_are_no_toml(tmp_path: Path, text: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(InputError, match="is not TOML"):
        read_scenario(tmp_path / "own.toml", "--set scenario")
