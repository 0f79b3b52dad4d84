//! A user of `mem`: a thread with arrays of its own.

use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::{Failure, FailureKind, Recorder, User, UserContext};
use igen_job::Pages;
use igen_kernel::region::Region;

use super::cache::LastCache;
use super::chase;
use super::kernels::{self, Pass};
use super::layout::{Layout, UNWRITTEN, first_wrong, sum_of_b};
use super::node::{self, Node};
use super::params::{Kernel, Stores};
use super::turns::Turns;
use super::variant::{Variant, WAIT, WARM};
use crate::pages::{self, Found};

/// What is counted.
pub(super) const COUNTERS: &[&str] = &["bytes"];
const BYTES: usize = 0;

/// A transaction moves at least so many bytes of each array, in one pass or more: 80 µs in the fastest
/// cache, so that the clock's cost does not show.
const LEAST_BYTES: u64 = 16 << 20;
/// Look-ups of a transaction that chases: 0.3 ms in the fastest cache, 30 ms in memory.
pub(super) const HOPS: u64 = 1 << 18;

/// Before the load each storing variant is tried on so many of the last numbers of the arrays (16 MiB):
/// beyond all limits at which loops differ, and soon done with dozens of variants.
const TRIED: usize = 1 << 21;

/// What all users of a level do, and what they found.
pub(super) struct Plan {
    /// Most users that there are at once.
    pub(super) users: u32,
    pub(super) last_cache: Option<LastCache>,
    pub(super) variants: Vec<(usize, &'static Variant)>,
    pub(super) layout: Layout,
    pub(super) pages: Pages,
    pub(super) lock: bool,
    pub(super) node: Option<Node>,
    pub(super) memory_node: Option<Node>,
    pub(super) turns: Turns,
    pub(super) findings: Mutex<Findings>,
}

/// What users found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// What was not as it must be.
    pub(super) wrong: Vec<String>,
    /// Where the memory of each lies.
    pub(super) memory: Vec<Found>,
}

impl Plan {
    /// Passes of a transaction.
    pub(super) fn passes(&self) -> u64 {
        LEAST_BYTES.div_ceil(8 * self.layout.len as u64)
    }

    /// Bytes of each array that a transaction moves.
    pub(super) fn transaction_bytes(&self) -> u64 {
        self.passes() * 8 * self.layout.len as u64
    }

    /// Returns true if a pass of that variant takes another time after the variant whose turn was before than after
    /// one of its own: where it is not known how large the caches are, it may.
    pub(super) fn warms(&self, index: usize) -> bool {
        let (_, variant) = self.variants[index];
        let (_, before) = self.variants[index.checked_sub(1).unwrap_or(self.variants.len() - 1)];
        let bytes = 8 * self.layout.len as u64 * u64::from(variant.kernel.moved());
        !variant.follows(before)
            && self
                .last_cache
                .is_none_or(|cache| cache.may_keep(bytes, self.users))
    }

