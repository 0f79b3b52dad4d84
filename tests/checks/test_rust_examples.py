"""Examples in comments of Rust: `make test` does not look for any, because a program for each crate would."""

from __future__ import annotations

import re

import pytest

from checks import tree

COMMENT = re.compile(r"\s*//[/!](.*)")
OTHER_COMMENT = re.compile(r"/\*[*!]|[\[(,]\s*doc\s*=")
"""Between stars, or as an attribute: of their text nobody looks at more."""
FENCE = re.compile(r"```|~~~")
INDENTED = re.compile(r"[\s>*+.)\d-]*(?:\t| {4})")
"""With or without a list or a quotation around it."""


def examples(source: str) -> list[str]:
    """What cargo might run: whatever may be a block of code and is not fenced alone in its line as `text`."""
    found = OTHER_COMMENT.findall(source)
    inside = False
    for line in source.splitlines():
        comment = COMMENT.match(line)
        if not comment:
            inside = False
        elif FENCE.search(line):
            if comment[1].rstrip() != (" ```" if inside else " ```text"):
                found.append(line)
            inside = not inside
        elif not inside and INDENTED.match(comment[1]):
            found.append(line)
    return found


@pytest.mark.parametrize(
    "example",
    [
        "/// ```\n/// one();\n/// ```",
        "//! ```rust\n//! one();\n//! ```",
        "/// ```text,rust\n/// one();\n/// ```",
        "/// ```text\n/// a -> b\n/// ```\n/// ```\n/// one();\n/// ```",
        "/// ```text\nfn two() {}\n/// ```\n/// one();\n/// ```",
        "/// ````\n/// one();\n/// ````",
        "/// ~~~\n/// one();\n/// ~~~",
        "/// > ```\n/// > one();\n/// > ```",
        "/// - ```\n///   one();\n///   ```",
        "/// So:\n///\n///     one();",
        "///\tone();",
        "/// >     one();",
        "///     one();\n/// So.",
        "/** ```\none();\n``` */",
        "/*! one */",
        '#![doc = include_str!("../README.md")]',
        '#[cfg_attr(test, doc = "one")]',
    ],
)
def test_an_example_is_found(example: str) -> None:
    assert examples(f"fn before() {{}}\n{example}\nfn after() {{}}\n")


@pytest.mark.parametrize(
    "text",
    [
        "/// ```text\n/// a -> b\n///     `-> c\n/// ```",
        "//! - one thing,\n//!   in two lines\n//! 1. `other`",
        '    // ```\n    let doc = "one";\n    /* two */',
    ],
)
def test_text_is_none(text: str) -> None:
    assert not examples(f"fn before() {{}}\n{text}\nfn after() {{}}\n")


def test_there_are_none() -> None:
    sources = [path for path in tree.files() if path.suffix == ".rs"]
    assert len(sources) > 100
    read = {path: path.read_text(encoding="utf-8") for path in sources if path.exists()}
    found = {str(path): lines for path, text in read.items() if (lines := examples(text))}
    assert not found, (
        "fence it as `text`, or make a test of it, for `cargo test` of the Makefile runs no examples"
    )
