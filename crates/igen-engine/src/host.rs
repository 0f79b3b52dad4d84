//! What the engine needs from the process around it.

use std::sync::Arc;

use igen_job::event::{Event, Fact};
use igen_job::{Command, JobError};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::monitor::Monitor;

/// Takes events; called from several threads.
pub type Emit = Arc<dyn Fn(Event) + Send + Sync>;

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
}

impl Host {
    /// Emits an event.
    pub(crate) fn event(&self, event: Event) {
        (self.emit)(event);
    }

    /// Emits a fact.
    pub(crate) fn fact(&self, name: &str, value: impl Into<Value>) {
        self.event(Event::Fact(Fact {
            name: name.to_owned(),
            value: value.into(),
        }));
    }

    /// Emits a warning.
    pub(crate) fn warning(&self, warning: JobError) {
        self.event(Event::Warning(warning));
    }

    /// Answers a command that makes no sense now.
    pub(crate) fn refuse(&self, text: &str) {
        self.event(Event::Error(JobError::at("command", text)));
    }

    /// Reads all monitors; one that fails says so and is not read again.
    pub(crate) fn read_monitors(&mut self) {
        let mut readings = Vec::new();
        let mut broken = Vec::new();
        self.monitors
            .retain_mut(|monitor| match monitor.read(&mut readings) {
                Ok(()) => true,
                Err(error) => {
                    broken.push(format!("monitor {}: {error}", monitor.name()));
                    false
                }
            });
        let at_s = self.clock.now_s();
        for mut reading in readings {
            reading.at_s = at_s;
            self.event(Event::Reading(reading));
        }
        for text in broken {
            self.warning(JobError::at("monitors", text));
        }
    }
}
