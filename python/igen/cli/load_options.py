"""The options that say which load is driven, against what and from where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from igen.cli import parameters as p

LOAD_OPTIONS = (
    p.target_option,
    click.option(
        "--users",
        metavar="N,N,...",
        callback=p.users,
        help="Levels: numbers of concurrent users.  [default: 1; mem: up to one for each processor]",
    ),
    click.option(
        "--rate", metavar="R,R,...", callback=p.rates, help="Levels of an open load: arrivals per second."
    ),
    click.option(
        "--think-time",
        metavar="TIME",
        callback=p.think_time,
        help="Pause of each user between transactions: 1s, or at random: uniform:5s,15s, exponential:8s.",
    ),
    click.option(
        "--pace", metavar="RATE", callback=p.rate, help="Transactions that each user starts per second: 10/s."
    ),
    click.option(
        "--arrivals",
        type=click.Choice(["constant", "poisson"]),
        help="Time between arrivals of an open load: constant, or random (poisson).",
    ),
    click.option(
        "--duration",
        metavar="TIME",
        callback=p.duration,
        help="Length of each measurement.  [default: as long as the transactions need, all within "
        "30s; web: 12s]",
    ),
    click.option(
        "--warmup",
        metavar="auto|TIME",
        callback=p.duration,
        default="auto",
        show_default=True,
        help="Load before each measurement; auto: a fifth of --duration, then longer until the load "
        "is steady.",
    ),
    click.option(
        "--response-time-limit",
        metavar="TIME",
        callback=p.limit_s,
        help="Report the highest load with a shorter mean response time: 30ms.",
    ),
    click.option(
        "--seed",
        metavar="N",
        type=int,
        help="Seed of all random choices: keys, arrivals, service times.  [default: new in each study]",
    ),
    p.set_option,
    click.option(
        "--verify", is_flag=True, help="Check that storage keeps all written data: --set verify=true."
    ),
    p.agents_option,
    p.fleet_option,
    p.on_loss_option,
    p.insecure_option,
    click.option(
        "--threads",
        metavar="N|auto",
        callback=p.threads,
        help="Threads that share the users of a network client; auto: found by short runs if the "
        "server is on this machine, else one for each processor.  [default: auto]",
    ),
    click.option("--pin", is_flag=True, help="Pin each user's thread to a processor."),
    click.option(
        "--precise/--no-precise",
        default=None,
        help="Start transactions within microseconds: idle threads spin before the start.  "
        "[default: for open and paced loads, if a local target does not need the processors]",
    ),
    p.force_option,
    p.own_data_option,
    p.fail_if_option,
)


def load_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which takes their values as `**flags`."""
    for option in reversed(LOAD_OPTIONS):
        command = option(command)
    return command
