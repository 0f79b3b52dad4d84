//! `mem` (memspeed): bandwidth and latency of memory.
//!
//! A transaction is one pass of a kernel over the arrays of its user, who is a pinned thread: `read`,
//! `write`, `copy`, `scale`, `add`, `triad` with scalar, SSE2, AVX2, AVX-512 or NEON instructions and
//! regular or non-temporal stores, the C library's `memcpy` and the processor's `rep` instructions; or
//! 262,144 look-ups of a pointer chase. Arrays below 16 MiB are passed over as often as makes up 16 MiB.
//!
//! - Each kernel is an operation. Its bandwidth is users × bytes / time of the operation, with bytes
//!   counted by STREAM's rule: `read` and `write` n, `copy` and `scale` 2 n, `add` and `triad` 3 n.
//! - With several kernels the users run them in turn, all the same one at a time. A turn is timed from
//!   where all are ready until the last has ended its pass; a chase, whose latency is each user's own,
//!   until it has ended itself. Waiting for the others is aside, and so is a pass before each turn that
//!   the last cache might keep something of: else it would find what other kernels left in the caches.
//! - Verified: before the load what each storing kernel writes to up to 16 MiB of the user's arrays, the
//!   sum of each `read`, each number after the last pass, and that the chase still goes through all lines.

mod cache;
mod chase;
mod kernels;
mod layout;
mod node;
mod params;
mod turns;
mod user;
mod variant;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use igen_engine::{Failure, RunDefaults, Setup, UserContext, Workload};
use igen_job::{Fact, JobError, Placement, facts};
use serde_json::{Map, Value, json};

use crate::{memory, pages};
use cache::LastCache;
use layout::Layout;
use node::Node;
use params::Params;
use user::{Findings, HOPS, MemUser, Plan};

/// Below this an array is a few lines and the loops around it are what is measured.
const LEAST_BYTES: u64 = 4096;

/// The workload.
pub struct Mem {
    size_bytes: u64,
    plan: Arc<Plan>,
}

impl Workload for Mem {
    const NAME: &'static str = "mem";
    const KEEPS_PROCESSOR: bool = true;
    const SUMMARY: &'static str = "memory bandwidth and latency: reads, writes and copies memory";
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = "passes";
    const OPERATIONS: &'static [&'static str] = variant::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const PLACEMENT: Placement = Placement::PINNED_THREADS;
    type Params = Params;
    type User = MemUser;

    fn run_defaults() -> Option<RunDefaults> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Some(levels(u32::try_from(processors).unwrap_or(u32::MAX)))
    }

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        let size_bytes = params.array_bytes(setup.own_users);
        let at = |text: String| JobError::at("params.size_bytes", text);
        if size_bytes < LEAST_BYTES {
            return Err(
                at(format!("{size_bytes} bytes are too few to measure memory"))
                    .hint("use at least 4KiB: the fastest cache has 32KiB or more"),
            );
        }
        let variants = variant::chosen(&params)?;
        let layout = Layout::of(size_bytes, variants.iter().map(|(_, variant)| *variant))
            .ok_or_else(|| at(format!("{size_bytes} bytes are more than any memory")))?;
        let pages = pages::checked(params.pages, layout.bytes(), setup.own_users)?;
        if !pages.is_pool() {
            memory::check(
                layout.bytes(),
                &setup,
                memory::available_bytes(),
                "params.size_bytes",
            )?;
        }
        if params.lock {
            pages::check_lock(layout.bytes(), pages, setup.own_users)?;
        }
        let node = |number: Option<u32>, field| number.map(|n| Node::of(n, field)).transpose();
        Ok(Self {
            size_bytes,
            plan: Arc::new(Plan {
                users: setup.own_users,
                last_cache: LastCache::of_this_machine(),
                variants,
                layout,
                pages,
                lock: params.lock,
                node: node(params.node, "params.node")?,
                memory_node: node(params.memory_node, "params.memory_node")?,
                turns: turns::Turns::default(),
                findings: std::sync::Mutex::default(),
            }),
        })
    }

    async fn verify(&self, _: bool) -> Result<(), JobError> {
        let findings = self.findings();
        match findings.wrong.first() {
            None => Ok(()),
            Some(wrong) => {
                let others = findings.wrong.len() - 1;
                let more = if others > 0 {
                    format!(", and {others} more findings")
                } else {
                    String::new()
                };
                Err(JobError::new(format!("{wrong}{more}"))
                    .hint("do not trust results of this machine: its memory may be faulty"))
            }
        }
    }

    async fn facts(&self) -> Vec<Fact> {
        let plan = &self.plan;
        let described: Map<String, Value> = plan
            .variants
            .iter()
            .map(|(_, each)| {
                let described = each.described(plan.transaction_bytes(), HOPS);
                (each.name.to_owned(), described)
            })
            .collect();
        vec![
            facts::MEM_ARRAY_BYTES.is(json!(self.size_bytes)),
            facts::MEM_USER_BYTES.is(json!(plan.layout.bytes())),
            facts::MEM_PASSES_PER_TRANSACTION.is(json!(plan.passes())),
            facts::MEM_KERNELS.is(Value::Object(described)),
        ]
    }

    async fn facts_after(&self) -> Vec<Fact> {
        let findings = self.findings();
        let pages = pages::in_words(self.plan.pages, &findings.memory);
        let mut nodes: BTreeMap<u32, u64> = BTreeMap::new();
        for (node, pages) in findings.memory.iter().flat_map(|found| &found.nodes) {
            *nodes.entry(*node).or_default() += pages;
        }
        let all: u64 = nodes.values().sum();
        let shares: Vec<String> = nodes
            .iter()
            .map(|(node, pages)| {
                format!("node {node}: {:.0} %", 100.0 * *pages as f64 / all as f64)
            })
            .collect();
        let mut found = vec![facts::MEM_PAGES.is(pages)];
        if !shares.is_empty() {
            found.push(facts::MEM_MEMORY_ON.is(shares.join(", ")));
        }
        found
    }

    async fn user(&self, context: UserContext) -> Result<MemUser, Failure> {
        MemUser::new(context, Arc::clone(&self.plan))
    }
}