    fn found(&self, add: impl FnOnce(&mut Findings)) {
        add(&mut self.findings.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn wrong(&self, text: String) {
        self.found(|findings| findings.wrong.push(text));
    }
}

/// A thread that moves memory.
pub struct MemUser {
    plan: Arc<Plan>,
    region: Region,
    steps: Vec<Step>,
    sum_of_b: f64,
    /// Where the chase is.
    place: usize,
    /// The seal of its cycle as it was laid.
    seal: Option<u64>,
    /// The last turn that it took, where users take turns and it has joined them.
    turn: Option<u64>,
    /// The variant that wrote `a` last.
    written_by: Option<&'static Variant>,
}

/// A variant that this user runs.
struct Step {
    operation: usize,
    variant: &'static Variant,
    /// None of a chase.
    pass: Option<Pass>,
    /// It goes over its arrays once before its turn, so that caches hold what its own pass leaves there.
    warms: bool,
}

impl MemUser {
    pub(super) fn new(context: UserContext, plan: Arc<Plan>) -> Result<Self, Failure> {
        let failed =
            |what: &str, error| Failure::new(FailureKind::Other, format!("{what}: {error}"));
        if let Some(node) = &plan.node {
            node.bind(context.id)
                .map_err(|error| failed("cannot bind the thread to the node", error))?;
        }
        let fill = |region: &mut Region| {
            let memory = region.slice();
            plan.layout.fill(memory);
            chase::lay(plan.layout.places(memory), context.seed);
        };
        let touch = |region: &mut Region| {
            match &plan.memory_node {
                Some(node) => node::from(node, context.id, || fill(region))
                    .map_err(|error| failed("cannot place memory on the node", error))?,
                None => fill(region),
            }
            Ok(())
        };
        let mut region = pages::taken(plan.layout.bytes(), plan.pages, plan.lock, touch)?;
        let found = pages::found_at(region.address(), plan.pages);
        plan.found(|findings| findings.memory.push(found));
        let steps = plan
            .variants
            .iter()
            .enumerate()
            .map(|(index, &(operation, variant))| Step {
                operation,
                variant,
                pass: variant.width.and_then(|width| {
                    let stores = variant.stores.unwrap_or(Stores::Regular);
                    kernels::find(variant.kernel, width, stores)
                }),
                warms: plan.warms(index),
            });
        let steps: Vec<Step> = steps.collect();
        let memory = region.slice();
        for wrong in steps
            .iter()
            .filter_map(|step| step.tried(plan.layout, memory))
        {
            plan.wrong(wrong);
        }
        Ok(Self {
            seal: chase::seal(plan.layout.places(memory)),
            steps,
            region,
            sum_of_b: sum_of_b(plan.layout.len),
            place: 0,
            turn: None,
            written_by: None,
            plan,
        })
    }

    /// Which variant's turn it is, once all users are ready for it.
    async fn turn(&mut self, recorder: &mut Recorder) -> Result<usize, Failure> {
        if self.steps.len() == 1 {
            return Ok(0);
        }
        let before = match self.turn {
            Some(turn) => turn,
            None => *self.turn.insert(self.plan.turns.join()),
        };
        let index = usize::try_from(before).unwrap_or_default() % self.steps.len();
        let step = &self.steps[index];
        if step.warms {
            let layout = self.plan.layout;
            let memory = self.region.slice();
            let warm = async {
                match step.pass {
                    Some(pass) => _ = pass(&mut layout.arrays(memory)),
                    None => chase::warm(layout.places(memory), self.place),
                }
                Ok(())
            };
            recorder.aside(WARM, warm).await?;
        }
        let turns = &self.plan.turns;
        let turn = recorder.aside(WAIT, async { Ok(turns.next()) }).await?;
        self.turn = Some(turn);
        Ok(index)
    }

    /// Goes through the cycle, at its own pace: of latency each user has its own.
    async fn chase(&mut self, operation: usize, recorder: &mut Recorder) -> Result<(), Failure> {
        let places = self.plan.layout.places(self.region.slice());
        let follow = async { Ok(chase::follow(places, self.place, HOPS)) };
        self.place = recorder.time(operation, follow).await?;
        if self.turn.is_some() {
            let turns = &self.plan.turns;
            let end = async {
                turns.end();
                Ok(())
            };
            recorder.aside(WAIT, end).await?;
        }
        Ok(())
    }
}

impl Step {
    /// What is wrong with what its pass writes, in memory where something else was before.
    fn tried(&self, layout: Layout, memory: &mut [f64]) -> Option<String> {
        let pass = self.pass.filter(|_| self.variant.kernel != Kernel::Read)?;
        let (begin, mut arrays) = layout.last(TRIED, memory);
        arrays.a.fill(UNWRITTEN);
        pass(&mut arrays);
        wrong(self.variant, begin, arrays.a)
    }
}

/// What is wrong with an array, or its part from the place `begin` on, that `variant` wrote.
fn wrong(variant: &Variant, begin: usize, a: &[f64]) -> Option<String> {
    let place = first_wrong(variant.kernel, begin, a)?;
    Some(format!(
        "{} wrote a wrong number at index {place}",
        variant.name
    ))
}

impl User for MemUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let index = self.turn(recorder).await?;
        let step = &self.steps[index];
        let Some(pass) = step.pass else {
            return self.chase(step.operation, recorder).await;
        };
        let (layout, passes) = (self.plan.layout, self.plan.passes());
        let mut arrays = layout.arrays(self.region.slice());
        let right = if step.variant.kernel == Kernel::Read {
            self.sum_of_b
        } else {
            self.written_by = Some(step.variant);
            0.0
        };
        let turns = self.turn.map(|_| &self.plan.turns);
        let run = async {
            let mut wrong = false;
            for _ in 0..passes {
                wrong |= pass(&mut arrays).to_bits() != right.to_bits();
            }
            // By STREAM's rule the bytes of all take the time until the last has moved its.
            if let Some(turns) = turns {
                turns.end();
            }
            Ok(wrong)
        };
        if recorder.time(step.operation, run).await? {
            self.plan
                .wrong(format!("{} computed a wrong sum", step.variant.name));
        }
        let moved = u64::from(step.variant.kernel.moved());
        recorder.count(BYTES, moved * self.plan.transaction_bytes());
        Ok(())
    }
}

