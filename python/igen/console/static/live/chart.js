// A chart as a figure: a picture with a sentence, a cursor for keys, and its points as a table.
import { thinned } from "./series.js";
import { CLOCK_STEPS_S, clock, figure, span } from "./words.js";

const HEIGHT = 200;
const MOST_ROWS = 60;
const style = () => getComputedStyle(document.documentElement);
export const colour = (name) => style().getPropertyValue(name).trim();

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export class Chart {
  // `lines` are {name, label, colour, dash}, drawn of points by name; `band` shades from least to most.
  constructor(figureElement, { unit, lines, band, top }) {
    Object.assign(this, { figure: figureElement, unit, lines, band, top, points: [], at: null });
    this.title = figureElement.querySelector("h2").firstChild.textContent.trim();
    this.caption = figureElement.querySelector("figcaption");
    this.plot = figureElement.querySelector(".plot");
    this.plot.replaceChildren();
    Object.entries({ tabindex: "0", role: "slider", "aria-label": `${this.title}: time`, "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0", "aria-valuetext": "no points yet" })
      .forEach(([key, value]) => this.plot.setAttribute(key, value));
    this.plot.addEventListener("keydown", (event) => this.#key(event));
    this.reading = element("p", { class: "reading" });
    this.body = element("tbody");
    const heads = ["time", ...lines.map((line) => `${line.label}, ${unit}`)].map((text) => element("th", { scope: "col" }, text));
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.body);
    this.details = element("details", {}, element("summary", {}, "as table"), element("div", { class: "scroll", tabindex: "0" }, table));
    this.details.addEventListener("toggle", () => this.#fill());
    this.figure.append(this.reading, this.details);
    this.#make();
    new ResizeObserver(() => this.#resize()).observe(this.plot);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.#make(); this.draw(this.points); });
  }

  draw(all) {
    // While users end their last transactions there is no load to tell of.
    const points = (this.points = all.filter((point) => point.phase !== "drain"));
    const xs = [], columns = this.#names().map(() => []);
    let before = null;
    for (const point of points) {
      // Between executions nothing is measured: the line has a gap there.
      if (before && before.job !== point.job) { xs.push(point.start_s); columns.forEach((column) => column.push(null)); }
      xs.push(point.end_s);
      this.#names().forEach((name, place) => columns[place].push(point[name] ?? null));
      before = point;
    }
    this.chart.setData([xs, ...columns]);
    this.#say();
    if (this.details.open) this.#fill();
  }

  #names() { return [...this.lines.map((line) => line.name), ...(this.band ?? [])]; }

  #make() {
    this.chart?.destroy();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--row"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "12px system-ui, sans-serif" };
    const line = ({ label, colour: name, dash }) => ({ label, stroke: colour(name), width: 2, dash, points: { show: false }, spanGaps: false });
    const edge = () => ({ stroke: "transparent", width: 0, points: { show: false } });
    const first = this.lines.length + 1;
    this.chart = new uPlot({
      width: this.plot.clientWidth || 300,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, this.top ?? (most > 0 ? most : 1) * 1.08] } },
      axes: [
        { ...axis, incrs: CLOCK_STEPS_S, values: (_, ticks) => ticks.map(clock) },
        { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => figure(tick)) },
      ],
      series: [{}, ...this.lines.map(line), ...(this.band ?? []).map(edge)],
      bands: this.band ? [{ series: [first + 1, first], fill: colour("--shadow-band") }] : [],
      hooks: { setCursor: [(chart) => this.#read(chart.cursor.idx)] },
    }, [[], ...this.#names().map(() => [])], this.plot);
  }

  #resize() {
    const width = this.plot.clientWidth;
    if (width && Math.abs(width - this.chart.width) > 1) this.chart.setSize({ width, height: HEIGHT });
  }

  #values(point) {
    const together = point.intervals > 1 ? `, ${point.intervals} intervals` : "";
    return `${clock(point.end_s)} · ${this.lines.map((line) => `${line.label} ${figure(point[line.name])}`).join(", ")} ${this.unit} · ${point.phase}${together}`;
  }

  // What is under the pointer or the cursor.
  #read(index) {
    const time_s = index == null ? null : this.chart.data[0][index];
    const point = time_s == null ? null : this.points.find((each) => each.end_s === time_s);
    this.reading.textContent = point ? this.#values(point) : "";
  }

  #key(event) {
    const last = this.points.length - 1;
    if (last < 0) return;
    const page = Math.max(1, Math.round(last / 10));
    const now = this.at == null ? last : this.points.findIndex((point) => point.end_s >= this.at);
    const steps = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1, PageDown: now - page, PageUp: now + page, Home: 0, End: last };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const point = this.points[Math.min(Math.max(steps[event.key], 0), last)];
    this.at = point.end_s;
    this.chart.setCursor({ left: this.chart.valToPos(point.end_s, "x"), top: HEIGHT / 3 });
    this.reading.textContent = this.#values(point);
    this.#value(point);
  }

  // The value of the cursor as it is read out.
  #value(point) {
    this.plot.setAttribute("aria-valuenow", String(Math.round(point.end_s)));
    this.plot.setAttribute("aria-valuemax", String(Math.round(this.points.at(-1).end_s)));
    this.plot.setAttribute("aria-valuetext", this.#values(point));
  }

  #say() {
    const last = this.points.at(-1);
    if (!last) return;
    const each_s = (last.end_s - this.points[0].start_s) / this.points.length;
    const known = this.lines.filter((line) => last[line.name] != null);
    const now = known.length ? `Now ${known.map((line) => `${line.label} ${figure(last[line.name])}`).join(", ")} ${this.unit}` : "Not known now";
    const worst = this.points.some((point) => point.intervals > 1) && this.lines.some((line) => line.name.startsWith("p"))
      ? ` Each point is the worst of about ${span(each_s)}.` : "";
    this.caption.textContent = `${now}; ${this.points.length} points from ${clock(this.points[0].start_s)} to ${clock(last.end_s)}.${worst}`;
    if (this.at == null) this.#value(last);
  }

  #fill() {
    if (!this.details.open) return;
    const rows = thinned(this.points, MOST_ROWS).reverse().map((point) => {
      const cells = this.lines.map((line) => element("td", {}, figure(point[line.name])));
      return element("tr", {}, element("th", { scope: "row" }, `${clock(point.start_s)} to ${clock(point.end_s)}`), ...cells);
    });
    this.body.replaceChildren(...rows);
  }
}
