//! A shell for tests that look at processes.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A shell that runs a command when asked, and ends when its input is closed.
pub(crate) struct Shell {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Shell {
    /// It executes a line of shell for each line that it gets, and says that it is done.
    pub(crate) fn start(work: &str) -> Self {
        let script = format!("while read -r line; do {work}; echo done; done");
        let mut process = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn work(&mut self) {
        writeln!(self.input, "go").unwrap();
        self.output.read_line(&mut String::new()).unwrap();
    }

    pub(crate) fn end(mut self) {
        drop(self.input);
        self.process.wait().unwrap();
    }
}