impl Drop for MemUser {
    fn drop(&mut self) {
        if self.turn.is_some() {
            self.plan.turns.leave();
        }
        let layout = self.plan.layout;
        let places = layout.places(self.region.slice());
        let seal = chase::seal(places);
        if seal.is_none() || seal != self.seal {
            self.plan
                .wrong("the pointer cycle of `chase` is damaged".to_owned());
        }
        if let Some(variant) = self.written_by
            && let Some(wrong) = wrong(variant, 0, layout.arrays(self.region.slice()).a)
        {
            self.plan.wrong(wrong);
        }
    }
}

#[cfg(test)]
impl MemUser {
    /// A fault in the middle of the memory of this user.
    pub(super) fn flip_a_bit(&mut self) {
        let layout = self.plan.layout;
        let memory = self.region.slice();
        let in_arrays = |numbers: &mut [f64]| {
            if let Some(number) = numbers.get_mut(1000) {
                *number = f64::from_bits(number.to_bits() ^ 1 << 40);
            }
        };
        if let Some(place) = layout.places(memory).get_mut(1000) {
            *place ^= 8;
        }
        // The first array is what is read, or what is written.
        in_arrays(memory);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::variant::all;
    use super::*;

    fn plan(size_bytes: u64, last_cache: Option<LastCache>) -> Plan {
        let names = ["read_scalar", "triad_scalar", "chase"];
        let variants: Vec<_> = all()
            .filter(|(_, each)| names.contains(&each.name))
            .collect();
        let layout = Layout::of(size_bytes, variants.iter().map(|(_, variant)| *variant));
        Plan {
            users: 1,
            last_cache,
            layout: layout.unwrap(),
            variants,
            pages: Pages::Small,
            lock: false,
            node: None,
            memory_node: None,
            turns: Turns::default(),
            findings: Mutex::default(),
        }
    }

    #[test]
    fn passes_that_fit_the_caches_find_there_what_is_theirs() {
        let warms = |plan: &Plan| -> Vec<bool> {
            let indices = 0..plan.variants.len();
            indices.map(|index| plan.warms(index)).collect()
        };
        let cache = Some(LastCache::of(32 << 20, 8));
        assert_eq!(warms(&plan(8 << 20, cache)), [true; 3]);
        // Of three arrays nothing is left.
        assert_eq!(warms(&plan(32 << 20, cache)), [true, false, true]);
        assert_eq!(warms(&plan(128 << 20, cache)), [false; 3]);
        assert_eq!(warms(&plan(128 << 20, None)), [true; 3]);
        // Nobody else disturbs its caches.
        let mut alone = plan(8 << 20, cache);
        alone.variants.truncate(1);
        assert_eq!(warms(&alone), [false]);
    }

    #[test]
    fn a_pass_that_stores_wrongly_is_found_before_the_load() {
        let plan = plan(1 << 25, None);
        let mut memory = vec![0.0; usize::try_from(plan.layout.bytes()).unwrap() / 8];
        plan.layout.fill(&mut memory);
        let (operation, variant) = plan.variants[1];
        let mut step = Step {
            operation,
            variant,
            pass: kernels::find(variant.kernel, variant.width.unwrap(), Stores::Regular),
            warms: false,
        };
        assert_eq!(step.tried(plan.layout, &mut memory), None);
        step.pass = Some(|arrays| {
            arrays.a.copy_from_slice(arrays.b);
            0.0
        });
        let wrong = step.tried(plan.layout, &mut memory).unwrap();
        assert!(
            wrong.starts_with("triad_scalar wrote a wrong number at index"),
            "{wrong}"
        );
    }
}
