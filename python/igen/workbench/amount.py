"""Amount of data that a job loads into its targets, if it is known."""

from __future__ import annotations

from typing import Any

from igen.fleet.agent import Agent
from igen.instances.product import Product
from igen.instances.products import PRODUCTS

Job = dict[str, Any]


def load_bytes(product: Product, job: Job) -> int:
    """Return the disk space that each instance needs for the data of a job."""
    known = product.needs.loads.get(job["workload"])
    if known is None:
        return 0
    return known.first_bytes + _amount(job, known.parameter) * known.bytes_each


def shards_sentence(job: Job) -> str:
    """What each target of a job will hold where there are several; empty where none is a shard.

    With `keys` nothing is loaded: the file names what is in all of them already.
    """
    loads = [product.needs.loads.get(job["workload"]) for product in PRODUCTS.values()]
    parameter = next((load.parameter for load in loads if load), None)
    count = len(job["targets"])
    if parameter is None or count < 2 or job["params"].get("keys"):
        return ""
    each = _amount(job, parameter)
    return (
        f"each of the {count} targets gets its own {each:,} {parameter}, {count * each:,} in all: the targets"
        " are shards of one system. To compare systems, prepare them one by one"
    )


def _amount(job: Job, parameter: str) -> int:
    """Return the number of rows or entries that each target gets."""
    (described,) = [each for each in Agent().list("workloads") if each["name"] == job["workload"]]
    default = described["params"]["properties"][parameter]["default"]
    return int(job["params"].get(parameter, default))
