"""The catalogue of sentences: a sentence for each rule, of one finding and of several."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from igen.aspects.aspects import ASPECTS
from igen.judge import analyse
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.trust.finding import Finding, Runs, finding
from igen.judge.trust.rules import RULES
from igen.printed import printed
from igen.say.sentence import ADVICE, CATALOGUE, OBSERVATIONS, advise, observe, sentence
from tests.judge.hosts import on_host
from tests.judge.synthetic import recording, snapshot, statistics
from tests.said import say
from tests.say.examples import ALL, FOOTNOTES, all_of, names_by_rule, with_other_figures
from tests.say.examples.answers import OF_ANSWERS

EXPECTED = Path(__file__).parent / "expected.txt"


def test_each_rule_has_one_sentence_and_no_sentence_is_without_a_rule() -> None:
    assert sorted([*CATALOGUE, *OBSERVATIONS, *ADVICE]) == sorted(RULES)


def test_each_rule_has_an_example() -> None:
    assert {each.rule for each in ALL} == RULES.keys()


def in_words(example: Finding) -> str:
    """Return an observation with its evidence; of a footnote also the sentence of two."""
    if example.rule in OBSERVATIONS:
        said = observe(example)
        return f"{example.rule}: {printed(said.text)}\n    {printed(said.evidence)}"
    if example.rule in ADVICE:
        advice = advise(example)
        return f"{example.rule}: {printed(advice.found)}\n    {printed(advice.why)}; {printed(advice.remedy)}"
    text = f"{example.rule}: {say(example)}"
    several = sentence([example, with_other_figures(example)])
    return f"{text}\n    {several}" if example in FOOTNOTES and several != say(example) else text


def test_the_sentences_are_those_of_the_snapshot() -> None:
    """`IGEN_UPDATE_SNAPSHOTS=1 pytest tests/say` writes it anew."""
    examples = sorted(ALL, key=lambda each: [*RULES].index(each.rule))
    answers = [f"({of}) {printed(each)}" for of, texts in OF_ANSWERS.items() for each in texts]
    text = "\n".join([*dict.fromkeys(map(in_words, examples)), *answers, ""])
    if os.environ.get("IGEN_UPDATE_SNAPSHOTS"):
        EXPECTED.write_text(text, encoding="utf-8")
    assert text == EXPECTED.read_text(encoding="utf-8"), "see git diff after an update"


def test_a_persona_and_the_number_of_runs_are_told_of_any_rule() -> None:
    found = finding("concurrent-runs", other_runs=2)
    of_runs = [
        Finding(rule=found.rule, load="clerks", parts=found.parts, runs=Runs(number=number, of=5))
        for number in (2, 3)
    ]
    plain = say(found)
    assert say(of_runs[0]) == f"clerks: {plain}, in 2 of 5 runs"
    assert sentence(of_runs) == f"clerks: {plain}, in 5 of 10 runs"


def opened(due: int, ended: int, **rest: int) -> Recording:
    arrivals = Arrivals(due=due, started=ended, unsent=rest.get("unsent", 0), backlog=0)
    intervals = [snapshot(i, statistics(ended, 1.0, failed=9), arrivals=arrivals) for i in range(10)]
    return recording(snapshots=intervals, load={"open": {"rate_per_s": float(due), "users": 4}})


JUDGED = {
    "overloaded": [opened(1000, 900, unsent=91)],
    "not served": [opened(1000, 900)],
    "trend": [recording([1000 + 30 * second for second in range(20)], repeat=at) for at in range(2)],
    "few intervals": [recording([1000] * 3)],
    "nothing": [recording([0] * 10)],
    "died": [recording(outcome=None, signal=9), recording(repeat=1)],
    "cut off": [recording(outcome=None, truncated=True, unfinished_users=2)],
    "groups": [recording([count] * 10, repeat=at) for at, count in enumerate((1000, 1003, 998, 801, 799))],
    "others": [
        on_host(recording(users=2, repeat=at), own=1.4, waiting=0.6, foreign={"backup": 0.6}, steal=0.1)
        for at in range(2)
    ],
    "one of three": [
        on_host(recording(users=2, repeat=0), own=1.0, waiting=1.0, foreign={"backup": 1.0}),
        recording(users=2, repeat=1),
        recording(users=2, repeat=2),
    ],
}


@pytest.mark.parametrize("name", JUDGED)
def test_findings_of_the_judge_have_the_parts_of_the_examples(name: str) -> None:
    known = names_by_rule()
    (system,) = analyse(JUDGED[name], aspects=ASPECTS)
    found = [each for level in system.levels for each in all_of(tuple(level.findings))]
    assert found
    for each in found:
        assert {part.name for part in each.parts} <= known[each.rule], each
        assert say(each)
