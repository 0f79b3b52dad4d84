//! What the author of a monitor writes, and how all of them are read.

use igen_job::JobError;
use igen_job::event::{Event, Reading};

use crate::clock::Clock;
use crate::emit::Emit;

/// A periodic sampler. One file: a pure parse and a thin read.
pub trait Monitor: Send {
    /// Name on the command line and in every reading.
    fn name(&self) -> &'static str;

    /// Appends the present values. `at_s` of the readings is filled in by the engine.
    fn read(&mut self, readings: &mut Vec<Reading>) -> std::io::Result<()>;

    /// Does the same at the start and at the end of MEASURE. A monitor that rests between its looks looks now,
    /// whatever it costs: no transaction waits for it.
    fn read_at_edge(&mut self, readings: &mut Vec<Reading>) -> std::io::Result<()> {
        self.read(readings)
    }
}

/// When monitors are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// At the start or at the end of MEASURE.
    Edge,
    /// In between.
    Between,
}

/// Reads all monitors; one that fails says so and is not read again.
pub fn read_all(monitors: &mut Vec<Box<dyn Monitor>>, moment: Moment, clock: &Clock, emit: &Emit) {
    let mut readings = Vec::new();
    let mut broken = Vec::new();
    let mut read = |monitor: &mut Box<dyn Monitor>| match moment {
        Moment::Edge => monitor.read_at_edge(&mut readings),
        Moment::Between => monitor.read(&mut readings),
    };
    monitors.retain_mut(|monitor| match read(monitor) {
        Ok(()) => true,
        Err(error) => {
            broken.push(format!("monitor {}: {error}", monitor.name()));
            false
        }
    });
    let at_s = clock.now_s();
    for mut reading in readings {
        reading.at_s = at_s;
        emit(Event::Reading(reading));
    }
    for text in broken {
        emit(Event::Warning(JobError::at("monitors", text)));
    }
}
