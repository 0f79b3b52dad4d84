"""An estimate of a data centre as a document: answer, estates, racks, what matters most, limits, sources."""

from __future__ import annotations

from collections.abc import Sequence

from igen.datacenter.estimated import EstateEstimate, Estimated
from igen.datacenter.headline import headline
from igen.datacenter.wording import MARKS, interval, marked, ratio_text
from igen.document import (
    Block,
    Boxes,
    Column,
    Document,
    Heading,
    Items,
    Paragraph,
    Picture,
    Pictures,
    Racks,
    Section,
    SwingBar,
    Swings,
    Table,
)
from igen.say import say
from igen.units import format_number
from igen.version import VERSION

RACK_UNITS = "room.rack_units"
ROOM_RACKS = "room.racks"
ROOM_LIMITS = (ROOM_RACKS, "room.kw_per_rack", "room.kw", "room.cooling_kw")
"""Unknown ones limit nothing."""
BETWEEN = ("systems", "racks", "kw", "kwh_per_year", "cost", "per_watt")
"""Figures in which options are held against each other."""


def datacenter_page(estimated: Estimated) -> Document:
    """Everything, for a page."""
    sections = [
        answer_section(estimated),
        _racks(estimated),
        estates_section(estimated),
        _tornados(estimated),
        limits_section(estimated),
        _sources(estimated),
    ]
    return _document(estimated, sections)


def datacenter_summary(estimated: Estimated) -> Document:
    """What fits a terminal."""
    sections = [answer_section(estimated), estates_section(estimated), limits_section(estimated)]
    return _document(estimated, sections)


def _document(estimated: Estimated, sections: Sequence[Section]) -> Document:
    lines = [f"{estimated.file} · ranges from 10,000 draws · {_guesses(estimated)}"]
    return Document(estimated.title, lines, sections, f"iGen {VERSION}")


def _guesses(estimated: Estimated) -> str:
    number = len(estimated.guesses)
    return "no guess" if not number else "1 guess" if number == 1 else f"{number} guesses"


def answer_section(estimated: Estimated) -> Section:
    """A sentence for each estate, and what the figures rest on."""
    blocks: list[Block] = [
        Paragraph(say(headline(each, estimated)), "headline") for each in estimated.estates
    ]
    for name, why in estimated.cannot.items():
        blocks.append(Paragraph(f"{name}: CANNOT serve the demand: {why.rstrip('.')}.", "headline"))
    if estimated.guesses:
        blocks.append(
            Paragraph(f"{_guesses(estimated)} among the inputs: {', '.join(estimated.guesses)}.", "note")
        )
    if estimated.unknown:
        blocks.append(Paragraph(_unknown(estimated.unknown), "note"))
    return Section("answer", "Answer", blocks)


def _unknown(names: Sequence[str]) -> str:
    """What is left out for lack of these, and what is not checked."""
    text = f"Unknown, so that what needs them is not told: {', '.join(names)}."
    limits = [name for name in names if name in ROOM_LIMITS]
    if limits:
        text += f" Whether the estates fit within {', '.join(limits)} is not checked."
    return text


def estates_section(estimated: Estimated) -> Section:
    """All figures, with the ratio of each estate to the first."""
    first = estimated.estates[0]
    kept = [
        place
        for place, answer in enumerate(first.answers)
        if any(each.answers[place].value is not None for each in estimated.estates)
    ]
    columns = [Column("figure", [first.answers[place].title for place in kept], "text", key=True)]
    for estate in estimated.estates:
        answers = [estate.answers[place] for place in kept]
        columns.append(Column("likely", [marked(answer) for answer in answers], group=estate.name))
        columns.append(Column("range", [interval(answer) for answer in answers], group=estate.name))
        if estate is not first:
            found = {(ratio.key, ratio.of, ratio.base): ratio for ratio in estimated.ratios}
            ratios = [ratio_text(found.get((each.key, estate.name, first.name))) for each in answers]
            columns.append(Column(f"/ {first.name}", ratios, group=estate.name))
    lacking = {
        f"{answer.title} ({answer.missing})"
        for place, answer in enumerate(first.answers)
        if place not in kept and answer.missing
    }
    notes = [MARKS, "~: the draws do not tell both apart."]
    if lacking:
        notes.append(f"Not told, for lack of an input: {', '.join(sorted(lacking))}.")
    blocks: list[Block] = [Table(columns, notes)]
    if between := _between_options(estimated):
        blocks += [Heading("Option against option"), between]
    return Section("estates", "Side by side", blocks)


