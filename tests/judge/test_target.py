from __future__ import annotations

import pytest

from igen.judge.record.target import Place, target_place
from tests.judge.synthetic import recording


@pytest.mark.parametrize(
    ("targets", "place"),
    [
        ([], Place.IN_PROCESS),
        (["sqlite:///shop.db"], Place.IN_PROCESS),
        (["file:///dev/sdb"], Place.IN_PROCESS),
        (["postgresql:///shop"], Place.LOCAL),
        (["postgresql://localhost:5432/shop"], Place.LOCAL),
        (["mysql://127.0.0.2/shop"], Place.LOCAL),
        (["ldap://[::1]/"], Place.LOCAL),
        (["http://HERE/"], Place.LOCAL),
        (["http://there/"], Place.REMOTE),
        (["http://there/", "http://localhost/"], Place.LOCAL),
    ],
)
def test_where_the_work_is_done(targets: list[str], place: Place) -> None:
    assert target_place(recording(job={"targets": targets})) is place
