"""A prediction as a document: what is said, how well it is known, and how each law did."""

from __future__ import annotations

from collections.abc import Sequence

from igen.document import Column, Document, Items, Paragraph, Section, Table
from igen.judge.curve.laws.predict import LawScore, Prediction, UsersWithin
from igen.judge.figure.figure import Figure
from igen.layout.number import ABSENT
from igen.units import counted, format_count, format_rate, format_time_ms
from igen.version import VERSION

PLACES = {
    "measured": "It was measured",
    "inside": "It lies between loads that were measured",
    "outside": "EXTRAPOLATED, outside of the measured range",
}
NO_LAW = "the levels reject every law: what is possible where response times do not fall when users are added"


def prediction_document(answers: Sequence[Prediction | UsersWithin]) -> Document:
    """A section for each system."""
    return Document("Prediction", [], [_section(each) for each in answers], f"iGen {VERSION}")


def _section(answer: Prediction | UsersWithin) -> Section:
    of = answer.at if isinstance(answer, UsersWithin) else answer
    sentences = [prediction_sentence(of), _grounds(of)]
    if isinstance(answer, UsersWithin):
        sentences.insert(0, limit_sentence(answer))
    sentences.append(
        f"If nobody waited for anybody it were {format_rate(of.most_per_s)} {of.transaction}/s: never more."
    )
    return Section(
        "prediction", "", [Paragraph(sentences[0], "headline"), Items(sentences[1:]), _laws(of.laws)]
    )


def limit_sentence(answer: UsersWithin) -> str:
    """`shop: 41 users (38 to 44) keep the mean response time within 50 ms.`"""
    low = "fewer than measured" if answer.low is None else format_count(answer.low)
    high = "more than measured" if answer.high is None else format_count(answer.high)
    users, limit = counted(int(answer.users), "user"), format_time_ms(answer.limit_ms)
    return f"{answer.at.system}: {users} ({low} to {high}) keep the mean response time within {limit}."


def prediction_sentence(of: Prediction) -> str:
    """`shop: 40 users do 1,520 transactions/s (1,480 to 1,560), each in 26.3 ms (25.6 ms to 27 ms).`"""
    users = f"{of.users:,.10g} user{'' if of.users == 1 else 's'}"
    does = f"{format_rate(of.throughput_per_s.value)} {of.transaction}/s{_interval(of.throughput_per_s)}"
    times = of.response_time_ms
    took = format_time_ms(times.value)
    if times.low is not None and times.high is not None:
        took += f" ({format_time_ms(times.low)} to {format_time_ms(times.high)})"
    return f"{of.system}: {users} do {does}, each in {took}."


def _interval(estimate: Figure) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ({format_rate(estimate.low)} to {format_rate(estimate.high)})"


def _grounds(of: Prediction) -> str:
    levels = ", ".join(f"{users:,.10g}" for users in of.measured_users)
    place = f"{PLACES[of.place]} ({levels} users)"
    if of.left_out_users:
        place += f"; left out: {', '.join(f'{users:,.10g}' for users in of.left_out_users)} users, not usable"
    if of.think_time_s:
        place += f"; users think for {format_time_ms(1e3 * of.think_time_s)}"
    score = next((each for each in of.laws if each.law == of.law), None)
    if score is None:
        return f"{place}." if of.place == "measured" else f"{place}; {NO_LAW}."
    error = score.held_out_error_percent if of.place == "inside" else score.end_error_percent
    seen = "levels that it had not seen" if of.place == "inside" else "the last third, which it had not seen"
    return f"{place}; by the law {of.law}, which was {error or 0.0:.2g} % off at {seen}."


def _laws(scores: Sequence[LawScore]) -> Table:
    return Table(
        [
            Column("law", [each.law for each in scores], "text", key=True),
            Column(
                "error, %", [f"{each.held_out_error_percent:.2g}" for each in scores], group="held-out level"
            ),
            Column(
                "error, %",
                [
                    ABSENT if each.end_error_percent is None else f"{each.end_error_percent:.2g}"
                    for each in scores
                ],
                group="last third",
            ),
            Column("levels", ["reject it" if each.rejected else "allow it" for each in scores], "text"),
            Column("parameters", [_parameters(each) for each in scores], "text"),
        ]
    )


def _parameters(score: LawScore) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in score.parameters.items())
