"""A text: it is joined and printed, and mypy refuses what would read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

from igen.document import Phrase
from igen.printed import printed
from igen.text import Text

READING = """
from igen.text import Text
def read(text: Text) -> None:
    "no" in text
    text == "no"
    text.startswith("no")
    text.split(" ")
    text[0]
    text + "no"
    len(text)
    [*text]
    "".join([text])
    text < text
    word: str = text
    f"{text}"
    f"{text:>9}"
    f"{text!r}"
    "{}".format(text)
    str(text)
    repr(text)
"""


def test_mypy_refuses_each_way_to_read_a_text(tmp_path: Path) -> None:
    code = tmp_path / "reading.py"
    code.write_text(READING, encoding="utf-8")
    cache = Path(__file__).parents[1] / ".mypy_cache"
    said, _, _ = api.run(["--strict", "--no-error-summary", f"--cache-dir={cache}", str(code)])
    lines = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
    assert lines == set(range(4, 21)), said


def test_an_f_string_refuses_a_text() -> None:
    with pytest.raises(TypeError):
        f"{Text('too short')}"


def test_texts_are_joined_and_printed() -> None:
    joined = Text.of("before: ", Text.of(Text("one"), "two", between="; "))
    assert joined == Text("before: one; two")
    assert printed([joined, Phrase(Text("!"))]) == "before: one; two!"
