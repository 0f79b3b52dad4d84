//! A user of `mem`: a thread with arrays of its own.

use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::{Failure, Recorder, User, UserContext};

use super::chase;
use super::kernels::{self, Pass};
use super::layout::{Layout, UNWRITTEN, first_wrong, sum_of_b};
use super::node::{self, Node};
use super::pages::{self, Found};
use super::params::{Kernel, Pages, Stores};
use super::region::Region;
use super::turns::Turns;
use super::variant::{CHECK, Variant, WAIT};

/// What is counted.
pub(super) const COUNTERS: &[&str] = &["bytes"];
const BYTES: usize = 0;

/// A transaction moves at least so many bytes of each array, in one pass or more: 80 µs in the fastest
/// cache, so that the clock's cost does not show.
const LEAST_BYTES: u64 = 16 << 20;
/// Look-ups of a transaction that chases: 0.3 ms in the fastest cache, 30 ms in memory.
pub(super) const HOPS: u64 = 1 << 18;

/// What all users of a level do, and what they found.
pub(super) struct Plan {
    pub(super) variants: Vec<(usize, &'static Variant)>,
    pub(super) layout: Layout,
    pub(super) pages: Pages,
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
    joined: bool,
    /// The variant that wrote `a` last.
    written_by: Option<&'static Variant>,
}

/// A variant that this user runs.
struct Step {
    operation: usize,
    variant: &'static Variant,
    /// None of a chase.
    pass: Option<Pass>,
    /// What its first pass wrote has been looked at.
    checked: bool,
}

impl MemUser {
    pub(super) fn new(context: UserContext, plan: Arc<Plan>) -> Result<Self, Failure> {
        let failed = |what: &str, error| Failure::new(format!("{what}: {error}"));
        if let Some(node) = &plan.node {
            node.bind(context.id)
                .map_err(|error| failed("cannot bind its thread to the node", error))?;
        }
        let bytes = usize::try_from(plan.layout.bytes())
            .map_err(|_| Failure::new("the system refuses to give so much memory"))?;
        let mut region = Region::new(bytes, plan.pages)
            .map_err(|error| failed("the system refuses to give so much memory", error))?;
        let mut touch = || {
            let memory = region.numbers();
            plan.layout.fill(memory);
            chase::lay(plan.layout.places(memory), context.seed);
        };
        match &plan.memory_node {
            Some(node) => node::from(node, context.id, touch)
                .map_err(|error| failed("cannot touch memory from its node", error))?,
            None => touch(),
        }
        let found = pages::found_at(region.address(), plan.pages);
        plan.found(|findings| findings.memory.push(found));
        let steps = plan.variants.iter().map(|&(operation, variant)| Step {
            operation,
            variant,
            pass: variant.width.and_then(|width| {
                let stores = variant.stores.unwrap_or(Stores::Regular);
                kernels::find(variant.kernel, width, stores)
            }),
            checked: false,
        });
        Ok(Self {
            steps: steps.collect(),
            region,
            sum_of_b: sum_of_b(plan.layout.len),
            place: 0,
            joined: false,
            written_by: None,
            plan,
        })
    }

    /// Which variant's turn it is, once all users are here for it.
    async fn turn(&mut self, recorder: &mut Recorder) -> Result<usize, Failure> {
        if self.steps.len() == 1 {
            return Ok(0);
        }
        let turns = &self.plan.turns;
        if !std::mem::replace(&mut self.joined, true) {
            turns.join();
        }
        let turn = recorder.aside(WAIT, async { Ok(turns.next()) }).await?;
        Ok(usize::try_from(turn).unwrap_or_default() % self.steps.len())
    }

    /// Looks at what the first pass of a step left, in memory where something else was before.
    async fn check(&mut self, index: usize, recorder: &mut Recorder) -> Result<(), Failure> {
        let step = &mut self.steps[index];
        let Some(pass) = step.pass.filter(|_| !step.checked) else {
            return Ok(());
        };
        step.checked = true;
        let (variant, layout) = (step.variant, self.plan.layout);
        let check = async {
            let mut arrays = layout.arrays(self.region.numbers());
            arrays.a.fill(UNWRITTEN);
            pass(&mut arrays);
            Ok(wrong(variant, arrays.a))
        };
        if variant.kernel != Kernel::Read
            && let Some(wrong) = recorder.aside(CHECK, check).await?
        {
            self.plan.wrong(wrong);
        }
        Ok(())
    }
}

/// What is wrong with an array that `variant` wrote.
fn wrong(variant: &Variant, a: &[f64]) -> Option<String> {
    let index = first_wrong(variant.kernel, a)?;
    Some(format!(
        "{} left a wrong number in place {index}",
        variant.name
    ))
}

impl User for MemUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let turn = self.turn(recorder).await?;
        self.check(turn, recorder).await?;
        let step = &self.steps[turn];
        let (layout, passes) = (self.plan.layout, self.plan.passes());
        let Some(pass) = step.pass else {
            let places = layout.places(self.region.numbers());
            let follow = async { Ok(chase::follow(places, self.place, HOPS)) };
            self.place = recorder.time(step.operation, follow).await?;
            return Ok(());
        };
        let mut arrays = layout.arrays(self.region.numbers());
        let right = if step.variant.kernel == Kernel::Read {
            self.sum_of_b
        } else {
            self.written_by = Some(step.variant);
            0.0
        };
        let run = async {
            let mut wrong = false;
            for _ in 0..passes {
                wrong |= pass(&mut arrays).to_bits() != right.to_bits();
            }
            Ok(wrong)
        };
        if recorder.time(step.operation, run).await? {
            self.plan
                .wrong(format!("{} found a wrong sum", step.variant.name));
        }
        let moved = u64::from(step.variant.kernel.moved());
        recorder.count(BYTES, moved * self.plan.transaction_bytes());
        Ok(())
    }
}

impl Drop for MemUser {
    fn drop(&mut self) {
        if self.joined {
            self.plan.turns.leave();
        }
        let layout = self.plan.layout;
        let places = layout.places(self.region.numbers());
        if !chase::is_whole(places) {
            self.plan
                .wrong("the cycle of the chase is broken".to_owned());
        }
        if let Some(variant) = self.written_by
            && let Some(wrong) = wrong(variant, layout.arrays(self.region.numbers()).a)
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
        let memory = self.region.numbers();
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
