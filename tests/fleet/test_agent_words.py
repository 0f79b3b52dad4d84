"""The agent's words about types, as a user reads them."""

from __future__ import annotations

import pytest

from igen.fleet.agent_words import in_plain_words


@pytest.mark.parametrize(
    ("text", "hint", "said"),
    [
        (
            'invalid type: string "many", expected u32',
            "",
            ("`many` is not a whole number from 0 to 4,294,967,295", ""),
        ),
        (
            "invalid type: floating point `1e+23`, expected u64",
            "",
            ("`1e+23` is not a whole number from 0 on", ""),
        ),
        ("invalid value: integer `-3`, expected u8", "h", ("`-3` is not a whole number from 0 to 255", "h")),
        (
            "invalid type: boolean `true`, expected a string",
            "",
            ("`true` is not text", "write it as a text in quotes: '\"true\"'"),
        ),
        ("invalid type: map, expected a sequence", "", ("a table is not a list", "")),
        ("invalid type: sequence, expected f64", "", ("a list is not a number", "")),
        (
            "unknown field `measure`, expected one of `ramp_s`, `measure_s`",
            "",
            ("unknown field `measure`", "did you mean `measure_s`?"),
        ),
        (
            "unknown variant `clozed`, expected one of `closed`, `open`",
            "",
            ("unknown value `clozed`", "did you mean `closed`?"),
        ),
        ("unknown field `x`, expected `variant`", "", ("unknown field `x`", "there is variant")),
        ("unknown field `x`, expected `variant`", "mine", ("unknown field `x`", "mine")),
        ('invalid type: string "x", expected a size such as 4096', "", None),
        ("no target is named", "h", None),
    ],
)
def test_types_and_unknown_words_are_told_plainly(text: str, hint: str, said: tuple[str, str] | None) -> None:
    assert in_plain_words(text, hint) == (said or (text, hint))
