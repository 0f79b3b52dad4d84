"""Published results as an aspect."""

from __future__ import annotations

from igen.aspects.published.application_tables import published_applications_table
from igen.aspects.published.beside import published_figures_of
from igen.aspects.published.parts import PublishedFigures
from igen.aspects.published.section import published, published_on_terminal
from igen.judge.aspect import Aspect, Views

PUBLISHED = Aspect(
    name="published",
    system_part=PublishedFigures,
    sum_up=published_figures_of,
    sections={"references": Views(published, published_on_terminal)},
    tables=(("Web applications: beside published results", published_applications_table),),
)
