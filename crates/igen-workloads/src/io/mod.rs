//! `io`: reads and writes files and block devices.
//!
//! A user is a thread that keeps `depth` I/Os in flight. A transaction is one I/O; its response time
//! is from the submission into the ring to the look that finds it ended, never the device's part alone.
//! The block of a write begins with a stamp that tells whose it is; the rest is random, or zeros as
//! far as it shall be `compressible`.
//!
//! Only files that iGen created are written to: others, and devices, with `i_own_this_data` only.

mod check;
mod fault;
mod fill;
mod judge;
#[cfg(test)]
mod judge_tests;
mod ledger;
mod ledger_file;
mod ownership;
#[cfg(test)]
mod ownership_tests;
mod params;
mod pattern;
mod room;
mod stamp;
mod target;
#[cfg(test)]
mod tests;
mod user;
mod verify;
#[cfg(test)]
mod verify_tests;
mod witness;

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::sync::{Mutex, OnceLock, PoisonError};

use igen_engine::{Failure, FailureKind, ProgressReporter, Setup, Then, UserContext, Workload};
use igen_job::{Fact, JobError, Placement, facts};
use igen_storage::backing::is_in_memory;
use igen_storage::{Direct, Engine, Queue, Volume, open_again, reason};
use serde_json::json;

use self::check::Findings;
use self::fill::Fill;
use self::params::{Cache, Params, at};
use self::pattern::{Chooser, Seat};
use self::room::Unfinished;
use self::target::{Found, Target};
use self::user::IoUser;
use crate::{memory, page_cache};

/// The workload.
pub struct Io {
    params: Params,
    seed: u64,
    users: u64,
    i_own_this_data: bool,
    force: bool,
    targets: Vec<Target>,
    /// What `Queue::describe` says, once there is one.
    engine: OnceLock<&'static str>,
    /// Share of the targets in memory before the load.
    resident_before: OnceLock<Option<f64>>,
    /// Share of the targets that was written before the load; `None` if the file systems do not know it.
    written_before: OnceLock<Option<f64>>,
    /// What `read_back` has found.
    findings: Mutex<Vec<Findings>>,
}

