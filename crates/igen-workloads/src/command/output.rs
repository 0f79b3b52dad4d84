//! Standard output of programs: a pipe that is drained, `/dev/null` or a file.
//!
//! A program that sees `/dev/null` may skip its work: GNU tar does not read the files that it archives, grep stops at
//! its first match.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use rustix::pipe::{SpliceFlags, fcntl_setpipe_size, splice};
use tokio::net::unix::pipe::Receiver;

/// Capacity of the pipe: a program waits for its reader after as many bytes.
const PIPE_BYTES: usize = 1 << 20;

/// The standard output of `run`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Output {
    Pipe,
    Null,
    File(PathBuf),
}

impl Output {
    /// Returns the output that the parameter means.
    pub(super) fn of(text: Option<&str>) -> Self {
        match text {
            Some("pipe") => Self::Pipe,
            Some("null") | None => Self::Null,
            Some(path) => Self::File(path.into()),
        }
    }

    /// Returns its kind, for the facts of the run.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Null => "null",
            Self::File(_) => "file",
        }
    }
}

/// The reading end of a pipe whose content is dropped in the kernel, without a copy.
pub(super) struct Drain {
    pipe: Receiver,
    null: File,
}

impl Drain {
    /// Returns the drain, and the writing ends for the programs of one user. Needs a tokio runtime.
    pub(super) fn open() -> io::Result<(Self, [Stdio; 2])> {
        let (reader, writer) = io::pipe()?;
        // Refused if a user without privileges has many large pipes: then it keeps its size.
        let _ = fcntl_setpipe_size(&writer, PIPE_BYTES);
        let null = File::options().write(true).open("/dev/null")?;
        let drain = Self {
            pipe: Receiver::from_owned_fd(reader.into())?,
            null,
        };
        let writers = [Stdio::from(writer.try_clone()?), Stdio::from(writer)];
        Ok((drain, writers))
    }

    /// Drops what is written for as long as it is awaited; returns why it cannot.
    pub(super) async fn follow(&self) -> io::Error {
        loop {
            if let Err(error) = self.pipe.readable().await {
                return error;
            }
            match self.pipe.try_io(|| self.drop_some()) {
                // Nobody can write any more.
                Ok(0) => return std::future::pending().await,
                Ok(_) => (),
                Err(error) if is_for_now(&error) => (),
                Err(error) => return error,
            }
        }
    }

    /// Drops what is there; at most as much as the pipe holds, because a daemon may write to it for ever.
    pub(super) fn empty(&self) {
        let mut left = PIPE_BYTES;
        while let Ok(bytes) = self.drop_some()
            && bytes > 0
            && left > 0
        {
            left = left.saturating_sub(bytes);
        }
    }

    fn drop_some(&self) -> io::Result<usize> {
        let (pipe, null) = (&self.pipe, &self.null);
        Ok(splice(
            pipe,
            None,
            null,
            None,
            PIPE_BYTES,
            SpliceFlags::NONBLOCK,
        )?)
    }
}

fn is_for_now(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_pipe_that_nobody_writes_to_keeps_nobody_busy() {
        let (drain, writers) = Drain::open().unwrap();
        drop(writers);
        let followed = tokio::time::timeout(Duration::from_millis(1), drain.follow()).await;
        assert!(followed.is_err());
    }
}