/// Shortest measurement: shorter ones have too few intervals to tell whether the level was steady.
const LEAST_S: f64 = 2.0;

/// One thread to one for each processor; each execution measures for as long as slow memory needs for a turn of every
/// kernel.
fn levels(processors: u32) -> RunDefaults {
    let users = thread_counts(processors);
    let turn_s = users
        .iter()
        .map(|&users| turn_s(users))
        .fold(LEAST_S, f64::max);
    RunDefaults {
        repeats: if users.len() > 2 { 2 } else { 3 },
        users,
        warmup_s: 0.3,
        measure_s: (turn_s * 2.0).ceil() / 2.0,
        think_time: None,
    }
}

/// Returns the time that slow memory needs for a turn of every kernel.
fn turn_s(users: u32) -> f64 {
    // 11 GB/s for one thread, 1 GB/s more for each further thread.
    let bytes_per_s = 10e9 + 1e9 * f64::from(users);
    let variants: Vec<_> = variant::all()
        .filter(|(_, each)| each.available())
        .collect();
    let passes = variants.iter().enumerate().map(|(index, (_, variant))| {
        // If the last cache kept everything, each change of kernel would need a pass before the turn.
        let (_, before) = variants[index.checked_sub(1).unwrap_or(variants.len() - 1)];
        let untimed = u32::from(!variant.follows(before));
        (1 + untimed) * variant.kernel.moved()
    });
    let arrays = f64::from(passes.sum::<u32>()) * f64::from(users);
    arrays * Params::default().array_bytes(users) as f64 / bytes_per_s
}

/// At most three: up to four processors by doubling, with more by a higher power of two.
fn thread_counts(processors: u32) -> Vec<u32> {
    let mut factor = 2;
    loop {
        let powers = std::iter::successors(Some(1_u32), |users| users.checked_mul(factor));
        let mut users: Vec<u32> = powers.take_while(|users| *users < processors).collect();
        users.push(processors);
        if users.len() <= 3 {
            return users;
        }
        factor *= 2;
    }
}

