"""Ratios of two systems that were made up."""

from __future__ import annotations

from igen.judge.result import Figure, Quantity, Ratio, System


def ratios(base: System, other: System, number: int, half: float) -> list[Ratio]:
    """Ratios of one level in throughput and mean response time, with an interval of plus and minus `half`."""
    ours, theirs = other.levels[number], base.levels[number]
    value = ours.throughput_per_s.value / theirs.throughput_per_s.value
    alike = value * (1 - half) < 1 < value * (1 + half)
    times = theirs.response_time_ms
    assert times is not None
    quantities: tuple[tuple[Quantity, float, float], ...] = (
        ("throughput", value, theirs.throughput_per_s.value),
        ("mean response time", 1 / value, times.mean),
    )
    return [
        Ratio(
            level=number,
            users=ours.users,
            offered_per_s=None,
            system=other.name,
            base=base.name,
            quantity=quantity,
            decides=quantity == "throughput",
            ratio=Figure(value=of, low=of * (1 - half), high=of * (1 + half), n=3),
            figure=of * of_base,
            base_figure=of_base,
            run_ratios=[of * (1 - half / 2), of, of * (1 + half / 2)],
            answer="cannot tell" if alike else "faster" if value > 1 else "slower",
            p=0.4 if alike else 0.001,
            error=0.01,
            questions=4,
            restates_throughput=quantity != "throughput",
            margin_percent=3.0,
            visible_percent=6.2,
            repeats_needed=9,
            disturbance_percent=0.0,
            session_noise_percent=None,
            method="log-Welch",
            served=None,
            base_served=None,
        )
        for quantity, of, of_base in quantities
    ]
