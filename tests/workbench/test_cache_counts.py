"""Counters of caches, read while a study measures: what cannot be read costs a sentence, never the study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from igen.errors import IgenError
from igen.instances import control
from igen.instances.instance import RECORD
from igen.study.target_counts import MEASURE, CountsOverMeasure
from igen.workbench.cache_counts import cache_counts
from igen.workbench.tiers import loaded_instances

JOB = {"targets": ["http://127.0.0.1:9"]}
OF_AN_UNKNOWN_KIND = {
    "kind": "of-a-later-igen",
    "number": 1,
    "port": 9,
    "cache_bytes": 0,
    "max_connections": 1,
    "durable": True,
    "version": "",
    "created_unix_s": 0,
}


def test_a_record_that_cannot_be_read_stops_no_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IGEN_INSTANCES", str(tmp_path))
    (tmp_path / "stray").mkdir()
    (tmp_path / "stray" / RECORD).write_text("{}")
    with pytest.raises(IgenError, match="not the record of an instance"):
        control.selected(None, None)
    counts = CountsOverMeasure(JOB, cache_counts)
    assert counts.entered(MEASURE) is None
    assert counts.entered("cooldown") is None


def test_an_instance_of_an_unknown_kind_is_none_that_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IGEN_INSTANCES", str(tmp_path))
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / RECORD).write_text(json.dumps({"format": 1, **OF_AN_UNKNOWN_KIND}))
    assert loaded_instances(JOB) == []
    assert cache_counts(JOB) is None
