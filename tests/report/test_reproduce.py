"""The command that repeats a run."""

from __future__ import annotations

import shlex
from dataclasses import replace

from igen.report.reproduce import command
from report import sample


def test_closed_load() -> None:
    assert command(sample.one_system().systems[0]) == (
        "igen run oltp --target sqlite:///shop.db --users 1,2,4,8 --repeats 3 --duration 10s --warmup 2s "
        "--seed 42 --set customers=100000 --set synchronous=normal --set distribution=uniform "
        "--name shop-sqlite"
    )


def test_what_was_replaced_by_a_fresh_run_is_no_repeat_of_the_study() -> None:
    shop = sample.one_system().systems[0]
    first = shop.levels[0]
    replaced = replace(first, repeats=[*first.repeats, replace(first.repeats[0], repeat=3, used=False)])
    assert "--repeats 3 " in command(replace(shop, levels=[replaced, *shop.levels[1:]]))


def test_open_load() -> None:
    words = command(sample.open_load().systems[0])
    assert "--rate 100,150,225 --arrivals poisson --repeats 1" in words
    assert "--users" not in words


def test_a_search_is_repeated_as_a_search() -> None:
    shop = sample.one_system().systems[0]
    first = shop.levels[0]
    searched = replace(first, repeats=[replace(first.repeats[0], purpose="search")])
    printed = command(replace(shop, levels=[searched, *shop.levels[1:]]))
    assert "--users 1,8 --find-peak" in printed
    assert "--repeats" not in printed


def test_a_warm_up_that_follows_from_the_duration_is_left_to_it() -> None:
    shop = sample.one_system().systems[0]
    phases = {"measure_s": 10.0, "warmup_s": 2.0, "extendable": True}
    assert "--warmup" not in command(replace(shop, job={"phases": phases}))
    assert "--warmup 2s" in command(replace(shop, job={"phases": phases | {"extendable": False}}))


def test_placement_and_insistence_are_repeated() -> None:
    shop = sample.one_system().systems[0]
    assert command(replace(shop, job={"placement": {"thread": {"pin": True}}})).count("--pin") == 1
    shared = command(replace(shop, job={"placement": {"task": {"threads": 2, "pin": False}}}))
    assert "--pin" not in shared
    assert "--threads 2" in shared.splitlines()[0]
    assert "placement.task.pin = false" in shared
    for precise, option in ((True, "--precise"), (False, "--no-precise")):
        assert option in shlex.split(command(replace(shop, job={"placement": {"precise": precise}})))
    assert "precise" not in command(replace(shop, job={"placement": {}}))
    assert "--force" in command(replace(shop, job={"force": True}))
    assert "--force" not in command(replace(shop, job={"force": False}))


def test_text_that_looks_like_a_number_stays_text() -> None:
    params = {"code": "007", "text": "7", "exact": True, "session_variables": {"commit_delay": 5}}
    shop = replace(sample.one_system().systems[0], params=params)
    expected = {"code=007", 'text="7"', "exact=true", "session_variables.commit_delay=5"}
    assert expected <= set(shlex.split(command(shop)))


def test_think_time_and_pace() -> None:
    shop = sample.one_system().systems[0]
    closed = replace(shop.levels[0], load={"closed": {"users": 1, "think_time_s": 0.25}})
    paced = replace(shop.levels[0], load={"paced": {"users": 1, "rate_per_user_per_s": 10.0}})
    assert "--users 1 --think-time 0.25s" in command(replace(shop, levels=[closed]))
    for think, text in (
        ({"uniform": [0.5, 1.5]}, "uniform:0.5s,1.5s"),
        ({"exponential": 8.0}, "exponential:8s"),
    ):
        drawn = replace(shop.levels[0], load={"closed": {"users": 1, "think_time_s": think}})
        assert f"--users 1 --think-time {text}" in command(replace(shop, levels=[drawn]))
    assert "--users 1 --pace 10/s" in command(replace(shop, levels=[paced]))


def test_every_word_survives_the_shell() -> None:
    shop = replace(sample.one_system().systems[0], name="a b; rm $HOME 'x'", params={"k": "v w"})
    words = shlex.split(command(shop))
    assert words[-1] == "a b; rm $HOME 'x'"
    assert "k=v w" in words
