"""What `igen run`, `igen show` and `igen compare` print: a result as plain text, or as Markdown.

The outline knows all aspects, and these know numpy: it is imported when there is something to print.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from igen.judge.result import Result
from igen.report.printers.terminal import Terminal, print_text


def screen_text(result: Result, *, terminal: Terminal | None = None, remarks: Sequence[str] = ()) -> str:
    """Return what fits one screen: as many sentences as the lines allow."""
    from igen.report.screen import MOST_SENTENCES, ONE, SEVERAL, screen

    where = terminal or Terminal.detect()
    most = ONE if len(result.systems) == 1 else SEVERAL
    for sentences in range(MOST_SENTENCES, -1, -1):
        text = print_text(screen(result, sentences, remarks), where)
        if text.count("\n") <= most:
            break
    return text


def summary_text(
    result: Result, *, statistics: bool = False, terminal: Terminal | None = None, remarks: Sequence[str] = ()
) -> str:
    """A result for a terminal: verdict, sentences, ratios, levels, points, each where there is any.

    `statistics`: with tables of statistics; `remarks`: what people have written down of the run.
    """
    from igen.report.outline import summary

    return print_text(summary(result, statistics=statistics, remarks=remarks), terminal or Terminal.detect())


def summary_markdown(result: Result, *, statistics: bool = False, remarks: Sequence[str] = ()) -> str:
    """The same in Markdown without pictures: for a comment on a pull request."""
    from igen.report.outline import summary
    from igen.report.printers.markdown import print_markdown

    page = Path("summary.md")
    return print_markdown(summary(result, statistics=statistics, remarks=remarks), page, lambda _link: "")[
        page
    ].decode()
