"""What `igen run`, `igen show` and `igen compare` print: a result as plain text for a terminal."""

from __future__ import annotations

from igen.judge.result import Result
from igen.report.outline import summary
from igen.report.printers.terminal import Terminal, print_text


def summary_text(result: Result, *, slamd: bool = False, terminal: Terminal | None = None) -> str:
    """A result for a terminal: verdict, sentences, ratios, levels, points, each where there is any.

    `slamd`: with the statistics in SLAMD's columns.
    """
    return print_text(summary(result, slamd=slamd), terminal or Terminal.detect())
