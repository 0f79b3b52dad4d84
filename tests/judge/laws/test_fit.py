"""The fits against those of R, and against parameters that are known."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge.curve.laws.competing import competing
from igen.judge.curve.laws.families import AMDAHL, CAPPED, QUEUEING, UNIVERSAL, Law
from igen.judge.curve.laws.fit import fit
from tests.judge.laws.curves import LEVELS

SPEC_SDM91 = {1: 64.9, 18: 995.9, 36: 1652.4, 72: 1853.2, 108: 1828.9, 144: 1775.0, 216: 1702.2}
RAY_TRACER = {1: 20, 4: 78, 8: 130, 12: 170, 16: 190, 20: 200, 24: 210, 28: 230, 32: 260, 48: 280, 64: 310}
BY_HAND = {1: 1, 2: 1.8868, 4: 3.0769, 6: 3.5294, 8: 3.5398, 10: 3.3557}
TRUE = {
    "Amdahl": [3.0, 0.03],
    "queueing": [3.0, 0.2],
    "machine repairman": [3.0, 2.5],
    "USL": [3.0, 0.02, 3e-4],
    "capped linear": [3.0, 5.0, 1.2],
}


def one(law: Law, curve: dict[int, float], on: str = "X") -> dict[str, float]:
    n, x = np.array([*curve], float), np.array([*curve.values()], float)
    parameters, _ = fit(law, n, x, np.ones((1, len(n))), "X" if on == "X" else "ln X")
    return law.named(parameters[0])


@pytest.mark.parametrize(
    ("curve", "gamma", "alpha", "beta"),
    [
        (SPEC_SDM91, "90.0", "0.0277", "0.000104"),
        (RAY_TRACER, "21.8", "0.0578", "0"),
        (BY_HAND, "1", "0.02", "0.02"),
    ],
    ids=["specsdm91", "raytracer", "by hand"],
)
def test_the_coefficients_are_those_of_the_package_usl_of_r(
    curve: dict[int, float], gamma: str, alpha: str, beta: str
) -> None:
    # As its README and its tests print them (github.com/smoeding/usl: README.md, tests/confint.Rout.save,
    # tests/coef.Rout.save), on its own data.
    found = one(UNIVERSAL, curve)
    for name, published in (("λ", gamma), ("σ", alpha), ("κ", beta)):
        assert f"{found[name]:.3g}" == f"{float(published):.3g}"


@pytest.mark.parametrize("law", competing(think_s=0.0), ids=lambda law: law.name)
def test_what_a_law_made_it_finds_again(law: Law) -> None:
    n, true = np.array(LEVELS, float), np.array([TRUE[law.name]])
    x = np.exp(law.log_throughput(n, n, true))[0]
    weights = np.ones((3, len(n)))
    weights[1, 4] = weights[2, -3:] = 0  # held-out levels tell nothing, and are not missed
    for found in fit(law, n, x, weights)[0]:
        assert found == pytest.approx(true[0], rel=1e-3)


def test_parameters_stay_within_their_bounds() -> None:
    superlinear = {n: 10.0 * n**1.1 for n in (1, 2, 4, 8)}
    assert one(AMDAHL, superlinear)["σ"] == 0
    assert one(UNIVERSAL, superlinear)["κ"] == 0
    assert one(QUEUEING, superlinear)["d"] == pytest.approx(1e-5)


def test_the_queue_is_that_of_exact_mean_value_analysis() -> None:
    demand_s, rest_s, queue = 0.004, 0.016, 0.0
    at = np.array([1.0, 5.0, 20.0, 100.0])
    found = np.exp(QUEUEING.log_throughput(at, at, np.array([[np.log(1 / 0.02), 0.2]])))[0]
    expected = {}
    for users in range(1, 101):
        x = users / (rest_s + demand_s * (1 + queue))
        queue = x * demand_s * (1 + queue)
        expected[users] = x
    assert found == pytest.approx([expected[int(users)] for users in at], rel=1e-6)


def test_a_hard_limit_is_not_what_usl_describes() -> None:
    n = np.array(LEVELS, float)
    x = np.minimum(100 * n, 1600.0)
    errors = {}
    for law in (UNIVERSAL, CAPPED):
        kept = np.where(n <= 48, 1.0, 0.0)[None]
        parameters, _ = fit(law, n, x, kept)
        errors[law.name] = abs(np.log(x) - law.log_throughput(n, x, parameters))[0, -2:].max()
    assert errors["capped linear"] < 0.02 < 0.1 < errors["USL"]