impl Mem {
    fn findings(&self) -> std::sync::MutexGuard<'_, Findings> {
        let findings = self.plan.findings.lock();
        findings.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use igen_engine::{Recorder, User};

    use super::*;

    fn workload(params: Value) -> Result<Mem, JobError> {
        let setup = Setup {
            targets: Vec::new(),
            users: 1,
            own_users: 1,
            agent_users: 1,
            stream: true,
            rest_s: 0.0,
            seed: 42,
            force: false,
            i_own_this_data: false,
            credentials: igen_job::Credentials::Own,
        };
        Mem::new(serde_json::from_value(params).unwrap(), setup)
    }

    async fn user(workload: &Mem) -> MemUser {
        let context = UserContext {
            id: 0,
            seed: 1,
            target: 0,
        };
        workload.user(context).await.unwrap()
    }

    fn recorder() -> Recorder {
        Recorder::detached(Mem::OPERATIONS.len(), Mem::COUNTERS.len()).unwrap()
    }

    #[tokio::test]
    async fn every_kernel_of_this_processor_is_verified() {
        // No whole number of lines, so that loops have ends; in the first cache and beyond it.
        for size_bytes in [65_544, (1 << 18) + 24] {
            let workload = workload(json!({ "size_bytes": size_bytes })).unwrap();
            let (mut user, mut recorder) = (user(&workload).await, recorder());
            for _ in 0..2 * workload.plan.variants.len() {
                user.transaction(&mut recorder).await.unwrap();
            }
            drop(user);
            workload.verify(true).await.unwrap();
            let facts = workload.facts_after().await;
            assert!(facts.iter().any(|fact| fact.name == "mem.pages"));
        }
    }

    #[tokio::test]
    async fn faulty_memory_is_found() {
        for kernel in ["read", "triad", "chase"] {
            let params = json!({ "kernel": kernel, "size_bytes": "64KiB" });
            let workload = workload(params).unwrap();
            let (mut user, mut recorder) = (user(&workload).await, recorder());
            user.transaction(&mut recorder).await.unwrap();
            workload.verify(true).await.unwrap();
            user.flip_a_bit();
            if kernel == "read" {
                user.transaction(&mut recorder).await.unwrap();
            }
            drop(user);
            let error = workload.verify(true).await.unwrap_err();
            assert!(error.hint.contains("faulty"), "{kernel}: {error}");
        }
    }

    #[test]
    fn defaults_run_one_thread_to_all_in_half_a_minute() {
        /// Start, first touch of the memory and end of an execution.
        const AROUND_S: f64 = 1.0;
        for (processors, users) in [
            (1, &[1][..]),
            (2, &[1, 2]),
            (4, &[1, 2, 4]),
            (6, &[1, 4, 6]),
            (16, &[1, 4, 16]),
            (256, &[1, 16, 256]),
        ] {
            assert_eq!(levels(processors).users, users);
        }
        for processors in 1..=512 {
            let defaults = levels(processors);
            let longest_s = defaults
                .users
                .iter()
                .map(|&users| turn_s(users))
                .fold(0.0, f64::max);
            assert!(
                defaults.measure_s >= longest_s.max(LEAST_S),
                "{processors}: {defaults:?}"
            );
            assert!(
                defaults.measure_s < longest_s.max(LEAST_S) + 0.5,
                "{processors}: {defaults:?}"
            );
            let executions = f64::from(defaults.repeats) * defaults.users.len() as f64;
            let whole_s = executions * (defaults.warmup_s + defaults.measure_s + AROUND_S);
            assert!(whole_s <= 30.0, "{processors}: {whole_s} s");
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_field() {
        for (params, field) in [
            (json!({ "size_bytes": "1KiB" }), "params.size_bytes"),
            (json!({ "size_bytes": "900TiB" }), "params.size_bytes"),
            (json!({ "node": 4_000 }), "params.node"),
            (json!({ "memory_node": 4_000 }), "params.memory_node"),
            (json!({ "kernel": "read", "stores": "nt" }), "params.stores"),
        ] {
            let error = workload(params.clone()).err().map(|error| error.path);
            assert_eq!(error.as_deref(), Some(field), "{params}");
        }
    }
}
