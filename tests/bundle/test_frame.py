"""A bundle that is cut off, changed by one byte, of a later release or none at all is told in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.bundle.frame import DIGITS, check_frame, seal
from igen.bundle.unpack import unpack
from igen.errors import IgenError, InputError
from igen.file_format import UnknownFormat
from tests.bundle.made import packed


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("bundle"))


def test_as_it_was_made_it_is_sound(bundle: Path) -> None:
    assert len(check_frame(bundle)) == DIGITS


def test_each_changed_byte_is_noticed(bundle: Path) -> None:
    data = bytearray(bundle.read_bytes())
    changed = bundle.with_name("changed.igen")
    changed.write_bytes(data)
    unnoticed = []
    with changed.open("r+b", buffering=0) as file:
        for place, byte in enumerate(data):
            file.seek(place)
            file.write(bytes([byte ^ (1 << place % 8)]))
            try:
                check_frame(changed)
                unnoticed.append(place)
            except InputError:
                pass
            file.seek(place)
            file.write(bytes([byte]))
    assert unnoticed == []
    check_frame(changed)


@given(place=st.integers(min_value=0), to=st.integers(min_value=1, max_value=255))
def test_whatever_a_byte_becomes(bundle: Path, place: int, to: int) -> None:
    data = bytearray(bundle.read_bytes())
    data[place % len(data)] ^= to
    changed = bundle.with_name("other.igen")
    changed.write_bytes(data)
    with pytest.raises(InputError) as raised:
        check_frame(changed)
    assert raised.value.hint
    assert raised.value.where == str(changed)


@given(length=st.integers(min_value=0))
def test_cut_off_anywhere(bundle: Path, length: int) -> None:
    data = bundle.read_bytes()
    short = bundle.with_name("short.igen")
    short.write_bytes(data[: length % len(data)])
    with pytest.raises(InputError, match=r"cut off|no bundle"):
        check_frame(short)


def test_what_follows_the_end_is_noticed(bundle: Path) -> None:
    longer = bundle.with_name("longer.igen")
    longer.write_bytes(bundle.read_bytes() + b"\n")
    with pytest.raises(InputError, match="cut off, or no bundle"):
        check_frame(longer)


@pytest.mark.parametrize("number", [b"0", b"2", b"999999"])
def test_another_format_is_refused(bundle: Path, number: bytes) -> None:
    other = bundle.with_name("other.igen")
    other.write_bytes(bundle.read_bytes().replace(b"igen bundle 1 sha256", b"igen bundle %s sha256" % number))
    with other.open("r+b") as file:
        seal(file)
    with pytest.raises(UnknownFormat) as raised:
        check_frame(other)
    assert raised.value.hint


@pytest.mark.parametrize("data", [b"", b"PK", b"hello\n" * 100, b"PK\x03\x04" + bytes(4096)])
def test_what_is_no_bundle(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.igen"
    path.write_bytes(data)
    with pytest.raises(InputError, match="no bundle"):
        check_frame(path)


def test_a_folder_and_nothing_are_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.igen"):
        with pytest.raises(InputError) as raised:
            unpack(path, tmp_path / "folder")
        assert raised.value.hint == "`igen publish bundle RUN -o FILE` makes a bundle"


def test_a_full_disk_is_told_with_a_remedy(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").write_bytes(b"")
    with pytest.raises(IgenError) as raised:
        unpack(bundle, tmp_path)
    assert "TMPDIR" in raised.value.hint
