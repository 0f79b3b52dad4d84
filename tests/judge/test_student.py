"""The distributions that intervals and claims rest on, against scipy."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from igen.judge.figure.student import normal_quantile, normal_share, t_critical, t_tail

FREEDOM = st.floats(0.5, 1e6)


@given(FREEDOM, st.floats(-1e4, 1e4))
def test_the_tail_of_t_is_that_of_scipy(freedom: float, t: float) -> None:
    assert t_tail(freedom, t) == pytest.approx(special.stdtr(freedom, -t), rel=1e-9, abs=1e-290)


@given(FREEDOM, st.floats(1e-12, 0.4999))
def test_the_critical_value_of_t_is_that_of_scipy(freedom: float, tail: float) -> None:
    assert t_critical(freedom, tail) == pytest.approx(-special.stdtrit(freedom, tail), rel=1e-8)


@given(st.floats(1e7, 1e12, exclude_min=True), st.floats(1e-9, 0.4999))
def test_beyond_ten_million_degrees_of_freedom_t_is_as_good_as_normal(freedom: float, tail: float) -> None:
    assert t_critical(freedom, tail) == -normal_quantile(tail)
    assert t_critical(freedom, tail) == pytest.approx(-special.stdtrit(freedom, tail), rel=1e-6)


@pytest.mark.parametrize("freedom", [1.0, 2.0, 30.0, 1e9, inf])
def test_critical_values_of_tables(freedom: float) -> None:
    table = {1.0: 12.7062, 2.0: 4.30265, 30.0: 2.04227, 1e9: 1.95996, inf: 1.95996}
    assert t_critical(freedom, 0.025) == pytest.approx(table[freedom], rel=1e-5)
    assert t_critical(freedom, 0.5) == 0
    assert t_tail(freedom, inf) == 0
    assert t_tail(freedom, 0.0) == 0.5


@given(st.floats(-30, 8))
def test_the_normal_distribution_is_that_of_scipy(z: float) -> None:
    assert normal_share(z) == pytest.approx(special.ndtr(z), rel=1e-12)
    assert normal_quantile(0.975) == pytest.approx(special.ndtri(0.975), rel=1e-14)
