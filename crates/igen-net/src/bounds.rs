//! Bounds of an answer that is short by its nature: what a server says of itself, a marker, a definition.
//! A server that goes on and on takes neither all memory nor all time.

use std::time::{Duration, Instant};

/// The most bytes that belong to one answer, all together.
const MOST_BYTES: usize = 16 << 20;
/// Messages that a server may put between: notices, changed settings.
const MOST_ASIDES: u32 = 100;
/// From its first part to its end. What comes before the first part is work, which may take long.
const LONGEST: Duration = Duration::from_mins(1);

/// Amount of an answer received so far.
#[derive(Debug, Default)]
pub struct Bounds {
    began: Option<Instant>,
    bytes: usize,
    asides: u32,
}

impl Bounds {
    /// Counts a part of the answer; returns the fault of the server if it is too long.
    #[inline]
    pub fn part(&mut self, bytes: usize) -> Result<(), &'static str> {
        self.bytes = self.bytes.saturating_add(bytes);
        let began = *self.began.get_or_insert_with(Instant::now);
        if self.bytes > MOST_BYTES {
            return Err("an answer of more than 16 MiB instead of a few lines");
        }
        if began.elapsed() > longest(LONGEST) {
            return Err("an answer that took more than a minute");
        }
        Ok(())
    }

    /// Counts a message that is not part of the answer.
    #[inline]
    pub fn aside(&mut self) -> Result<(), &'static str> {
        self.asides += 1;
        if self.asides > MOST_ASIDES {
            return Err("more than 100 notices instead of an answer");
        }
        Ok(())
    }
}

/// The longest time that something may take; two seconds while a test has a server that takes its time.
pub(crate) fn longest(usual: Duration) -> Duration {
    #[cfg(any(test, feature = "testing"))]
    if crate::testing::misbehaves() {
        return Duration::from_secs(2);
    }
    usual
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_asides_are_bounded() {
        let mut bounds = Bounds::default();
        for _ in 0..16 {
            assert_eq!(bounds.part(1 << 20), Ok(()));
        }
        assert!(bounds.part(1).is_err());
        let mut bounds = Bounds::default();
        assert!((0..MOST_ASIDES).all(|_| bounds.aside().is_ok()));
        assert!(bounds.aside().is_err());
    }
}
