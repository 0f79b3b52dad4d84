"""How the runs of a workload changed over time, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from igen.judge.compare.history import History, RunSeries, SeriesChange
from igen.judge.compare.side_by_side import Confirmation
from igen.judge.curve.load import side_name
from igen.judge.result import Difference
from igen.say.comparison import difference_text
from igen.say.words import ratio_with_interval
from igen.text import Text
from igen.units import counted, date_text

MOST_DIFFERENCES = 6
SUSPECTED, CONFIRMED, REFUTED = "suspected", "confirmed", "not confirmed"


def history_text(history: History) -> Text:
    """Return how many changes were found in how many runs, and how many chance finds."""
    runs = f"{counted(history.runs, 'run')} on {history.host}"
    if not any(each.looked for each in history.series):
        return Text(f"{runs}: too few of the same settings and load to look for changes.")
    changes = [change for each in history.series for change in each.changes]
    found = f"{counted(len(changes), 'change')}{_states(changes)}" if changes else "no change found"
    share = f"{100 * history.false_alarms:g} % of histories without a change show one by chance"
    return Text(f"{runs}: {found}; at most {share}.")


def change_text(series: RunSeries, change: SeriesChange) -> Text:
    """Return the first run after a change, its size, what confirms it, and what may explain it."""
    between = Text("no fact and no setting differs between them")
    if change.differences:
        more = len(change.differences) - MOST_DIFFERENCES
        between = Text.of(
            "between these two differ: ",
            _differences(change.differences),
            f" and {more} more" if more > 0 else "",
        )
    return Text.of(
        f"From {change.run} on ({date_text(change.started_unix_s)}): {ratio_with_interval(change.ratio)} the "
        f"{series.quantity} of the runs up to {change.before}; ",
        _confirmation(change.confirmation),
        "; ",
        between,
    )


def unchanged_text(series: RunSeries) -> Text:
    """Return that a series has no change, and of how many runs."""
    return Text(f"No change in {counted(len(series.points), 'run')}.")


def _states(changes: Sequence[SeriesChange]) -> str:
    """Return ` suspected`, ` confirmed`; of changes in different states `: 1 confirmed, 2 suspected`."""
    states = Counter(_state(change.confirmation) for change in changes)
    if len(states) == 1:
        return f" {next(iter(states))}"
    return (
        f": {', '.join(f'{states[each]} {each}' for each in (CONFIRMED, REFUTED, SUSPECTED) if states[each])}"
    )


def _state(found: Confirmation | None) -> str:
    if found is None:
        return SUSPECTED
    return CONFIRMED if found.confirmed else REFUTED


def _confirmation(found: Confirmation | None) -> Text:
    """Return the answer of a run of both sides, or that there is no such run."""
    if found is None:
        return Text(f"{SUSPECTED}: only a fresh run of both side by side confirms it (`igen ab`)")
    ratio = found.ratio
    system, base = (side_name(name, ratio.load) for name in (ratio.system, ratio.base))
    answer = {
        "faster": f"{system} is faster than {base}",
        "slower": f"{system} is slower than {base}",
        "equivalent": f"{system} and {base} are equivalent within ±{ratio.margin_percent:g} %",
        "cannot tell": f"{system} and {base} cannot be told apart",
    }[ratio.answer]
    # All loads of a system are on the same side of the change.
    side = "after" if found.after_is_base else "before"
    text = (
        f"{_state(found)} by {found.run}, where {ratio.base} is as it was {side} the change and {answer}: "
        f"{ratio_with_interval(ratio.ratio)}"
    )
    if not found.other_differences:
        return Text(text)
    return Text.of(f"{text} (besides, these differ there: ", _differences(found.other_differences), ")")


def _differences(found: Sequence[Difference]) -> Text:
    return Text.of(*map(difference_text, found[:MOST_DIFFERENCES]), between="; ")
