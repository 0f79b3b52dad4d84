//! What is timed and counted while a page is under way, by several connections at once.

use std::cell::{Cell, RefCell};

use igen_engine::Recorder;

/// What is counted; the constants below are their places.
pub const COUNTERS: &[&str] = &[
    "requests",
    "redirects",
    "not_modified",
    "from_cache",
    "sent_bytes",
    "received_bytes",
    "connections",
    "stale_connections",
    "resumed_tls_handshakes",
    "status_2xx",
    "status_3xx",
    "status_4xx",
    "status_5xx",
    "wait_for_connection_ms",
    "refused_requests",
    "repeated_requests",
    "repeated_us",
];
pub const REQUESTS: usize = 0;
pub const REDIRECTS: usize = 1;
pub const NOT_MODIFIED: usize = 2;
pub const FROM_CACHE: usize = 3;
pub const SENT_BYTES: usize = 4;
pub const RECEIVED_BYTES: usize = 5;
pub const CONNECTIONS: usize = 6;
pub const STALE_CONNECTIONS: usize = 7;
pub const RESUMED_TLS_HANDSHAKES: usize = 8;
/// Place of the statuses from 200 on.
const STATUS_2XX: usize = 9;
const WAIT_FOR_CONNECTION_MS: usize = 13;
pub const REFUSED_REQUESTS: usize = 14;
pub const REPEATED_REQUESTS: usize = 15;
const REPEATED_US: usize = 16;
const NS_PER_US: u64 = 1_000;
const NS_PER_MS: u64 = 1_000_000;

/// All that a user has asked and was answered, also before the load.
#[derive(Debug, Default)]
pub struct Tally {
    pub requests: Cell<u64>,
    pub answers: Cell<u64>,
    /// Time that requests have waited for a connection, and that is not counted yet.
    waited_ns: Cell<u64>,
}

/// What is timed and counted; before the load nothing but the tally, and what a wrong answer says.
pub struct Meter<'a> {
    recorder: Option<RefCell<&'a mut Recorder>>,
    tally: &'a Tally,
    said: Cell<Option<Box<str>>>,
    /// Operation of making a connection; that of TLS follows.
    connect: usize,
}

impl<'a> Meter<'a> {
    /// For a page of the load.
    pub fn new(recorder: &'a mut Recorder, tally: &'a Tally, connect: usize) -> Self {
        Self {
            recorder: Some(RefCell::new(recorder)),
            tally,
            said: Cell::default(),
            connect,
        }
    }

    /// For a page before the load.
    pub fn none(tally: &'a Tally) -> Self {
        Self {
            recorder: None,
            tally,
            said: Cell::default(),
            connect: 0,
        }
    }

    /// Returns true if nobody measures yet.
    pub fn is_before_load(&self) -> bool {
        self.recorder.is_none()
    }

    /// An answer is wrong that says this.
    pub fn is_wrong(&self, says: impl FnOnce() -> Option<Box<str>>) {
        if self.is_before_load() {
            self.said.set(says());
        }
    }

    /// What the last wrong answer has said before the load.
    pub fn take_said(&self) -> Option<Box<str>> {
        self.said.take()
    }

    /// The present.
    pub fn now_ns(&self) -> u64 {
        self.recorder
            .as_ref()
            .map_or(0, |recorder| recorder.borrow().timer().clock().now_ns())
    }

    /// An operation that began then ends now.
    pub fn record(&self, operation: usize, began_ns: u64, succeeded: bool) {
        if let Some(recorder) = &self.recorder {
            recorder
                .borrow_mut()
                .record_step(operation, began_ns, succeeded);
        }
    }

    /// A connection that began then is there, or could not be made.
    pub fn connected(&self, began_ns: u64, succeeded: bool) {
        self.record(self.connect, began_ns, succeeded);
        self.count(CONNECTIONS, succeeded.into());
    }

    /// TLS that began then is agreed on, or could not be; `resumed` is nothing then.
    pub fn encrypted(&self, began_ns: u64, resumed: Option<bool>) {
        self.record(self.connect + 1, began_ns, resumed.is_some());
        self.count(RESUMED_TLS_HANDSHAKES, resumed.unwrap_or(false).into());
    }

    /// Adds to a counter.
    pub fn count(&self, counter: usize, n: u64) {
        if let Some(recorder) = &self.recorder {
            recorder.borrow_mut().count(counter, n);
        }
    }

    /// A request that has waited for a connection since then has one.
    pub fn waited_since(&self, ready_ns: u64) {
        let waited_ns = self.tally.waited_ns.get() + self.now_ns().saturating_sub(ready_ns);
        // What is left of a millisecond is counted with the next wait.
        self.count(WAIT_FOR_CONNECTION_MS, waited_ns / NS_PER_MS);
        self.tally.waited_ns.set(waited_ns % NS_PER_MS);
    }

    /// A request that was first sent at `first_ns` is sent again at `again_ns`.
    pub fn repeats(&self, first_ns: u64, again_ns: u64) {
        self.count(REPEATED_REQUESTS, 1);
        self.count(REPEATED_US, again_ns.saturating_sub(first_ns) / NS_PER_US);
    }

    /// A request is sent.
    pub fn asks(&self) {
        self.tally.requests.set(self.tally.requests.get() + 1);
        self.count(REQUESTS, 1);
    }

    /// An answer has come, with this status from 200 on.
    pub fn is_answered(&self, status: u16) {
        self.tally.answers.set(self.tally.answers.get() + 1);
        self.count(STATUS_2XX + usize::from(status / 100) - 2, 1);
    }
}
