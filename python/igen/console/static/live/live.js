// The live page: history first, then the stream; every text from elsewhere is set as text.
import { Chart } from "./chart.js";
import { Curve } from "./curve.js";
import { Series } from "./series.js";
import { Source } from "./source.js";
import { bytes, clock, figure, span } from "./words.js";

const page = document.getElementById("live");
const { run, base } = page.dataset;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const REDRAW_MS = 1_000, CALM_MS = 5_000, SPOKEN_MS = 5_000;
const SILENCE_S = 12;
const GOES_ON = ["running", "unknown"], UNDER_LOAD = ["ramp", "warmup", "measure"];
const series = new Series();
const now = { state: null, figures: null, connection: "open", advice: null, heardMs: performance.now(), isOver: false };
const charts = [
  new Chart(document.getElementById("chart-throughput"), { unit: "per s", band: ["least_per_s", "most_per_s"], lines: [{ name: "per_s", label: "transactions", colour: "--accent" }] }),
  new Chart(document.getElementById("chart-times"), { unit: "ms", lines: [
    { name: "p99_ms", label: "p99", colour: "--invalid" },
    { name: "p95_ms", label: "p95", colour: "--suspect", dash: [8, 4] },
    { name: "p50_ms", label: "p50", colour: "--valid", dash: [2, 3] },
  ] }),
  new Chart(document.getElementById("chart-cpu"), { unit: "%", top: 100, lines: [{ name: "cpu_percent", label: "processors busy", colour: "--accent" }] }),
];

const curve = new Curve(document.getElementById("chart-curve"));

const byId = (id) => document.getElementById(id);
const setText = (id, text) => { const found = byId(id); if (found.textContent !== text) found.textContent = text; };

function cell(name, text, kind = "") {
  const made = document.createElement(name);
  if (name === "th") made.scope = "row";
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}

// Rows that are as they were stay, with what is marked in them.
const filled = new Map();
function fill(id, rows, make) {
  const key = JSON.stringify(rows);
  if (filled.get(id) === key) return;
  filled.set(id, key);
  const body = byId(id);
  body.replaceChildren(...rows.map((row) => { const made = document.createElement("tr"); made.append(...make(row)); return made; }));
  body.closest("section").hidden = !rows.length;
}

// Where the run is, in words, beside the name of its state.
function words() {
  const { state } = now;
  if (!state) return "";
  const last = series.last, parts = [];
  if (state.state in MEANT) parts.push(MEANT[state.state]);
  if (state.words && GOES_ON.includes(state.state)) parts.push(state.words);
  if (GOES_ON.includes(state.state)) {
    const inPhase_s = Math.max(0, (last?.end_s ?? 0) - (state.phase_start_s ?? 0));
    const planned = state.planned_s ? ` of ${clock(state.planned_s)}` : "";
    parts.push(state.phase === "ended" ? "between executions" : `${state.phase.toUpperCase()} ${clock(inPhase_s)}${planned}`);
    if (state.progress) parts.push(`${state.progress.text}: ${figure(state.progress.done)}${state.progress.total ? ` of ${figure(state.progress.total)}` : ""} ${state.progress.unit}`);
    if (state.left_s) parts.push(`about ${span(state.left_s)} left`);
    const silent_s = (performance.now() - now.heardMs) / 1000;
    if (now.connection === "lost") parts.push("no connection to the console: retrying");
    else if (UNDER_LOAD.includes(state.phase) && silent_s > Math.max(SILENCE_S, 5 * (state.interval_s ?? 1))) parts.push(`no data for ${span(silent_s)}`);
  }
  return parts.join(" · ");
}

const MEANT = {
  interrupted: "stopped by a user", deleted: "its files are gone", "cut off": "its process was killed or crashed",
  unknown: "started on another host, so this host cannot check if it still runs",
};

function showState() {
  setText("words", words());
  const { state } = now;
  const word = byId("state");
  word.className = `state ${state.state.replace(" ", "-")}`;
  setText("state", state.state);
  const ended = !GOES_ON.includes(state.state);
  byId("ended").hidden = !ended || state.state === "deleted";
  for (const form of document.querySelectorAll("form.stop")) form.hidden = ended;
  setText("advice", now.advice ?? "");
  curve.draw(state.rows);
  fill("levels", state.rows, (row) => {
    const verdict = row.verdict ?? "not judged yet";
    const name = [row.system, row.test, row.confirms ? "confirms" : ""].filter(Boolean).join(" · ");
    const load = cell("th", row.load, "text");
    load.append(cell("span", name, "sub"));
    const judged = cell("td", "", "text");
    judged.append(cell("span", verdict, `verdict ${verdict.toLowerCase().replaceAll(" ", "-")}`));
    return [load, cell("td", String(row.executions)), cell("td", figure(row.per_s)), cell("td", figure(row.p50_ms)), cell("td", figure(row.p99_ms)), cell("td", figure(row.failed)), judged, cell("td", (row.reasons ?? []).join("; "), "prose")];
  });
}

