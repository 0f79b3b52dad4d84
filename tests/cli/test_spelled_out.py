"""Short forms of the command line."""

from __future__ import annotations

import pytest

from igen.cli.spelled_out import spelled_out


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("run io --set a=1 b=2 c=x=y --users 4", "run io --set a=1 --set b=2 --set c=x=y --users 4"),
        ("run io --set a=1 --set b=2 c=3", "run io --set a=1 --set b=2 --set c=3"),
        ("run --set a=1 io", "run --set a=1 io"),
        ("run --set=a=1 b=2", "run --set=a=1 --set b=2"),
        ("run io --set novalue b=2", "run io --set novalue --set b=2"),
        ("run io --target file:///a b=2", "run io --target file:///a b=2"),
        ("run io --set a=1 --json b=2", "run io --set a=1 --json b=2"),
        ("run io --set", "run io --set"),
        ("", ""),
    ],
)
def test_one_flag_takes_all_settings_that_follow(short: str, long: str) -> None:
    assert spelled_out(short.split()) == long.split()
    assert spelled_out(spelled_out(short.split())) == long.split(), "once is enough"
