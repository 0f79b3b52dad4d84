"""What disturbed the machine and what was cut as warm-up: the price of each, level by level."""

from __future__ import annotations

from igen.document import Column, Table
from igen.judge.result import Result
from igen.judge.trust.disturbance import Cause
from igen.layout.columns import load_columns
from igen.layout.level import LevelRow, level_rows
from igen.layout.number import column
from igen.report.level_tables import MACHINE_NOTE
from igen.say import say
from igen.say.words import bound_text
from igen.text import Text

NOTHING = "0 %"


def disturbance_table(result: Result) -> Table:
    """A row for each cause at each level, the dearest first; no columns where nothing disturbed.

    Of one cause with the same words and price at several levels the first has a row, with the number of all.
    """
    alike: dict[tuple[str | Text, ...], list[tuple[LevelRow, Cause]]] = {}
    for row in level_rows(result):
        for cause in row.level.trust.disturbance.causes:
            said = (cause.rule, say(cause.finding), bound_text(cause.throughput), bound_text(cause.times))
            alike.setdefault((row.system.name, *said), []).append((row, cause))
    if not alike:
        return Table([])
    found = [each[0] for each in alike.values()]
    causes = [cause for _, cause in found]
    levels = [len(each) for each in alike.values()]
    return Table(
        [
            *load_columns(result, [row for row, _ in found]),
            *([Column("levels", [str(number) for number in levels])] if max(levels) > 1 else []),
            Column("cause", [cause.rule for cause in causes], "text"),
            Column("", [say(cause.finding) for cause in causes], "prose"),
            Column(
                "throughput", [bound_text(cause.throughput) or NOTHING for cause in causes], group="machine"
            ),
            Column("times", [bound_text(cause.times) or NOTHING for cause in causes], group="machine"),
        ],
        [MACHINE_NOTE],
    )


def warm_up_table(result: Result) -> Table:
    """What was cut from the front of every run of a level, and what that changed; no columns if nothing."""
    found = [(row, cut) for row in level_rows(result) if (cut := row.level.warm_up) and cut.cut_s > 0]
    if not found:
        return Table([])
    rows, cuts = [row for row, _ in found], [cut for _, cut in found]
    used = [row.level.throughput_per_s.value for row in rows]
    return Table(
        [
            *load_columns(result, rows),
            Column("cut, s", column([cut.cut_s for cut in cuts], digits=2)),
            Column("with the cut", column(used, digits=4), group="throughput, per s"),
            Column(
                "without it",
                column([cut.uncut_throughput_per_s for cut in cuts], digits=4),
                group="throughput, per s",
            ),
        ]
    )
