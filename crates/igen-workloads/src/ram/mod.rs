//! `ram` (iGenRAM v1): lotto tickets a millisecond.
//!
//! A transaction allocates an array `tickets[draw][ticket][6]` of 32-bit numbers, touches each page,
//! searches it for the winners of the California lottery, once in the order of memory and then in
//! random places, and frees it. Filling the array is timed aside: it is no part of the transaction's
//! response time, but takes its share of a user's time, and of the memory's bandwidth from the
//! other users.
//!
//! Throughput is tickets compared by the time of both searches, summed over users:
//! users × `tickets_compared` / (time of `search_sequential` + time of `search_random`).
//!
//! - `allocate_first` is the first allocation of a user: cold where a hypervisor backs memory only
//!   when it is first touched. From 64 MiB on every later one, `allocate`, also comes from the
//!   operating system; smaller arrays the allocator may take from what was freed before.
//! - The sequential search is scalar code bound by memory (see `search`). The default of
//!   `random_lookups` gives the random search about the weight of the sequential one.
//! - Pages are as large as the system gives unasked, unless `pages` says which: then each transaction takes its
//!   memory from the operating system and gives it back, past the allocator.
//! - Each user finds the same in every transaction, or `verify` fails at the end of the level; and
//!   what it found must be what chance explains, or under seed 42 with 512 MiB the golden counts.

mod array;
mod findings;
mod odds;
mod search;
mod ticket;
mod user;

use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::{Failure, Rate, Setup, UserContext, Workload};
use igen_job::{Bytes, Fact, JobError, Pages, facts};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{memory, pages};
use array::Source;
use findings::{Findings, Size};
use search::TICKETS_PER_DRAW;
use ticket::{Ticket, Tickets};
use user::RamUser;

/// The winner is this ticket of this thread, whoever searches.
const WINNER: (u32, u64) = (7, 123_456);
const MIB: u64 = 1 << 20;

/// How much memory, and how it is searched.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Memory that each user allocates, from 1MiB; published: 512MiB and 1GiB.
    pub bytes_per_user: Bytes,
    /// Tickets that each transaction looks up at random places.
    pub random_lookups: u64,
    /// Kind of pages, allocated anew for each transaction.
    #[schemars(extend("x-default" = "the allocator's"))]
    pub pages: Option<Pages>,
    /// Lock the memory, so that it is not swapped out; needs `pages`.
    pub lock: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            bytes_per_user: Bytes(512 * MIB),
            random_lookups: 1 << 21,
            pages: None,
            lock: false,
        }
    }
}

/// The workload.
pub struct Ram {
    bytes_per_user: u64,
    size: Size,
    source: Source,
    winner: Ticket,
    findings: Arc<Mutex<Findings>>,
}

impl Workload for Ram {
    const NAME: &'static str = "ram";
    const KEEPS_PROCESSOR: bool = true;
    const SUMMARY: &'static str = "allocates memory and searches it for winning lotto tickets";
    const VERSION: u32 = 1;
    const OPERATIONS: &'static [&'static str] = user::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const RATES: &'static [Rate] = &[Rate {
        name: "tickets_per_ms",
        counter: "tickets_compared",
        operations: &["search_sequential", "search_random"],
    }];
    type Params = Params;
    type User = RamUser;

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        let bytes_per_user = params.bytes_per_user.0;
        let field = "params.bytes_per_user";
        if bytes_per_user < MIB {
            let text = format!("{bytes_per_user} bytes are too few to measure memory");
            return Err(
                JobError::at(field, text).hint("use at least 1MiB; published: 512MiB and 1GiB")
            );
        }
        let source = match params.pages {
            None if params.lock => {
                return Err(JobError::at("params.lock", "locking needs a kind of page")
                    .hint("set pages=4k, or another kind"));
            }
            None => Source::Allocator,
            Some(pages) => Source::Pages {
                pages: pages::checked(Some(pages), bytes_per_user, setup.own_users)?,
                lock: params.lock,
            },
        };
        if let Source::Pages { pages, lock: true } = source {
            pages::check_lock(bytes_per_user, pages, setup.own_users)?;
        }
        if !params.pages.is_some_and(Pages::is_pool) {
            memory::check(bytes_per_user, &setup, memory::available_bytes(), field)?;
        }
        let (thread, index) = WINNER;
        Ok(Self {
            bytes_per_user,
            size: Size {
                seed: setup.seed,
                tickets: bytes_per_user / size_of::<Ticket>() as u64,
                random_lookups: params.random_lookups,
            },
            source,
            winner: Tickets::of(setup.seed, thread).ticket(index),
            findings: Arc::default(),
        })
    }

    async fn verify(&self, _: bool) -> Result<(), JobError> {
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.check(&self.size).map_err(|wrong| {
            JobError::new(wrong)
                .hint("do not trust results of this machine: its memory may be faulty")
        })
    }

    async fn facts(&self) -> Vec<Fact> {
        vec![
            facts::WORKLOAD_BYTES_PER_USER.is(json!(self.bytes_per_user)),
            facts::WORKLOAD_TICKETS_PER_USER.is(json!(self.size.tickets)),
            facts::WORKLOAD_TICKETS_PER_DRAW.is(json!(TICKETS_PER_DRAW)),
            facts::WORKLOAD_RANDOM_LOOKUPS.is(json!(self.size.random_lookups)),
            facts::WORKLOAD_WINNER.is(json!(self.winner)),
        ]
    }

    async fn facts_after(&self) -> Vec<Fact> {
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = self.source.name(&findings.pages);
        let fact = |pages: String| facts::WORKLOAD_PAGES.is(pages);
        pages.map(fact).into_iter().collect()
    }

    async fn user(&self, context: UserContext) -> Result<RamUser, Failure> {
        let findings = Arc::clone(&self.findings);
        RamUser::new(context, (self.size, self.source), &self.winner, findings)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use igen_engine::{Recorder, User};

    use super::*;

    #[tokio::test]
    async fn users_find_what_chance_explains() {
        let params = Params {
            bytes_per_user: Bytes(2 * MIB),
            random_lookups: 10_000,
            ..Params::default()
        };
        let setup = Setup {
            targets: Vec::new(),
            users: 2,
            own_users: 2,
            agent_users: 2,
            seed: 42,
            force: false,
            i_own_this_data: false,
            credentials: igen_job::Credentials::Own,
            stream: true,
            rest_s: 0.0,
        };
        let workload = Ram::new(params, setup).unwrap();
        let mut recorder = Recorder::detached(Ram::OPERATIONS.len(), Ram::COUNTERS.len()).unwrap();
        for id in 0..2 {
            let context = UserContext {
                id,
                seed: id.into(),
                target: 0,
            };
            let mut user = workload.user(context).await.unwrap();
            user.transaction(&mut recorder).await.unwrap();
        }
        workload.verify(true).await.unwrap();
    }

    #[test]
    fn params_take_units_and_refuse_what_is_unknown() {
        let params: Params = serde_json::from_value(json!({ "bytes_per_user": "8MiB" })).unwrap();
        assert_eq!(params.bytes_per_user, Bytes(8 * MIB));
        for wrong in [
            json!({ "bytes": 1 }),
            json!({ "bytes_per_user": "8 parsecs" }),
        ] {
            assert!(serde_json::from_value::<Params>(wrong).is_err());
        }
    }
}