impl Workload for Io {
    const NAME: &'static str = "io";
    const SUMMARY: &'static str = "reads and writes blocks of files and devices";
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = "I/Os";
    const OPERATIONS: &'static [&'static str] = user::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const TARGETS: &'static [&'static str] = &["file"];
    // The ledger of what was written is that of one instance.
    const PERSONAS: bool = false;
    const PREPARES: bool = true;
    const PLACEMENT: Placement = Placement::THREADS;
    type Params = Params;
    type User = IoUser;

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        params.check(&setup)?;
        memory::check(
            params.block.0 * u64::from(params.depth),
            &setup,
            memory::available_bytes(),
            "params.depth",
        )?;
        let targets = setup.targets.iter().enumerate();
        let mut targets: Vec<Target> = targets
            .map(|(index, url)| Target::of(index, url))
            .collect::<Result<_, _>>()?;
        for target in &mut targets {
            target.check(&params, &setup)?;
        }
        Ok(Self {
            params,
            seed: setup.seed,
            users: setup.users.into(),
            i_own_this_data: setup.i_own_this_data,
            force: setup.force,
            targets,
            engine: OnceLock::new(),
            resident_before: OnceLock::new(),
            written_before: OnceLock::new(),
            findings: Mutex::default(),
        })
    }

    async fn prepare(&self, progress: &ProgressReporter) -> Result<(), JobError> {
        for target in &self.targets {
            self.prepare_target(target, progress).await?;
        }
        Ok(())
    }

    async fn verify(&self, after: bool) -> Result<(), JobError> {
        for target in &self.targets {
            let volume = target.volume(&self.params)?;
            if !after {
                self.set_cache(target, &volume)?;
            }
        }
        if !after {
            let _ = self.resident_before.set(self.resident_fraction()?);
            let _ = self.written_before.set(self.written_fraction()?);
            self.probe_engine()?;
        }
        Ok(())
    }

    async fn read_back(&self, after: bool, progress: &ProgressReporter) -> Result<(), JobError> {
        if after && !self.params.verify {
            return Ok(());
        }
        let findings = verify::read_back(&self.params, &self.targets, after, progress).await?;
        let verdict = verify::verdict(&self.targets, &findings);
        *self.findings.lock().unwrap_or_else(PoisonError::into_inner) = findings;
        verdict
    }

    async fn facts(&self) -> Vec<Fact> {
        let mut found = vec![
            facts::IO_TRANSACTION.is(self.sentence()),
            facts::IO_BLOCK_BYTES.is(self.params.block.0),
            facts::WORKLOAD_IN_FLIGHT_PER_USER.is(self.params.depth),
        ];
        if let Some(engine) = self.engine.get() {
            found.push(facts::IO_ENGINE.is(*engine));
        }
        let volumes = self
            .targets
            .iter()
            .map(|target| target.volume(&self.params));
        if let Ok(volumes) = volumes.collect::<Result<Vec<_>, _>>() {
            let blocks = volumes
                .iter()
                .map(|volume| self.params.blocks(volume.bytes));
            found.push(facts::IO_SIZE_BYTES.is(blocks.sum::<u64>() * self.params.block.0));
            let direct = |wanted| volumes.iter().any(|volume| volume.direct == wanted);
            found.push(facts::IO_DIRECT.is(match (direct(true), direct(false)) {
                (true, true) => json!([true, false]),
                (direct, _) => json!(direct),
            }));
            let refused = self.params.direct != Direct::Off && direct(false);
            found.push(facts::IO_DIRECT_REFUSED.is(refused));
            if let Some(Some(resident)) = self.resident_before.get() {
                found.push(facts::IO_RESIDENT_BEFORE.is(*resident));
            }
            if let Some(Some(written)) = self.written_before.get() {
                found.push(facts::IO_WRITTEN_BEFORE.is(*written));
            }
            let mut in_memory = self.targets.iter();
            let in_memory = in_memory.any(|target| is_in_memory(&target.path).unwrap_or(false));
            found.push(facts::IO_IN_MEMORY.is(in_memory));
        }
        found
    }

    async fn facts_after(&self) -> Vec<Fact> {
        let mut found = Vec::new();
        if let Ok(Some(resident)) = self.resident_fraction() {
            found.push(facts::IO_RESIDENT_AFTER.is(resident));
        }
        let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        if !findings.is_empty() {
            found.push(facts::IO_VERIFIED.is(json!(*findings)));
        }
        found
    }

    async fn user(&self, context: UserContext) -> Result<IoUser, Failure> {
        let lost = |error: JobError| Failure::anew(FailureKind::Other, error.text);
        let target = &self.targets[context.target];
        if self.params.writes() {
            let silent = ProgressReporter::silent();
            let own = target.own_for_load(&self.params, self.i_own_this_data, &silent);
            own.await.map_err(lost)?;
        }
        let volume = target.volume(&self.params).map_err(lost)?;
        let queue = self.queue(&volume).map_err(|error| {
            Failure::from(reason(&error))
                .in_step("no I/O")
                .then(Then::Anew)
        })?;
        let targets = self.targets.len() as u64;
        let seat = Seat {
            index: u64::from(context.id) / targets,
            users: (self.users - context.target as u64).div_ceil(targets),
        };
        let blocks = self.params.blocks(volume.bytes);
        let chooser = Chooser::new(&self.params, blocks, seat, context.seed);
        let witness = verify::witness(&self.params, self.seed, target, blocks, seat)?;
        Ok(IoUser::new(
            &self.params,
            queue,
            chooser,
            self.seed,
            witness,
            target.of_others,
        ))
    }

    async fn cleanup(&self) -> Result<(), JobError> {
        for target in &self.targets {
            match target.found()? {
                Found::Ours(bytes) => {
                    target.check_uses()?;
                    if !self.i_own_this_data {
                        let silent = ProgressReporter::silent();
                        target.own(&self.params, bytes, &silent).await?;
                    }
                    target.remove()?;
                    target.forget_ledger(&self.params)?;
                }
                // Not ours to remove.
                Found::Nothing | Found::Foreign(_) | Found::Device => (),
            }
        }
        Ok(())
    }
}

impl Io {
    async fn prepare_target(
        &self,
        target: &Target,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        let asked = self.params.new_file_bytes();
        let found = target.found()?;
        let is_there = !matches!(found, Found::Nothing | Found::Foreign(0));
        let (from, to) = match found {
            Found::Nothing => (0, asked),
            Found::Device if self.params.precondition => {
                let volume = target.volume(&self.params)?;
                (0, self.used_bytes(&volume))
            }
            Found::Device => return Ok(()),
            Found::Foreign(_) if !self.params.writes() || !self.i_own_this_data => return Ok(()),
            Found::Ours(bytes) | Found::Foreign(bytes) => {
                let to = self.params.size_bytes.map_or(bytes, |_| asked);
                let from = if self.params.precondition { 0 } else { bytes };
                (from, to)
            }
        };
        if is_there && (from < to || self.params.writes()) {
            if found != Found::Device {
                // Of a load that only reads nobody has asked for this yet.
                target.check_uses()?;
            }
            let own = target.own_for_load(&self.params, self.i_own_this_data, progress);
            own.await?;
        }
        if from >= to {
            return Ok(());
        }
        let length = match found {
            Found::Nothing => Some(None),
            Found::Ours(bytes) | Found::Foreign(bytes) => Some(Some(bytes)),
            // It has its room, and cannot give it back.
            Found::Device => None,
        };
        if length.is_some() && !self.force {
            room::check(target, to)?;
        }
        let fill = Fill {
            path: &target.path,
            from,
            to,
            block_bytes: self.params.block.0,
            seed: self.seed,
            compressible: self.params.compressible,
            stamps_sectors: self.params.verify,
            of_others: target.of_others,
        };
        if from == 0 {
            target.begin_anew(&self.params, is_there)?;
        }
        let file = open_again(target.created()?, File::options().write(true))
            .map_err(|error| target.fault(&error))?;
        let unfinished = length.map(|length| Unfinished::new(target, &file, length));
        let filled = fill.run(&file, progress).await;
        if let (Some(unfinished), Ok(())) = (unfinished, &filled) {
            unfinished.keep();
        }
        if filled.is_ok() && !is_there {
            target.is_all_new();
        }
        filled.map_err(|error| {
            let fault = target.fault(&error);
            if is_for_want_of_room(&error) {
                return fault.hint(format!(
                    "it needs {to} bytes: use a smaller size_bytes, or a target on another file system"
                ));
            }
            fault
        })
    }

