"""A run that goes on has no result yet: part of it would be judged as if it were all."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from igen.console.analysis import printed_levels, printed_report, printed_result
from igen.errors import InputError
from igen.store.active import ActiveRun
from igen.store.catalog import CATALOG_FILE
from tests.console.site import RUN, Site

SENTENCE = "this run has not ended"


def _judged(shown: Site) -> list[str]:
    with closing(sqlite3.connect(shown.console.folder / CATALOG_FILE)) as catalog:
        return [run for (run,) in catalog.execute("SELECT run FROM judged")]


def test_no_page_tells_a_verdict(shown: Site) -> None:
    word = shown.console.signer.sign("share", [RUN], shown.now + 100)
    client = shown.visitor("read")
    before = f"/runs/{RUN}/report"
    paths = [
        before,
        f"/runs/{RUN}/levels.csv",
        f"/compare?a={RUN}&b={RUN}",
        f"/compare/report?a={RUN}&b={RUN}",
        f"/compare/levels.csv?a={RUN}&b={RUN}",
        f"/s/{word}/report",
    ]
    with ActiveRun(shown.console.folder, RUN):
        for path in paths:
            answer = client.get(path)
            assert answer.status_code == 400, path
            assert SENTENCE in answer.text, path
            assert "when it has ended" in answer.text, path
            assert "cut off" not in answer.text, path
        live = shown.visitor().get(f"/s/{word}")
        assert live.status_code == 200
        assert 'id="live"' in live.text
        assert 'id="verdict"' not in live.text
        assert _judged(shown) == []
    assert client.get(before).status_code == 200
    assert _judged(shown) == [RUN]
    with ActiveRun(shown.console.folder, RUN):
        assert SENTENCE in client.get(before).text


@pytest.mark.parametrize("work", [printed_levels, printed_report])
def test_the_analyst_looks_for_itself(shown: Site, work: object) -> None:
    assert callable(work)
    with ActiveRun(shown.console.folder, RUN):
        with pytest.raises(InputError, match=SENTENCE):
            work(shown.console.folder, [RUN])
        with pytest.raises(InputError, match=SENTENCE):
            printed_result(shown.console.folder, [RUN], with_files=False)
