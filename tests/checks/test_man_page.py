"""The manual page has all commands, in words that troff does not take for requests."""

from __future__ import annotations

import pytest

from checks.man_page import line_of_text, page
from igen.cli import COMMANDS


def test_each_command_has_a_section_with_its_options() -> None:
    text = page()
    for name in COMMANDS:
        assert f"\n.SS igen {name}" in text
    assert "\n\\fB\\-\\-find\\-peak\\fR\n" in text
    assert "\x08" not in text


@pytest.mark.parametrize(
    ("said", "written"),
    [(".5 of it", "\\&.5 of it"), ("'a'", "\\&'a'"), ("a\\b", "a\\eb"), ("--set a", "\\-\\-set a")],
)
def test_text_stays_text(said: str, written: str) -> None:
    assert line_of_text(said) == written
