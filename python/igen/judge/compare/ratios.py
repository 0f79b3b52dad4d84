"""The ratios of two systems, their answers, and that of their peaks: all questions of one comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

from igen.judge.compare.answers import Answered, Asked, answers
from igen.judge.compare.non_inferiority import not_slower
from igen.judge.compare.questions import Compared, Question, compared, questions_at, session_variance
from igen.judge.compare.terms import Terms
from igen.judge.curve.load import level_value, load_key
from igen.judge.curve.points import used_runs
from igen.judge.curve.quantities import bounds_of, figures
from igen.judge.figure.figure import FAMILY_ERROR
from igen.judge.result import Level, PeakRatio, Point, Ratio, System
from igen.judge.run.counting import least_of_ratio
from igen.judge.trust.rules.statistics import LEAST_RUNS
from igen.loads import MEAN, THROUGHPUT, deciding_quantity


@dataclass(frozen=True, slots=True)
class Peaks:
    """The question which peak is higher."""

    base: Point
    system: Point
    test: Compared


def ratios_of(
    base: System, system: System, common: Sequence[tuple[Level, Level]], terms: Terms
) -> tuple[list[Ratio], PeakRatio | None]:
    """At each common load (level of the base, level of the system), and of the peaks where both have one."""
    questions = [question for both in common for question in questions_at(base, system, *both, terms=terms)]
    asked: list[Asked] = []
    for question in questions:
        like = next((at for at, each in enumerate(questions) if _is_restated(each, question)), -1)
        asked.append(
            Asked(
                ratio=question.test.ratio,
                less_is_faster=question.quantity != THROUGHPUT,
                counts=not question.restates_throughput,
                like=like,
            )
        )
    peaks = _peaks(base, system, terms)
    if peaks:
        asked.append(Asked(ratio=peaks.test.ratio))
    answered = answers(asked, terms.margin)
    ratios = [
        _ratio(base, system, question, (of, answer), terms)
        for question, of, answer in zip(questions, asked, answered, strict=False)
    ]
    if peaks is None or _may_lie_beyond(base, system) or _may_lie_beyond(system, base):
        return ratios, None
    return ratios, _peak_ratio(base, system, peaks, answered[-1], terms)


def _may_lie_beyond(system: System, other: System) -> bool:
    """Whether the peak is the highest load tried, and the other system was tried with more: what was not
    tried makes it no lower."""
    highest = max(system.levels, key=level_value)
    at_end = system.peak is not None and system.peak.level == highest.level
    return at_end and any(level_value(level) > level_value(highest) for level in other.levels)


def _is_restated(each: Question, by: Question) -> bool:
    same = each.level is by.level and each.quantity == THROUGHPUT
    return same and by.quantity == MEAN and by.restates_throughput


def _ratio(
    base: System, system: System, question: Question, answered: tuple[Asked, Answered], terms: Terms
) -> Ratio:
    asked, answer = answered
    margin = terms.slower_margin if question.decides else None
    sessions = session_variance(base, system, question.quantity, terms)
    return Ratio(
        level=question.base_level.level,
        users=question.base_level.users,
        offered_per_s=question.base_level.offered_per_s,
        system=system.name,
        base=base.name,
        quantity=question.quantity,
        decides=question.decides,
        ratio=question.test.ratio,
        figure=question.test.figures[0],
        base_figure=question.test.figures[1],
        run_ratios=question.test.run_ratios,
        answer=answer.answer,
        p=answer.p,
        questions=answer.questions,
        restates_throughput=question.restates_throughput,
        margin_percent=100 * terms.margin,
        visible_percent=answer.visible_percent,
        repeats_needed=answer.repeats_needed,
        disturbance_percent=answer.disturbance_percent,
        session_noise_percent=None if sessions is None else 100 * sqrt(sessions.variance),
        session_noise_is_assumed=sessions is not None and sessions.is_assumed,
        method=question.test.method,
        served=question.level.trust.served,
        base_served=question.base_level.trust.served,
        findings=question.findings,
        of_invalid=question.of_invalid,
        not_slower=None if margin is None else not_slower(asked, margin),
        load=question.load,
        among=question.among,
        order=question.test.order,
    )


def _peaks(base: System, system: System, terms: Terms) -> Peaks | None:
    """Return the question, asked of the runs of both peaks' levels.

    None if a system has no peak or too few runs, if both peaks are at the same load, whose ratio answers it,
    or if a peak is the sum of several loads: their ratio would say that all of them are worth the same.

    Its interval holds for all pairs of levels at once among which noise may have chosen (Bonferroni).
    """
    if base.peak is None or system.peak is None:
        return None
    if not all(deciding_quantity(each.load_model) for each in (base, system)):
        return None
    at, base_at = (
        next(level for level in each.levels if level.level == point.level)
        for each, point in ((system, system.peak), (base, base.peak))
    )
    if load_key(at) == load_key(base_at):
        return None
    runs, base_runs = (figures(each, THROUGHPUT) for each in (at, base_at))
    if min(len(runs), len(base_runs)) < LEAST_RUNS.value:
        return None
    test = compared(base, system, base_runs, runs, THROUGHPUT, terms)
    if test.ratio.error is None:
        return None
    of_choice = test.ratio.half(FAMILY_ERROR / (base.peak.chosen_among * system.peak.chosen_among))
    ratio = test.ratio.no_narrower(max(of_choice, least_of_ratio(map(used_runs, (at, base_at)))))
    ratio = ratio.disturbed(bounds_of(base_at, at, THROUGHPUT))
    return Peaks(base.peak, system.peak, replace(test, ratio=ratio))


def _peak_ratio(base: System, system: System, peaks: Peaks, answer: Answered, terms: Terms) -> PeakRatio:
    return PeakRatio(
        system=system.name,
        base=base.name,
        level=peaks.system.level,
        base_level=peaks.base.level,
        ratio=peaks.test.ratio,
        figure=peaks.test.figures[0],
        base_figure=peaks.test.figures[1],
        run_ratios=peaks.test.run_ratios,
        answer=answer.answer,
        p=answer.p,
        questions=answer.questions,
        margin_percent=100 * terms.margin,
        visible_percent=answer.visible_percent,
        disturbance_percent=answer.disturbance_percent,
        method=peaks.test.method,
    )
