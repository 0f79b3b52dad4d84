//! Jobs and commands, as an agent reads them from standard input.

use igen_job::{Command, Job};

/// Reads a job and checks it as `igen-agent check` does, and reads a command.
pub fn json(input: &[u8]) {
    let _ = serde_json::from_slice::<Command>(input);
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    let Ok(job) = Job::from_json(text) else {
        return;
    };
    if let Some(entry) = igen_workloads::workloads::find(&job.workload) {
        let _ = (entry.check)(&job);
    }
}
