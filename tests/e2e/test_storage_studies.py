"""The studies of storage as they are, only smaller: on files of one MiB, for a moment each."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, UNWATCHED, Done, aspect

Igen = Callable[[str], Done]
SMALLER = (
    (r'size_bytes = "\w+"', 'size_bytes = "1MiB"'),
    (r'(warmup|measure)_s = "[\d.]+s"', r'\1_s = "0.3s"'),
    (r"repeats = 3", "repeats = 1"),
    (r"\[job\]\n", f"[job]\n{UNWATCHED}"),
)


@pytest.fixture
def run(igen: Igen, tmp_path: Path) -> Callable[..., tuple[dict[str, Any], str]]:
    """The result and the report of a study after these replacements."""

    def run(name: str, *replaced: tuple[str, str]) -> tuple[dict[str, Any], str]:
        text = (ROOT / "studies" / f"{name}.toml").read_text(encoding="utf-8")
        for pattern, replacement in (*SMALLER, (r"file:///var/tmp", f"file://{tmp_path}"), *replaced):
            text, count = re.subn(pattern, replacement, text)
            assert count > 0, pattern
        study = tmp_path / f"{name}.toml"
        study.write_text(text, encoding="utf-8")
        done = igen(f"study run {study} --json --quiet --report {tmp_path}/report.html")
        assert done.code == 0, done.err
        return done.document, (tmp_path / "report.html").read_text(encoding="utf-8")

    return run


# 6 s: tests/study/test_together.py plans the same.
@pytest.mark.slow
def test_each_volume_is_measured_alone_and_all_together(
    run: Callable[..., tuple[dict[str, Any], str]], tmp_path: Path
) -> None:
    only_random = (r'(?s)\[\[systems\]\]\nname = "sequential read".*', "")
    document, page = run("volumes", (r"\{1\.\.4\}", "{1,2}"), only_random)
    volumes = [f"file://{tmp_path}/igen-volume-{number}" for number in (1, 2)]
    assert [system["name"] for system in document["systems"]] == [
        *(f"random read, alone (targets={volume})" for volume in volumes),
        "random read, horizontal",
        *(f"random write, alone (targets={volume})" for volume in volumes),
        "random write, horizontal",
    ]
    for together in document["systems"][2::3]:
        assert [(each["instances"], each["users"]) for each in together["levels"]] == [(1, 1), (2, 2)]
        assert [each["target"] for each in aspect(together["levels"][1], "targets")["targets"]] == volumes
        assert [each["instances"] for each in together["scaling"]] == [1, 2]
    assert 'id="instances"' in page


def test_blocks_by_depths_are_heat_maps(run: Callable[..., tuple[dict[str, Any], str]]) -> None:
    blocks = (r'"params.block" = .*', '"params.block" = ["4KiB", "64KiB"]')
    document, page = run("block-by-depth", blocks, (r'"params.depth" = .*', '"params.depth" = [1, 4]'))
    assert len(document["systems"]) == 4
    assert 'id="grid"' in page
    assert "block 64 KiB, depth 4: " in page


def test_nobodys_watts_are_those_of_the_published_card(
    run: Callable[..., tuple[dict[str, Any], str]],
) -> None:
    document, _ = run("flash-card", (r'"load.closed.users" = .*', '"load.closed.users" = [1]'))
    merit = aspect(document["systems"][1], "merit")
    assert (merit["watts"], merit["joules_per_transaction"]) == (None, None)
    assert merit["disks"] is not None


def test_a_card_is_told_its_watts_and_its_disks(run: Callable[..., tuple[dict[str, Any], str]]) -> None:
    one_user = (r'"load.closed.users" = .*', '"load.closed.users" = [1]')
    document, page = run("flash-card", one_user, (r"# watts = 16\.5 .*", "watts = 16.5"))
    sequential, random = document["systems"]
    assert [part["kind"] for part in sequential["aspects"] if part["kind"] == "merit"] == []
    (level,) = random["levels"]
    per_s, merit = level["throughput_per_s"]["value"], aspect(random, "merit")
    assert merit["joules_per_transaction"]["value"] == pytest.approx(16.5 / per_s)
    assert merit["disks"]["value"] == pytest.approx(per_s / 500)
    assert "mJ per I/O" in page
    assert "for 16.5 W" in page
    assert "100,110" in page, "published figures"
    assert (document["ratios"], document["findings"]) == ([], []), "two tests are not one comparison"
