"""Judged runs for programs and notebooks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from igen.extras import FRAMES
from igen.judge.result import Result

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run, or several runs side by side."""

    runs: tuple[str, ...]
    """Their ids."""
    result: Result
    """Return everything that `--json` prints; `schema/result.schema.json` describes it."""

    @property
    def levels(self) -> pandas.DataFrame:
        """A row for each level of each system, as in the CSV report: units are in the columns' names.

        Below the level of a job with personas stands a row for each of them, named in a column `persona`.
        """
        from igen.report.printers.spreadsheet import level_records

        return _frame(level_records(self.result))

    @property
    def timeline(self) -> pandas.DataFrame:
        """Return a row for each interval of each repeat, warm-up included."""
        from igen.report.printers.spreadsheet import timeline_records

        return _frame(timeline_records(self.result))

    @property
    def ratios(self) -> pandas.DataFrame:
        """Return a row for each level that a system shares with its base; nested names are joined by `_`."""
        return _frame([_flat(asdict(ratio)) for ratio in self.result.ratios])

    def report(self, path: str | Path) -> Path:
        """Write the report in the format of the suffix: .html, .md, .csv or .json. Raises `IgenError`."""
        from igen.report.formats import format_of
        from igen.report.write import write_report

        file = Path(path)
        write_report(self.result, file, format_of(file))
        return file

    def __str__(self) -> str:
        from igen.report.text import summary_text

        return summary_text(self.result)

    def __repr__(self) -> str:
        return f"Recorded({', '.join(self.runs)})"


def _flat(values: dict[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{name}_")
        else:
            flat[f"{before}{name}"] = value
    return flat


def _frame(records: list[dict[str, Any]]) -> pandas.DataFrame:
    FRAMES.need("a data frame")
    import pandas

    return pandas.DataFrame.from_records(records)
