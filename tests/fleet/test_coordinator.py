"""Several agents do one job: on a simulated clock, with agents whose every transaction is known."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.facts.declaration import is_factor
from igen.fleet.coordinator import LOOK_S, NOTICE_S
from igen.fleet.local import HUNG_S, Command
from igen.fleet.plan import OnLoss
from igen.judge.record.histogram import decode
from igen.judge.record.recording import recording_from_events
from tests.fleet.simulated import JOB, Agent, Network, Ran, ran

USERS = JOB["load"]["closed"]["users"]
INTERVALS = 9
"""Those of warm-up and measurement, and that of the drain."""


def histograms(of: Ran) -> list[list[tuple[int, int]]]:
    """Buckets and counts of each interval."""
    found = []
    for snapshot in of.of_kind("snapshot"):
        times = snapshot["transactions"]["service_time"]
        histogram = decode(times["hdr"], times["sum_ns"])
        found.append(list(zip(histogram.buckets.tolist(), histogram.counts.tolist(), strict=True)))
    return found


def counts(of: Ran) -> list[int]:
    return [snapshot["transactions"]["count"] for snapshot in of.of_kind("snapshot")]


WHOLE = ran([Agent()])


def test_one_agent_tells_what_it_did() -> None:
    assert len(WHOLE.of_kind("snapshot")) == INTERVALS
    assert [next(iter(event)) for event in WHOLE.told[:2]] == ["hello", "ready"]
    assert WHOLE.of_kind("hello")[0]["job"] == JOB
    assert WHOLE.coordinator.exit_code == 0


@given(agents=st.integers(1, USERS), seed=st.integers(0, 1000), late_s=st.sampled_from([0.0, 0.3, 0.9]))
def test_agents_together_are_one_agent_however_late_and_often_they_are_heard(
    agents: int, seed: int, late_s: float
) -> None:
    random = Random(seed)
    those = [Agent(ready_after_s=random.uniform(0, 2)) for _ in range(agents)]
    together = ran(those, network=Network(random, late_s))
    assert histograms(together) == histograms(WHOLE)
    assert [each["users"] for each in together.of_kind("snapshot")] == [USERS] * INTERVALS
    assert [each["phase"] for each in together.of_kind("phase")] == ["warmup", "measure", "drain"]
    assert together.fact("fleet.lost") is None
    assert together.coordinator.end(9.0) == {
        "end": {"outcome": "complete", "at_s": 9.0, "unfinished_users": 0}
    }


def test_intervals_follow_each_other_without_gap_whatever_the_clocks_say() -> None:
    together = ran([Agent(clock_offset_s=offset_s) for offset_s in (0.0, 3600.0, -0.7)])
    snapshots = together.of_kind("snapshot")
    assert all(a["end_s"] == b["start_s"] for a, b in pairwise(snapshots))
    assert together.fact("fleet.began_together") is True
    assert together.fact("fleet.clock_errors_s") == [0.0, 0.0, 0.0]
    assert together.fact("fleet.clock_offsets_s") == [0.0, 3600.0, -0.7]


def test_nobody_begins_before_all_are_ready() -> None:
    late = Agent(ready_after_s=2.0)
    together = ran([Agent(), late, Agent()])
    begins = [
        [what for what in agent.heard if isinstance(what, dict) and "begin" in what]
        for agent in together.agents
    ]
    assert begins[0] == begins[1] == begins[2] != []
    assert together.told_at_s(lambda event: "ready" in event) >= 2.0


def test_agents_begin_at_once_where_their_clocks_are_not_known() -> None:
    together = ran([Agent(), Agent()], clocks_known=False)
    assert {"begin": "now"} in together.agents[0].heard
    assert together.fact("fleet.began_together") is False
    assert histograms(together) == histograms(WHOLE)


@given(
    at_s=st.floats(0.5, 7.5),
    policy=st.sampled_from(["fail", "continue", "redistribute"]),
    cut=st.booleans(),
    polls=st.booleans(),
)
def test_a_loss_is_told_within_three_seconds_and_costs_nothing_that_was_heard(
    at_s: float, policy: OnLoss, cut: bool, polls: bool
) -> None:
    def happens(now_s: float, agents: list[Agent], network: Network) -> None:
        if now_s >= at_s:
            if cut:
                network.cut_off.add(1)
            else:
                agents[1].dead = True

    together = ran(
        [Agent(), Agent(), Agent()], network=Network(Random(0), polls=polls), on_loss=policy, happens=happens
    )
    (lost,) = together.fact("fleet.lost")
    of_fleet = [fact for fact in together.of_kind("fact") if fact["name"].startswith("fleet.")]
    assert not any(is_factor(fact["name"]) for fact in of_fleet)
    assert lost.startswith("agent 2 of 3 on h1 was lost ")
    told_s = together.told_at_s(lambda event: event.get("fact", {}).get("name") == "fleet.lost")
    assert told_s - at_s <= (3.0 if cut else 0.1)
    # Those that are left do their own share and no more.
    of_others = ran([Agent(), Agent(), Agent()])
    heard = [snapshot["users"] for snapshot in together.of_kind("snapshot")]
    assert set(heard[:-1]) <= {USERS, 5}
    assert sorted(heard, reverse=True) == heard
    assert counts(together)[: heard.count(USERS)] == counts(of_others)[: heard.count(USERS)]
    if policy == "fail":
        assert together.coordinator.exit_code == 1
        assert together.of_kind("error")[0]["text"] == lost
        assert "stop" in together.agents[0].heard or together.agents[0].dead, "it may be over already"
    else:
        assert together.coordinator.exit_code == 0
        assert "stop" not in together.agents[0].heard
        assert len(together.of_kind("snapshot")) == INTERVALS
        assert together.of_kind("warning")[0]["text"] == f"{lost}; the level continues with 2 of 3 agents"
    assert together.coordinator.lost == [1]


EXTENDABLE: dict[str, Any] = JOB["phases"] | {"extendable": True}
EXTEND: Command = {"extend": {"measure_s": 2}}


@pytest.mark.parametrize(
    ("answers", "last_words", "said"),
    [
        (["finish"], "measured", 1),
        ([EXTEND, "finish"], "measured", 1),
        ([EXTEND, "finish"], "measured", 2),
        (["finish"], "drain", 1),
    ],
)
@pytest.mark.parametrize("polls", [False, True])
def test_an_agent_that_hangs_when_all_is_measured_is_lost(
    answers: list[Command], last_words: str, said: int, polls: bool
) -> None:
    heard = 0

    def hangs_after(event: dict[str, Any]) -> bool:
        nonlocal heard
        heard += last_words in (*event, event.get("phase", {}).get("phase"))
        return heard == said

    together = ran(
        [Agent(), Agent(hangs_after=hangs_after), Agent()],
        network=Network(Random(0), polls=polls),
        on_loss="continue",
        job=JOB | {"phases": EXTENDABLE},
        answers=answers,
    )
    (lost,) = together.fact("fleet.lost")
    of_fleet = [fact for fact in together.of_kind("fact") if fact["name"].startswith("fleet.")]
    assert not any(is_factor(fact["name"]) for fact in of_fleet)
    assert lost.startswith("agent 2 of 3 on h1 was lost ")
    both = zip(together.told, together.at_s, strict=True)
    answered_s = [at_s for event, at_s in both if "measured" in event][said - 1]
    told_s = together.told_at_s(lambda event: event.get("fact", {}).get("name") == "fleet.lost")
    patience_s = EXTENDABLE["interval_s"] + NOTICE_S + EXTENDABLE["drain_s"]
    assert 0.0 < told_s - answered_s <= patience_s + LOOK_S
    assert together.coordinator.exit_code == 0, "the others go on to the end"
    assert len(together.of_kind("snapshot")) == INTERVALS + 2 * (len(answers) - 1)


def test_agents_that_extend_and_finish_are_not_lost() -> None:
    job = JOB | {"phases": EXTENDABLE | {"drain_s": 0.0}}
    together = ran([Agent(), Agent()], job=job, answers=[EXTEND, "finish"])
    assert together.fact("fleet.lost") is None
    assert len(together.of_kind("snapshot")) == INTERVALS + 2


def test_what_comes_after_an_agent_was_given_up_is_left_out_and_said() -> None:
    def happens(now_s: float, _: list[Agent], network: Network) -> None:
        network.cut_off = {1} if 3.0 <= now_s < 7.5 else set()

    together = ran([Agent(), Agent()], on_loss="continue", happens=happens)
    assert len(together.of_kind("snapshot")) == INTERVALS
    assert any("after it was given up" in warning["text"] for warning in together.of_kind("warning"))


def test_a_short_cut_loses_nothing() -> None:
    def happens(now_s: float, _: list[Agent], network: Network) -> None:
        network.cut_off = {1} if 3.0 <= now_s < 4.5 else set()

    assert histograms(ran([Agent(), Agent()], happens=happens)) == histograms(WHOLE)


def test_a_coordinator_that_was_held_up_itself_takes_nobody_for_lost() -> None:
    assert histograms(ran([Agent(), Agent()], away=(3.0, 7.0))) == histograms(WHOLE)


def test_a_loss_before_the_begin_ends_the_job_whatever_the_plan_says() -> None:
    def happens(now_s: float, agents: list[Agent], _: Network) -> None:
        agents[1].dead = agents[1].dead or now_s >= 0.5

    together = ran([Agent(), Agent(ready_after_s=5.0)], on_loss="continue", happens=happens)
    assert together.coordinator.exit_code == 1
    text = "agent 2 of 2 on h1 was lost: it was killed by signal 9"
    assert together.of_kind("error")[0]["text"] == text
    assert together.fact("fleet.lost") == [text], "the run is no observation"
    assert together.of_kind("snapshot") == []


@pytest.mark.parametrize("on_loss", ["continue", "redistribute"])
def test_where_all_are_lost_nobody_goes_on_and_that_is_said(on_loss: OnLoss) -> None:
    def happens(now_s: float, agents: list[Agent], _: Network) -> None:
        for agent in agents:
            agent.dead = agent.dead or now_s >= 4.5

    together = ran([Agent(), Agent()], on_loss=on_loss, happens=happens)
    lost = together.fact("fleet.lost")
    assert [each.partition(" on ")[0] for each in lost] == ["agent 1 of 2", "agent 2 of 2"]
    assert together.of_kind("error")[0]["text"] == f"{lost[1]}; none of 2 agents is left"
    assert together.coordinator.exit_code == 1
    assert 0 < len(together.of_kind("snapshot")) < INTERVALS, "what was told until then is kept"


def test_leases_are_renewed_all_the_time() -> None:
    together = ran([Agent(), Agent(ready_after_s=20.0)])
    assert all(agent.heard.count("renew") >= 20 for agent in together.agents)


@pytest.mark.parametrize("polls", [False, True])
def test_an_agent_that_hangs_before_it_is_ready_ends_the_job(polls: bool) -> None:
    hung = Agent(ready_after_s=200.0, hangs_after=lambda event: "progress" in event)
    together = ran([Agent(), hung], network=Network(Random(0), polls=polls))
    text = together.of_kind("error")[0]["text"]
    assert text.startswith(f"agent 2 of 2 on h1 was lost: it wrote nothing for {HUNG_S:g}.")
    assert together.told_at_s(lambda event: "error" in event) <= hung.sign_s + HUNG_S + 2 * LOOK_S
    assert together.coordinator.exit_code == 1


def test_an_agent_that_takes_long_to_be_ready_and_says_so_is_waited_for() -> None:
    together = ran([Agent(), Agent(ready_after_s=300.0)])
    assert histograms(together) == histograms(WHOLE)


@pytest.mark.parametrize(("on_loss", "exit_code", "kind"), [("fail", 1, "error"), ("continue", 0, "warning")])
def test_an_agent_that_hangs_when_it_has_drained_is_lost(on_loss: OnLoss, exit_code: int, kind: str) -> None:
    def hangs_after(event: dict[str, Any]) -> bool:
        return event.get("snapshot", {}).get("phase") == "drain"

    together = ran([Agent(), Agent(hangs_after=hangs_after)], on_loss=on_loss)
    assert histograms(together) == histograms(WHOLE), "all was measured"
    assert f"it wrote nothing for {HUNG_S:g}." in together.of_kind(kind)[0]["text"]
    assert together.coordinator.exit_code == exit_code


@pytest.mark.parametrize(
    ("results", "total"),
    [
        ([7, 7, 7], 21),
        (
            [[{"target": "web:80", "requests": number, "answers": 4}] for number in (4, 5, 4)],
            [{"target": "web:80", "requests": 13, "answers": 12}],
        ),
        (
            [[{"sent": {"search": 3}}], [{"sent": {"bind": 1}}], [{"sent": {}}]],
            [{"sent": {"search": 3, "bind": 1}}],
        ),
        (["4k", "4k", "4k"], "4k"),
    ],
)
def test_what_each_agent_counted_is_summed_also_if_all_counted_the_same(
    results: list[Any], total: Any
) -> None:
    together = ran([Agent(results={"http.requests": each}) for each in results])
    assert together.fact("http.requests") == total
    assert together.fact("fleet.2.http.requests") is None


def test_results_that_are_not_of_the_same_things_are_told_apart() -> None:
    results = [[{"target": "a", "requests": 1}], [{"target": "b", "requests": 2}]]
    together = ran([Agent(results={"http.requests": each}) for each in results])
    assert together.fact("http.requests") == results[0]
    assert together.fact("fleet.2.http.requests") == results[1]


def test_two_hosts_of_one_name_are_two_series() -> None:
    """Together they would be one host whose program used 1200 % of it."""
    machines = [("load", "4c01db0b"), ("load", "93d8cfea")]
    together = ran([Agent(used_s=0.5), Agent(used_s=12.0)], machines=machines)
    recorded = recording_from_events(together.told)
    assert recorded.facts["fleet.hosts"] == ["load 4c01db0b", "load 93d8cfea"]
    assert recorded.host == "load 4c01db0b"
    (own,) = recorded.readings.values()
    assert [reading.counters["user_s"] for reading in own] == [0.5 * each for each in range(1, 9)]
    (other,) = recorded.elsewhere["load 93d8cfea"].values()
    assert [reading.counters["user_s"] for reading in other] == [12.0 * each for each in range(1, 9)]


def test_agents_on_one_machine_need_no_other_name() -> None:
    together = ran([Agent(), Agent()], machines=[("load", "4c01db0b")] * 2)
    assert together.fact("fleet.hosts") == ["load", "load"]
