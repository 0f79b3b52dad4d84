"""Locks of applications: what they must hold, and how they are made of what pip tells. No network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from checks import applications
from checks.applications import Entry, entries, findings, written
from igen.instances.application import APPLICATIONS, Application

PRETEND = Application(
    name="pretend",
    module="pretend",
    asked=("pretend==1.*", "Other"),
    sources=("own-built",),
    left_out=("old-one",),
    newest=(3, 12),
)
LOCK = written(
    [
        Entry("pretend", "1.2", {"b" * 64, "a" * 64}),
        Entry("Other", "3.0", {"c" * 64}),
        Entry("own-built", "0.1", {"d" * 64}),
    ]
)


@pytest.mark.parametrize("name", APPLICATIONS)
def test_each_archive_of_the_lock_has_a_hash(name: str) -> None:
    application = APPLICATIONS[name]
    lock = application.lock.read_text(encoding="utf-8")
    assert findings(application, lock) == []
    assert written(entries(lock)) == lock


def test_a_lock_is_in_the_order_of_names_and_of_hashes() -> None:
    assert [each.name for each in entries(LOCK)] == ["Other", "own-built", "pretend"]
    assert LOCK.endswith(f"pretend==1.2 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\n")
    assert findings(PRETEND, LOCK) == []


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("pretend==1.2", "pretend==2.0", "pretend.lock has 2.0 of `pretend==1.*`"),
        ("Other==3.0", "another==3.0", "pretend.lock has no release of `Other`"),
        ("Other==3.0", "old-one==3.0", "pretend.lock has no release of `Other`"),
        ("own-built==0.1", "another==0.1", "pretend.lock has no release of `own-built`"),
        ("a" * 64, "a" * 63, "pretend.lock: `pretend==1.2"),
        ("Other==3.0 \\\n", "Other==3.0\n", "pretend.lock: `Other==3.0` is no release with its hashes"),
        ("Other==3.0", "git+https://example.com/Other", "is no release with its hashes"),
    ],
)
def test_what_a_lock_lacks_is_told(good: str, bad: str, said: str) -> None:
    assert good in LOCK
    found = findings(PRETEND, LOCK.replace(good, bad))
    assert said in found[0]


def test_a_package_that_is_left_out_is_not_in_the_lock() -> None:
    lock = written([*entries(LOCK), Entry("old-one", "0.1", {"d" * 64})])
    assert findings(PRETEND, lock) == ["pretend.lock has `old-one`, of which there is no wheel"]
    assert findings(replace(PRETEND, asked=(*PRETEND.asked, "old-one==0.1")), LOCK) == []


def test_a_lock_that_is_too_long_to_be_read_is_told() -> None:
    many = written([*entries(LOCK), *(Entry(f"part{number}", "1", {"e" * 64}) for number in range(600))])
    assert "the limit is 50,000" in findings(PRETEND, many)[0]


def test_the_newest_releases_come_with_the_hashes_for_each_python_and_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []

    def told(name: str, release: str, digest: str) -> dict[str, Any]:
        archive = {"archive_info": {"hashes": {"sha256": digest}}}
        return {"metadata": {"name": name, "version": release}, "download_info": archive}

    def pip(options: Sequence[str]) -> list[dict[str, Any]]:
        asked.append([each for each in options if not each.startswith("--platform=manylinux_2_")])
        if "--no-deps" not in options:
            return [
                told("Pretend", "1.2", "here"),
                told("old-one", "0.1", "none"),
                told("own-built", "2", "source"),
            ]
        python = next(each for each in options if each.startswith("--python-version="))
        machine = options[-2].rpartition("_2_28_")[2]
        return [told("pretend", "1.2", f"{python[-4:]} {machine}")]

    monkeypatch.setattr(applications, "reported", pip)
    hashes = {"3.11 x86_64", "3.11 aarch64", "3.12 x86_64", "3.12 aarch64"}
    source = Entry("own-built", "2", {"source"})
    assert applications.resolved(PRETEND) == [Entry("Pretend", "1.2", hashes), source]
    assert asked[0] == ["--only-binary=:all:", "--no-binary=own-built", "--no-binary=old-one", *PRETEND.asked]
    assert all(each[-1] == "Pretend==1.2" for each in asked[1:])
