//! The limit of fixed priority, in a process of its own: it cannot be taken back.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use igen_job::Scheduling;
use igen_kernel::scheduling;
use rustix::param::clock_ticks_per_second;
use rustix::process::Signal;

/// Should the limit fail, the program ends after so much processor time all the same.
const BOUND_S: u64 = 6;

#[test]
fn the_kernel_kills_a_program_that_refuses_the_signal_of_the_end() {
    if let Err(error) = scheduling::possible(Scheduling::Fifo) {
        eprintln!("skipped: no fixed priority here ({error})");
        return;
    }
    scheduling::limit_fixed(Duration::from_millis(200)).unwrap();
    let script = format!("ulimit -t {BOUND_S}; trap '' XCPU; while :; do :; done");
    let spin = move || -> std::io::Result<ExitStatus> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &script]);
        scheduling::take(Scheduling::Fifo)?;
        shell.status()
    };
    let status = thread::spawn(spin).join().unwrap().unwrap();
    assert_eq!(status.signal(), Some(Signal::KILL.as_raw()), "{status}");
    let used_s = waited_ticks() / clock_ticks_per_second();
    assert!(used_s < BOUND_S - 2, "it had {used_s} s");
}

/// Ticks of those that this process has waited for, `proc_pid_stat(5)`.
fn waited_ticks() -> u64 {
    let own = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = own.rsplit(") ").next().unwrap().split(' ');
    let ticks = fields.skip(13).take(2);
    ticks.map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}
