"""THE list of questions about a run: one field for each, with all that is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from igen.ask import kinds
from igen.ask.kinds import Kind

Group = Literal["load", "plan"]
"""`igen ab` and `igen run` ask about the load, `igen run` alone about the plan."""


@dataclass(frozen=True, slots=True)
class Question:
    """The description of a field of `Asked`."""

    option: str
    kind: Kind
    help: str
    metavar: str = ""
    at: tuple[str, ...] = ()
    """Paths in a job, one for each load model that has the field; empty for a part of the study."""
    names: tuple[str, ...] = ()
    """Other paths that errors use for this field."""
    group: Group = "load"
    shown_default: str = ""
    """The default in words, if the question is left open."""


def _asked(option: str, kind: Kind, help: str, metavar: str = "", *at: str, **more: Any) -> Any:
    return field(default=None, metadata={"question": Question(option, kind, help, metavar, at, **more)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answers; None for a question that is left open."""

    targets: list[str] | None = _asked(
        "--target", kinds.TEXTS,
        "System under test, such as sqlite:///shop.db. 'sqlite:///shard{1..4}.db' means four targets.",
        "URL", "targets",
    )  # fmt: skip
    users: list[int] | None = _asked(
        "--users", kinds.USERS,
        "Levels: numbers of concurrent users.",
        "N,N,...", "load.closed.users", "load.paced.users", "load.open.users",
        shown_default="1; mem: up to one for each processor",
    )  # fmt: skip
    rate: list[float] | None = _asked(
        "--rate",
        kinds.RATES,
        "Levels of an open load: arrivals per second.",
        "R,R,...",
        "load.open.rate_per_s",
    )
    arrivals: str | None = _asked(
        "--arrivals", kinds.one_of("constant", "poisson"),
        "Time between arrivals of an open load: constant, or random (poisson).", "", "load.open.arrivals",
    )  # fmt: skip
    think_time: float | dict[str, Any] | None = _asked(
        "--think-time", kinds.THINK_TIME,
        "Pause of each user between transactions: 1s, or at random: uniform:5s,15s, exponential:8s.",
        "TIME", "load.closed.think_time_s",
    )  # fmt: skip
    pace: float | None = _asked(
        "--pace", kinds.RATE, "Transactions that each user starts per second: 10/s.",
        "RATE", "load.paced.rate_per_user_per_s",
    )  # fmt: skip
    find_peak: bool | None = _asked(
        "--find-peak", kinds.YES, "Search for the number of users with the highest throughput.", group="plan"
    )
    torture: float | None = _asked(
        "--torture", kinds.LIMIT,
        "Load storage for this time, in segments of --duration (default: at most 10min), and verify after "
        "each.",
        "TIME", names=("plan.torture",), group="plan",
    )  # fmt: skip
    repeats: int | str | None = _asked(
        "--repeats", kinds.REPEATS,
        "Runs of each level; auto: 3 to 10, until the throughput is known to 2 %.",
        "N|auto", group="plan", shown_default="5; mem: 3 or 2",
    )  # fmt: skip
    duration: str | None = _asked(
        "--duration", kinds.DURATION,
        "Length of each measurement.", "TIME", "phases.measure_s",
        shown_default="as long as the transactions need, all within 30s; web: 12s",
    )  # fmt: skip
    warmup: str | None = _asked(
        "--warmup", kinds.DURATION,
        "Load before each measurement; auto: a fifth of --duration, then longer until the load is steady.",
        "auto|TIME", "phases.warmup_s", shown_default="auto",
    )  # fmt: skip
    response_time_limit: float | None = _asked(
        "--response-time-limit", kinds.LIMIT,
        "Report the highest load with a shorter mean response time: 30ms.", "TIME",
    )  # fmt: skip
    seed: int | None = _asked(
        "--seed", kinds.SEED,
        "Seed of all random choices: keys, arrivals, service times.", "N", "load_seed",
        shown_default="new in each study",
    )  # fmt: skip
    threads: int | str | None = _asked(
        "--threads", kinds.THREADS,
        "Threads that share the users of a network client; auto: found by short runs if the server is on "
        "this machine, else one for each processor.",
        "N|auto", "placement.task.threads", names=("placement.task",), shown_default="auto",
    )  # fmt: skip
    pin: bool | None = _asked(
        "--pin", kinds.YES, "Pin each user's thread to a processor.", "", "placement.thread.pin",
        names=("placement",),
    )  # fmt: skip
    precise: bool | None = _asked(
        "--precise", kinds.YES_OR_NO,
        "Start transactions within microseconds: idle threads spin before the start.",
        "", "placement.precise",
        shown_default="for open and paced loads, if a local target does not need the processors",
    )  # fmt: skip
    params: dict[str, Any] | None = _asked(
        "--set", kinds.SETTINGS, "Parameters of the workload, such as customers=1000.",
        "KEY=VALUE...", names=("params",),
    )  # fmt: skip
    verify: bool | None = _asked(
        "--verify", kinds.YES, "Check that storage keeps all written data: --set verify=true."
    )
    agents: int | None = _asked(
        "--agents", kinds.AGENTS, "Number of load processes that share each level.", "N",
        names=("fleet.agents",), shown_default="1",
    )  # fmt: skip
    fleet: str | None = _asked(
        "--fleet", kinds.TEXT,
        "Place of the load processes: local, or the nodes of a Ray cluster: ray://HOST:PORT, auto.",
        "ADDRESS", names=("fleet.address",), shown_default="local",
    )  # fmt: skip
    on_loss: str | None = _asked(
        "--on-loss", kinds.one_of("fail", "continue", "redistribute"),
        "If a load process is lost: fail ends the level, continue measures with the others, redistribute "
        "also shares the next levels among them.",
        names=("fleet.on_loss",), shown_default="fail",
    )  # fmt: skip
    insecure: bool | None = _asked("--insecure", kinds.YES, "Use a cluster without token and TLS.")
    force: bool | None = _asked("--force", kinds.YES, "Continue if a check refuses.", "", "force")
    i_own_this_data: bool | None = _asked(
        "--i-own-this-data", kinds.YES, "Allow writes to devices, files and trees that iGen did not create.",
        "", "i_own_this_data",
    )  # fmt: skip
    fail_if: list[str] | None = _asked(
        "--fail-if", kinds.THRESHOLDS,
        "Exit with code 1 if a level crosses this: 'p99 of response > 20ms', 'throughput < 1000/s at "
        "8 users', 'errors > 0'.",
        "THRESHOLD", names=("fail_if",),
    )  # fmt: skip
    name: str | None = _asked(
        "--name", kinds.TEXT, "Name of the system in comparisons.", "SYSTEM", group="plan",
        shown_default="the name of this host",
    )  # fmt: skip
    fill: bool = False
    """True if the load that fills the server is searched for; a default of some workloads, not a question."""

    def given(self) -> Iterator[tuple[str, Question, Any]]:
        """Yield name, question and answer of each question that is not left open."""
        for name, question in QUESTIONS.items():
            value = getattr(self, name)
            if (
                value is not None
                and value not in ([], {}, ())
                and (value is not False or question.kind is kinds.YES_OR_NO)
            ):
                yield name, question, value


