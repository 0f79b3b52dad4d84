//! Counters of all threads of a program, none of which is lost or counted twice.

use std::collections::HashSet;
use std::fmt;
use std::io;

use crate::counters::{Counter, Event, Of, Within};
use crate::pfp::threads::{Tree, threads};

/// Why nothing is counted.
#[derive(Debug)]
pub(in crate::pfp) enum Refusal {
    /// Nobody knows what this processor counts.
    NoList,
    /// The program has no thread any more.
    Ended,
    /// At each look it had started threads or processes: some would be counted twice, or not at all.
    Restless,
    /// The kernel has no such counter, or not for this user, or no more of them.
    Kernel(io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoList => formatter.write_str("iGen does not know the events of this processor"),
            Self::Ended => formatter.write_str("the program has ended"),
            Self::Restless => {
                formatter.write_str("the program keeps starting threads or processes")
            }
            Self::Kernel(error) if error.raw_os_error() == Some(libc::ENOENT) => {
                formatter.write_str("this machine does not provide them")
            }
            Self::Kernel(error) => write!(formatter, "{error}"),
        }
    }
}

/// How often a program's threads are listed before it is called restless.
const LISTINGS: usize = 10;

/// What was opened for a program's threads while it started none. Who was started meanwhile may be counted with its starter
/// already, or not: so all begin anew.
pub(super) fn settled<T>(
    mut listing: impl FnMut() -> HashSet<u32>,
    mut open: impl FnMut(&HashSet<u32>) -> io::Result<T>,
) -> Result<T, Refusal> {
    let mut listed = listing();
    for _ in 0..LISTINGS {
        let opened = open(&listed).map_err(Refusal::Kernel)?;
        let now = listing();
        if now.is_subset(&listed) {
            return Ok(opened);
        }
        listed = now;
    }
    Err(Refusal::Restless)
}

pub(super) fn listing(tree: &mut Tree) -> HashSet<u32> {
    tree.look();
    tree.processes().iter().copied().flat_map(threads).collect()
}

/// For each event one counter of each thread, thread by thread, so that all events of one begin together. A thread may have
/// ended since it was seen: that says nothing of the event.
pub(super) fn open(events: &[Event], threads: &HashSet<u32>) -> io::Result<Vec<Vec<Counter>>> {
    let mut counters: Vec<Vec<Counter>> = events.iter().map(|_| Vec::new()).collect();
    for thread in threads {
        let of = Of::Thread(thread.cast_signed());
        let opened: io::Result<Vec<Counter>> = events
            .iter()
            .map(|event| Counter::open(*event, of, Within::Programs))
            .collect();
        match opened {
            Ok(opened) => {
                for (all, one) in counters.iter_mut().zip(opened) {
                    all.push(one);
                }
            }
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(counters)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn threads_that_start_meanwhile_are_neither_lost_nor_counted_twice() {
        let settled_on = |listings: &[&[u32]]| {
            let mut listings = listings
                .iter()
                .map(|threads| threads.iter().copied().collect());
            settled(
                || listings.next().unwrap(),
                |threads| Ok(threads.iter().copied().max()),
            )
        };
        assert_eq!(settled_on(&[&[1], &[1]]).unwrap(), Some(1));
        assert_eq!(settled_on(&[&[1, 2], &[1]]).unwrap(), Some(2));
        let later = settled_on(&[&[1], &[1, 2], &[1, 2, 3], &[3]]);
        assert_eq!(later.unwrap(), Some(3));
        let mut last = 0;
        let restless = settled(
            || {
                last += 1;
                HashSet::from([last])
            },
            |_| Ok(()),
        );
        assert!(matches!(restless, Err(Refusal::Restless)));
        let full = settled(HashSet::new, |_| -> io::Result<()> {
            Err(io::Error::from_raw_os_error(libc::EMFILE))
        });
        assert!(matches!(full, Err(Refusal::Kernel(_))));
    }
}
