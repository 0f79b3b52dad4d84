"""What tests hold documents against."""

from __future__ import annotations

import jsonschema
import pytest

from tests.obeys import obeying


@pytest.mark.parametrize("name", ["result", "queue", "tool"])
def test_what_does_not_obey_is_refused(name: str) -> None:
    with pytest.raises(jsonschema.ValidationError, match=r"is a required property|is not of type|not valid"):
        obeying({"jobs": 3}, name)
