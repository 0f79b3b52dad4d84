"""Tiers of private instances: asked for by name, or because their shop is the target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from igen.cli import run_arguments
from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.instances import control
from igen.instances.shop import Shop, tiers
from igen.study.levels import expand
from igen.study.serving import with_tiers_of
from igen.study.study import Study, study_of
from igen.workbench.tiers import with_tiers
from tests.own_ports import own_ports

LOAD = {"closed": {"users": 1}}


def study(tier: dict[str, Any] | None = None, **job: Any) -> Study:
    table: dict[str, Any] = {"job": {"workload": "http", "load": LOAD, **job}}
    return study_of({**table, "tiers": [tier]} if tier else table, "s")


def job_of(made: Study) -> dict[str, Any]:
    """The job of the study's only level, its tiers found."""
    found = with_tiers(made)
    return with_tiers_of(found.servers, found.job)


@pytest.fixture
def shop(directory: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Its target."""
    monkeypatch.setattr(Shop, "first_port", own_ports())
    assert run_arguments(["instances", "up", "shop", "--quiet"]) == 0
    (instance,) = control.selected(directory, "shop")
    return control.target(instance)


def test_a_shop_that_is_the_target_has_its_tiers_unasked(shop: str, directory: Path) -> None:
    (instance,) = control.selected(directory, "shop")
    for target in (shop, f"{shop}/products?page=2", shop.replace("127.0.0.1", "localhost")):
        job = job_of(study(targets=[target]))
        assert {each["name"]: each["match"]["pids"] for each in job["tiers"]} == tiers(instance)
        assert job["pids"] == [instance.pid]
    for other in ("http://127.0.0.1:9", "sqlite:///a.db", "http://[bad"):
        assert "tiers" not in job_of(study(targets=[other]))


def test_what_the_study_says_is_left_alone(shop: str, directory: Path) -> None:
    mine = {"name": "all", "match": {"process": "nginx"}}
    assert job_of(study(mine, targets=[shop]))["tiers"] == [mine]
    assert job_of(study(targets=[shop], tiers=[]))["tiers"] == []
    # Whoever names monitors, and not this one, gets processes that are nobody's who disturbs.
    (instance,) = control.selected(directory, "shop")
    job = job_of(study(targets=[shop], monitors=["process"]))
    assert "tiers" not in job
    assert set(job["pids"]) == {instance.pid, *(pid for pids in tiers(instance).values() for pid in pids)}


def test_an_instance_is_known_by_its_name(shop: str, directory: Path) -> None:
    (instance,) = control.selected(directory, "shop")

    def pids(name: str) -> Any:
        (tier,) = job_of(study({"name": "a", "match": {"instance": name}}))["tiers"]
        return tier["match"]["pids"]

    assert pids("shop-1/app") == tiers(instance)["app"]
    assert pids("shop-1") == [instance.pid]
    for name, text, hint in [
        ("shop-2/app", "no instance `shop-2`", "shop-1"),
        ("shop-1/cache", "no tier `cache`", "web, app, data"),
    ]:
        with pytest.raises(InputError, match=text) as error:
            pids(name)
        assert error.value.where == "tiers[0].match.instance"
        assert hint in error.value.hint
    control.stop(instance)
    with pytest.raises(InputError, match="is not running"):
        pids("shop-1/app")


def test_each_system_has_the_tiers_of_its_own_target(shop: str) -> None:
    systems = [
        {"name": "shop", "job": {"targets": [shop]}},
        {"name": "other", "job": {"targets": ["http://127.0.0.1:9"]}},
    ]
    table = {"job": {"workload": "http", "load": LOAD, "targets": [shop]}, "systems": systems}
    mine, other = expand(with_tiers(study_of(table, "s")), Agent())
    # One shop in each job needs no name beside its tiers, whatever else the study loads.
    assert [tier["name"] for tier in mine.job["tiers"]] == ["web", "app", "data"]
    assert "tiers" not in other.job


def test_nobody_writes_what_serves_a_study() -> None:
    with pytest.raises(InputError, match="unknown key `servers`"):
        study_of({"job": {"workload": "http"}, "servers": []}, "s")


def test_tiers_have_one_place_in_a_study() -> None:
    tier = {"name": "a", "match": {"pids": [1]}}
    assert study(tier).job["tiers"] == [tier]
    with pytest.raises(InputError, match="also has tiers"):
        study(tier, tiers=[tier])
