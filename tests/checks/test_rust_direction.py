from __future__ import annotations

from typing import Any

from checks import rust_direction


def crate(name: str, *uses: str, kind: str | None = None) -> dict[str, Any]:
    return {"name": name, "dependencies": [{"name": used, "kind": kind} for used in uses]}


def test_a_dependency_against_the_direction_is_found() -> None:
    packages = [crate("igen-stats", "serde", "igen-job"), crate("igen-job", "igen-stats")]
    assert rust_direction.findings({"packages": packages}) == ["igen-stats must not depend on igen-job"]


def test_leaves_do_not_see_each_other() -> None:
    packages = [crate("igen-monitors", "igen-engine", "igen-facts"), crate("igen-facts")]
    found = rust_direction.findings({"packages": [*packages, crate("igen-engine")]})
    assert found == ["igen-monitors must not depend on igen-facts"]


def test_tests_may_use_what_they_like() -> None:
    packages = [crate("igen-stats", "igen-job", kind="dev"), crate("igen-job")]
    assert rust_direction.findings({"packages": packages}) == []


def test_a_new_crate_needs_a_row() -> None:
    (found,) = rust_direction.findings({"packages": [crate("igen-new")]})
    assert "igen-new" in found
