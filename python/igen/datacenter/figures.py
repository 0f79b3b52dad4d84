"""Figures of merit and the laws of users and queues, as formulas alone."""

from __future__ import annotations


def interactive_rate_per_s(users: float, think_s: float, response_s: float) -> float:
    """X = N / (R + Z): what users do who think (the interactive response time law)."""
    return users / (response_s + think_s)


def in_the_system(rate_per_s: float, response_s: float) -> float:
    """N = X R: how many are in the system at once, such as threads (Little's law)."""
    return rate_per_s * response_s


def swap(performance: float, rack_units: float, watts: float) -> float:
    """Space, watts and performance: performance / (rack units x watts), as Sun Microsystems published it."""
    return performance / (rack_units * watts)


def efficiency(one: float, many: float, nodes: float) -> float:
    """X(n) / (n X(1)): 1 where n nodes do n times what one does."""
    return many / (nodes * one)
