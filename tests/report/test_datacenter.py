"""An estimate as a page and on a terminal, with its pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from igen.datacenter.headline import headline
from igen.datacenter.wording import figure, interval, marked, ratio_text
from igen.document import Boxes, Picture, Racks, SwingBar, Swings
from igen.errors import InputError
from igen.report.datacenter import datacenter_page, datacenter_summary
from igen.report.draw import draw
from igen.report.printers.terminal import Terminal, print_text
from igen.report.write import write_document
from tests.datacenter.plans import answer, estimated


def test_the_page_has_every_section_and_picture(tmp_path: Path) -> None:
    page = datacenter_page(estimated(tmp_path))
    write_document(page, tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    for title in (
        "Answer",
        "Racks, before and after",
        "Which input matters most",
        "Every number and its source",
    ):
        assert f"<h2>{title}</h2>" in html
    assert html.count("<svg") == 4
    assert "system.t5440.price (guess)" in html
    written = write_document(page, tmp_path / "report.md")
    assert len(written) == 9
    with pytest.raises(InputError, match=r"written as \.html or \.md"):
        write_document(page, tmp_path / "report.csv")


def test_a_terminal_shows_the_answer_first_and_marks_guesses(tmp_path: Path) -> None:
    text = print_text(datacenter_summary(estimated(tmp_path)), Terminal(width=160))
    lines = text.splitlines()
    assert lines[0] == "Answer"
    assert lines[1].startswith("today: 50 systems in 3 racks, 15.3* kW at the peak hour")
    assert "That is NOT ENOUGH" in lines[1]
    assert lines[2].startswith("consolidate: 5 systems in 2 racks, 8.52* (7.94 to 9.10) kW at the peak hour")
    assert "*: rests on a guess" in text


def test_what_stands_there_may_be_outgrown(tmp_path: Path) -> None:
    of = estimated(tmp_path, ("{ old = 50 }", "{ old = 100 }"))
    assert headline(of.estates[0], of).figure("short_in_year") == 2


def test_figures_are_marked_and_ratios_that_cannot_be_told_are_not_told(tmp_path: Path) -> None:
    of = estimated(tmp_path)
    kw, full = answer(of, "consolidate", "kw"), answer(of, "consolidate", "full_in_years")
    assert marked(replace(kw, outside=True)) == "8.52*†"
    assert marked(replace(kw, guesses=[])) == "8.52"
    assert figure(full, 30.0) == "30 or more"
    assert interval(replace(kw, low=8.52, high=8.52)) == ""
    assert figure(kw, None) == "–"
    found = next(ratio for ratio in of.ratios if ratio.key == "cost")
    assert ratio_text(found) == "0.577 (0.507 to 0.704)"
    assert ratio_text(replace(found, told=False)) == "~"
    assert ratio_text(None) == ""


def test_racks_are_drawn_to_scale() -> None:
    boxes = [Boxes("new", 50, 10, 4.0, 0), Boxes("old", 3, 21, 2.0, 1)]
    svg = draw(Picture("racks", "racks", "53 machines", Racks(42, boxes, most=12))).svg
    assert "50 × new, 4 RU each, in 5 racks" in svg
    assert "3 × old, 2 RU each, in 1 rack" in svg
    many = Racks(42, [Boxes("new", 1000, 10, 4.0, 0)])
    assert "56 more are not drawn" in draw(Picture("racks", "many", "1,000 machines", many)).svg


def test_a_tornado_is_drawn_also_of_one_bar() -> None:
    chart = Swings("cost, EUR", 100.0, [SwingBar("pue (guess)", 90.0, 120.0, "90 to 120", told=False)])
    svg = draw(Picture("tornado", "replace", "pue matters most", chart)).svg
    assert "pue (guess)" in svg
    assert "90 to 120" in svg


def test_options_are_held_against_each_other(tmp_path: Path) -> None:
    twin = '[option.twin]\nsystem = "t5440"\n\n[option.consolidate]'
    of = estimated(tmp_path, ("[option.consolidate]", twin))
    text = print_text(datacenter_summary(of), Terminal(width=200))
    assert "Option against option" in text
    (line,) = [line for line in text.splitlines() if line.startswith("consolidate / twin")]
    assert line.split()[3] == "1.25"  # the spare
