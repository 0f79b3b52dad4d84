"""Text of exporters: what is right is read, what is hostile is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.monitors.exposition import LONGEST_LINE, samples_of
from igen.monitors.said import MOST

NAMES = {"a_total", "b"}
printable = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF).filter(str.isprintable), max_size=20)


def escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"")


@given(
    labels=st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True), printable, max_size=4),
    value=st.floats(-MOST, MOST),
    stamp=st.one_of(st.just(""), st.just(" 1395066363000")),
)
def test_what_was_written_is_read(labels: dict[str, str], value: float, stamp: str) -> None:
    written = ",".join(f'{name}="{escaped(text)}"' for name, text in labels.items())
    line = f"a_total{{{written}}} {value!r}{stamp}" if labels else f"a_total {value!r}{stamp}"
    found = samples_of(f"# HELP a_total So much.\n# TYPE a_total counter\n{line}\nother 7\n", NAMES)
    assert found.by_name == {"a_total": [(labels, value)]}
    assert not found.odd


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    found = samples_of(f"b{text}\n{text}", NAMES)
    assert set(found.by_name) | set(found.odd) <= NAMES


@pytest.mark.parametrize(
    "line",
    [
        "b NaN",
        "b +Inf",
        "b -Inf",
        "b 1e308",
        "b -1.1e18",
        "b 1_000",
        "b one",
        "b",
        "b{",
        'b{x="1"',
        'b{x="1} 2',
        "b{x=1} 2",
        'b{x="\x1b[2J"} 2',
        'b{x="a\\nb"} 2',
        'b{x="\u202e"} 2',
        'b{x="1" y="2"} 2',
        "b 1 2 3",
        'b{x="' + LONGEST_LINE * "1" + '"} 2',
    ],
)
def test_what_is_no_sample_is_counted(line: str) -> None:
    found = samples_of(f"{line}\na_total 5", NAMES)
    assert found.odd == ["b"]
    assert found.one("a_total") == 5


def test_a_name_is_found_by_its_labels() -> None:
    found = samples_of('b{x="1",y="2"} 3\nb{x="2",} 4\nb {x="3"} 5\n', NAMES)
    assert found.one("b", x="2") == 4
    assert found.one("b", x="9") is None
    assert [value for _, value in found.of("b")] == [3, 4]
