"""How often a claim of `igen ab` is contradicted by the same measurement an hour later."""

from __future__ import annotations

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from bench.outcome import Goal, Outcome, number
from bench.process import IGEN, ROOT
from igen.judge.figure.figure import Figure

WORKLOADS = ("cpu", "oltp", "http", "command")
EFFECTS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05)
"""More work of one side, of `http` and `command`."""
CLAIMS = ("faster", "slower", "equivalent")
MOST_CONTRADICTED = 0.05
REQUEST_COUNTS, COMMAND_COUNTS = 50_000, 100_000
"""1 and 6 ms."""

NOTES = [
    "A measurement is `igen ab` of 1 user in pairs. Its claim is the answer faster, slower or equivalent; "
    "cannot tell is not a claim. All questions are measured in random order, then those with a claim again.",
    "Contradicted: a claim that a side is faster or slower, if the second interval is wholly on the other "
    "side of 1; a claim that the sides are equivalent, if the second interval is wholly beyond the margin. "
    "The interval holds 95 % and includes what disturbed the machine.",
    "Effects: `http` asks a server to count to a number that is 0 to 5 % larger for one side, `command` "
    "runs awk with such a number (its start is the same, so the effect is a little smaller). `cpu` with and "
    "without a pinned thread and `oltp` (SQLite) with two timeouts that are never reached do the same work.",
    "Wrong: faster or slower, although this side does not do less or more work; equivalent, although the "
    "effect is beyond the margin.",
    "Nothing else may run on the machine.",
]


@dataclass(frozen=True, slots=True)
class Form:
    """How much is measured."""

    effects: tuple[float, ...]
    rounds: int
    """Measurements of each effect of each workload; workloads without an effect have as many in all."""
    pairs: int
    measure_s: float
    warmup_s: float
    later_s: float
    """From the first measurement of all to the second round."""
    least_claims: int


FULL = Form(EFFECTS, rounds=6, pairs=5, measure_s=2.0, warmup_s=1.0, later_s=3600.0, least_claims=100)
QUICK = Form((0.0, 0.05), rounds=1, pairs=3, measure_s=0.5, warmup_s=0.2, later_s=0.0, least_claims=1)


@dataclass(frozen=True, slots=True)
class Question:
    """Two sides of which it is known which one does more work."""

    workload: str
    effect: float
    """Work of the second side over the work of the first one, less 1; below 0 if the first one does more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The deciding ratio of throughputs, second side over first."""

    answer: str = "cannot tell"
    ratio: Figure | None = None
    """None if a side has no usable level."""
    margin: float = 0.0


def measure(*, quick: bool) -> Outcome:
    """Return a row for each workload, and one for all."""
    form = QUICK if quick else FULL
    outcome = Outcome(
        "replication", ("measured", "claims", "contradicted", "standard_error", "wrong"), notes=NOTES
    )
    questions = [*_questions(form)]
    random.Random(1).shuffle(questions)
    with tempfile.TemporaryDirectory(prefix="igen-bench-replication-") as folder, _server() as port:
        ask = _Asking(Path(folder), port, form)
        began_s = time.monotonic()
        first = [ask.answer(question) for question in questions]
        time.sleep(max(0.0, form.later_s - (time.monotonic() - began_s)))
        second = [
            ask.answer(question) if answer.answer in CLAIMS else Answer()
            for question, answer in zip(questions, first, strict=True)
        ]
    found = [*zip(questions, first, second, strict=True)]
    for workload in WORKLOADS:
        _add(outcome, workload, [each for each in found if each[0].workload == workload])
    claims, against = _add(outcome, "all", found)
    outcome.goals["claims"] = Goal(claims, f">= {form.least_claims}")
    if claims:
        outcome.goals["claims contradicted"] = Goal(against / claims, f"<= {MOST_CONTRADICTED}")
    return outcome


def contradicted(first: Answer, second: Answer) -> bool:
    """Return True if the second measurement excludes the claim of the first one."""
    if second.ratio is None:
        return False
    least, most = (1.0, 1.0) if first.answer != "equivalent" else (1 / (1 + first.margin), 1 + first.margin)
    side = second.ratio.against(least, most)
    return (
        side in {"faster": ("below",), "slower": ("above",), "equivalent": ("below", "above")}[first.answer]
    )


