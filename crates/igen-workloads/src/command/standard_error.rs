//! What programs say on standard error: its last line is why they failed.

use std::convert::Infallible;
use std::io;
use std::process::Stdio;

use igen_net::said;
use tokio::net::unix::pipe::Receiver;

/// As much of the end is kept.
const KEPT_BYTES: usize = 4_096;
/// Longest line that is told, in characters.
const LINE_CHARACTERS: usize = 160;
/// As many reads empty a full pipe.
const READS: usize = 16;

/// The reading end of a pipe, and the end of what came through it.
pub(super) struct StandardError {
    receiver: Receiver,
    tail: Vec<u8>,
}

impl StandardError {
    /// The reading end, and the writing end for the programs of one user. Needs a tokio runtime.
    pub(super) fn open() -> io::Result<(Self, [Stdio; 2])> {
        let (reader, writer) = io::pipe()?;
        let receiver = Receiver::from_owned_fd(reader.into())?;
        let tail = Vec::new();
        let writers = [Stdio::from(writer.try_clone()?), Stdio::from(writer)];
        Ok((Self { receiver, tail }, writers))
    }

    /// Reads for as long as it is awaited, so that no program waits for a full pipe.
    pub(super) async fn follow(&mut self) -> Infallible {
        while self.receiver.readable().await.is_ok() {
            self.read();
        }
        // Nobody can write any more.
        std::future::pending().await
    }

    /// Forgets what was said before, also what nobody has read yet.
    pub(super) fn clear(&mut self) {
        self.read_all();
        self.tail.clear();
    }

    /// The last line that is not blank, without what only a terminal understands.
    pub(super) fn last_line(&mut self) -> Option<String> {
        self.read_all();
        last_line(&String::from_utf8_lossy(&self.tail))
    }

    fn read_all(&mut self) {
        (0..READS).take_while(|_| self.read()).for_each(drop);
    }

    /// Reads what is there, up to a page; whether there was something.
    fn read(&mut self) -> bool {
        let mut page = [0; KEPT_BYTES];
        let Ok(count @ 1..) = self.receiver.try_read(&mut page) else {
            return false;
        };
        self.tail.extend_from_slice(&page[..count]);
        self.tail
            .drain(..self.tail.len().saturating_sub(KEPT_BYTES));
        true
    }
}

fn last_line(text: &str) -> Option<String> {
    text.lines()
        .rev()
        .map(cleaned)
        .find(|line| !line.is_empty())
}

/// Without the sequences that colour a terminal, fit for an error, and no longer than a line.
fn cleaned(line: &str) -> String {
    let mut characters = line.chars().peekable();
    let mut plain = String::new();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
        } else if characters.next_if_eq(&'[').is_some() {
            // A sequence ends with its first letter.
            let _ = characters.find(char::is_ascii_alphabetic);
        }
    }
    let plain = said(plain.as_bytes());
    let line = plain.trim();
    if line.chars().count() <= LINE_CHARACTERS {
        return line.to_owned();
    }
    let cut: String = line.chars().take(LINE_CHARACTERS - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::*;

    #[tokio::test]
    async fn what_was_said_before_is_forgotten_though_nobody_read_it() {
        let (reader, mut writer) = io::pipe().unwrap();
        let receiver = Receiver::from_owned_fd(reader.into()).unwrap();
        let tail = Vec::new();
        let mut error = StandardError { receiver, tail };
        writer.write_all(b"warning: slow disk\n").unwrap();
        error.receiver.readable().await.unwrap();
        error.clear();
        assert_eq!(error.last_line(), None);
    }

    #[test]
    fn the_last_line_is_cleaned_and_cut() {
        let long = "x".repeat(1_000);
        let cut = format!("{}…", "x".repeat(LINE_CHARACTERS - 1));
        for (text, expected) in [
            ("", None),
            ("\n \n\t\n", None),
            ("first\nlast\n\n", Some("last")),
            (
                "\u{1b}[1;31merror:\u{1b}[0m no\tfile\r\n",
                Some("error: no file"),
            ),
            (
                "bell\u{7} and \u{1b}escape",
                Some("bell\u{fffd} and escape"),
            ),
            (&long, Some(cut.as_str())),
        ] {
            assert_eq!(last_line(text).as_deref(), expected, "{text:?}");
        }
    }
}
