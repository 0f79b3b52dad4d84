"""The table of tiers as a page of Markdown has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from igen.aspects.tier.pictures import tier_pictures
from igen.judge import result_of
from igen.report.outline import page
from igen.report.printers.address import addresses
from igen.report.printers.markdown import print_markdown
from report.shown import without_figures
from report.snapshot import check
from tests.aspects.tier_hosts import SIEBEL, judged, repeats


def test_tiers_and_what_is_left_of_the_host() -> None:
    few = repeats(SIEBEL, users=8, per_s=125, weight=0.125)
    result = result_of([judged(*few, *repeats(SIEBEL, users=64, level=1, others=0.4))])
    document = without_figures(page(result))
    told = [each for each in document.sections if each.name in ("observations", "levels")]
    path = Path("tiers.md")
    printed = print_markdown(replace(document, sections=told), path, addresses(path, {}))
    text = printed[path].decode()
    begin = text.index("### Tiers")
    check("tiers.md", text[begin : text.index("### Operations") if "### Operations" in text else None])
    assert [picture.name for picture in tier_pictures(result)] == ["tiers"]
