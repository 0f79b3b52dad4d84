"""Which flag of `igen run` stands for which field of a job: one table, read in both directions."""

from __future__ import annotations

from igen.errors import IgenError, InputError

FLAGS = {
    "workload": "WORKLOAD",
    "targets": "--target",
    "load.closed.users": "--users",
    "load.closed.think_time_s": "--think-time",
    "load.paced.users": "--users",
    "load.paced.rate_per_user_per_s": "--pace",
    "load.open.rate_per_s": "--rate",
    "load.open.arrivals": "--arrivals",
    "load.open.users": "--users",
    "phases.measure_s": "--duration",
    "phases.warmup_s": "--warmup",
    "placement.task": "--threads",
    "placement.task.threads": "--threads",
    "placement": "--pin",
    "placement.precise": "--precise",
    "params": "--set",
    "load_seed": "--seed",
    "force": "--force",
    "i_own_this_data": "--i-own-this-data",
    "fail_if": "--fail-if",
    "plan.torture": "--torture",
    "fleet.agents": "--agents",
    "fleet.address": "--fleet",
    "fleet.on_loss": "--on-loss",
    "resume": "--resume",
}
"""Flag by path in the job, or by what else of the workbench it stands for."""


def load_path(flag: str, model: str) -> str:
    """The field that a flag sets in a load model. Raises `InputError` where they do not go together."""
    for path, name in FLAGS.items():
        if name == flag and path.startswith(f"load.{model}."):
            return path
    users = next(
        name for path, name in FLAGS.items() if path.startswith(f"load.{model}.") and name != "--users"
    )
    raise InputError(
        f"does not go with {users}" if model != "closed" else "needs --rate",
        where=flag,
        hint="a load is closed (--users, --think-time), paced (--users, --pace) or open (--rate, --arrivals)",
    )


def in_terms_of_flags(error: IgenError) -> IgenError:
    """The same error, its place named by the flag that set it instead of the job's field."""
    path = error.where.partition("[")[0]
    group = path.partition(".")[0]
    if path in FLAGS:
        error.where = FLAGS[path]
    elif group in FLAGS:
        # Of a parameter the whole place: lists of a scenario are told by number.
        error.where = f"--set {error.where.partition('.')[2]}" if group == "params" else FLAGS[group]
    return error
