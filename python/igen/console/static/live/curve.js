// The levels that are judged, along their load; the table of levels has the same figures for keys and ears.
import { colour } from "./chart.js";
import { WHOLE_STEPS, figure } from "./words.js";

const HEIGHT = 200;

export class Curve {
  constructor(figureElement) {
    this.figure = figureElement;
    this.plot = figureElement.querySelector(".plot");
    this.plot.setAttribute("aria-hidden", "true");
    this.shown = "";
    new ResizeObserver(() => this.chart?.setSize({ width: this.plot.clientWidth, height: HEIGHT })).observe(this.plot);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.shown = ""; this.draw(this.rows ?? []); });
  }

  // One system's levels at two loads or more: others are no curve.
  draw(rows) {
    this.rows = rows;
    const levels = rows.filter((row) => row.place != null && row.per_s != null && !row.confirms).sort((one, other) => one.place - other.place);
    const ofOne = new Set(levels.map((row) => `${row.system} ${row.test}`)).size === 1;
    const loads = new Set(levels.map((row) => row.place)).size;
    this.figure.hidden = !ofOne || loads < 2 || loads < levels.length;
    const key = JSON.stringify(levels);
    if (this.figure.hidden || key === this.shown) return;
    this.shown = key;
    const best = levels.reduce((most, row) => (row.per_s > most.per_s ? row : most));
    this.figure.querySelector("figcaption").textContent = `Highest so far: ${figure(best.per_s)} per s with ${best.load}, ${best.verdict}. The table below has all levels.`;
    this.chart?.destroy();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--row"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif", values: (_, ticks) => ticks.map((tick) => figure(tick)) };
    this.chart = new uPlot({
      width: this.plot.clientWidth || 300,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: (_, __, most) => [0, most * 1.05] }, y: { range: (_, __, most) => [0, most * 1.1] } },
      axes: [levels.every((row) => Number.isInteger(row.place)) ? { ...axis, incrs: WHOLE_STEPS } : axis, { ...axis, size: 62 }],
      series: [{}, { stroke: colour("--accent"), width: 2, points: { show: true, size: 9, fill: colour("--panel"), stroke: colour("--accent"), width: 2 } }],
    }, [levels.map((row) => row.place), levels.map((row) => row.per_s)], this.plot);
  }
}
