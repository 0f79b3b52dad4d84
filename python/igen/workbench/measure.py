"""Runs a study, with a private server if it needs a server, and loads empty servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from igen.fleet.agent import Agent
from igen.store.run import Run
from igen.store.store import Store
from igen.study.observer import Observer
from igen.study.runner import Outcome, run_study
from igen.study.study import Study
from igen.workbench.bulk_load import bulk_load_targets
from igen.workbench.cache_counts import cache_counts
from igen.workbench.own_targets import own_targets
from igen.workbench.private_instance import with_target
from igen.workbench.threaded import threads_of

Say = Callable[[str], None]
Size = Callable[[Study], Study]
"""A function that completes a study by pilots, such as with the length of measurements."""


def carry_out(
    study: Study,
    store: Store,
    *,
    observer: Observer,
    say: Say,
    begun: Run | None = None,
    facts: Mapping[str, Any] | None = None,
    size: Size | None = None,
) -> Outcome:
    """Measures what the study plans; what was measured is in the run, whatever happened.

    `observer` is told how it goes, `say` what is done beside it. A run that has `begun` earlier is resumed.
    `facts` are kept with each job. `size` is called when the study's target runs and is loaded; a study
    without it is measured as it is written.
    Raises `InputError` before anything is made or measured.
    """
    with with_target(study, say) as placed:
        bulk_load_targets(placed, say)
        plan = size(placed) if size is not None else placed

        def known(job: Mapping[str, Any]) -> Mapping[str, Any]:
            return {**own_targets(job), **threads_of(job), **(facts or {})}

        return run_study(plan, Agent(), store, observer, begun, cache_counts, known)
