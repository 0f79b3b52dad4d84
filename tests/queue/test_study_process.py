from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from igen.ask.kinds import scalar
from igen.ask.tables import set_path
from igen.queue.study_process import settings_of_command

NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=5)
VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(NAMES, VALUES | st.text() | st.dictionaries(NAMES, VALUES | st.text(), min_size=1)))
def test_a_study_of_the_queue_gets_the_parameters_that_were_added(params: dict[str, Any]) -> None:
    """Also text such as `5`, `true` and `[1]`."""
    read: dict[str, Any] = {}
    for setting in settings_of_command(params):
        name, _, text = setting.partition("=")
        set_path(read, name, scalar(text))
    assert read == params
    assert {name: type(value) for name, value in read.items()} == {
        name: type(value) for name, value in params.items()
    }
