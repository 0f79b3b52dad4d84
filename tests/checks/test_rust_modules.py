from __future__ import annotations

from pathlib import Path

import pytest

from checks import rust_modules


def crate(folder: Path, **files: str) -> Path:
    """A crate of these files; `__` in a name is a folder."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.rs"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


LIST = "mod one;\nmod other;\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use crate::other::Other;", "use crate::one::One;"),
        ("use crate::{other::{Other, Third as Fourth}};", "use super::one::{self, One};"),
        ("fn f() { crate::other::f(); }", "use super::one;\nfn f() { one::f(); }"),
        ("use super::other::Other;", "fn f() -> super::one::One { }"),
    ],
)
def test_two_modules_that_use_each_other_are_found(tmp_path: Path, one: str, other: str) -> None:
    assert rust_modules.circles(crate(tmp_path, lib=LIST, one=one, other=other)) == [["one", "other"]]


def test_a_longer_circle_is_found_whole(tmp_path: Path) -> None:
    files = {"one": "use crate::two::X;", "two": "use crate::three::X;", "three": "use crate::one::X;"}
    source = crate(tmp_path, lib="mod one; mod two; mod three; mod user;", user="use crate::one::X;", **files)
    assert rust_modules.circles(source) == [["one", "three", "two"]]


def test_a_folder_and_its_file_make_a_circle_where_each_uses_the_other(tmp_path: Path) -> None:
    child = "use super::LIMIT;\npub(super) fn f() {}"
    parent = "mod child;\nconst LIMIT: u32 = 1;\nfn g() { child::f(); }"
    source = crate(tmp_path, lib="mod parent;", parent__mod=parent, parent__child=child)
    assert rust_modules.circles(source) == [["parent", "parent::child"]]


def test_a_name_that_is_handed_on_counts_for_its_own_module(tmp_path: Path) -> None:
    parent = "mod child;\nmod other;\npub use child::Child;\npub(crate) use other::Other;"
    child = "use super::Other;\nuse crate::parent::Other as Same;"
    source = crate(tmp_path, lib="mod parent;", parent__mod=parent, parent__child=child, parent__other="")
    assert rust_modules.circles(source) == []


@pytest.mark.parametrize(
    "other",
    [
        "// use crate::one::One;",
        'const TEXT: &str = "crate::one::One";',
        "#[cfg(test)]\nmod tests {\n    use crate::one::One;\n    fn f() { if true { } }\n}",
        "#[cfg(test)]\nuse crate::one::One;",
        "use one::One;",
        "pub(in super::one) fn f() {}",
    ],
)
def test_texts_tests_and_other_crates_are_no_uses(tmp_path: Path, other: str) -> None:
    source = crate(tmp_path, lib=LIST, one="use crate::other::Other;", other=other)
    assert rust_modules.circles(source) == []
