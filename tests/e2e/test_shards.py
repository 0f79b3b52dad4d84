"""Several targets: shards in SQLite files, systems that take turns, the scaling study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import UNWATCHED, Done, aspect, events

Igen = Callable[[str], Done]
SHORT = "--duration 0.3s --warmup 0.1s"
PHASES = '[job.phases]\nwarmup_s = "0.1s"\nmeasure_s = "0.3s"\n'


def test_a_pattern_makes_shards_with_statistics_of_each(igen: Igen, store: Path) -> None:
    shards = f"--target sqlite:///{store.parent}/s{{1..3}}.db --set customers=100"
    prepared = igen(f"data prepare oltp {shards}")
    assert prepared.code == 0
    # Who wants three systems to compare must not take them for such.
    assert "each of the 3 targets gets its own 100 customers, 300 in all" in prepared.err
    assert sorted(path.name for path in store.parent.glob("s?.db")) == ["s1.db", "s2.db", "s3.db"]
    done = igen(f"run oltp {shards} --users 3 --repeats 2 --response-time-limit 1h {SHORT} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    assert system["targets"] == [f"sqlite:///{store.parent}/s{number}.db" for number in (1, 2, 3)]
    (level,) = system["levels"]
    assert level["instances"] == 3
    assert [target["target"] for target in aspect(level, "targets")["targets"]] == system["targets"]
    # Both are read while the users go on: a transaction may be in one and not yet in the other.
    by_target = sum(target["transactions"] for target in aspect(level, "targets")["targets"])
    assert by_target == pytest.approx(level["transactions"], abs=12)
    assert all(target["transactions"] > 0 for target in aspect(level, "targets")["targets"])
    assert abs(sum(target["share"] for target in aspect(level, "targets")["targets"]) - 1) < 1e-9
    assert system["response_time_limit_ms"] == 3_600_000
    assert igen(f"data cleanup oltp {shards}").code == 0


def test_a_pattern_that_makes_no_sense_is_named_by_its_flag(igen: Igen) -> None:
    done = igen("run oltp --target sqlite:///s{3..1}.db")
    assert done.code == 2
    assert "--target: `sqlite:///s{3..1}.db` is not a pattern" in done.err


# 9 s: tests/study/test_order.py has their turns, tests/judge/test_pair_model.py their pairs.
@pytest.mark.slow
def test_systems_take_turns_and_are_compared_in_pairs(igen: Igen, store: Path) -> None:
    systems = "".join(
        f'[[systems]]\nname = "{name}"\n'
        + (f'against = "{against}"\n' if against else "")
        + f'[systems.job]\ntargets = ["sqlite:///{store.parent}/{file}.db"]\nparams.customers = {customers}\n'
        for name, file, customers, against in (
            ("disk, small", "a", 100, ""),
            ("SSD, small", "b", 100, "disk, small"),
            ("disk, large", "c", 200, ""),
            ("SSD, large", "d", 200, "disk, large"),
        )
    )
    file = store.parent / "pairs.toml"
    file.write_text(
        'plan = { mode = "sweep", repeats = 3 }\n'
        f'[job]\nworkload = "oltp"\nload.closed.users = 1\n{UNWATCHED}{PHASES}{systems}'
    )
    checked = igen(f"study check {file}")
    assert checked.code == 0, checked.err
    assert f"SSD, small: sqlite:///{store.parent}/b.db, compared with disk, small" in checked.out
    assert "3 repeats, 12 jobs" in checked.out
    done = igen(f"study run {file} --json")
    assert done.code == 0, done.err
    names = [system["name"] for system in done.document["systems"]]
    assert names == ["disk, small", "SSD, small", "disk, large", "SSD, large"]
    decided = [ratio for ratio in done.document["ratios"] if ratio["decides"]]
    assert [(ratio["system"], ratio["base"]) for ratio in decided] == [
        ("SSD, small", "disk, small"),
        ("SSD, large", "disk, large"),
    ]
    assert {ratio["method"] for ratio in decided} == {"paired log-t"}
    starts = events(store, "job_start")
    systems = [start["system"] for start in starts]
    assert all(sorted(systems[at : at + 4]) == sorted(names) for at in (0, 4, 8)), "side by side"
    assert igen("show last --all").code == 0


@pytest.mark.slow
def test_a_scaling_study_finds_the_base_load_and_scales_it(igen: Igen, store: Path) -> None:
    file = store.parent / "scaling.toml"
    file.write_text(
        f"""
        response_time_limit = "1min"
        reference = "published elsewhere"
        plan = {{ mode = "scaling", share = 0.5, repeats = 1 }}
        [job]
        workload = "oltp"
        targets = ["sqlite:///{store.parent}/s{{1..3}}.db"]
        {UNWATCHED}
        params = {{ customers = 100, synchronous = "normal" }}
        load = {{ paced = {{ rate_per_user_per_s = 10 }} }}
        [job.phases]
        warmup_s = "0.1s"
        measure_s = "1s"
        [axes]
        "load.paced.users" = [1, 2]
        """
    )
    checked = igen(f"study check {file}")
    assert "then 1, 2, 3 instances, each at 50 % of the peak of one; 1 repeat\n" in checked.out
    done = igen(f"study run {file} --json")
    starts = events(store, "job_start")
    assert {len(start["job"]["targets"]) for start in starts if start["purpose"] != "scale"} == {1}
    scaled = [start for start in starts if start["purpose"] == "scale"]
    if not scaled:
        # A machine so busy that 20 transactions a second are not met says so and keeps what it has.
        assert done.code == 1
        assert "no peak of one instance was confirmed" in done.err
        return
    # The direction of a sweep is drawn.
    instances = [len(start["job"]["targets"]) for start in scaled]
    assert instances in ([1, 2, 3], [3, 2, 1])
    users = [start["job"]["load"]["paced"]["users"] for start in scaled]
    assert users == [min(users) * number for number in instances]
    vertical, horizontal = done.document["systems"]
    assert vertical["name"].endswith(", vertical, one instance")
    assert [each["instances"] for each in horizontal["scaling"]] == [1, 2, 3]
    assert horizontal["reference"] == "published elsewhere"
    shown = igen("show last --all")
    assert "instances" in shown.out
    assert "published elsewhere" in shown.out
    assert igen("show last -o r.html").code == 0


def test_one_target_is_no_shard_and_quiet_is_quiet(igen: Igen, store: Path) -> None:
    assert (
        "shards"
        not in igen(f"data prepare oltp --target sqlite:///{store.parent}/s.db --set customers=100").err
    )
    two = f"--target sqlite:///{store.parent}/q{{1..2}}.db --set customers=100"
    assert igen(f"data prepare oltp {two} --quiet").err == ""
