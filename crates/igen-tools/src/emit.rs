//! Where a tool writes, and how it hears that it shall end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use igen_job::ToolLine;
use igen_job::tool::Table;

/// What a tool says goes through here, line by line.
pub struct Emit<'a> {
    write: &'a mut dyn FnMut(ToolLine) -> io::Result<()>,
    stop: &'a AtomicBool,
}

impl<'a> Emit<'a> {
    /// Lines go to `write`; `stop` is set by whoever wants the tool to end before its time.
    pub fn new(write: &'a mut dyn FnMut(ToolLine) -> io::Result<()>, stop: &'a AtomicBool) -> Self {
        Self { write, stop }
    }

    /// Something that was found.
    pub fn table(&mut self, table: Table) {
        self.line(ToolLine::Table(table));
    }

    /// How complete it was, and what could not be seen.
    pub fn note(&mut self, text: impl Into<String>) {
        self.line(ToolLine::Note(text.into()));
    }

    /// How far it is.
    pub fn progress(&mut self, text: impl Into<String>) {
        self.line(ToolLine::Progress(text.into()));
    }

    /// Returns true if it is time to end: a signal asked for it, or nobody reads any more.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn line(&mut self, line: ToolLine) {
        if (self.write)(line).is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The lines that `run` emits.
    pub(crate) fn lines(run: impl FnOnce(&mut Emit)) -> Vec<ToolLine> {
        let mut lines = Vec::new();
        let mut write = |line| {
            lines.push(line);
            Ok(())
        };
        run(&mut Emit::new(&mut write, &AtomicBool::new(false)));
        lines
    }

    #[test]
    fn lines_keep_their_order() {
        let said = lines(|emit| {
            emit.note("a");
            emit.progress("b");
            assert!(!emit.stopped());
        });
        assert_eq!(
            said,
            [ToolLine::Note("a".into()), ToolLine::Progress("b".into())]
        );
    }

    #[test]
    fn a_reader_that_went_away_stops_the_tool() {
        let stop = AtomicBool::new(false);
        let mut write = |_| Err(io::ErrorKind::BrokenPipe.into());
        let mut emit = Emit::new(&mut write, &stop);
        assert!(!emit.stopped());
        emit.note("a");
        assert!(emit.stopped());
    }
}
