"""The documents as tests see them: what to write, what to run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checks import markdown, tree

NOT_RUN = re.compile(r"^(make|pip|scp|export|git|cd|igen console)\b")
"""Commands that would run the tests from within the tests, need another machine, or go on: `tests/browser`
starts the console."""
FIRST = re.compile(r"^first `(?P<command>.+)`$")


@dataclass(frozen=True, slots=True)
class Command:
    """A line of a console block."""

    text: str
    options: str
    """What the page's comment adds to `igen` commands, such as a smaller database."""
    line: int


def pages() -> list[Path]:
    """Every page that may have examples."""
    folders = [tree.ROOT / "docs" / name for name in ("guide", "concepts")]
    return [tree.ROOT / "README.md", *sorted(page for folder in folders for page in folder.glob("*.md"))]


def commands(page: str) -> Iterator[Command]:
    """The commands of all console blocks in order; what `first` asks for comes before its block."""
    for block in markdown.blocks(page):
        if block.language != "console":
            continue
        options = block.comment.removeprefix("test:").strip() if block.comment.startswith("test:") else ""
        if first := FIRST.match(options):
            yield Command(first["command"], "", block.line)
            options = ""
        for line in block.text.splitlines():
            if line.startswith("$ ") and not NOT_RUN.match(line[2:]):
                yield Command(line[2:], options, block.line)


def files(page: str) -> Iterator[tuple[str, str]]:
    """Name and text of the blocks that are files."""
    for block in markdown.blocks(page):
        if block.comment.startswith("file: "):
            yield block.comment.removeprefix("file: "), block.text


def edits(page: str) -> Iterator[tuple[str, str, str]]:
    """Name of a file, text that it must hold, text to put in its place: from the blocks in diff form."""
    for block in markdown.blocks(page):
        if block.comment.startswith("edit: "):
            lines = block.text.splitlines()
            old = "\n".join(line[1:] for line in lines if line[:1] in " -")
            new = "\n".join(line[1:] for line in lines if line[:1] in " +")
            yield block.comment.removeprefix("edit: "), old, new
