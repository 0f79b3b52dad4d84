from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from igen.workbench.toml_text import toml_text

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_what_is_written_is_read_again(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(table)) == table


def test_a_study_reads_like_one_that_a_person_wrote() -> None:
    table = {"name": "cpu", "plan": {"mode": "sweep"}, "axes": {"load.closed.users": [1, 2]}, "left": None}
    assert toml_text(table) == (
        'name = "cpu"\n\n[plan]\nmode = "sweep"\n\n[axes]\n"load.closed.users" = [1, 2]\n'
    )
