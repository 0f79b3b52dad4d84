"""`igen instances up --load`: load the data of a workload into instances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from igen.cli.step import checked_step, run_step
from igen.errors import IgenError, InputError
from igen.instances.product import Product

Job = dict[str, Any]


def checked_load(
    product: Product, workload: str, params: dict[str, Any], targets: Sequence[str], *, force: bool
) -> Job:
    """Return the job that loads instances as shards, in their order. Raises `InputError`."""
    if workload not in product.needs.loads:
        loads = ", ".join(product.needs.loads) or "another kind of server"
        hint = f"use {loads}; `igen data prepare` loads other workloads"
        raise InputError(f"the disk space for `{workload}` is unknown", where="--load", hint=hint)
    with _in_terms_of_load():
        return checked_step("prepare", workload=workload, targets=targets, params=params, force=force)


def load(workload: str, params: dict[str, Any], targets: Sequence[str], *, force: bool, quiet: bool) -> None:
    """Load the data, as `igen data prepare` does."""
    with _in_terms_of_load():
        run_step("prepare", workload=workload, targets=targets, params=params, force=force, quiet=quiet)


@contextmanager
def _in_terms_of_load() -> Iterator[None]:
    """Return the error with the options of `igen instances up`: its --set is a setting of the server."""
    try:
        yield
    except IgenError as error:
        error.where = error.where.replace("--set", "--load-set").replace("--target", "--load")
        raise
