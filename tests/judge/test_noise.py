from __future__ import annotations

import numpy as np
import pytest

from igen.judge.figure.noise import Session, noise_of


def sessions(
    count: int, pairs: int, *, runs: float, common: float = 0.0, between: float = 0.0, ar: float = 0.0
) -> list[Session]:
    """Pairs whose two runs share `common`, in sessions that differ by `between`; ln standard deviations."""
    random = np.random.default_rng(8)
    made = []
    for _ in range(count):
        mean = between * random.standard_normal()
        shared = np.zeros(pairs)
        for at in range(pairs):
            step = common * np.sqrt(1 - ar**2) * random.standard_normal()
            shared[at] = step + (ar * shared[at - 1] if at else 0.0)
        own = runs * random.standard_normal((2, pairs))
        a, b = np.exp(mean + shared + own)
        made.append(Session(started_unix_s=0.0, pairs=list(zip(a.tolist(), b.tolist(), strict=True))))
    return made


def test_the_parts_of_the_noise_are_told_apart() -> None:
    noise = noise_of(sessions(60, 10, runs=0.01, common=0.02, between=0.05))
    assert noise is not None
    assert noise.between_runs == pytest.approx(np.hypot(0.01, 0.02), rel=0.1)
    assert noise.between_pairs == pytest.approx(0.01 * np.sqrt(2), rel=0.1)
    assert noise.correlation == pytest.approx(0.8, abs=0.05)
    assert noise.between_sessions == pytest.approx(0.05, rel=0.2)
    assert noise.false_claims <= 0.1 * noise.sessions
    assert (noise.sessions, noise.pairs) == (60, 600)


def test_autocorrelation_is_seen() -> None:
    drifting, free = (noise_of(sessions(30, 20, runs=0.002, common=0.02, ar=ar)) for ar in (0.8, 0.0))
    assert drifting is not None
    assert free is not None
    assert drifting.autocorrelation is not None
    assert drifting.autocorrelation > 0.4
    assert free.autocorrelation == pytest.approx(0.0, abs=0.15)


def test_one_session_knows_nothing_of_others() -> None:
    noise = noise_of(sessions(1, 5, runs=0.01))
    assert noise is not None
    assert (noise.between_sessions, noise.session_variance) == (None, None)
    assert noise_of([Session(started_unix_s=0.0, pairs=[(1.0, 1.0)] * 2)]) is None
    assert noise_of([]) is None
    still = noise_of([Session(started_unix_s=0.0, pairs=[(1.0, 1.0)] * 5)])
    assert still is not None
    assert (still.between_runs, still.correlation) == (0.0, 0.0)
