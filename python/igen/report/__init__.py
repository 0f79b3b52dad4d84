"""Renders a result document: for a terminal (`text`), and as HTML, Markdown, CSV and JSON (`write`)."""

from igen.report.formats import Format
from igen.report.text import summary_text
from igen.report.write import write_report

__all__ = ["Format", "summary_text", "write_report"]