def _between_options(estimated: Estimated) -> Table:
    """The ratios whose base is not the first estate; nothing where there is one option."""
    base = estimated.estates[0].name
    found = {(each.of, each.base, each.key): each for each in estimated.ratios if each.base != base}
    pairs = list(dict.fromkeys((of, over) for of, over, _ in found))
    titles = {answer.key: answer.title for answer in estimated.estates[0].answers}
    return Table(
        [
            Column("ratio", [f"{of} / {over}" for of, over in pairs], "text", key=True),
            *(
                Column(titles[key], [ratio_text(found.get((*pair, key))) for pair in pairs])
                for key in BETWEEN
                if any((*pair, key) in found for pair in pairs)
            ),
        ]
    )


def limits_section(estimated: Estimated) -> Section:
    """What limits each estate."""
    blocks: list[Block] = []
    for estate in estimated.estates:
        blocks += [Heading(estate.name), Items(estate.limits)]
    return Section("limits", "What limits it", blocks)


def _racks(estimated: Estimated) -> Section:
    named = {of.name: of.value for of in estimated.inputs}
    height, most = round(named.get(RACK_UNITS, 42)), round(named.get(ROOM_RACKS, 0))
    colours: dict[str, int] = {}
    for estate in estimated.estates:
        for filling in estate.racks:
            colours.setdefault(filling.system, len(colours))
    pictures = [_racks_picture(estate, height, most, colours) for estate in estimated.estates]
    caption = f"Racks of {height} units, to scale; each box is one machine."
    return Section("racks", "Racks, before and after", [Pictures(pictures, caption)])


def _racks_picture(estate: EstateEstimate, height: int, most: int, colours: dict[str, int]) -> Picture:
    boxes = [
        Boxes(each.system, each.count, each.per_rack, each.rack_units, colours[each.system])
        for each in estate.racks
    ]
    standing = ", ".join(f"{each.count} {each.name} of {each.units:g} rack units" for each in boxes)
    words = f"{estate.name}: {standing}"
    return Picture(f"racks-{estate.name}", estate.name, words, Racks(height, boxes, most))


def _tornados(estimated: Estimated) -> Section:
    pictures = []
    for estate in estimated.estates:
        tornado = estate.tornado
        if tornado is None:
            continue
        bars = [
            SwingBar(
                f"{swing.input}{' (guess)' if swing.is_guess else ''}",
                swing.low,
                swing.high,
                f"{_short(swing.low)} to {_short(swing.high)}",
                not swing.is_guess,
            )
            for swing in tornado.swings
            if swing.low != swing.high
        ]
        if bars:
            chart = Swings(tornado.title, tornado.value, bars)
            most = f"{bars[0].name} matters most: {bars[0].words}"
            pictures.append(Picture(f"tornado-{estate.name}", estate.name, f"{estate.name}: {most}", chart))
    caption = "One input at a time at its low and its high end, all others as likely; grey: a guess."
    blocks: list[Block] = [Pictures(pictures, caption)] if pictures else [Paragraph("No input is a range.")]
    return Section("matters", "Which input matters most", blocks)


def _short(value: float) -> str:
    for least, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= least:
            factor = {"G": 1e9, "M": 1e6, "k": 1e3}[letter]
            return f"{format_number(value / factor, 3)} {letter}"
    return format_number(value, 3)


def _sources(estimated: Estimated) -> Section:
    rows = estimated.inputs
    table = Table(
        [
            Column("input", [of.name for of in rows], "text", key=True),
            Column("value", [f"{of.value:,.6g}" for of in rows]),
            Column("range", [f"{of.low:,.6g} to {of.high:,.6g}" if of.is_range else "" for of in rows]),
            Column("source", [of.source.text for of in rows], "text"),
            Column("line", [str(of.line or "") for of in rows]),
        ]
    )
    return Section("sources", "Every number and its source", [table])
