"""Renders a result document: for a terminal (`text`), and as HTML, Markdown, CSV and JSON (`write`)."""

from igen.report.text import compare_text, levels_table, summary_text
from igen.report.write import Format, write_report

__all__ = ["Format", "compare_text", "levels_table", "summary_text", "write_report"]
