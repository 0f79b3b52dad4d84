"""Kinds of questions that a new study answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from igen.ask.asked import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyKind:
    """A kind of question."""

    question: str
    asked: Asked = field(default_factory=Asked)
    """The answers of a study of this kind; the workload, then `USUAL`, has the others."""
    systems: tuple[str, ...] = ()
    """Names of the systems that are compared."""


KINDS = {
    "levels": StudyKind(question="How do throughput and response times change with the load?"),
    "compare": StudyKind(question="Which of two systems is faster?", systems=("A", "B")),
    "peak": StudyKind(
        question="Which number of users gives the highest throughput?",
        asked=Asked(users=[1, 64], find_peak=True),
    ),
    "limit": StudyKind(
        question="How many users are served within a response time?", asked=Asked(response_time_limit=0.03)
    ),
    "rate": StudyKind(
        question="How long are the response times at a given rate of arrivals?",
        asked=Asked(rate=[10.0, 20.0], arrivals="poisson"),
    ),
}
"""By the word that chooses it."""
USUAL = Asked(users=[1, 2, 4], repeats=3, duration="5s", warmup="1s")
"""Answers to questions that neither the user, nor the kind, nor the workload answers."""


def completed(asked: Asked, other: Asked) -> Asked:
    """Return the answers, with other answers to the questions that they leave open."""
    given = {name for name, _, _ in asked.given()}
    return replace(asked, **{name: value for name, _, value in other.given() if name not in given})
