"""What an audit of dependencies reports."""

from __future__ import annotations

import json

from checks.audit import vulnerable


def test_known_vulnerabilities_are_findings_and_unknown_packages_are_counted() -> None:
    report = {
        "dependencies": [
            {
                "name": "a",
                "version": "1.0",
                "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["1.1", "2.0"]}],
            },
            {"name": "b", "version": "1.0", "vulns": []},
            {"name": "c", "skip_reason": "Dependency not found on PyPI"},
        ],
        "fixes": [],
    }
    found, unknown = vulnerable(json.dumps(report))
    assert found == ["a 1.0: PYSEC-2026-1, fixed in 1.1, 2.0"]
    assert unknown == ["c"]
