"""The study of RAID-1 and RAID-5 on files that stand for the arrays: two of its tests, for a moment each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from command_line import ROOT, UNWATCHED, Done

Igen = Callable[[str], Done]


def test_two_targets_of_ones_own_take_the_place_of_the_arrays(igen: Igen, tmp_path: Path) -> None:
    text = (ROOT / "studies" / "raid1-vs-raid5.toml").read_text(encoding="utf-8")
    for old, new in (
        ("file:///var/tmp/igen-arrays/raid10/mount/", f"file://{tmp_path}/one-"),
        ("file:///var/tmp/igen-arrays/raid5/mount/", f"file://{tmp_path}/other-"),
        ("[16, 32, 64, 128]", "[2]"),
        ("repeats = 3", "repeats = 1"),
        ('"3s"', '"0.5s"'),
        ('"require"', '"prefer"'),
        ("\n[job]\n", f"\n[job]\n{UNWATCHED}"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    head, *tests = text.split("\n[[tests]]\n")
    study = tmp_path / "raid.toml"
    study.write_text("\n[[tests]]\n".join([head, tests[1], tests[-1]]), encoding="utf-8")
    done = igen(f"study run {study} --scale 1e-6 --json --quiet")
    assert done.code == 0, done.err
    document = done.document
    assert [system["name"] for system in document["systems"]] == [
        f"{system} {test}" for test in ("R2", "S2") for system in ("RAID-1", "RAID-5")
    ]
    assert [(each["test"], each["loads"]) for each in document["overall"]] == [("R2", 1), ("S2", 1)]
    assert [(each["users"], each["base"]) for each in document["ratios"] if each["decides"]] == [
        (2, "RAID-1 R2"),
        (2, "RAID-1 S2"),
    ]
    random, *_, sequential = document["systems"]
    assert (random["params"]["size_bytes"], random["params"]["read"]) == (4 << 20, 70)
    assert sequential["params"]["pattern"] == "sequential"
    for system in document["systems"]:
        assert system["value"] == "median of the last fifth"
        for level in system["levels"]:
            (repeat,) = level["repeats"]
            counts = [each["measured"] for each in repeat["timeline"]]
            assert any(counts)
            assert not counts[0], "what comes before the last fifth is warm-up"
