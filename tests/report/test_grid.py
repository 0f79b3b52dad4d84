"""Systems that differ in two settings, as a grid and as its pictures."""

from __future__ import annotations

from dataclasses import replace

import pytest

import igen
from igen.aspects.power.parts import Merit
from igen.aspects.published.parts import PublishedFigures
from igen.aspects.storage.tables import published_io_table, storage_table
from igen.judge.result import CounterResult, Result, System
from igen.judge.trust.finding import finding
from igen.judge.trust.trust import Trust
from igen.layout.number import ABSENT
from igen.reference.load import load_reference
from igen.report.draw import draw
from igen.report.grid import Grid
from igen.report.observation import observations
from igen.report.subject import are_many, what_ran
from report import sample
from report.shown import html, pictures
from tests.said import headline


def cell(block: int, depth: int, rate: float) -> System:
    system = sample.system(f"disk (block={block}, depth={depth})", (rate,) * 4, valid=True)
    moved = CounterResult(count=1, per_s=rate * block, per_transaction=float(block))
    level = replace(system.levels[0], counters={"read_bytes": moved})
    job = {"workload": "io", "params": {"block": block, "depth": depth, "read": 100}}
    return replace(system, levels=[level], peak=None, sweet_spot=None, knee=None, job=job, transaction="I/Os")


def result(*systems: System) -> Result:
    return Result(
        schema_version=2,
        igen_version=igen.__version__,
        title="Blocks by depth",
        systems=list(systems),
        ratios=[],
        differences=[],
        findings=[],
        observations=[],
    )


SYSTEMS = [cell(block, depth, depth * 1e9 / block) for block in (65536, 4096) for depth in (8, 1)]


def test_the_values_of_both_settings_ascend() -> None:
    grid = Grid.of(result(*SYSTEMS))
    assert grid is not None
    assert (grid.row_title, grid.column_title) == ("block", "depth")
    assert (grid.rows, grid.columns) == ([4096, 65536], [1, 8])
    assert grid.cells[65536, 1] is SYSTEMS[1].levels[0]
    assert [title for title, _ in grid.measures()] == ["I/Os/s", "MB/s", "p99 response time, ms"]


@pytest.mark.parametrize(
    "systems",
    [SYSTEMS[:1], SYSTEMS[:2], SYSTEMS[:3], [*SYSTEMS, SYSTEMS[0]]],
    ids=["one", "one row", "a hole", "a cell twice"],
)
def test_what_is_no_grid_is_not_drawn_as_one(systems: list[System]) -> None:
    assert Grid.of(result(*systems)) is None


def test_an_invalid_level_leaves_its_cell_empty() -> None:
    invalid = replace(
        SYSTEMS[0], levels=[replace(SYSTEMS[0].levels[0], trust=Trust(throughput="INVALID", times="INVALID"))]
    )
    grid = Grid.of(result(invalid, *SYSTEMS[1:]))
    assert grid is not None
    assert (65536, 8) not in grid.cells
    assert len(grid.cells) == 3


def test_the_table_of_storage_tells_bytes_and_watts() -> None:
    merit = Merit(
        level=0, meter="", watts=10.0, joules_per_transaction=None, disk="", disk_per_s=None, disks=None
    )
    systems = [replace(SYSTEMS[0], workload="io"), replace(SYSTEMS[1], workload="io", aspects=[merit])]
    table = storage_table(result(*systems))
    cells = {each.full_title: each.cells for each in table.columns}
    assert cells["MB/s read"] == ["8,000", "1,000"]
    assert cells["MB/s both"] == cells["MB/s read"]
    assert "MB/s written" not in cells, "nothing was written"
    assert cells["mJ per I/O"] == [ABSENT, "0.655"], "10 W for 15,259 I/Os a second"
    assert storage_table(result(*SYSTEMS)).columns == [], "another workload"


def test_published_storage_stands_beside_the_same_kind_of_load() -> None:
    reads = load_reference("storage").io
    assert {each.product for each in reads if each.is_like({})} >= {"Sun Flash Accelerator F20"}
    assert not any(each.is_like({"read": 70}) for each in reads), "no mix was published"
    (written,) = [each for each in reads if each.is_like({"pattern": "sequential", "read": 0})][:1]
    table = published_io_table(
        result(
            replace(
                SYSTEMS[0], workload="io", aspects=[PublishedFigures(tables=[], bandwidths=[], io=[written])]
            )
        )
    )
    cells = {each.full_title: each.cells for each in table.columns}
    assert cells["published MB/s"] == ["1,881"]
    assert cells["here MB/s"] == ["8,000"]
    assert published_io_table(result(*SYSTEMS)).columns == []


def test_the_pictures_show_every_cell_in_place_of_curves_of_one_point() -> None:
    shown = pictures(result(*SYSTEMS))
    assert [each.name for each in shown["grid"]] == ["grid-1", "grid-2", "grid-3"]
    rates, megabytes, _ = shown["grid"]
    assert "block 4 KiB, depth 8: 1,953,125" in rates.description
    assert "block 64 KiB, depth 1: 1,000" in megabytes.description
    assert "scaling" not in shown
    assert ">1,953,125<" in draw(rates).svg


@pytest.mark.parametrize(("blocks", "many"), [(4, False), (5, True)])
def test_many_systems_share_the_top_of_the_report(blocks: int, many: bool) -> None:
    systems = [
        replace(
            cell(512 << i, depth, 1e6),
            observations=[finding("load-processes", machine=f"m{i}", fewest=1, most=depth)],
        )
        for i in range(blocks)
        for depth in (1, 8)
    ]
    of_all = result(*systems)
    assert are_many(of_all) == many
    assert len(what_ran(of_all)) == (1 if many else len(systems))
    assert len(headline(of_all)) == (2 if many else len(systems))
    assert (f"{len(systems)} systems, {len(systems)} levels" in headline(of_all)[-1]) == many
    assert len(observations(of_all)) == (0 if many else len(systems))
    assert html(of_all).count('class="verdict ') >= 4 * len(systems), "each level has its verdict"
