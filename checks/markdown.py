"""Just enough Markdown: headings with their anchors, links, and fenced blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^(?P<fence>```+)(?P<language>[\w-]*)\s*$")
HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+?)\s*#*$")
COMMENT = re.compile(r"^<!--\s*(?P<text>.*?)\s*-->$")
IMAGE = re.compile(r"!\[[^\[\]]*\]\((?P<target>[^()\s]+)(?:\s+\"[^\"]*\")?\)")
LINK = re.compile(r"\[[^\[\]]*\]\((?P<target>[^()\s]+)(?:\s+\"[^\"]*\")?\)")
CODE_SPAN = re.compile(r"`[^`]*`")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block and the HTML comment on the line before it, if there is one."""

    language: str
    text: str
    comment: str
    line: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page in order."""
    found: list[Block] = []
    lines = page.splitlines()
    start: int | None = None
    language = fence = ""
    for number, line in enumerate(lines):
        if start is None:
            if opening := FENCE.match(line):
                start, language, fence = number, opening["language"], opening["fence"]
        elif line.strip() == fence:
            before = COMMENT.match(lines[start - 1]) if start else None
            text = "".join(f"{inner}\n" for inner in lines[start + 1 : number])
            found.append(Block(language, text, before["text"] if before else "", start + 1))
            start = None
    return found


def prose(page: str) -> Iterator[tuple[int, str]]:
    """Numbered lines outside fenced blocks."""
    inside = ""
    for number, line in enumerate(page.splitlines(), start=1):
        if not inside and (opening := FENCE.match(line)):
            inside = opening["fence"]
        elif inside:
            inside = "" if line.strip() == inside else inside
        else:
            yield number, line


def anchors(page: str) -> set[str]:
    """Anchors of the headings, by the rule that code hosts use."""
    found: set[str] = set()
    for _, line in prose(page):
        if heading := HEADING.match(line):
            slug = re.sub(r"[^\w\- ]", "", heading["text"].lower()).replace(" ", "-")
            repeats = 0
            while (anchor := f"{slug}-{repeats}" if repeats else slug) in found:
                repeats += 1
            found.add(anchor)
    return found


def links(page: str) -> Iterator[tuple[int, str]]:
    """Targets of the links and images outside code, with their lines."""
    for number, line in prose(page):
        # Neither a code span nor an image as the text of a link may hide the link.
        text = CODE_SPAN.sub("code", line)
        for found in [*IMAGE.finditer(text), *LINK.finditer(IMAGE.sub("image", text))]:
            yield number, found["target"]