def wrong(question: Question, answer: Answer) -> bool:
    """Return True if the claim is not what was made."""
    true = {"faster": question.effect < 0, "slower": question.effect > 0}
    return not true.get(answer.answer, abs(question.effect) <= answer.margin)


def _questions(form: Form) -> Iterator[Question]:
    for workload in WORKLOADS:
        for number_of_round in range(form.rounds):
            for effect in form.effects if workload in ("http", "command") else (0.0,) * len(form.effects):
                yield Question(workload, effect if number_of_round % 2 == 0 else -effect)


@dataclass(frozen=True, slots=True)
class _Asking:
    folder: Path
    port: int
    form: Form

    def answer(self, question: Question) -> Answer:
        """Measure both sides in pairs. Raises RuntimeError if nothing was measured."""
        print(f"replication: {question.workload}, {question.effect:+.0%} ...", file=sys.stderr)
        command = [
            str(IGEN),
            "ab",
            question.workload,
            *self._sides(question),
            "--users",
            "1",
            "--quiet",
            "--json",
        ]
        command += ["--repeats", str(self.form.pairs), "--duration", f"{self.form.measure_s}s"]
        command += ["--warmup", f"{self.form.warmup_s}s"]
        environment = {**os.environ, "IGEN_STORE": str(self.folder / "runs")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        try:
            ratios = json.loads(done.stdout)["ratios"]
        except json.JSONDecodeError:
            text = f"igen ab ended with exit code {done.returncode}: {done.stderr[-2000:]}"
            raise RuntimeError(text) from None
        ratio = next((each for each in ratios if each["decides"]), None)
        if ratio is None:
            return Answer()
        return Answer(ratio["answer"], Figure(**ratio["ratio"]), ratio["margin_percent"] / 100)

    def _sides(self, question: Question) -> list[str]:
        more = 1 + abs(question.effect)
        times = (1.0, more) if question.effect >= 0 else (more, 1.0)
        if question.workload == "cpu":
            return ["--a", "placement.thread.pin=false", "--b", "placement.thread.pin=true"]
        if question.workload == "oltp":
            target = ["--target", f"sqlite:///{self.folder}/oltp.db", "--set", "customers=10000"]
            return [*target, "--a", "busy_timeout_s=10", "--b", "busy_timeout_s=11"]
        if question.workload == "http":
            # A digit more, because the sides of `igen ab` must differ.
            paths = [
                f"path=/{zero}{REQUEST_COUNTS * of:.0f}" for zero, of in zip(("", "0"), times, strict=True)
            ]
            return ["--target", f"http://127.0.0.1:{self.port}/", "--a", paths[0], "--b", paths[1]]
        programs = (
            f"BEGIN {{ for (i = 0; i < {COMMAND_COUNTS * of:.0f}; i++) {name} += i }}"
            for name, of in zip("ab", times, strict=True)
        )
        runs = [f"run={shlex.quote(f'awk {shlex.quote(each)}')} shell=false" for each in programs]
        return ["--a", runs[0], "--b", runs[1]]


@contextmanager
def _server() -> Iterator[int]:
    """Serve on a free port, in a process of its own."""
    command = [sys.executable, "-m", "bench.work_server"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.kill()


def _add(outcome: Outcome, what: str, found: list[tuple[Question, Answer, Answer]]) -> tuple[int, int]:
    claims = [each for each in found if each[1].answer in CLAIMS]
    counts = Counter(first.answer for _, first, _ in claims)
    against = sum(contradicted(first, second) for _, first, second in claims)
    share = against / len(claims) if claims else 0.0
    error = sqrt(share * (1 - share) / len(claims)) if claims else 0.0
    outcome.add(
        what,
        measured=f"{len(found)} questions",
        claims=f"{len(claims)}: {', '.join(f'{counts[name]} {name}' for name in CLAIMS)}",
        contradicted=f"{against} ({share:.1%})",
        standard_error=f"{number(100 * error)} %",
        wrong=str(sum(wrong(question, first) for question, first, _ in claims)),
    )
    return len(claims), against
