from __future__ import annotations

import json

import pytest

from igen.errors import InputError
from igen.facts import ENVIRONMENT_CONSOLE
from igen.queue.study_process import console_option
from igen.version import VERSION
from igen.workbench.asker import MOST_CHARACTERS, facts_of_console, in_console


def told(name: str) -> dict[str, str]:
    """What a run keeps of somebody with that name."""
    (option,) = console_option(in_console("run", name, guarded=True).console)
    assert option.startswith("--console=")
    found: dict[str, str] = facts_of_console(option.removeprefix("--console="))[ENVIRONMENT_CONSOLE]
    return found


@pytest.mark.parametrize("name", ["Anna", "--force", "a\"b'c", "Łukasz 大", "a=b {x}"])
def test_a_name_comes_to_the_run_as_it_was_given(name: str) -> None:
    assert told(name) == {"version": VERSION, "role": "run", "name": name}


def test_who_gives_no_name_is_known_by_the_role() -> None:
    assert told("") == {"version": VERSION, "role": "run"}
    assert console_option({}) == []


def test_hostile_names_are_cleaned_and_cut() -> None:
    assert told("\x1b[31m")["name"] == "\\x1b[31m"
    assert len(told("x" * 5000)["name"]) == MOST_CHARACTERS


@pytest.mark.parametrize("text", ["", "[]", "1", '{"name": 1}', json.dumps({"a": {"b": "c"}}), "{"])
def test_what_is_no_table_of_texts_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a table of texts"):
        facts_of_console(text)
