"""Beside a run nothing is computed that nobody insists on; and its shared link shows how it goes."""

from __future__ import annotations

from typing import Any

import pytest

from igen.console import analyst
from igen.store.active import ActiveRun
from tests.console.site import RUN, Site

WAITS = "would disturb a run in progress"


@pytest.mark.parametrize("path", ["/trend?workload=model", f"/datacenter?run={RUN}"])
def test_what_takes_a_processor_waits_for_a_run_unless_somebody_insists(
    shown: Site, asked: list[Any], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    client = shown.visitor("read")
    with ActiveRun(shown.console.folder, "model"):
        page = client.get(path).text
        assert WAITS in page
        assert 'href="/runs/model"' in page
        assert asked == []
        insisting = f"{path}&anyway=yes"
        assert insisting.replace("&", "&amp;") in page
        told = client.get(insisting).text
        assert WAITS not in told
        assert len(asked) == 1
        monkeypatch.setattr(analyst.Analyst, "has", lambda _self, _key: True)
        assert WAITS not in client.get(path).text, "what is kept takes nothing"
        monkeypatch.undo()
    assert WAITS not in client.get(path).text


def test_what_is_not_asked_for_waits_for_nothing(shown: Site) -> None:
    with ActiveRun(shown.console.folder, "model"):
        for path in ("/trend", "/datacenter"):
            assert WAITS not in shown.visitor("read").get(path).text


def test_the_link_of_one_run_has_its_points_and_that_of_several_has_none(shown: Site) -> None:
    one, several = (
        shown.console.signer.sign("share", ids, shown.now + 100) for ids in ([RUN], [RUN, "model"])
    )
    with shown.visitor() as client:
        told = client.get(f"/s/{one}/series").json()
        assert told["points"]
        assert client.get(f"/s/{one}/digest?since={told['next']}").json()["digests"] == []
        for what in ("series", "digest", "events"):
            assert client.get(f"/s/{several}/{what}").status_code == 400
            assert client.get(f"/s/none.none/{what}").status_code == 400
        # The rest of the run is for those with a login.
        assert client.get(f"/runs/{RUN}/series").status_code == 303
    shown.now += 101
    assert shown.visitor().get(f"/s/{one}/series").status_code == 400