QUESTIONS: dict[str, Question] = {
    each.name: each.metadata["question"] for each in fields(Asked) if "question" in each.metadata
}
"""By the name of the field, in the order of the command line."""


def read_answers(texts: Mapping[str, Any]) -> Asked:
    """Return the answers that are given as texts, or as values of their type.

    An empty text leaves a question open. Raises `InputError` about a name.
    """
    return Asked(**{name: _answer(name, value) for name, value in texts.items() if value not in ("", None)})


def _answer(name: str, value: Any) -> Any:
    if name not in QUESTIONS:
        from igen.errors import InputError
        from igen.nearest import suggestion

        raise InputError(f"there is no `{name}` to ask for", where=name, hint=suggestion(name, QUESTIONS))
    kind = QUESTIONS[name].kind
    if kind.many:
        is_text = isinstance(value, str) or (isinstance(value, list | tuple) and kind is not kinds.TEXTS)
        return kind.read([value] if isinstance(value, str) else value, name) if is_text else value
    return kind.read(value, name) if isinstance(value, str) else value


def load_path(name: str, model: str) -> str:
    """Return the path of a question in a load model. Raises `InputError` if they do not go together."""
    from igen.errors import InputError

    question = QUESTIONS[name]
    for path in question.at:
        if path.startswith(f"load.{model}."):
            return path
    other = next(
        each.option for each in QUESTIONS.values() if each.option != "--users"
        for path in each.at if path.startswith(f"load.{model}.")
    )  # fmt: skip
    raise InputError(
        f"does not go with {other}" if model != "closed" else "needs --rate",
        where=question.option,
        hint="a load is closed (--users, --think-time), paced (--users, --pace) or open (--rate, --arrivals)",
    )


def options_by_path() -> dict[str, str]:
    """Return the option for each path in a job or a study that errors name."""
    return {
        "workload": "WORKLOAD",
        "resume": "--resume",
        **{path: each.option for each in QUESTIONS.values() for path in (*each.at, *each.names)},
    }
