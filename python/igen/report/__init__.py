"""Renders a result document: for a terminal (`text`), and as HTML, Markdown, CSV and JSON (`write`)."""

from igen.report.text import levels_table, summary_text
from igen.report.write import Format, write_report

__all__ = ["Format", "levels_table", "summary_text", "write_report"]
