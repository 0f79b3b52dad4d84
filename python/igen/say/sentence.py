"""The sentence of findings of one rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from igen.judge.trust.finding import Finding
from igen.say import (
    attribution,
    comparison,
    doctor,
    estate,
    headline,
    load,
    machine,
    notes,
    observations,
    points,
    publication,
    published,
    recording,
    statistics,
    workloads,
)
from igen.say.advice import Advice
from igen.say.group import Group
from igen.say.said import Said
from igen.text import Text

CATALOGUE: dict[str, Callable[[Group], str]] = {
    **load.SENTENCES,
    **recording.SENTENCES,
    **machine.SENTENCES,
    **statistics.SENTENCES,
    **notes.SENTENCES,
    **points.SENTENCES,
    **observations.PHRASES,
    **comparison.PHRASES,
    **attribution.PHRASES,
    **workloads.PHRASES,
    **publication.SENTENCES,
    **published.SENTENCES,
    **headline.PHRASES,
    **estate.PHRASES,
}
"""The sentence of each rule that is a reason, a note or an explanation."""
OBSERVATIONS: dict[str, Callable[[Group], Said]] = {
    **observations.SENTENCES,
    **comparison.SENTENCES,
    **attribution.SENTENCES,
    **workloads.SENTENCES,
}
"""The sentence of each rule that is an observation, with its evidence."""


ADVICE: dict[str, Callable[[Group], Advice]] = {**publication.ADVICE, **doctor.ADVICE}
"""The sentences of each rule that comes with advice."""


def say(found: Finding) -> Text:
    """Return the sentence of one finding."""
    return Text(sentence([found]))


def observe(found: Finding) -> Said:
    """Return the sentence of an observation and its evidence."""
    return OBSERVATIONS[found.rule](Group([found]))


def advise(found: Finding) -> Advice:
    """Return the sentence of a finding, why it matters, and what to do."""
    return ADVICE[found.rule](Group([found]))


def sentence(found: Sequence[Finding]) -> str:
    """Return one sentence for findings of one rule, as a part of other sentences."""
    runs = [each.runs for each in found if each.runs]
    often = ""
    if runs:
        number, of = sum(each.number for each in runs), sum(each.of for each in runs)
        often = f", in all {of} runs" if number == of else f", in {number} of {of} runs"
    of_load = f"{found[0].load}: " if found[0].load else ""
    return f"{of_load}{CATALOGUE[found[0].rule](Group(found))}{often}"
