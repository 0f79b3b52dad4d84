"""`igen noise measure`: the noise of this machine, from a system compared with itself."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING, Any

import click

from igen.ask.asked import Asked
from igen.cli import parameters as p
from igen.errors import IgenError, InputError, Interrupted, Undecided
from igen.loads import several

if TYPE_CHECKING:
    from igen.judge.figure.noise import MachineNoise
    from igen.store.noise import NoiseSession
    from igen.store.store import Store
    from igen.study.study import Study
    from igen.workbench.measure import Size

DEFAULT_SESSIONS = 3
DEFAULT_PAIRS = 4
VISIBLE_PAIRS = 5
"""Pairs for the smallest visible difference."""


@click.command()
@click.argument("study", default="cpu")
@p.target_option
@click.option(
    "--users", metavar="N", callback=p.users, help="Number of users.  [default: 1, or the level of the study]"
)
@click.option(
    "--duration",
    metavar="TIME",
    callback=p.duration,
    help="Length of each measurement.  [default: all end within 30s]",
)
@click.option(
    "--sessions",
    metavar="N",
    type=click.IntRange(1, 100),
    default=DEFAULT_SESSIONS,
    show_default=True,
    help="Number of sessions; each is a separate run.",
)
@click.option(
    "--pairs",
    metavar="N",
    type=click.IntRange(3, 1000),
    default=DEFAULT_PAIRS,
    show_default=True,
    help="Pairs of measurements in each session.",
)
@p.set_option
@p.store_option
@p.json_option
@p.quiet_option
def measure(
    study: str,
    targets: list[str],
    users: list[int] | None,
    duration: str | None,
    sessions: int,
    pairs: int,
    params: dict[str, Any],
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure how much one system differs from itself.

    iGen measures one system as if it were two, and reports how much runs and sessions differ, and how often
    a comparison would call the two different. STUDY is a workload, or a file (TOML) with one level. The store
    keeps the noise (noise.json) for searches, `igen noise plan`, and comparisons of runs of different times.
    Repeat the command on another day: each call adds sessions to the earlier ones.

    \b
    Examples:
      igen noise measure
      igen noise measure oltp --target sqlite:///shop.db --users 4
      igen noise measure studies/cpu.toml --sessions 5 --pairs 10
    """
    from igen.cli.conduct import piloted
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.output import say_next
    from igen.cli.side_by_side import Side, plan_of, with_sides
    from igen.cli.suggest import with_suggestion
    from igen.store.noise import add_noise, read_noise
    from igen.store.store import Store
    from igen.study.noise import noise_from

    from_file = study.endswith(".toml")
    if not from_file:
        users = users or [1]
    plan = plan_of(study, Asked(targets=targets, users=users, duration=duration, params=params))
    if any(len(values) > 1 for values in plan.axes.values()):
        raise InputError("noise is measured at a single load", where="--users", hint="such as --users 4")
    if several(plan.job):
        raise InputError(
            "noise cannot be measured with several loads at once",
            where=study,
            hint="use a study with one load",
        )
    plan = with_sides(plan, [Side("a", {}), Side("b", {})], pairs, None)
    folder, last = Store(store), None
    size = piloted(quiet=quiet, sessions=sessions)
    try:
        for number in range(1, sessions + 1):
            if not quiet:
                click.echo(f"session {number} of {sessions}", err=True)
            plan, last = _session(plan, folder, quiet=quiet, size=size)
            add_noise(folder.path, last)
    except IgenError as error:
        if isinstance(error, Interrupted) and last is not None:
            error.text += f"; the sessions before it are kept in {folder.path / 'noise.json'}"
        raise in_terms_of_flags(with_suggestion(error, str(plan.job.get("workload", "")))) from error
    same = [each for each in read_noise(folder.path) if last and _is_like(each, last)]
    noise = noise_from(same)
    if noise is None:
        raise Undecided(
            "too few usable pairs to compute the noise", hint="`igen show last` shows the disturbances"
        )
    if as_json:
        from igen.cli.output import print_json

        print_json({"workload": noise.workload, "noise": noise.of})
        return
    for line in noise_lines(noise):
        click.echo(line)
    click.echo(f"Noise: {folder.path / 'noise.json'}")
    say_next("igen noise plan --see 2%", quiet=quiet)


def _session(plan: Study, store: Store, *, quiet: bool, size: Size) -> tuple[Study, NoiseSession]:
    """Carry out one pass over all pairs; return the study with what its pilots have found, and the noise.

    Raises if it was interrupted or nothing of it counts.
    """
    import msgspec

    from igen.cli.conduct import observer_of
    from igen.cli.output import say_unless
    from igen.study.noise import session_of
    from igen.study.results import read_systems
    from igen.workbench.measure import carry_out

    sized = plan

    def kept(placed: Study) -> Study:
        nonlocal sized
        done = size(placed)
        found = {name: done.job[name] for name in ("phases", "placement") if name in done.job}
        sized = msgspec.structs.replace(plan, job={**plan.job, **found})
        return done

    outcome = carry_out(plan, store, observer=observer_of(quiet), say=say_unless(quiet), size=kept)
    if outcome.interrupted:
        raise Interrupted("interrupted", hint=f"`igen show {outcome.run.id}` shows what was measured")
    if outcome.error is not None:
        raise outcome.error
    base, system = read_systems(outcome.run, outcome.recordings)
    return sized, session_of(base, system)


def _is_like(session: NoiseSession, last: NoiseSession) -> bool:
    return (session.host, session.settings) == (last.host, last.settings)


def noise_lines(noise: MachineNoise) -> list[str]:
    """Return a table with a row for each quantity, and an explanation."""
    from igen.cli.output import aligned
    from igen.judge.compare.shares import error_of_load
    from igen.judge.figure.effect import percent, repeats_for, visible_with
    from igen.judge.trust.rules.comparison import DEFAULT_MARGIN

    rows = [
        ["", "between runs", "of a pair", "between sessions", "autocorrelation", "false claims", "visible"]
    ]
    for quantity, each in noise.of.items():
        visible = visible_with(VISIBLE_PAIRS, each.between_pairs, "pairs", error=error_of_load(1))
        rows.append(
            [
                quantity,
                _percent(each.between_runs),
                _percent(each.between_pairs),
                _percent(each.between_sessions),
                "-" if each.autocorrelation is None else f"{each.autocorrelation:+.2f}",
                f"{each.false_claims} of {each.sessions}",
                f"{percent(visible):.2g} %",
            ]
        )
    lines = [
        f"{noise.workload}, {max(each.sessions for each in noise.of.values())} sessions, "
        f"{max(each.pairs for each in noise.of.values())} pairs; standard deviations",
        *aligned(rows),
        f"visible: the smallest difference that {VISIBLE_PAIRS} pairs side by side show in 4 of 5 studies "
        f"(tested at {100 * error_of_load(1):g} %)",
    ]
    if deciding := noise.deciding:
        pairs = repeats_for(
            log1p(DEFAULT_MARGIN.value), deciding.between_pairs, "pairs", error=error_of_load(1)
        )
        lines.append(
            f"{100 * DEFAULT_MARGIN.value:g} % need {pairs or 'too many'} pairs; `igen noise plan --see 2%` "
            "plans other differences"
        )
    return lines


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2g} %"
