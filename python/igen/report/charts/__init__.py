"""All pictures of a report. The only package that imports a chart library: import it late."""

from __future__ import annotations

from dataclasses import dataclass

from igen.analysis.result import Result
from igen.report.charts.grid import grid_charts
from igen.report.charts.memory import memory_charts
from igen.report.charts.ratios import ratio_charts
from igen.report.charts.render import Picture
from igen.report.charts.scaling import response_chart, throughput_chart
from igen.report.charts.timeline import heat_grid, heat_strip, throughput_strip
from igen.report.level import colour_places
from igen.report.palette import system_colour
from igen.report.timeline import columns_of_level, tracks

__all__ = ["Picture", "Pictures", "draw_pictures"]


@dataclass(frozen=True, slots=True)
class Pictures:
    """The pictures of a report, by place."""

    grid: list[Picture]
    """Over two settings."""
    memory: list[Picture]
    """Bandwidth and latency over the size of arrays and over threads; then neither grid nor scaling."""
    scaling: list[Picture]
    """Over the load; none of a grid of single levels."""
    instances: list[Picture]
    """Over the number of targets."""
    ratios: list[Picture]
    timelines: list[list[list[Picture]]]
    """Of each system, of each of its levels."""

    def all(self) -> list[Picture]:
        """Every picture, in the order of the report."""
        timelines = [picture for levels in self.timelines for level in levels for picture in level]
        return [*self.grid, *self.memory, *self.scaling, *self.instances, *self.ratios, *timelines]


def draw_pictures(result: Result) -> Pictures:
    """Draws everything that the result has data for."""
    scaling, instances = (
        [
            picture
            for picture in (
                chart(result, along_targets=along_targets, test=test)
                for test in dict.fromkeys(system.test for system in result.systems)
                for chart in (throughput_chart, response_chart)
            )
            if picture is not None
        ]
        for along_targets in (False, True)
    )
    memory = memory_charts(result)
    measures_memory = any(level.memory for system in result.systems for level in system.levels)
    grid = [] if measures_memory else grid_charts(result)
    if grid and all(len(system.levels) == 1 for system in result.systems):
        scaling = []
    if measures_memory:
        scaling = []
    columns = columns_of_level(result)
    timelines = []
    places = colour_places(result)
    for number, system in enumerate(result.systems):
        response_grid = heat_grid(system)
        levels = []
        for level in system.levels:
            name = f"timeline-{number + 1}-{level.level}"
            shown = tracks(level, columns)
            strips = (
                throughput_strip(name, shown, system_colour(places[system.name])),
                heat_strip(name, shown, response_grid),
            )
            levels.append([strip for strip in strips if strip is not None])
        timelines.append(levels)
    return Pictures(grid, memory, scaling, instances, ratio_charts(result), timelines)
