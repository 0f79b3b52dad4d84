"""The agents of a study: number, machines, and the rule for a level that loses an agent."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from igen.units import parse_time_s

MOST_AGENTS = 1000
LOCAL = "local"
OnLoss = Literal["fail", "continue", "redistribute"]


class FleetPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The load machines of a study."""

    agents: Annotated[int, msgspec.Meta(ge=1, le=MOST_AGENTS)] = 1
    """Load processes that share each level; a level has at most one agent per user."""
    address: Annotated[str, msgspec.Meta(min_length=1)] = LOCAL
    """Where they run: `local` for several processes on this machine, `ray://HOST:PORT` for a node each of a
    Ray cluster, `auto` inside of such a cluster."""
    insecure: bool = False
    """Use a cluster that has neither token nor TLS."""
    on_loss: OnLoss = "fail"
    """When an agent is lost under load: `fail` ends the level, `continue` measures on with those that are
    left, `redistribute` does so too and shares the next levels among them. The level is INVALID each time."""
    lease: str | Annotated[float, msgspec.Meta(gt=0)] = 5.0
    """Time without contact after which an agent stops its load: `5s`, or seconds."""

    @property
    def lease_s(self) -> float:
        """Return the lease in seconds. Raises `InputError`."""
        return parse_time_s(str(self.lease))
