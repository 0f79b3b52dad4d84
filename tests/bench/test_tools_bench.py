from __future__ import annotations

import json

import pytest

from bench import tools, tools_load
from bench.tools import Watch
from bench.tools_load import Mark, Speed, Started


def test_a_speed_is_told_with_and_without_waiting_for_a_processor() -> None:
    first, last = Mark(10.0, 100, 1.0), Mark(14.0, 500, 5.0)
    # Two threads have waited for 4 s, each for two of the four.
    assert tools_load.between(first, last, 2) == Speed(100.0, 200.0)
    with pytest.raises(RuntimeError, match="did nothing"):
        tools_load.between(first, Mark(14.0, 100, 1.0), 2)


def test_a_slow_down_is_that_of_its_round() -> None:
    # The second round is slow as a whole.
    alone, watched = [Speed(100, 200), Speed(50, 200)], [Speed(98, 190), Speed(49, 200)]
    speeds = {"alone": alone, "watched": watched}
    assert tools.slow_downs(speeds, lambda speed: speed.per_s) == pytest.approx([2.0, 2.0])
    assert tools.slow_downs(speeds, lambda speed: speed.per_s_without_waiting) == pytest.approx([5.0, 0.0])


def test_a_tool_that_has_seen_nothing_is_no_measurement() -> None:
    def said(count: int) -> str:
        return json.dumps(
            {"table": {"name": "instructions", "rows": [{"instructions": "all", "count": count}]}}
        )

    assert tools.stepped(said(400)) == 400
    for nothing in (said(0), json.dumps({"note": "refused"})):
        with pytest.raises(RuntimeError, match="seen no instruction"):
            tools.stepped(nothing)


def test_a_core_is_that_of_the_rate_that_is_meant() -> None:
    watch = Watch(Started(programs=20_000, per_s=5000.0), executed=19_000, lost=0, cpu_s=0.2)
    assert watch.unseen_percent == pytest.approx(5.0)
    assert watch.core_percent == pytest.approx(10.0)
    others = Watch(watch.started, executed=20_100, lost=0, cpu_s=0.2)
    assert others.unseen_percent == 0.0


def test_what_audit_says_of_itself_is_found() -> None:
    rows = [{"what": "started", "count": 9}, {"what": "programs executed", "count": 7}]
    lines = [
        {"note": "another note"},
        {"table": {"name": "programs", "rows": []}},
        {"table": {"name": "events", "rows": rows}},
        {"note": "events lost: 3"},
    ]
    said = [json.dumps(line) for line in lines]
    assert tools.told_by_audit("\n".join(said)) == (7, 3)
    full = json.dumps({"note": "events lost: at least 4"})
    assert tools.told_by_audit("\n".join([*said[:-1], full])) == (7, 4)
    with pytest.raises(RuntimeError, match="does not say what it has seen"):
        tools.told_by_audit("\n".join(said[:-1]))


FORKSTAT = """\
Time     Event   PID Info   Duration Process
14:44:51 exec  10346                 igen_bench_exit
14:44:51 exit  10346      0   0.388s igen_bench_exit

    Fork     Exec     Exit Coredump     Comm    Clone   Ptrace      Uid      Sid    Total Process
    7274     2368      177        0        0        1        0        0        0     9820 short_lived
       0     3816     3817        0        0        0        0        0        0     7633 <unknown>
       0      995     2124        0        0        0        0        0        0     3119 igen_bench_exit -x 1
"""


def test_what_forkstat_has_counted_is_found() -> None:
    assert tools.told_by_forkstat(FORKSTAT) == 2368 + 3816 + 995
    with pytest.raises(RuntimeError, match="no statistics"):
        tools.told_by_forkstat("14:44:51 exec  10346 igen_bench_exit\n")


EXECSNOOP = """\
PCOMM            PID    PPID   RET ARGS
sh               10345  10340    0 /bin/sh -c true
igen_bench_exit  10346  10344    0 /tmp/igen_bench_exit
igen_bench_exit  10347  10344    0 /tmp/igen_bench_exit
"""


def test_what_execsnoop_has_printed_is_counted() -> None:
    assert tools.told_by_execsnoop(EXECSNOOP) == 2
    with pytest.raises(RuntimeError, match="no table"):
        tools.told_by_execsnoop("libbpf: failed to load\n")
