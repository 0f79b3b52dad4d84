"""What a workload needs, loaded into private instances: over connections, or by their own bulk loader."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from igen.cli.step import checked_step, run_step
from igen.errors import IgenError, InputError
from igen.instances import control
from igen.instances.instance import Instance
from igen.instances.product import Product
from igen.instances.products import PRODUCTS

Job = dict[str, Any]
Say = Callable[[str], None]

_TELL_EVERY_S = 2.0
_ENTRY = b"\ndn:"


def checked_load(workload: str, params: dict[str, Any], targets: Sequence[str], *, force: bool) -> Job:
    """The job that loads instances, which are shards in their order. Raises `InputError`."""
    with _in_terms_of_load():
        return checked_step("prepare", workload=workload, targets=targets, params=params, force=force)


def load(workload: str, params: dict[str, Any], targets: Sequence[str], *, force: bool, quiet: bool) -> None:
    """Does what `igen prepare` does."""
    with _in_terms_of_load():
        run_step("prepare", workload=workload, targets=targets, params=params, force=force, quiet=quiet)


def load_bytes(product: Product, job: Job) -> int:
    """Disk that each instance will need for a job. Raises `InputError` where that is not known."""
    from igen.fleet.agent import Agent

    workload, params = job["workload"], job["params"]
    known = product.needs.loads.get(workload)
    if known is None:
        loads = ", ".join(product.needs.loads) or "none that is"
        hint = f"there is {loads}; `igen prepare` loads others"
        raise InputError(f"what `{workload}` will take of the disk is not known", where="--load", hint=hint)
    (described,) = [each for each in Agent().list("workloads") if each["name"] == workload]
    default = described["params"]["properties"][known.parameter]["default"]
    return known.first_bytes + int(params.get(known.parameter, default)) * known.bytes_each


def feed(job: Job, say: Say, target_index: int | None = None) -> control.Feed:
    """What `igen export` writes for an instance, told as it goes; its number tells which target it is."""
    from igen.fleet.agent import Agent

    def pieces(instance: Instance) -> Iterator[bytes]:
        index = instance.number - 1 if target_index is None else target_index
        entries, told_s = 0, time.monotonic()
        # Where an entry begins may be cut in two, and before the first one there is no end of a line.
        end = b"\n"
        for piece in Agent().export(job, index):
            entries += (end + piece).count(_ENTRY)
            end = piece[1 - len(_ENTRY) :]
            if time.monotonic() - told_s > _TELL_EVERY_S:
                told_s = time.monotonic()
                say(f"{instance.name}: {entries:,} entries so far")
            yield piece
        say(f"{instance.name}: {entries:,} entries are loaded")

    return pieces


def bulk_load(job: Job, say: Say) -> None:
    """Loads those of a job's targets that are private instances which nothing is in yet."""
    from igen.fleet.interrupts import Interrupts

    if "prepare" not in job["steps"] or not _loaded_in_bulk(job["workload"]):
        return
    waiting = {
        _place(control.target(one)): one for one in control.selected(None, None) if control.awaits_load(one)
    }
    for index, target in enumerate(job["targets"]):
        if instance := waiting.pop(_place(target), None):
            with Interrupts() as interrupts:
                control.bulk_load(instance, feed(job, say, index), lambda: interrupts.count > 0)


def _loaded_in_bulk(workload: str) -> bool:
    return any(product.bulk_loader and workload in product.needs.loads for product in PRODUCTS.values())


def _place(target: str) -> tuple[object, ...]:
    """What a target is of, whoever connects to it."""
    try:
        url = urlsplit(target)
        host = "127.0.0.1" if url.hostname == "localhost" else url.hostname
        return url.scheme, host, url.port, url.path
    except ValueError:
        # The agent refuses it with better words.
        return (target,)


@contextmanager
def _in_terms_of_load() -> Iterator[None]:
    """Names the flags of `igen instances up` in errors: its --set is of the server."""
    try:
        yield
    except IgenError as error:
        error.where = error.where.replace("--set", "--load-set").replace("--target", "--load")
        raise
