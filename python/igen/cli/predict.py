"""`igen predict`: predict a load that was not measured from a recorded curve."""

from __future__ import annotations

import click

from igen.cli import parameters as p
from igen.errors import InputError


@click.command()
@p.run_argument
@click.option(
    "--users",
    metavar="N",
    type=click.FloatRange(0, min_open=True),
    help="Predict throughput and response time at this number of users.",
)
@click.option(
    "--response-time",
    "limit_s",
    metavar="TIME",
    callback=p.limit_s,
    help="Predict the highest number of users within this mean response time: 50ms.",
)
@click.option(
    "--extrapolate",
    is_flag=True,
    help="Allow predictions up to twice the highest measured load, if a law fits the curve.",
)
@p.store_option
@p.json_option
def predict(
    reference: str,
    users: float | None,
    limit_s: float | None,
    extrapolate: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Predict a load that was not measured.

    Predicts throughput and response time at a number of users, or the users that a limit allows. RUN must
    have a closed load. Each law (Amdahl, a queue, the machine repairman, USL, capped linear) is tested with
    levels that it has not seen. The band covers all laws that the levels do not reject; if they reject all,
    it is the possible range without a law. iGen refuses to predict loads outside the measured range (exit
    code 2).

    \b
    Examples:
      igen predict last --users 24
      igen predict shop --response-time 50ms
      igen predict shop --users 150 --extrapolate --json
    """
    from igen.judge.curve.laws.curve import curve_of
    from igen.judge.curve.laws.predict import predict_limit, predict_users
    from igen.store.store import Store
    from igen.study.results import read_systems

    if (users is None) == (limit_s is None):
        hint = "such as --users 24, or --response-time 50ms"
        raise InputError("give either --users or --response-time", where="--users", hint=hint)
    curves = [curve_of(system) for system in read_systems(Store(store).find(reference))]
    answers = [
        predict_users(curve, users, extrapolate=extrapolate)
        if users is not None
        else predict_limit(curve, 1e3 * (limit_s or 0.0), extrapolate=extrapolate)
        for curve in curves
    ]
    if as_json:
        from igen.cli.output import print_json

        print_json(answers)
        return
    from igen.report.prediction import prediction_document
    from igen.report.printers.terminal import Terminal, print_text

    click.echo(print_text(prediction_document(answers), Terminal.detect()), nl=False)
