"""Archives that mean harm: nothing is written outside of the folder, nor more than the bounds say."""

from __future__ import annotations

import stat
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest

from igen.bundle import unpack as unpacking
from igen.bundle.contents import CONTENTS_FILE, RESULT_FILE
from igen.bundle.frame import comment, seal
from igen.bundle.unpack import unpack
from igen.errors import InputError
from igen.file_format import UnknownFormat
from tests.bundle.made import RUN, archive, contents, harmless


def refused(path: Path, folder: Path) -> str:
    with pytest.raises(InputError) as raised:
        unpack(path, folder / "unpacked")
    assert raised.value.where == str(path)
    assert "\n" not in raised.value.text
    assert raised.value.hint
    return raised.value.text


def test_the_least_bundle_is_unpacked(tmp_path: Path) -> None:
    found = unpack(archive(tmp_path / "x.igen", harmless()), tmp_path / "unpacked")
    assert [run.id for run in found.runs] == ["noop"]
    assert (tmp_path / "unpacked" / RUN).read_bytes() == b"{}"


@pytest.mark.parametrize(
    "name",
    [
        "../outside",
        "/etc/igen",
        "runs/../../outside",
        "runs/noop/../../outside",
        "runs/../jobs/1.jsonl",
        "runs/..",
        "runs/noop/jobs/../../../outside.jsonl",
        "runs\\noop\\run.json",
        "C:\\outside",
        "runs/noop/report.html",
        "runs/.hidden/run.json",
        "runs/no op/run.json",
        "runs/noop/jobs/1.jsonl/",
        "runs/noop/jobs/0001.jsonl\n",
        "noise.json",
        "x" * 300,
    ],
)
def test_other_names_are_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "x.igen", {**harmless(), name: b"harm"})
    assert "member" in refused(path, tmp_path)
    assert sorted(tmp_path.rglob("*")) == [path]


def test_a_link_is_a_file_here(tmp_path: Path) -> None:
    path = tmp_path / "x.igen"
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    with path.open("w+b") as file:
        with ZipFile(file, "w") as made:
            made.comment = comment()
            target = str(outside).encode()
            made.writestr(CONTENTS_FILE, contents({RESULT_FILE: 2, RUN: len(target)}))
            made.writestr(RESULT_FILE, b"{}")
            link = ZipInfo(RUN)
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            made.writestr(link, target)
        seal(file)
    unpack(path, tmp_path / "unpacked")
    place = tmp_path / "unpacked" / RUN
    assert not place.is_symlink()
    assert place.read_bytes() == target
    assert outside.read_bytes() == b"mine"


def test_a_bomb_is_refused_unread(tmp_path: Path) -> None:
    members = {**harmless(), "runs/noop/jobs/0001.jsonl": bytes(unpacking.SMALL_BYTES)}
    text = refused(archive(tmp_path / "x.igen", members), tmp_path)
    assert "more than 200 times its size" in text
    assert not (tmp_path / "unpacked").exists()


def test_a_bomb_that_lists_a_small_size_is_stopped(tmp_path: Path) -> None:
    name = "runs/noop/jobs/0001.jsonl"
    members = {**harmless(), name: bytes(8 << 20)}
    listed = contents({RESULT_FILE: 2, RUN: 2, name: 1000})
    text = refused(archive(tmp_path / "x.igen", members, listed), tmp_path)
    assert "another size" in text
    assert (tmp_path / "unpacked" / name).stat().st_size == 0


def test_a_list_that_would_fill_memory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_CONTENTS_BYTES", 1000)
    path = archive(tmp_path / "x.igen", harmless(), b" " * 2000)
    assert "bundle.json is larger" in refused(path, tmp_path)


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 1)
    assert "2 members" in refused(archive(tmp_path / "x.igen", harmless()), tmp_path)


@pytest.mark.parametrize(
    "listed",
    [
        b"",
        b"null",
        b"[" * 100_000,
        b"\xff",
        contents({RESULT_FILE: 2}),
        contents({RESULT_FILE: 2, RUN: 2, "runs/other/run.json": 2}),
        contents({RESULT_FILE: 2, RUN: -2}),
        contents({RESULT_FILE: 2, RUN: 3}),
        contents({RESULT_FILE: 2, RUN: 2}, runs=[]),
        contents({RESULT_FILE: 2, RUN: 2}, runs=["noop", "noop"]),
        contents({RESULT_FILE: 2, RUN: 2}, runs=["../.."]),
    ],
)
def test_a_wrong_list_is_refused(tmp_path: Path, listed: bytes) -> None:
    assert "no sound bundle" in refused(archive(tmp_path / "x.igen", harmless(), listed), tmp_path)


def test_a_list_of_another_format_is_refused(tmp_path: Path) -> None:
    listed = contents({RESULT_FILE: 2, RUN: 2}, format=2)
    with pytest.raises(UnknownFormat):
        unpack(archive(tmp_path / "x.igen", harmless(), listed), tmp_path / "unpacked")


@pytest.mark.parametrize("result", [b"", b"[]", b"{" * 100_000, b"\xff\xfe"])
def test_a_result_that_is_none_is_refused(tmp_path: Path, result: bytes) -> None:
    path = archive(tmp_path / "x.igen", {RESULT_FILE: result, RUN: b"{}"})
    assert "result.json is no result document" in refused(path, tmp_path)


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.igen"
    with path.open("w+b") as file:
        with ZipFile(file, "w") as made:
            made.comment = comment()
            made.writestr(CONTENTS_FILE, contents({RESULT_FILE: 2, RUN: 2}))
            for name in (RESULT_FILE, RUN):
                made.writestr(name, b"{}")
            with pytest.warns(UserWarning, match="Duplicate name"):
                made.writestr(RUN, b"[]")
        seal(file)
    assert "not those that bundle.json lists" in refused(path, tmp_path)


@pytest.mark.parametrize(("place", "value"), [(6, 1), (8, 99), (8, 14)])
def test_encryption_and_other_packing_are_refused(tmp_path: Path, place: int, value: int) -> None:
    """The bytes of flags and method in the archive's directory."""
    path = archive(tmp_path / "x.igen", harmless())
    data = bytearray(path.read_bytes())
    last = data.rindex(b"PK\x01\x02")
    data[last + place + 2] = value
    path.write_bytes(data)
    with path.open("r+b") as file:
        seal(file)
    assert "no sound bundle" in refused(path, tmp_path)
