"""Prints a document as a page, as Markdown, as text; and the figures of a result for a spreadsheet."""
