"""What is known of a job's targets that are private instances: how they were made, which no server tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from igen.errors import IgenError
from igen.instances import control
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS
from igen.judge.compare import INSTANCE_SETTINGS, INSTANCES_MADE
from igen.study.targets import expand_targets

_OWN_HOSTS = {"localhost", "127.0.0.1", "::1"}


def own_targets(job: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of the private instances that a job loads; none unless all of its targets are such, and were made
    alike.
    """
    targets = expand_targets(job.get("targets") or [])
    if not isinstance(targets, list) or not targets:
        return {}
    try:
        instances = {place: one for one in _known() for place in _places(one)}
    except IgenError:
        # A record that another command has broken costs a sentence, and not what is being measured.
        return {}
    found = [instances.get(_place(target)) for target in targets]
    told = [_told(instance) for instance in found if instance is not None]
    if len(told) < len(targets) or any(each != told[0] for each in told):
        return {}
    return told[0]


def _known() -> list[Instance]:
    return [one for one in control.selected(None, None) if one.kind in PRODUCTS]


def _places(instance: Instance) -> list[object]:
    socket = control.socket_target(instance)
    return [_place(control.target(instance)), *([socket] if socket else [])]


def _place(target: object) -> object:
    """Scheme and port of a server on this machine; the target itself of any other."""
    try:
        parts = urlsplit(str(target))
        port = parts.port
    except ValueError:
        return target
    own = parts.hostname in _OWN_HOSTS and port is not None and not {"socket=", "host="} & _names(parts.query)
    return (parts.scheme, port) if own else target


def _names(query: str) -> set[str]:
    return {f"{each.partition('=')[0]}=" for each in query.split("&")}


def _told(instance: Instance) -> dict[str, Any]:
    made = {
        "kind": instance.kind,
        "version": instance.version,
        "cache_bytes": instance.cache_bytes,
        "max_connections": instance.max_connections,
        "durable": instance.durable,
    }
    settings = {f"{INSTANCE_SETTINGS}{name}": value for name, value in instance.settings.items()}
    return {INSTANCES_MADE: made, **settings}
