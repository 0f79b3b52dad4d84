//! The lease of a job: its right to continue, which must be renewed regularly. An agent that cannot be reached any
//! more, such as one behind a cut network, stops its load by itself.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use igen_engine::host::Emit;
use igen_job::event::Event;
use igen_job::{JobError, Seconds};

use crate::abandoned::Abandoned;

/// Renews the lease.
pub struct Lease(Sender<()>);

impl Lease {
    /// Starts a lease of `length`. When it ends, the job stops with an error.
    pub fn start(length: Seconds, emit: Emit, abandoned: Abandoned) -> Self {
        let (renew, renewals) = channel();
        std::thread::spawn(move || {
            let _ = igen_kernel::scheduling::lift();
            wait_until_ended(Duration::from_secs_f64(length.0), &renewals);
            let text = format!("the lease of {} s was not renewed", length.0);
            emit(Event::Error(JobError::at("lease_s", text).hint(
                "the job was stopped; send the command `renew` more often than that",
            )));
            abandoned.report();
        });
        Self(renew)
    }

    /// Restarts the lease, unless it has ended.
    pub fn renew(&self) {
        let _ = self.0.send(());
    }
}

fn wait_until_ended(length: Duration, renewals: &Receiver<()>) {
    let mut end = Instant::now() + length;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match renewals.recv_timeout(left) {
            Ok(()) => end = Instant::now() + length,
            Err(RecvTimeoutError::Timeout) => return,
            // Nobody can renew it any more.
            Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(left),
        }
    }
}
