"""The fields of a study, a job and a fleet, and which of them are dangerous."""

from __future__ import annotations

from igen.dangers.field import (
    PLAIN,
    THINK_TIME,
    Field,
    dangerous,
    leaf,
    listed,
    named,
    only,
    table,
    texts,
    whole,
)
from igen.dangers.params import PARAMS, STARTS_PROGRAMS
from igen.dangers.targets import danger_of_target

MONITORS = (
    *(
        "clients",
        "cpu",
        "memory",
        "free_blocks",
        "disk",
        "device",
        "network",
        "pressure",
        "power",
        "process",
        "processes",
    ),
    *("short_lived", "tier", "postgresql", "mysql"),
)
"""Monitors that only read, on this machine and on the targets."""
_SCHEDULING = ("other", "batch", "idle", "slice")
"""Ways in which the load does not take priority over other programs."""

OF_WORKLOAD = Field()
"""Stands for the parameters of the workload that the study names."""

PERMISSION = leaf(only(False, otherwise="permission"))

LOAD = table(
    closed=table(users=PLAIN, think_time_s=THINK_TIME),
    paced=table(**texts("users", "rate_per_user_per_s")),
    open=table(**texts("users", "rate_per_s", "arrivals")),
)

TIER = whole(
    table(
        name=PLAIN,
        host=dangerous("login"),
        processors=PLAIN,
        match=table(
            **texts("cgroup", "process", "instance"),
            pids=listed(PLAIN),
            # Asks the programs that run containers.
            container=dangerous("program"),
        ),
    )
)

JOB = table(
    workload=leaf(only(*(PARAMS.keys() - STARTS_PROGRAMS), otherwise="program")),
    targets=listed(leaf(danger_of_target)),
    params=OF_WORKLOAD,
    personas=named(table(params=OF_WORKLOAD, load=LOAD)),
    load=LOAD,
    phases=table(
        **texts("ramp_s", "warmup_s", "measure_s", "drain_s", "interval_s", "extendable", "await_begin")
    ),
    placement=table(
        precise=PLAIN,
        scheduling=leaf(only(*_SCHEDULING, otherwise="rights")),
        thread=table(pin=PLAIN),
        task=table(**texts("threads", "pin")),
    ),
    steps=listed(leaf(only("prepare", "verify", "measure", otherwise="data"))),
    monitors=listed(leaf(only(*MONITORS, otherwise="unknown"))),
    tiers=listed(TIER),
    pids=listed(PLAIN),
    share=table(**texts("index", "of")),
    force=PERMISSION,
    i_own_this_data=PERMISSION,
    credentials=leaf(only("none", otherwise="permission")),
    **texts("seed", "load_seed", "repeat", "canary_s", "attended", "lease_s", "protocol"),
)

STUDY = table(
    job=JOB,
    plan=table(**texts("mode", "repeats", "share", "under_load_s", "within_s")),
    tiers=listed(TIER),
    # A path in the job and its values, which are looked at as if they stood there.
    axes=Field(),
    systems=listed(
        table(
            job=JOB,
            disk=table(**texts("name", "iops")),
            **texts("name", "against", "watts", "rack_units", "price", "cache"),
        )
    ),
    tests=listed(table(job=JOB, **texts("name", "title"))),
    scale=named(PLAIN),
    fail_if=listed(PLAIN),
    needs=listed(PLAIN),
    fleet=table(
        address=leaf(only("local", otherwise="login")),
        insecure=PERMISSION,
        **texts("agents", "on_loss", "lease"),
    ),
    **texts(
        *("name", "title", "system", "margin", "compare", "value", "response_time_limit"),
        "reference",
    ),
)

ALL_USERS = "users"
"""The axis that does not name a field of the job: the users of several loads together."""
