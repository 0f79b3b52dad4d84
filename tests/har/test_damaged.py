"""Damaged recordings are refused in words, or read; they are never an accident."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.errors import InputError
from igen.har.convert import Options, convert

MIXED = (Path(__file__).parent / "recordings" / "mixed.har").read_bytes()
DAMAGE = st.tuples(
    st.integers(0, len(MIXED)),
    st.integers(0, 40),
    st.one_of(
        st.binary(max_size=8),
        st.sampled_from(
            [b"null", b"[]", b"{}", b"-1", b"1e999", b'""', b'"\\ud800"', b"[" * 2000, b'"', b"\\"]
        ),
    ),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(DAMAGE, min_size=1, max_size=3))
def test_a_damaged_recording_is_read_or_refused(damages: list[tuple[int, int, bytes]]) -> None:
    content = MIXED
    for at, length, other in damages:
        content = content[:at] + other + content[at + length :]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.har"
        path.write_bytes(content)
        with contextlib.suppress(InputError):
            assert convert(path, Options()).text


@pytest.mark.parametrize("value", ["null", "[]", "{}", "7", '"x"', "-1", "1e999", "true"])
@pytest.mark.parametrize(
    "key",
    ["startedDateTime", "time", "method", "url", "headers", "status", "content", "text", "mimeType", "pages"],
)
def test_a_field_of_another_type_is_no_accident(tmp_path: Path, key: str, value: str) -> None:
    text = re.sub(rf'"{key}": ("(?:[^"\\]|\\.)*"|-?[\d.]+)', f'"{key}": {value}', MIXED.decode())
    path = tmp_path / "odd.har"
    path.write_text(text, encoding="utf-8")
    with contextlib.suppress(InputError):
        assert convert(path, Options()).text
