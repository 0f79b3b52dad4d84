// Where messages of a run come from: the stream that all tabs share, else one of this tab's own, else questions.
import { isBehind } from "./places.js";

const POLL_MS = 2_000;
const PATIENCE_MS = 8_000; // A stream that says nothing at all for so long is held back by a proxy.
const ALIVE_MS = 20_000;
const ADVICE = { shared: null, single: null, own: "This browser cannot share a stream between tabs: hidden tabs pause.", asked: "The stream is blocked: updated every 2 s instead." };

export class Source {
  // What is asked for begins with the path `base`: a shared link has a stream of its own, for one run alone.
  constructor(run, base, take) {
    this.run = run;
    this.base = base;
    this.mayShare = base.startsWith("/runs/");
    this.take = take;
    this.place = null; // Behind what the page has shown.
    this.how = "";
    this.isOver = false;
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
    document.addEventListener("visibilitychange", () => this.#turn());
  }

  // Begins to listen behind `place`.
  open(place) {
    this.place = place;
    const wanted = new URLSearchParams(location.search).get("stream");
    if (wanted === "asked") this.#ask();
    else if (wanted !== "own" && this.mayShare && typeof SharedWorker === "function") this.#share();
    else this.#own();
  }

  close() {
    this.port?.postMessage({ leave: true });
    this.port?.close();
    this.stream?.close();
    this.port = this.stream = null;
    for (const timer of [this.alive, this.watch, this.asking]) clearTimeout(timer);
  }

  #heard(message) {
    if (message.run || message.works) clearTimeout(this.watch);
    if (message.place) {
      if (this.place && !isBehind(message.place, this.place)) return;
      this.place = message.place;
    }
    if (message.end) { this.isOver = true; this.close(); }
    this.take(message);
  }

  #begin(how) {
    this.how = how;
    this.take({ advice: ADVICE[how === "own" && !this.mayShare ? "single" : how] });
    if (how !== "asked") this.watch = setTimeout(() => { this.close(); this.#ask(); }, PATIENCE_MS);
  }

  async #share() {
    let worker;
    try { worker = new SharedWorker("/static/live/worker.js", "igen-live"); } catch { return this.#own(); }
    worker.onerror = () => { this.close(); this.#own(); };
    this.port = worker.port;
    let early = [];
    this.port.onmessage = ({ data }) => {
      if (data.run || data.works) clearTimeout(this.watch);
      if (early) early.push(data); else this.#heard(data);
    };
    this.port.postMessage({ watch: this.run, place: this.place });
    this.alive = setInterval(() => this.port?.postMessage({ alive: true }), ALIVE_MS);
    this.#begin("shared");
    // The shared stream may be further on than this tab: what lies between, and what is told seldom, is asked for.
    try { await this.#catchUp(); } catch {
      if (this.how === "shared") { this.close(); this.#ask(); }
      return;
    }
    for (const message of early) this.#heard(message);
    early = null;
  }

  async #catchUp() {
    const place = this.place, since = place ? `?since=${place}` : "";
    const answer = await fetch(`${this.base}/digest${since}`);
    if (!answer.ok) throw new Error(answer.statusText);
    const told = await answer.json();
    // While this was under way another source has begun at the same place: it tells all that is behind it.
    if (this.place !== place) return false;
    this.take({ state: told.state });
    if (told.figures) this.take({ figures: told.figures });
    for (const digest of told.digests) this.take({ digest });
    this.place = told.next;
    return told.is_over;
  }

  #own() {
    const after = this.place ? `?after=${this.place}` : "";
    const stream = (this.stream = new EventSource(`${this.base}/events${after}`));
    stream.onopen = () => this.take({ connection: "open" });
    stream.onmessage = ({ data }) => this.#heard(JSON.parse(data));
    stream.onerror = () => {
      this.take({ connection: "lost" });
      if (stream.readyState === EventSource.CLOSED && stream === this.stream) { this.close(); this.#ask(); }
    };
    this.#begin("own");
  }

  async #ask() {
    if (this.how !== "asked") this.#begin("asked");
    if (!document.hidden) {
      try {
        this.isOver = await this.#catchUp();
        this.take({ connection: "open" });
        if (this.isOver) return this.take({ end: true });
      } catch { this.take({ connection: "lost" }); }
    }
    this.asking = setTimeout(() => this.#ask(), POLL_MS);
  }

  // A hidden tab with a stream of its own gives its connection to the others.
  #turn() {
    if (this.how !== "own" || this.isOver) return;
    if (document.hidden) this.close();
    else if (!this.stream) this.#own();
  }
}
