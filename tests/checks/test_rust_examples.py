"""Examples in comments of Rust: `make test` does not look for any, because a program for each crate would."""

from __future__ import annotations

import re

from checks import tree

FENCE = re.compile(r"^\s*//[/!]\s*```(\w*)", re.MULTILINE)


def examples(source: str) -> list[str]:
    """The languages of blocks that cargo would run."""
    begins = FENCE.findall(source)[::2]
    return [language for language in begins if language != "text"]


def test_examples_are_told_from_text() -> None:
    assert examples("/// ```\n/// one();\n/// ```\n//! ```text\n//! a -> b\n//! ```\n") == [""]
    assert examples("//! ```rust\n//! ```\n") == ["rust"]


def test_there_are_none() -> None:
    sources = [path for path in tree.files() if path.suffix == ".rs"]
    assert len(sources) > 100
    found = [path for path in sources if path.exists() and examples(path.read_text(encoding="utf-8"))]
    assert not found, "write them as tests, or make `cargo test` of the Makefile look for them"
