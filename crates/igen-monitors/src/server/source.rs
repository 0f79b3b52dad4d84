//! What a server's monitor must know of its engine.

use std::collections::BTreeMap;
use std::str::FromStr;

use igen_engine::Failure;
use igen_job::JobError;
use igen_sql::session::Session;

use super::others::Seen;
use super::waits::Waits;

/// A server behind an open connection.
pub(crate) trait Source: Sized + 'static {
    /// Name of the monitor, and scheme of its targets.
    const NAME: &'static str;

    /// Asks the server who it is and what may be read.
    async fn open(session: Session) -> Result<Opened<Self>, Failure>;

    /// Looks at what each session of the database does or waits for now.
    async fn sample(&mut self, waits: &mut Waits) -> Result<(), Failure>;

    /// Called ten times a second from the first on, also before anything is asked for: what a server
    /// tells late is looked at more often than it is handed out.
    async fn tick(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Lists the sessions of clients on the server, including iGen's sessions.
    async fn sessions(&mut self) -> Result<Vec<Seen>, Failure>;

    /// The server's counters.
    async fn totals(&mut self) -> Result<Totals, Failure>;
}

/// A server that can be read.
pub(crate) struct Opened<S> {
    pub(crate) source: S,
    /// The server's first process, where it runs on this host.
    pub(crate) pid: Option<u32>,
    /// True if the user of the target may list the sessions of other users.
    pub(crate) lists_all: bool,
    /// What may not be read, and who could allow it.
    pub(crate) warning: Option<JobError>,
}

/// Values of the server, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) counters: BTreeMap<String, f64>,
    pub(crate) gauges: BTreeMap<String, f64>,
}

impl Totals {
    /// Adds to a counter.
    pub(crate) fn count(&mut self, name: &str, value: f64) {
        *self.counters.entry(name.to_owned()).or_default() += value;
    }
}

/// A number of a row; `None` for NULL and for what is none.
pub(crate) fn number<T: FromStr>(value: Option<&Option<String>>) -> Option<T> {
    value?.as_ref()?.parse().ok()
}
