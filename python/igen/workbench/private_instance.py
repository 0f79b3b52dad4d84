"""A private instance for a study without a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.instances import control
from igen.instances.guardian import ends_with_us
from igen.instances.instance import Instance, default_directory
from igen.instances.port import chosen_port
from igen.instances.product import Product
from igen.instances.products import PRODUCTS
from igen.study.planned import planned_levels
from igen.study.study import Study
from igen.workbench.amount import load_bytes
from igen.workbench.bulk_load import feed
from igen.workbench.tiers import with_tiers

Say = Callable[[str], None]


@contextmanager
def with_target(study: Study, say: Say) -> Iterator[Study]:
    """The study with a target that runs: its own, or a private instance, which is stopped at the end if it
    was started for it. What is loaded stays for the next time.
    """
    product = _needed(study)
    if product is None:
        yield with_tiers(study)
        return
    existing = _existing(product)
    if existing is not None and control.status(existing).state == "running":
        say(f"no --target: using {existing.name}, which is already running")
        yield _on(study, existing)
        return
    folder = (default_directory() / f"{product.name}-1").resolve()
    with ends_with_us(folder, remove=not product.keeps_data and existing is None):
        instance = _started(product, study, existing, say)
        try:
            yield _on(study, instance)
        finally:
            _end(product, instance, existing, say)


def _end(product: Product, instance: Instance, existing: Instance | None, say: Say) -> None:
    """Stop an instance; remove it if it was made for the study and has no data to keep."""
    if not product.keeps_data and existing is None:
        control.remove(instance)
        say(f"{instance.name} is removed")
        return
    control.stop(instance)
    keeps = ", its data is kept" if product.keeps_data else ""
    say(f"stopped {instance.name}{keeps}; `igen instances down {product.name} --remove` removes it")


def with_planned_target(study: Study) -> Study:
    """Return the study with a target if it needs one; the instance need not run."""
    product = _needed(study)
    return with_tiers(study) if product is None else _at(study, _planned(product))


def in_terms_of_instance(error: IgenError, study: Study) -> IgenError:
    """Return the error; if the study had no target, its hint is about the instance."""
    product = _needed(study) if error.where.startswith("targets") else None
    if product is not None and product.keeps_data:
        error.hint = (
            "use the loaded size, or remove the instance to load it again: "
            f"igen instances down {product.name} --remove"
        )
    return error


def _needed(study: Study) -> Product | None:
    """Return the kind of server for a study without a target if its workload needs one."""
    jobs = [study.job, *(system.job for system in study.systems)]
    workload = study.job.get("workload")
    able = [
        product
        for product in PRODUCTS.values()
        if workload in product.needs.loads or workload in product.default_for
    ]
    if not able or any(job.get("targets") for job in jobs):
        return None
    (known,) = [each for each in Agent().list("workloads") if each["name"] == workload]
    return None if known["default_target"] else able[0]


def _existing(product: Product) -> Instance | None:
    return next((one for one in control.selected(None, product.name) if one.number == 1), None)


def _planned(product: Product) -> str:
    existing = _existing(product)
    folder = default_directory() / f"{product.name}-1"
    return control.target(existing) if existing else product.target(folder, product.first_port)


def _at(study: Study, target: str) -> Study:
    return msgspec.structs.replace(study, job={**study.job, "targets": [target]})


def _on(study: Study, instance: Instance) -> Study:
    """The study on an instance that runs, with its tiers: nothing else tells that their processor time is
    the target's, and nobody's who disturbs.
    """
    return with_tiers(_at(study, control.target(instance)))


def _started(product: Product, study: Study, existing: Instance | None, say: Say) -> Instance:
    """Raise `InputError` if the study is wrong or the server is not installed, before anything is made."""
    product.version()
    job = planned_levels(_at(study, _planned(product)), Agent())[0].job
    amount_bytes = load_bytes(product, job)
    if existing:
        say(f"no --target: starting {existing.name}")
    else:
        loaded = " and loading it" if product.keeps_data else ""
        say(f"no --target: starting a private {product.name}{loaded}")
    try:
        with Interrupts() as interrupts, chosen_port(product.first_port) as port:
            (instance,) = control.up(
                product.name,
                1,
                wish=control.Wish(load_bytes=amount_bytes, port_from=port),
                feed=feed(job, say),
                force=bool(job["force"]),
                stopped=lambda: interrupts.count > 0,
            )
    except InputError as error:
        error.where = error.where or "--target"
        raise
    return instance
