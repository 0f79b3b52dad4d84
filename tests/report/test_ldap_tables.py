"""The tables of a directory: LDAP operations, failures by step, SLAMD's columns."""

from __future__ import annotations

from dataclasses import replace

from igen.aspects.aspects import ASPECTS
from igen.aspects.directory.parts import Directory, LdapOperations
from igen.aspects.directory.tables import NOTE, ldap_table
from igen.aspects.slamd.columns import slamd_table
from igen.aspects.slamd.rows import SlamdTable, slamd_rows_of
from igen.document import Table
from igen.judge import analyse, result_of
from igen.judge.intent import Intent
from igen.judge.result import FailureCount, Figure, Result
from igen.reference.load import load_reference
from igen.report.detail_tables import facts_tables
from igen.report.failures_table import failures_table
from report import sample
from report.shown import every_format
from tests.aspects.directories import searches

TEN = LdapOperations(
    each=10.0,
    per_s=Figure(value=41_805.57, low=41_000.0, high=42_600.0, n=3),
    published_per_s=Figure(value=45_986.13, low=45_100.0, high=46_860.0, n=3),
)
REASONS = [
    FailureCount(kind="other", step="bind", text="invalid credentials (49)", count=8),
    FailureCount(kind="other", step="search 3", text="no such object (32)", count=1),
    FailureCount(kind="check", step="search 1", text="2 entries instead of 1", count=3),
]


def with_level(**changes: object) -> Result:
    """The sample with its first level changed; its other levels have no errors."""
    result = sample.one_system()
    (system,) = result.systems
    first, *others = (replace(level, errors=0, failures=[]) for level in system.levels)
    return replace(result, systems=[replace(system, levels=[replace(first, **changes), *others])])  # type: ignore[arg-type]


def cells(table: Table) -> dict[str, list[str]]:
    return {column.full_title: list(column.cells) for column in table.columns}


def test_ten_operations_and_eleven_as_published() -> None:
    table = ldap_table(with_level(aspects=[Directory(operations=TEN, cross_check=None)]))
    found = cells(table)
    assert found["LDAP operations each"] == ["× 10"]
    assert found["LDAP operations per s"] == ["41,806"]
    assert found["as published each"] == ["× 11"]
    assert found["as published per s"] == ["45,986"]
    assert table.notes == [NOTE]
    assert ldap_table(sample.one_system()).columns == []


def test_failures_stand_by_step() -> None:
    found = cells(failures_table(with_level(errors=12, failures=REASONS)))
    assert found["step"] == ["bind", "search 1", "search 3"]
    assert found["reason"] == ["invalid credentials (49)", "2 entries instead of 1", "no such object (32)"]
    assert found["errors"] == ["8", "3", "1"]
    assert found["% of errors"] == ["66.7", "25.0", "8.3"]


def test_failures_without_steps_have_no_such_column() -> None:
    found = cells(
        failures_table(
            with_level(errors=2, failures=[FailureCount(kind="other", step="", text="deadlock: 1", count=2)])
        )
    )
    assert "step" not in found
    assert found["reason"] == ["deadlock: 1"]
    assert failures_table(with_level()).columns == []


def test_every_format_shows_them() -> None:
    result = with_level(aspects=[Directory(operations=TEN, cross_check=None)], errors=12, failures=REASONS)
    for text in every_format(result):
        assert "45,986" in text
        assert "invalid credentials (49)" in text


def test_slamds_columns_without_those_that_say_nothing() -> None:
    (system,) = sample.one_system().systems
    titles = [column.title for column in slamd_table(system).columns]
    assert "Avg Value" not in titles
    assert titles[-4:] == ["p50", "p90", "p99", "p99.9"]
    entries = replace(slamd_rows_of(system)[0], avg_value=1.0)
    assert "Avg Value" in [
        c.title for c in slamd_table(replace(system, aspects=[SlamdTable(rows=[entries])])).columns
    ]


def test_records_among_the_facts_are_left_to_their_own_tables() -> None:
    result = sample.one_system()
    facts = {"ldap.operations": [{"target": "ldap://a", "sent": {}}], "ldap.tree": "12 attributes"}
    shown = facts_tables(replace(result, systems=[replace(result.systems[0], facts=facts)]))
    assert [(group, list(table.rows())) for group, table in shown] == [("ldap", [("tree", "12 attributes")])]


def test_published_figures_stand_beside_the_runs() -> None:
    runs = [searches(34_240, job={"params": {"attributes": []}}, repeat=repeat) for repeat in range(3)]
    result = result_of(
        analyse(runs, intent=Intent(reference=load_reference("directory")), aspects=ASPECTS), "Searches"
    )
    page, markdown, terminal = every_format(result)
    for text in (terminal, page, markdown):
        assert "iGenLDAPs, as published, and A at 1 user" in " ".join(text.split())
        assert "27,582 a second, not 34,239.614" in " ".join(text.split())
    assert "Searches Completed  searches/s      34,240     34,240   1.00" in terminal
    for text in (page, markdown):
        assert "Corr Coeff" in text
        assert all(figure in text for figure in ("49,647,440", "1,711,980.069", "2,713.15"))
