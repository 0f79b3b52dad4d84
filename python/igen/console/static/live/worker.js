// One stream for all tabs of this browser: it holds six connections to a server, and each tab needs some.
"use strict";
const SILENT_MS = 150_000; // Timers of hidden tabs run once a minute: two may be late.
const AGAIN_MS = 5_000;
const tabs = new Map(); // port -> {run, heardMs}
const places = new Map(); // run -> the place behind its last digest
let source = null, watched = "", connection = "", works = false;

const runs = () => [...new Set([...tabs.values()].map((tab) => tab.run))].sort();

function tell(run, message) {
  for (const [port, tab] of tabs) if (run === null || tab.run === run) port.postMessage(message);
}

function say(word) {
  connection = word;
  tell(null, { connection });
}

// Opens the stream anew when other runs are watched than before; it goes on where each of them was.
function follow() {
  const wanted = runs();
  for (const run of places.keys()) if (!wanted.includes(run)) places.delete(run);
  if (wanted.join() === watched && source) return;
  watched = wanted.join();
  source?.close();
  source = null;
  if (wanted.length) open(wanted);
}

function open(wanted) {
  const words = wanted.map((run) => (places.has(run) ? `${run}@${places.get(run)}` : run));
  works = false;
  const mine = new EventSource(`/events?runs=${encodeURIComponent(words.join(","))}`);
  source = mine;
  mine.onopen = () => say("open");
  mine.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    works = true;
    if (message.place) places.set(message.run, message.place);
    tell(message.run, message);
    if (message.end) leave((tab) => tab.run === message.run);
  };
  mine.onerror = () => {
    say("lost");
    if (mine.readyState !== EventSource.CLOSED || source !== mine) return;
    source = null;
    setTimeout(follow, AGAIN_MS);
  };
}

function leave(isGone) {
  for (const [port, tab] of tabs) if (isGone(tab, port)) tabs.delete(port);
  follow();
}

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.watch) {
      if (data.place && !places.has(data.watch)) places.set(data.watch, data.place);
      tabs.set(port, { run: data.watch, heardMs: Date.now() });
      port.postMessage({ connection, works });
      follow();
    } else if (data.leave) leave((_, other) => other === port);
    else if (tabs.has(port)) tabs.get(port).heardMs = Date.now();
  };
};

setInterval(() => leave((tab) => Date.now() - tab.heardMs > SILENT_MS), SILENT_MS / 3);
