from __future__ import annotations

import pytest

from checks import words


@pytest.mark.parametrize(
    "text",
    ["# TODO later", "dbg!(x)", "todo!()", "<<<<<<< HEAD", "see /root/x", "a \N{EM DASH} b", "(/Users/me)"],
)
def test_forbidden_text_is_found_with_its_line(text: str) -> None:
    (found,) = words.findings("file.rs", f"fine\n{text}\n")
    assert found.startswith("file.rs:2: ")


def test_a_docstring_begins_with_the_thing() -> None:
    quotes = '"' * 3
    (found,) = words.findings("x.py", f"A = 1\n{quotes}Of a study.{quotes}\n")
    assert found.startswith("x.py:2: docstring")
    assert words.findings("x.py", f"{quotes}Name of a study.{quotes}\n") == []


@pytest.mark.parametrize(
    "text", ["todos", "crates/work/x", "$HOME/work/x", "https://example.org/work/x", "a - b"]
)
def test_ordinary_text_is_not(text: str) -> None:
    assert words.findings("file.rs", text) == []
