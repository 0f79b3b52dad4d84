from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import links, markdown

PAGE = """# First: a `code` title

See [a page](other.md#part), ![a picture](picture.png "title") and [`code`](file.rs).
Not a link: `[x](gone.md)`.

[![A picture](inner.png)](outer.md)

<!-- test: --set customers=10 -->
```console
$ igen run oltp
[x](inside.md)
```

## Twice
## Twice
"""


def test_blocks_carry_their_language_line_and_comment() -> None:
    (block,) = markdown.blocks(PAGE)
    assert block.language == "console"
    assert block.comment == "test: --set customers=10"
    assert block.text == "$ igen run oltp\n[x](inside.md)\n"
    assert PAGE.splitlines()[block.line - 1] == "```console"


def test_a_longer_fence_holds_a_shorter_one() -> None:
    (block,) = markdown.blocks("````\n```console\n$ x\n```\n````\n")
    assert block.text == "```console\n$ x\n```\n"


def test_links_and_images_are_found_outside_code() -> None:
    assert [target for _, target in markdown.links(PAGE)] == [
        "picture.png",
        "other.md#part",
        "file.rs",
        "inner.png",
        "outer.md",
    ]


def test_anchors_follow_the_headings_and_count_repeats() -> None:
    assert markdown.anchors(PAGE) == {"first-a-code-title", "twice", "twice-1"}


@given(st.lists(st.text(alphabet="ab c-", min_size=1, max_size=5).filter(str.strip), max_size=8))
def test_every_heading_has_an_anchor_of_its_own(titles: list[str]) -> None:
    page = "".join(f"## x{title}\n" for title in titles)
    assert len(markdown.anchors(page)) == len(titles)


@pytest.mark.parametrize(
    ("link", "finding"),
    [
        ("there.md", None),
        ("there.md#part-one", None),
        ("#here", None),
        ("https://example.org/gone", None),
        ("gone.md", "no such file"),
        ("there.md#gone", "no such heading"),
        ("../../outside.md", "outside the repository"),
    ],
)
def test_links_are_followed(tmp_path: Path, link: str, finding: str | None) -> None:
    root = tmp_path / "root" / "deep"
    root.mkdir(parents=True)
    (tmp_path / "outside.md").touch()
    (root / "there.md").write_text("# Part one\n")
    page = root / "page.md"
    page.write_text(f"# Here\n[x]({link})\n")
    found = links.findings(page, root)
    assert [text.rpartition(": ")[2] for text in found] == ([finding] if finding else [])
    assert all(text.startswith("page.md:2: ") for text in found)
