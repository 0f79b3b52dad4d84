"""`igen instances up --load`: what a workload needs, created in instances that were just started."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from igen.cli.step import checked_step, run_step
from igen.errors import IgenError, InputError
from igen.instances.product import Product


def load_bytes(
    product: Product, workload: str, params: dict[str, Any], targets: Sequence[str], *, force: bool
) -> int:
    """Disk that each instance will need for it. Raises `InputError` where it cannot be loaded."""
    from igen.fleet.agent import Agent

    known = product.needs.loads.get(workload)
    if known is None:
        hint = f"there is {', '.join(product.needs.loads)}; `igen prepare` loads others"
        raise InputError(f"what `{workload}` will take of the disk is not known", where="--load", hint=hint)
    with _in_terms_of_load():
        checked_step("prepare", workload=workload, targets=targets, params=params, force=force)
    (described,) = [each for each in Agent().list("workloads") if each["name"] == workload]
    default = described["params"]["properties"][known.parameter]["default"]
    return known.first_bytes + int(params.get(known.parameter, default)) * known.bytes_each


def load(workload: str, params: dict[str, Any], targets: Sequence[str], *, force: bool, quiet: bool) -> None:
    """Does what `igen prepare` does, the instances being shards in their order."""
    with _in_terms_of_load():
        run_step("prepare", workload=workload, targets=targets, params=params, force=force, quiet=quiet)


@contextmanager
def _in_terms_of_load() -> Iterator[None]:
    """Names the flags of `igen instances up` in errors: its --set is of the server."""
    try:
        yield
    except IgenError as error:
        error.where = error.where.replace("--set", "--load-set").replace("--target", "--load")
        raise