    fn used_bytes(&self, volume: &Volume) -> u64 {
        self.params.blocks(volume.bytes) * self.params.block.0
    }

    fn set_cache(&self, target: &Target, volume: &Volume) -> Result<(), JobError> {
        if volume.direct {
            return Ok(());
        }
        let done = match self.params.cache {
            Cache::Keep => Ok(()),
            Cache::Drop => page_cache::drop_file(volume.path()),
            Cache::Warm => page_cache::read_through(volume.path(), self.used_bytes(volume)),
        };
        done.map_err(|error| target.fault(&error))
    }

    /// Share of the pages of buffered targets in memory, 0 to 1; `None` where there is no such target.
    /// A look reads ahead where a file is not in memory, so nothing else is looked at.
    fn resident_fraction(&self) -> Result<Option<f64>, JobError> {
        let mut resident = (0, 0);
        for target in &self.targets {
            let volume = target.volume(&self.params)?;
            if volume.direct {
                continue;
            }
            let (here, of) = page_cache::resident_samples(&target.path, self.used_bytes(&volume))
                .map_err(|error| target.fault(&error))?;
            resident = (resident.0 + here, resident.1 + of);
        }
        Ok((resident.1 > 0).then(|| f64::from(resident.0) / f64::from(resident.1)))
    }

    /// Returns the share of the targets that has been written, 0 to 1: a read of the rest reaches no device.
    fn written_fraction(&self) -> Result<Option<f64>, JobError> {
        let (mut written, mut of) = (0, 0);
        for target in &self.targets {
            let volume = target.volume(&self.params)?;
            let used = self.used_bytes(&volume);
            let Ok(bytes) = volume.written_bytes(used) else {
                return Ok(None);
            };
            written += bytes;
            of += used;
        }
        Ok((of > 0).then(|| written as f64 / of as f64))
    }

    fn queue(&self, volume: &Volume) -> Result<Queue, Error> {
        let block_bytes = usize::try_from(self.params.block.0).unwrap_or(usize::MAX);
        Queue::new(volume, self.params.engine, self.params.depth, block_bytes)
    }

    /// Tries what the users will use, so that an error comes before the load.
    fn probe_engine(&self) -> Result<(), JobError> {
        let Some(target) = self.targets.first() else {
            return Ok(());
        };
        let queue = self
            .queue(&*target.volume(&self.params)?)
            .map_err(|error| {
                let text = format!("io_uring cannot be used: {}", reason(&error));
                at("engine", text).hint(without_io_uring(self.params.engine, error.kind()))
            })?;
        let _ = self.engine.set(queue.describe());
        Ok(())
    }

    /// The boundaries of a transaction.
    fn sentence(&self) -> String {
        let Params { depth, read, .. } = self.params;
        let flushed = match self.params.fsync_every {
            0 => String::new(),
            1 => "; each write is over when it is flushed (fdatasync)".to_owned(),
            every => {
                format!("; each {every}th write of a user is over when it is flushed (fdatasync)")
            }
        };
        format!(
            "one I/O of {} bytes, {read} % of them reads, {depth} in flight for each user, from its \
             submission to the look that finds it ended{flushed}",
            self.params.block.0
        )
    }
}

fn is_for_want_of_room(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// What can be done where there is no ring to be had.
fn without_io_uring(asked: Engine, why: ErrorKind) -> String {
    let instead = if asked == Engine::IoUring {
        "use engine=psync"
    } else {
        "use depth=1 and more users"
    };
    let or = match why {
        ErrorKind::PermissionDenied => {
            ", or enable it (sysctl kernel.io_uring_disabled=0; containers may forbid it)"
        }
        ErrorKind::OutOfMemory => ", or let more memory be locked (`ulimit -l`)",
        _ => "",
    };
    format!("{instead}{or}")
}
