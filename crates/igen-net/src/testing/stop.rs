//! Processes that no longer answer, although they are there.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Stops processes, and waits until they have.
pub fn stop(processes: &[Pid]) {
    for process in processes {
        kill_process(*process, Signal::STOP).unwrap();
    }
    let start = Instant::now();
    while !processes.iter().copied().all(is_stopped) {
        assert!(start.elapsed() < Duration::from_secs(10), "still running");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns true if all threads of a process are stopped: they may go on for a while after the signal.
fn is_stopped(process: Pid) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    threads.into_iter().all(|thread| {
        let status = std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap();
        status.contains("State:\tT")
    })
}
