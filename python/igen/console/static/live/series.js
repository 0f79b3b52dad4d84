// The points of a run in memory that stays small: when there are too many, pairs of them become one.
export const MOST = 4_000;

export class Series {
  constructor(most = MOST) { this.points = []; this.most = most; }

  // A point takes the place of those that tell of the same time.
  add(point) {
    while (this.points.length && this.points.at(-1).end_s > point.start_s + 1e-6) this.points.pop();
    this.points.push({ intervals: 1, least_per_s: point.per_s, most_per_s: point.per_s, ...point });
    if (this.points.length > this.most) this.points = thinned(this.points, this.most / 2);
  }

  addColumns(columns) {
    const names = Object.keys(columns);
    for (let row = 0; row < columns.job.length; row++) {
      this.add(Object.fromEntries(names.map((name) => [name, columns[name][row]])));
    }
  }

  get last() { return this.points.at(-1); }

  // The last point under load: while users end their last transactions there is none to tell of.
  get underLoad() { return this.points.findLast((point) => point.phase !== "drain"); }

  // Points of the last so many seconds.
  since(seconds) {
    const begin_s = (this.last?.end_s ?? 0) - seconds;
    let first = this.points.length;
    while (first && this.points[first - 1].start_s >= begin_s - 1e-6) first--;
    return this.points.slice(first);
  }
}

// At most about `most` points; those of different jobs and phases stay apart.
export function thinned(points, most) {
  const size = Math.ceil(points.length / Math.max(most, 1));
  const found = [];
  let group = [];
  for (const point of points) {
    const first = group[0];
    if (first && (group.length >= size || first.job !== point.job || first.phase !== point.phase)) {
      found.push(together(group));
      group = [];
    }
    group.push(point);
  }
  if (group.length) found.push(together(group));
  return found;
}

const worst = (points, name) => points.reduce((most, point) => (point[name] == null ? most : Math.max(most ?? 0, point[name])), null);
const sum = (points, name) => points.reduce((all, point) => all + point[name], 0);

function together(points) {
  if (points.length === 1) return points[0];
  const first = points[0], last = points.at(-1);
  const read = points.filter((point) => point.cpu_percent != null);
  return {
    ...last,
    start_s: first.start_s,
    count: sum(points, "count"),
    failed: sum(points, "failed"),
    per_s: sum(points, "count") / Math.max(last.end_s - first.start_s, 1e-9),
    least_per_s: Math.min(...points.map((point) => point.least_per_s)),
    most_per_s: Math.max(...points.map((point) => point.most_per_s)),
    p50_ms: worst(points, "p50_ms"),
    p95_ms: worst(points, "p95_ms"),
    p99_ms: worst(points, "p99_ms"),
    cpu_percent: read.length ? sum(read, "cpu_percent") / read.length : null,
    intervals: sum(points, "intervals"),
  };
}
