"""What a tool says, as a document: its tables, notes and verdict."""

from __future__ import annotations

from typing import Any

from igen.document import Block, Column, Document, Paragraph, Section, Table
from igen.units import format_bytes, format_count, format_number, format_time_ms
from igen.version import VERSION

_PLAIN = ("pid", "port", "node", "line")
"""Columns whose numbers are names: no thousands are separated."""
_UNITS = {"_bytes": "", "_percent": ", %", "gb_per_s": "GB/s", "_per_s": " per s", "_s": ""}
"""What takes the place of a column's ending in its header."""
_SPELLED = str.maketrans({"\n": "\\n", "\t": "\\t"})


def tool_document(said: dict[str, Any]) -> Document:
    """What `igen tool NAME --json` prints, for every format."""
    verdict = said["verdict"]
    cost = verdict["cost"]
    word = "finding" if verdict["finding"] else "good"
    wall, processor = format_time_ms(1e3 * cost["wall_s"]), format_time_ms(1e3 * cost["processor_s"])
    blocks: list[Block] = [
        Paragraph(f"{word}: {verdict['text']}", "headline"),
        Paragraph(f"{verdict['method']}; took {wall}, {processor} of a processor", "note"),
        *(Paragraph(note, "note") for note in said["notes"]),
    ]
    tables = [each for each in said["tables"] if each["rows"]]
    sections = [
        Section(f"table-{number}", each["title"], [_table(each)]) for number, each in enumerate(tables, 1)
    ]
    return Document(said["tool"], [], [Section("verdict", "", blocks), *sections], f"iGen {VERSION}")


def _table(table: dict[str, Any]) -> Table:
    rows = table["rows"]
    columns = []
    for name in table["columns"]:
        values = [row.get(name) for row in rows]
        numeric = all(isinstance(value, int | float | None) for value in values)
        cells = [cell_text(name, value) for value in values]
        long = max(map(len, cells)) > 40
        columns.append(Column(header(name), cells, "number" if numeric else "prose" if long else "text"))
    return Table(columns)


def header(name: str) -> str:
    """A column's name with its unit in words."""
    for ending, shown in _UNITS.items():
        if name.endswith(ending):
            return f"{name.removesuffix(ending)}{shown}".replace("_", " ")
    return name.replace("_", " ")


def cell_text(name: str, value: Any) -> str:
    """A value of a column, with the unit that the column's name ends in."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int() | float() if name.endswith("_bytes"):
            return format_bytes(value)
        case int() | float() if name.endswith("_s") and not name.endswith("_per_s"):
            return format_time_ms(1e3 * value)
        case int() if name.endswith(_PLAIN):
            return str(value)
        case int():
            return format_count(value)
        case float():
            return format_number(value, 3)
        case _:
            # Whoever names a process with a line feed would write a line of its own into the table.
            return str(value).translate(_SPELLED)
