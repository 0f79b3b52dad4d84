"""Published results to lay a run beside: what of them the judge itself needs."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRatio:
    """The throughput of one system over that of another in one test, on average over the loads."""

    product: str
    """Product that was tested."""
    test: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A set of published results; an aspect that has tables of them adds its own."""

    text: str = ""
    source: str = ""
    """Title and year of the publication."""
    ratios: list[PublishedRatio] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The text with its source."""
        return f"{self.text} Source: {self.source}." if self.source else self.text
