//! What an agent says that has nothing to say, so that it can be told from one that is stopped or cannot
//! write: outside of the load, whose intervals are sign enough, it says again how far it is. The thread that
//! writes says so by itself: of a step that waits for ever it says `under way` too.

use std::time::{Duration, Instant};

use igen_job::event::{Event, Phase, Progress};

/// After so long without an event; who listens takes several times that for a process that is stopped.
pub const EVERY: Duration = Duration::from_secs(10);

/// What was last said of a step.
pub struct SignOfLife {
    phase: Option<Phase>,
    since: Instant,
    progress: Option<Progress>,
}

impl SignOfLife {
    /// Nothing was said yet.
    pub fn new() -> Self {
        Self {
            phase: None,
            since: Instant::now(),
            progress: None,
        }
    }

    /// Takes note of an event that is said.
    pub fn note(&mut self, event: &Event) {
        match event {
            Event::Phase(begin) => {
                *self = Self {
                    phase: Some(begin.phase),
                    ..Self::new()
                }
            }
            Event::Progress(progress) => self.progress = Some(progress.clone()),
            _ => {}
        }
    }

    /// What to say now; nothing under load.
    pub fn event(&self) -> Option<Event> {
        // Before the first phase users connect, and wait for those of other agents.
        let phase = self.phase.unwrap_or(Phase::Ramp);
        if self.phase.is_some() && is_load(phase) {
            return None;
        }
        let unfinished = self.progress.clone().filter(|last| last.done < last.total);
        Some(Event::Progress(unfinished.unwrap_or_else(|| Progress {
            phase,
            text: "under way".to_owned(),
            done: self.since.elapsed().as_secs(),
            total: 0,
            unit: "s".to_owned(),
        })))
    }
}

fn is_load(phase: Phase) -> bool {
    match phase {
        Phase::Ramp | Phase::Warmup | Phase::Measure | Phase::Drain => true,
        Phase::Prepare | Phase::Verify | Phase::Cleanup => false,
    }
}

#[cfg(test)]
mod tests {
    use igen_job::event::PhaseStart;

    use super::*;

    fn begin(phase: Phase) -> Event {
        Event::Phase(PhaseStart {
            phase,
            at_s: 0.0,
            planned_s: None,
        })
    }

    fn loading(done: u64) -> Event {
        Event::Progress(Progress {
            phase: Phase::Prepare,
            text: "loading".to_owned(),
            done,
            total: 9,
            unit: "rows".to_owned(),
        })
    }

    fn sign(events: &[Event]) -> Option<Event> {
        let mut life = SignOfLife::new();
        for event in events {
            life.note(event);
        }
        life.event()
    }

    fn under_way(phase: Phase) -> Event {
        Event::Progress(Progress {
            phase,
            text: "under way".to_owned(),
            done: 0,
            total: 0,
            unit: "s".to_owned(),
        })
    }

    #[test]
    fn a_step_says_again_how_far_it_is() {
        use Phase::{Cleanup, Prepare, Ramp, Verify};
        let prepare = begin(Prepare);
        assert_eq!(sign(&[]), Some(under_way(Ramp)));
        assert_eq!(
            sign(std::slice::from_ref(&prepare)),
            Some(under_way(Prepare))
        );
        assert_eq!(sign(&[prepare.clone(), loading(4)]), Some(loading(4)));
        assert_eq!(
            sign(&[prepare.clone(), loading(9)]),
            Some(under_way(Prepare))
        );
        assert_eq!(
            sign(&[prepare, loading(4), begin(Verify)]),
            Some(under_way(Verify))
        );
        assert_eq!(sign(&[begin(Cleanup)]), Some(under_way(Cleanup)));
    }

    #[test]
    fn under_load_intervals_are_the_sign() {
        for phase in [Phase::Ramp, Phase::Warmup, Phase::Measure, Phase::Drain] {
            assert_eq!(sign(&[begin(phase)]), None);
        }
    }
}
