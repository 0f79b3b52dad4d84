"""The questions about each pair of systems, and their answers as the result document has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt

from igen.judge.compare.answers import Answered, Asked, answers, apart_in
from igen.judge.compare.non_inferiority import not_slower
from igen.judge.compare.overall import Overall, overall_question
from igen.judge.compare.questions import Question, questions_at, session_variance
from igen.judge.compare.shares import Family
from igen.judge.compare.terms import Terms
from igen.judge.result import Answer, Apart, Figure, Level, OverallRatio, Quantity, Ratio, System
from igen.loads import TAIL, THROUGHPUT


@dataclass(frozen=True, slots=True, kw_only=True)
class PairQuestions:
    """All questions about two systems."""

    base: System
    system: System
    questions: list[Question]
    overall: list[Overall]
    """One for each of several loads at once, else one; none without a load in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRatios:
    """The ratios of two systems with their answers."""

    ratios: list[Ratio]
    overall: list[OverallRatio]


def pair_questions(
    base: System, system: System, common: Sequence[tuple[Level, Level]], terms: Terms
) -> PairQuestions:
    """Return the questions at the common loads (level of the base, level of the system) and over them."""
    questions = [question for both in common for question in questions_at(base, system, *both, terms=terms)]
    names = dict.fromkeys(question.load for question in questions)
    overall = [
        overall_question(base, system, [each for each in questions if each.load == name], terms)
        for name in names
    ]
    return PairQuestions(
        base=base, system=system, questions=questions, overall=[each for each in overall if each is not None]
    )


def ratios_of(pairs: Sequence[PairQuestions], terms: Terms) -> list[PairRatios]:
    """Return the answers to all questions of a report, which share its error."""
    asked: list[Asked] = []
    for pair in pairs:
        asked += _asked_of(pair, len(asked))
    answered = iter(zip(asked, answers(asked, terms.margin), strict=True))
    found = []
    for pair in pairs:
        of_questions = [next(answered) for _ in pair.questions]
        ratios = [
            _ratio(pair, question, of, answer, terms)
            for question, (of, answer) in zip(pair.questions, of_questions, strict=True)
        ]
        ratios = [replace(each, apart=_apart_at(each, ratios, terms)) for each in ratios]
        overall = []
        for each in pair.overall:
            _, answer = next(answered)
            if pair.system.test or each.only is None:
                overall.append(_overall_ratio(pair, each, ratios, answer, terms))
        found.append(PairRatios(ratios=ratios, overall=overall))
    return found


def _asked_of(pair: PairQuestions, offset: int) -> Iterator[Asked]:
    """Yield each question at a load, then the questions over them."""
    alone = {id(each.only) for each in pair.overall}
    for question in pair.questions:
        like = next((at for at, each in enumerate(pair.questions) if _is_restated(each, question)), None)
        yield Asked(
            ratio=question.test.ratio,
            less_is_faster=question.quantity != THROUGHPUT,
            family=_family(question, is_alone=id(question) in alone),
            counts=not question.restates_throughput,
            like=-1 if like is None else offset + like,
        )
    for each in pair.overall:
        like = -1 if each.only is None else offset + _place(pair.questions, each.only)
        yield Asked(
            ratio=each.test.ratio,
            less_is_faster=each.quantity != THROUGHPUT,
            family="overall",
            counts=each.only is None,
            like=like,
        )


def _place(questions: Sequence[Question], question: Question) -> int:
    return next(at for at, each in enumerate(questions) if each is question)


def _family(question: Question, *, is_alone: bool) -> Family:
    if is_alone:
        return "overall"
    return "tail" if question.quantity in TAIL else "loads"


def _is_restated(each: Question, by: Question) -> bool:
    same = each.level is by.level and each.quantity == THROUGHPUT
    return same and by.restates_throughput


def _apart_at(deciding: Ratio, ratios: Sequence[Ratio], terms: Terms) -> list[Apart]:
    """Return what keeps two systems from being equivalent at a load whose deciding quantity is."""
    if not deciding.decides or deciding.answer != "equivalent":
        return []
    others = [
        (each.quantity, each.answer, each.ratio)
        for each in ratios
        if (each.level, each.load) == (deciding.level, deciding.load) and not each.decides
    ]
    return [*apart_in(others, terms.margin)]


def _apart_over(overall: Overall, ratios: Sequence[Ratio], terms: Terms) -> list[Apart]:
    """Return the same over all loads; what differs at some loads is shown at the load where it does most."""
    differing: dict[Quantity, Ratio] = {}
    for each in ratios:
        if each.load == overall.load and not each.decides and each.answer in ("faster", "slower"):
            farthest = differing.setdefault(each.quantity, each)
            if abs(log(each.ratio.value)) > abs(log(farthest.ratio.value)):
                differing[each.quantity] = each
    others: list[tuple[Quantity, Answer, Figure]] = [
        (quantity, each.answer, each.ratio) for quantity, each in differing.items()
    ]
    others += [
        (quantity, "cannot tell", ratio) for quantity, ratio in overall.others if quantity not in differing
    ]
    return [*apart_in(others, terms.margin)]


def _ratio(pair: PairQuestions, question: Question, asked: Asked, answer: Answered, terms: Terms) -> Ratio:
    margin = terms.slower_margin if question.decides else None
    sessions = session_variance(pair.base, pair.system, question.quantity, terms)
    return Ratio(
        level=question.base_level.level,
        users=question.base_level.users,
        offered_per_s=question.base_level.offered_per_s,
        system=pair.system.name,
        base=pair.base.name,
        quantity=question.quantity,
        decides=question.decides,
        ratio=answer.ratio,
        figure=question.test.figures[0],
        base_figure=question.test.figures[1],
        run_ratios=question.test.run_ratios,
        answer=answer.answer,
        p=answer.p,
        error=answer.error,
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


def _overall_ratio(
    pair: PairQuestions, overall: Overall, ratios: Sequence[Ratio], answer: Answered, terms: Terms
) -> OverallRatio:
    base, system = pair.base, pair.system
    sessions = session_variance(base, system, overall.quantity, terms)
    names = [each.system if system.test else each.name for each in (system, base)]
    return OverallRatio(
        test=system.test,
        title=system.test_title,
        system=names[0],
        base=names[1],
        load=overall.load,
        loads=overall.loads,
        quantity=overall.quantity,
        ratio=answer.ratio,
        answer=answer.answer,
        p=answer.p,
        error=answer.error,
        questions=answer.questions,
        margin_percent=100 * terms.margin,
        visible_percent=answer.visible_percent,
        repeats_needed=answer.repeats_needed,
        disturbance_percent=answer.disturbance_percent,
        method=overall.test.method,
        session_noise_percent=None if sessions is None else 100 * sqrt(sessions.variance),
        session_noise_is_assumed=sessions is not None and sessions.is_assumed,
        published=system.published_ratios,
        apart=_apart_over(overall, ratios, terms) if answer.answer == "equivalent" else [],
    )
