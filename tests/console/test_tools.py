"""What the tools do for those who use the console: they look, and more only where that is meant."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from igen.console.tool_dangers import HARMLESS, is_danger
from igen.workbench.own_command import own_command
from tests.console.site import Site, form_token, site

MORE_THAN_A_LOOK = {
    "pages": {"can_i_have"},
    "pfp": {"run"},
    "schedule": {"run"},
    "shmalloc": {"size", "lock", "hold", "reserve"},
}


def test_every_argument_of_every_tool_has_been_thought_about() -> None:
    for tool in msgspec.json.decode(own_command(["tool", "--json"])):
        names = {each["name"] for each in tool["arguments"]}
        found = {each["name"] for each in tool["arguments"] if is_danger(tool["name"], each)}
        assert found == MORE_THAN_A_LOOK.get(tool["name"], set()), tool["name"]
        assert HARMLESS[tool["name"]] <= names, tool["name"]


@pytest.mark.parametrize(
    ("tool", "fields", "named"),
    [
        ("pfp", {"duration": "1s", "run": "touch {file}"}, "run"),
        ("shmalloc", {"size": "1MiB", "hold": "0s"}, "size, hold"),
        ("shmalloc", {}, "size"),
        ("pages", {"can_i_have": "1MiB"}, "can_i_have"),
    ],
)
def test_a_tool_only_looks(
    shown: Site, tmp_path: Path, tool: str, fields: dict[str, str], named: str
) -> None:
    client, file = shown.visitor("run"), tmp_path / "file"
    data = {name: text.format(file=file) for name, text in fields.items()}
    answer = client.post(f"/tools/{tool}", data=data | {"csrf": form_token(client), "confirm": "run"})
    assert answer.status_code == 400
    assert f"not allowed in this console: {named}" in answer.text
    assert "--allow-dangerous" in answer.text
    assert not file.exists()


def test_a_form_has_no_field_for_what_is_refused(shown: Site) -> None:
    client = shown.visitor("run")
    page = client.get("/tools/pfp").text
    assert 'name="duration"' in page
    assert 'name="run"' not in page
    assert 'name="confirm"' not in page
    assert 'name="threads"' not in client.get("/tools/shmalloc").text


def test_what_is_dangerous_is_typed_once_more(tmp_path: Path) -> None:
    made = site(tmp_path / "runs", dangerous=True)
    client = made.visitor("run")
    assert 'name="can_i_have"' in client.get("/tools/pages").text
    data = {"csrf": form_token(client), "can_i_have": "1MiB", "pages": "4k"}
    for typed in ({}, {"confirm": "yes"}):
        answer = client.post("/tools/pages", data=data | typed)
        assert answer.status_code == 400
        assert "type `can_i_have`" in answer.text
    assert 'id="said"' in client.post("/tools/pages", data=data | {"confirm": "can_i_have"}).text
    made.close()
