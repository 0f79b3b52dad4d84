"""A document as values: what a report says, block by block, before any format draws it.

A document is a title, some lines and sections; a section holds blocks; all text is finished, numbers are
formatted. Charts are data too: only `igen.report.draw` draws them. Nothing here knows a result, a format
or a library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from igen.text import Text

Kind = Literal["text", "number", "prose"]
"""How a cell is drawn: left, right, or as text that may wrap."""
Role = Literal["plain", "headline", "note", "code"]
"""What a paragraph is: of the text, a sentence at the top, small print, typed as it is."""
Style = Literal["plain", "strong", "muted", "code"]
"""`code` is typed as it is."""
Mark = Literal["filled", "diamond", "hollow"]
"""How a point is drawn: VALID, SUSPECT or ONE RUN, INVALID (which no line goes through)."""
Verdict = Literal["VALID", "SUSPECT", "ONE RUN", "INVALID"]
Scale = Literal["linear", "log", "percentile"]
"""Scale of an axis: a percentile axis gives each further nine (90, 99, 99.9) the same room."""
Dash = Literal["solid", "dashed", "dotted"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A part of a line that is not plain text; a format without that style or links shows the text alone."""

    text: str | Text
    style: Style = "plain"
    link: str = ""
    """`#name` of a section, or what `run_file` makes."""
    colour: int | None = None
    """The place of a system's colour, drawn as a small square before the text."""
    tip: str = ""
    """Shown where one points."""
    verdict: Verdict | None = None
    """The verdict that the text begins with, which a printer may colour."""


Words = str | Text | Sequence[str | Text | Phrase]
"""A line of text."""
RUN_FILE = "run:"
"""Begins the link to a file of a run, which a printer resolves: it knows where the document will stand."""


def run_file(run: str, path: str = "") -> str:
    """The link to a file in the folder of a run, or to the folder."""
    return f"{RUN_FILE}{run}/{path}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    words: Words
    role: Role = "plain"


@dataclass(frozen=True, slots=True)
class Banner:
    """A warning in red: what is wrong, and then the reasons, a line each."""

    lines: Sequence[Words]


@dataclass(frozen=True, slots=True)
class Heading:
    """A title inside a section; `level` 3 or 4."""

    words: Words
    level: int = 3


@dataclass(frozen=True, slots=True)
class Items:
    """A list with a bullet for each entry."""

    entries: Sequence[Words]


@dataclass(frozen=True, slots=True)
class Column:
    """A header and its cells; neighbours with the same `group` share a header above their own."""

    title: str
    cells: Sequence[str | Text]
    kind: Kind = "number"
    group: str = ""
    links: Sequence[str] = ()
    """Links of the cells, as in a phrase; empty where no cell has one."""
    verdicts: Sequence[Verdict] = ()
    """The verdicts that the cells begin with; empty if the column is not about verdicts."""
    key: bool = False
    """Tells the rows apart: a table that is cut into parts for want of room has it in each of them."""

    @property
    def full_title(self) -> str:
        """Group and header in one, for formats with one header line: `response time p99, ms`."""
        noun, comma, unit = self.group.partition(", ")
        return f"{noun} {self.title}{comma}{unit}".strip()


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, and notes that stand below them."""

    columns: list[Column]
    notes: Sequence[str | Text] = ()

    def rows(self) -> Iterator[tuple[str | Text, ...]]:
        """The cells row by row."""
        return zip(*(column.cells for column in self.columns), strict=True)

    def groups(self) -> list[tuple[str, int]]:
        """The upper header line: each group with the number of columns it spans."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return spans

    def __bool__(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.columns and self.columns[0].cells)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a chart; linear ones begin at 0."""

    title: str = ""
    scale: Scale = "linear"
    unit: Literal["", "bytes"] = ""
    """`bytes` shows ticks as KiB and MiB."""
    ticks: Sequence[float] = ()
    """Where ticks stand; chosen by the drawing where empty."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a series, with its interval, the single runs behind it and words shown where one points."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    runs: Sequence[float] = ()
    mark: Mark = "filled"
    tip: str | Text = ""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line through dots, in the colour of a place, with a label at its end."""

    label: str
    colour: int
    dots: Sequence[Dot]
    dash: Dash = "solid"
    main: bool = True
    """Whether its dots, band and runs are drawn, not the line alone."""


@dataclass(frozen=True, slots=True)
class Note:
    """Words at a place of a chart, with a ring around that place."""

    x: float
    y: float
    text: str
    colour: int | None = None
    """The place of the system it belongs to; ink where there is one only."""


@dataclass(frozen=True, slots=True)
class Guide:
    """A thin dotted line: `y = slope × x`, or at a height where the slope is 0."""

    text: str
    slope: float = 0.0
    height: float = 0.0
    colour: int | None = None
    """The place of the system it belongs to; grey without."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A chart of series over an axis."""

    x: Axis
    y: Axis
    series: Sequence[ChartLine]
    notes: Sequence[Note] = ()
    guides: Sequence[Guide] = ()