let sorting = { name: "count", down: true };
for (const button of document.querySelectorAll("[data-sort]")) {
  button.addEventListener("click", () => {
    const name = button.dataset.sort;
    sorting = { name, down: sorting.name === name ? !sorting.down : name !== "name" };
    for (const other of document.querySelectorAll("[data-sort]")) other.closest("th").removeAttribute("aria-sort");
    button.closest("th").setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
    showFigures();
  });
}

function showFigures() {
  const { figures } = now;
  if (!figures) return;
  const { name, down } = sorting;
  const order = (one, other) => (typeof one[name] === "string" ? one[name].localeCompare(other[name]) : (one[name] ?? -1) - (other[name] ?? -1)) * (down ? -1 : 1);
  fill("operations", [...figures.operations].sort(order), (row) => [cell("th", row.name, "text"), ...["per_s", "p50_ms", "p95_ms", "p99_ms", "failed"].map((each) => cell("td", figure(row[each])))]);
  fill("failures", figures.failures, ([why, times]) => [cell("td", figure(times)), cell("td", why, "prose")]);
  fill("messages", figures.messages.map((text) => [text]), ([text]) => [cell("td", text, "prose")]);
  fill("tiers", Object.entries(figures.tiers), ([tier, percent]) => {
    const meter = document.createElement("meter");
    Object.assign(meter, { min: 0, max: 100, value: percent });
    meter.setAttribute("aria-label", `${tier}, percent of its processors`);
    const bar = document.createElement("td");
    bar.append(meter);
    return [cell("th", tier, "text"), bar, cell("td", `${figure(percent)} %`)];
  });
  fill("host", HOST.filter(([key]) => figures.host[key] != null), ([key, label, show]) => [cell("th", label, "text"), cell("td", show(figures.host[key]))]);
}

const percent = (value) => `${figure(value)} %`, rate = (value) => `${bytes(value)}/s`;
const HOST = [
  ["cpu_percent", "processors busy", percent], ["driver_cpu_percent", "… by the load driver", percent], ["foreign_cpu_percent", "… by others", percent],
  ["cpu_iowait_percent", "processors waiting for disks", percent], ["cpu_steal_percent", "processors taken by the hypervisor", percent],
  ["memory_used_bytes", "memory used", bytes], ["disk_read_bytes_per_s", "read from disks", rate], ["disk_written_bytes_per_s", "written to disks", rate],
  ["network_received_bytes_per_s", "received", rate], ["network_sent_bytes_per_s", "sent", rate],
];

function showNow() {
  const last = series.underLoad;
  if (!last) return;
  setText("now-per_s", figure(last.per_s));
  for (const name of ["p50_ms", "p95_ms", "p99_ms"]) setText(`now-${name}`, figure(last[name]));
  setText("now-users", figure(last.users));
  setText("now-failed", figure(series.since(60).reduce((all, point) => all + point.failed, 0)));
}

// Draws at most once a second, and less often for those who want little motion; hidden tabs draw nothing.
let drawnMs = -Infinity, pending = 0;
function redraw() {
  if (pending || document.hidden) return;
  const wait = Math.max(0, drawnMs + (calm.matches ? CALM_MS : REDRAW_MS) - performance.now());
  pending = setTimeout(() => {
    pending = 0;
    drawnMs = performance.now();
    showNow();
    for (const chart of charts) chart.draw(series.points);
  }, wait);
}
document.addEventListener("visibilitychange", redraw);

// What is read out: a change of state or phase, not each second.
let spokenKey = "", spokenMs = -Infinity;
function speak() {
  const key = `${now.state?.state} ${now.state?.words} ${now.state?.phase} ${now.connection}`;
  if (key === spokenKey || performance.now() < spokenMs + SPOKEN_MS) return;
  [spokenKey, spokenMs] = [key, performance.now()];
  setText("spoken", [now.state?.state, words()].filter(Boolean).join(": "));
}

function take(message) {
  if (message.digest) {
    series.add(message.digest);
    now.heardMs = performance.now();
    redraw();
  }
  if (message.figures) { now.figures = message.figures; if (!document.hidden) showFigures(); }
  for (const name of ["state", "connection", "advice"]) if (message[name] !== undefined) now[name] = message[name];
  if (message.end) now.isOver = true;
  if (now.state && !message.digest) showState();
}

const source = new Source(run, base, take);
const ticking = setInterval(() => {
  if (now.state) setText("words", words());
  speak();
  if (now.isOver && spokenKey.startsWith(now.state?.state)) clearInterval(ticking);
}, 1_000);

async function begin() {
  try {
    const answer = await fetch(`${base}/series?points=1000`);
    if (!answer.ok) throw new Error(answer.statusText);
    const told = await answer.json();
    series.addColumns(told.points);
    take({ state: told.state, ...(told.figures && { figures: told.figures }), ...(told.is_over && { end: true }), connection: "open" });
    redraw();
    if (!told.is_over) source.open(told.next);
  } catch {
    take({ connection: "lost" });
    setText("words", "no connection to the console: retrying");
    setTimeout(begin, 2_000);
  }
}

page.classList.add("scripted");
// For tests and for those who look into it: the points as they are shown.
page.points = () => series.points;
page.source = source;
begin();
