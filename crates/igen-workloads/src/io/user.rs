//! A user of `io`: keeps I/Os in flight; one of them ends in each transaction.

use std::io::Error;

use igen_engine::{Failure, FailureKind, Recorder, Then, User};
use igen_storage::{Queue, reason};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::fill::fill_block;
use super::params::Params;
use super::pattern::Chooser;
use super::stamp::{self, Stamp};
use super::witness::Witness;

/// Steps of a transaction; the constants below are their places.
pub(super) const OPERATIONS: &[&str] = &["read", "write", "fsync"];
const READ: usize = 0;
const WRITE: usize = 1;
const FSYNC: usize = 2;

/// What is counted.
pub(super) const COUNTERS: &[&str] = &["read_bytes", "written_bytes"];
const READ_BYTES: usize = 0;
const WRITTEN_BYTES: usize = 1;

/// A thread with I/Os in flight.
pub struct IoUser {
    queue: Queue,
    chooser: Chooser,
    /// By slot.
    started: Box<[Started]>,
    free: Vec<usize>,
    block_bytes: u64,
    seed: u64,
    compressible: u8,
    fsync_every: u32,
    /// Writes that may be in a cache only.
    unflushed: u32,
    /// What is written to is a file that iGen did not create.
    of_others: bool,
    /// With `verify`.
    witness: Option<Witness>,
}

/// An I/O in flight.
#[derive(Clone, Copy, Default)]
struct Started {
    operation: usize,
    began_ns: u64,
    /// When a flush itself began, rather than the write that it belongs to.
    flush_began_ns: u64,
}

impl IoUser {
    /// A user that keeps `params.depth` I/Os in flight in `queue`; `seed` is that of the job. `of_others`:
    /// iGen did not create the file.
    pub(super) fn new(
        params: &Params,
        mut queue: Queue,
        chooser: Chooser,
        seed: u64,
        witness: Option<Witness>,
        of_others: bool,
    ) -> Self {
        let depth = usize::from(params.depth);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        if params.writes() {
            for slot in 0..depth {
                fill_block(queue.block(slot), params.compressible, &mut random);
            }
        }
        Self {
            queue,
            chooser,
            started: vec![Started::default(); depth].into(),
            free: (0..depth).collect(),
            block_bytes: params.block.0,
            seed,
            compressible: params.compressible,
            fsync_every: params.fsync_every,
            unflushed: 0,
            of_others,
            witness,
        }
    }

    #[inline]
    fn start(&mut self, slot: usize, began_ns: u64) -> Result<(), Error> {
        let mut block = self.chooser.block();
        if let Some(witness) = &mut self.witness {
            block = witness.take(slot, block);
        }
        let offset = block * self.block_bytes;
        let operation = if self.chooser.reads() { READ } else { WRITE };
        self.started[slot] = Started {
            operation,
            began_ns,
            flush_began_ns: 0,
        };
        if operation == READ {
            return self.queue.read(slot, offset);
        }
        if let Some(witness) = &self.witness {
            witness.stamp(slot, self.queue.block(slot));
        } else {
            let stamp = Stamp::uncounted(self.seed, offset);
            stamp::write(self.queue.block(slot), &stamp, self.compressible);
        }
        if offset == 0 && self.of_others {
            stamp::mark_as_of_others(self.queue.block(slot));
        }
        self.queue.write(slot, offset)
    }

    /// What an I/O that has ended means for its transaction.
    #[inline]
    fn moved(&self, started: Started, result: Result<usize, Error>) -> Result<(), Failure> {
        let operation = OPERATIONS[started.operation];
        match result {
            Ok(bytes) if bytes as u64 == self.block_bytes || started.operation == FSYNC => Ok(()),
            Ok(bytes) => Err(Failure::new(
                FailureKind::Check,
                format!("{bytes} of {} bytes", self.block_bytes),
            )
            .in_step(operation)),
            Err(error) => Err(Failure::from(reason(&error)).in_step(operation)),
        }
    }

    /// The write of `slot` has ended, and is not over before it is on the device.
    fn flush(&mut self, slot: usize, recorder: &mut Recorder) -> Result<(), Error> {
        self.unflushed = 0;
        let started = &mut self.started[slot];
        started.flush_began_ns = recorder.record(started.operation, started.began_ns, true);
        started.operation = FSYNC;
        if let Some(witness) = &mut self.witness {
            witness.flush_begins(slot);
        }
        self.queue.flush(slot)
    }

    /// Tells the ledger what became of an I/O, and looks at what was read.
    fn witnessed(
        &mut self,
        slot: usize,
        operation: usize,
        moved: Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(witness) = &mut self.witness else {
            return moved;
        };
        match operation {
            READ if moved.is_ok() => witness
                .check(slot, self.queue.block(slot))
                .map_err(|failure| failure.in_step(OPERATIONS[READ])),
            WRITE if moved.is_ok() => {
                witness.written(slot);
                moved
            }
            FSYNC => {
                witness.flush_ends(slot, moved.is_ok());
                moved
            }
            _ => moved,
        }
    }
}

impl User for IoUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let ring = |error: Error| {
            Failure::from(reason(&error))
                .in_step("no I/O")
                .then(Then::Anew)
        };
        let began_ns = recorder.began_ns();
        while let Some(slot) = self.free.pop() {
            self.start(slot, began_ns).map_err(ring)?;
        }
        loop {
            let ended = self.queue.wait().map_err(ring)?;
            let started = self.started[ended.slot];
            let moved = self.moved(started, ended.result);
            let moved = self.witnessed(ended.slot, started.operation, moved);
            if moved.is_ok() && started.operation == WRITE && self.fsync_every > 0 {
                self.unflushed += 1;
                if self.unflushed >= self.fsync_every {
                    self.flush(ended.slot, recorder).map_err(ring)?;
                    continue;
                }
            }
            self.free.push(ended.slot);
            if let Some(witness) = &mut self.witness {
                witness.release(ended.slot);
            }
            if started.operation == FSYNC {
                recorder.record(FSYNC, started.flush_began_ns, moved.is_ok());
                recorder.began_at(started.began_ns);
            } else {
                recorder.is_operation(started.operation, started.began_ns);
            }
            if moved.is_ok() {
                let counter = if started.operation == READ {
                    READ_BYTES
                } else {
                    WRITTEN_BYTES
                };
                recorder.count(counter, self.block_bytes);
            }
            return moved;
        }
    }
}
