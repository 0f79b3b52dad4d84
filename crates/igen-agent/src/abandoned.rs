//! The end of a process whose peer is gone: it stops, and ends in a bounded time whatever it still waits for.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

/// From the loss of the peer to the end of the process: the default drain, and time to leave nothing half done.
pub const LIMIT: Duration = Duration::from_secs(20);

/// Reports that the peer is gone: it closed its end of a pipe, or did not renew a lease.
#[derive(Clone)]
pub struct Abandoned(Sender<()>);

impl Abandoned {
    /// Starts a thread that calls `stop` if the peer is gone, and `end` after `limit`. The thread runs soon however many
    /// threads keep the processors busy.
    pub fn watch(
        limit: Duration,
        stop: impl FnOnce() + Send + 'static,
        end: impl FnOnce() + Send + 'static,
    ) -> Self {
        let (send, gone) = channel();
        thread::spawn(move || {
            let _ = igen_kernel::scheduling::lift();
            if gone.recv().is_ok() {
                stop();
                thread::sleep(limit);
                end();
            }
        });
        Self(send)
    }

    /// Ends the process.
    pub fn report(&self) {
        // After the first report the thread listens no more.
        let _ = self.0.send(());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_process_without_its_peer_stops_and_then_ends() {
        let (send, steps) = channel();
        let ended = send.clone();
        let abandoned = Abandoned::watch(
            Duration::from_millis(1),
            move || send.send("stop").unwrap(),
            move || ended.send("end").unwrap(),
        );
        let copy = abandoned.clone();
        copy.report();
        abandoned.report();
        assert_eq!(steps.iter().collect::<Vec<_>>(), ["stop", "end"]);
    }

    #[test]
    fn a_process_with_its_peer_is_not_stopped() {
        let (send, steps) = channel();
        let stop = move || send.send(()).unwrap();
        drop(Abandoned::watch(Duration::ZERO, stop, || {}));
        assert_eq!(steps.iter().count(), 0);
    }
}
