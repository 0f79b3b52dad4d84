//! What the engine needs from the process around it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use igen_job::{Command, JobError};
use igen_job::{Event, Fact};
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::monitor::{Moment, Monitor, read_all};

pub use crate::emit::Emit;

/// What the engine needs from the process around it.
pub struct Host {
    /// Where events go.
    pub emit: Emit,
    /// What the judge, or a signal, says.
    pub commands: mpsc::UnboundedReceiver<Command>,
    /// Monitors to read while measuring.
    pub monitors: Vec<Box<dyn Monitor>>,
    /// The clock of the job; 0 at the process's start.
    pub clock: Clock,
    /// Every target is a server of another machine: a thread that spins here disturbs none of them.
    pub targets_elsewhere: bool,
    /// Set once nobody is there who could answer `measured`.
    pub unattended: Arc<AtomicBool>,
}

impl Host {
    /// Emits an event.
    pub(crate) fn event(&self, event: Event) {
        (self.emit)(event);
    }

    /// Emits a fact.
    pub(crate) fn fact(&self, fact: Fact) {
        self.event(Event::Fact(fact));
    }

    /// Emits a warning.
    pub(crate) fn warning(&self, warning: JobError) {
        self.event(Event::Warning(warning));
    }

    /// Answers a command that makes no sense now.
    pub(crate) fn refuse(&self, text: &str) {
        self.event(Event::Error(JobError::at("command", text)));
    }

    /// Returns true if nobody will answer `measured`.
    pub(crate) fn is_unattended(&self) -> bool {
        self.unattended.load(Relaxed)
    }

    /// Reads all monitors; one that fails says so and is not read again.
    pub(crate) fn read_monitors(&mut self, moment: Moment) {
        read_all(&mut self.monitors, moment, &self.clock, &self.emit);
    }
}