@dataclass(frozen=True, slots=True)
class RatioRow:
    """One ratio of a forest plot; grey where `told` is false."""

    name: str
    value: float
    low: float | None
    high: float | None
    runs: Sequence[float]
    """The ratio of each pair of runs, or of each run: a dot each."""
    words: str
    colour: int
    told: bool
    tip: str


@dataclass(frozen=True, slots=True)
class Forest:
    """A chart of ratios below each other with the line at 1."""

    title: str
    rows: Sequence[RatioRow]


@dataclass(frozen=True, slots=True)
class Cells:
    """A chart over two settings: a cell for each pair, the darker the larger its figure (log scale)."""

    x_title: str
    y_title: str
    columns: Sequence[str]
    rows: Sequence[str]
    values: Sequence[tuple[str, str, float, str]]
    """Row, column, figure and its text."""


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of how often a value fell between two others; a count for each of a series' edges."""

    x: Axis
    low: Sequence[float]
    high: Sequence[float]
    shares: Sequence[float]
    """Shares of all values, 0 to 1."""
    colour: int = 0
    marks: Sequence[tuple[float, str]] = ()
    """Values to point out, with their names: the median."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one run, one interval or several, on the common axis of a timeline; times in seconds."""

    start_s: float
    end_s: float
    measured: bool
    per_s: float
    p50_ms: float | None
    p99_ms: float | None
    heat: Sequence[Sequence[float]]
    """Response times as [bucket's upper edge in ms, count] pairs."""


@dataclass(frozen=True, slots=True)
class Track:
    """One run on the common axis of a timeline."""

    name: str
    mark: Mark
    start_s: float
    measure_start_s: float
    end_s: float
    spans: Sequence[Span]
    tip: str | Text


@dataclass(frozen=True, slots=True)
class Timeline:
    """A chart of runs one after another: throughput, or with `edges_ms` a heat map of response times."""

    tracks: Sequence[Track]
    colour: int = 0
    edges_ms: Sequence[float] = ()
    """Upper edges of all buckets of the heat map, ascending; maps that share them can be compared."""


@dataclass(frozen=True, slots=True)
class SwingBar:
    """A bar of a tornado: where a figure ends with one input at its low, and at its high end."""

    name: str
    low: float
    high: float
    words: str
    told: bool = True
    """Grey where false."""


@dataclass(frozen=True, slots=True)
class Swings:
    """A tornado: bars below each other on both sides of the figure, the longest first."""

    title: str
    value: float
    bars: Sequence[SwingBar]


@dataclass(frozen=True, slots=True)
class Boxes:
    """Equal machines in racks of one kind."""

    name: str
    count: int
    per_rack: int
    units: float
    """Height of one."""
    colour: int


@dataclass(frozen=True, slots=True)
class Racks:
    """Racks to scale, beside each other, with what stands in them; machines of different kinds share none."""

    rack_units: int
    boxes: Sequence[Boxes]
    most: int = 0
    """Racks that the room has; those without a machine are drawn empty."""


Chart = Lines | Forest | Cells | Bars | Timeline | Swings | Racks


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart with its name (of files and ids), its title and its description for those who cannot see it."""

    name: str
    title: str
    description: str | Text
    chart: Chart


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures side by side where there is room, with a caption below them."""

    pictures: Sequence[Picture]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks behind a title that opens them."""

    title: Words
    blocks: Sequence[Block]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Panes:
    """Groups of blocks in as many columns as there is room for."""

    panes: Sequence[Sequence[Block]]


Block = Paragraph | Banner | Heading | Items | Table | Pictures | Fold | Panes


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document with a name to point to (`#name`) and a title; the first may go without one."""

    name: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that is printed."""

    title: str
    lines: Sequence[Words]
    """Below the title: what was measured, and when."""
    sections: Sequence[Section]
    footer: str = ""
