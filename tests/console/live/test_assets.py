"""What a browser is given stays small, and is what it is said to be."""

from __future__ import annotations

from pathlib import Path

from checks import console_assets

LIVE = Path(console_assets.FOLDER)
MOST_OWN_BYTES, MOST_BYTES = 45_000, 100_000


def test_charts_are_drawn_by_the_version_that_is_named(tmp_path: Path) -> None:
    assert console_assets.findings() == []
    assert len(console_assets.findings(tmp_path)) == len(console_assets.FILES)


def test_scripts_of_the_live_page_are_small() -> None:
    scripts = {path.name: path.stat().st_size for path in LIVE.glob("*.js")}
    common = sum(path.stat().st_size for path in LIVE.parent.glob("*.js"))
    own = sum(scripts.values()) - scripts["uplot.js"] + common
    assert own <= MOST_OWN_BYTES
    assert own + scripts["uplot.js"] <= MOST_BYTES


def test_scripts_set_texts_and_no_markup() -> None:
    for path in LIVE.glob("*.js"):
        if path.name != "uplot.js":
            text = path.read_text(encoding="utf-8")
            assert not [
                word for word in ("innerHTML", "outerHTML", "insertAdjacent", "eval(") if word in text
            ]
