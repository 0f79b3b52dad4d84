//! What the monitors of database servers share.
//!
//! Asking a server takes as long as it takes, so each server is followed by a thread of its own, with a
//! connection of its own. It looks at what the sessions wait for ten times a second; the server's counters
//! are handed out whenever the engine reads its monitors. The sessions are looked at from the first such reading
//! on: while data are loaded and while the load warms up they are left alone.

mod follow;
mod monitor;
mod others;
mod process_tree;
mod source;
mod waits;

pub(crate) use monitor::open;
pub(crate) use others::Seen;
pub(crate) use source::{Opened, Source, Totals, number};
pub(crate) use waits::{RUNNING, Relation, Waits};
