//! What the monitors of database servers share.
//!
//! Asking a server takes as long as it takes, so each server is followed by a thread of its own, with a
//! connection of its own. It looks at what the sessions wait for ten times a second; the server's counters
//! are read whenever the engine reads its monitors. From the first such reading on: loading and warm-up are
//! left alone.

mod follow;
mod monitor;
mod process_tree;
mod source;
mod waits;

pub(crate) use monitor::open;
pub(crate) use source::{Opened, Source, Totals, number};
pub(crate) use waits::{RUNNING, Relation, Waits};
