//! A user of `ram`: allocates, fills, searches, frees.

use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::{Failure, FailureKind, Recorder, User, UserContext};

use super::array::Source;
use super::findings::{Findings, Found, Size};
use super::search::Winner;
use super::ticket::{Ticket, Tickets};

/// Steps of a transaction; the constants below are their places.
pub const OPERATIONS: &[&str] = &[
    "allocate_first",
    "allocate",
    "fill",
    "search_sequential",
    "search_random",
    "free",
];
const ALLOCATE_FIRST: usize = 0;
const ALLOCATE: usize = 1;
const FILL: usize = 2;
const SEARCH_SEQUENTIAL: usize = 3;
const SEARCH_RANDOM: usize = 4;
const FREE: usize = 5;

/// What is counted.
pub const COUNTERS: &[&str] = &["tickets_compared"];
const TICKETS_COMPARED: usize = 0;

/// A thread that searches.
pub struct RamUser {
    id: u32,
    size: Size,
    source: Source,
    array_len: usize,
    tickets: Tickets,
    random_seed: u64,
    winner: Winner,
    allocated_before: bool,
    findings: Arc<Mutex<Findings>>,
}

impl RamUser {
    /// The user of `context`, which searches memory of that size and source for `winner` and adds what it finds to
    /// `findings`.
    pub fn new(
        context: UserContext,
        (size, source): (Size, Source),
        winner: &Ticket,
        findings: Arc<Mutex<Findings>>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            id: context.id,
            size,
            source,
            array_len: array_len(size.tickets)?,
            tickets: Tickets::of(size.seed, context.id),
            random_seed: context.seed,
            winner: Winner::new(winner),
            allocated_before: false,
            findings,
        })
    }

    fn found(&self, add: impl FnOnce(&mut Findings)) {
        add(&mut self.findings.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl User for RamUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let first = !std::mem::replace(&mut self.allocated_before, true);
        let allocate = if first { ALLOCATE_FIRST } else { ALLOCATE };
        let (len, random_lookups) = (self.array_len, self.size.random_lookups);

        let mut array = recorder
            .time(allocate, async { self.source.take(len) })
            .await?;
        let fill = async {
            fill(array.tickets(), self.tickets);
            // Once for each user, and no part of the transaction: it takes the kernel a while to say.
            if first && let Some(pages) = array.found(self.source) {
                self.found(|findings| findings.pages.push(pages));
            }
            Ok(())
        };
        recorder.aside(FILL, fill).await?;
        let search = async { Ok(self.winner.search(array.tickets())) };
        let sequential = recorder.time(SEARCH_SEQUENTIAL, search).await?;
        let search = async {
            Ok(self
                .winner
                .search_random(array.tickets(), random_lookups, self.random_seed))
        };
        let random = recorder.time(SEARCH_RANDOM, search).await?;
        let free = async {
            drop(array);
            Ok(())
        };
        recorder.time(FREE, free).await?;

        recorder.count(TICKETS_COMPARED, self.size.tickets + random_lookups);
        self.found(|findings| findings.add(self.id, Found { sequential, random }));
        Ok(())
    }
}

/// Length of an array of `tickets`, if the system would give its memory: an allocation that fails
/// later ends the process.
fn array_len(tickets: u64) -> Result<usize, Failure> {
    usize::try_from(tickets)
        .ok()
        .filter(|&len| Vec::<Ticket>::new().try_reserve_exact(len).is_ok())
        .ok_or_else(|| Failure::new(FailureKind::Other, "cannot allocate the memory"))
}

fn fill(array: &mut [Ticket], tickets: Tickets) {
    for (slot, index) in array.iter_mut().zip(0..) {
        *slot = tickets.ticket(index);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn user(tickets: u64, findings: &Arc<Mutex<Findings>>) -> Result<RamUser, Failure> {
        let size = Size {
            seed: 42,
            tickets,
            random_lookups: 10_000,
        };
        let context = UserContext {
            id: 0,
            seed: 1,
            target: 0,
        };
        let winner = Tickets::of(42, 7).ticket(123_456);
        RamUser::new(
            context,
            (size, Source::Allocator),
            &winner,
            Arc::clone(findings),
        )
    }

    #[tokio::test]
    async fn a_transaction_that_searches_other_tickets_is_found() {
        let findings = Arc::default();
        let mut user = user(50_000, &findings).unwrap();
        let size = user.size;
        let mut recorder = Recorder::detached(OPERATIONS.len(), COUNTERS.len()).unwrap();
        for _ in 0..2 {
            user.transaction(&mut recorder).await.unwrap();
        }
        findings.lock().unwrap().check(&size).unwrap();

        user.tickets = Tickets::of(43, 0);
        user.transaction(&mut recorder).await.unwrap();
        let error = findings.lock().unwrap().check(&size).unwrap_err();
        assert!(error.starts_with("1 searches"), "{error}");
    }

    #[test]
    fn memory_that_the_system_cannot_give_fails_the_user() {
        let refused = user(u64::MAX / 48, &Arc::default());
        assert!(refused.is_err_and(|failure| failure.reason.text.contains("memory")));
    }
}
