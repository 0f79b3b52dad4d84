//! Verification: the ledgers of the targets, and reading back what was written.

use std::path::PathBuf;
use std::sync::Arc;

use igen_engine::{Failure, FailureKind, ProgressReporter};
use igen_job::JobError;

use super::check::{self, Check, Findings};
use super::judge::Expectation;
use super::ledger::{self, Ledger};
use super::params::{After, Params, at};
use super::pattern::Seat;
use super::target::Target;
use super::witness::Witness;

/// A user's part in the verification, where there is any.
pub(super) fn witness(
    params: &Params,
    seed: u64,
    target: &Target,
    blocks: u64,
    seat: Seat,
) -> Result<Option<Witness>, Failure> {
    if !params.verify {
        return Ok(None);
    }
    let ledger = target
        .ledger(params, blocks, seed)
        .map_err(|error| Failure::anew(FailureKind::Other, error.text))?;
    let Params {
        pattern,
        depth,
        fsync_every,
        compressible,
        ..
    } = *params;
    let witness = Witness::new(ledger, pattern, seat, depth, fsync_every, compressible);
    let text = "verify: fewer blocks for each user than I/Os in flight";
    witness
        .ok_or_else(|| Failure::anew(FailureKind::Other, text))
        .map(Some)
}

/// Reads the targets and judges their blocks by their ledgers; `after` the load of this job, whose
/// writes are flushed first.
pub(super) async fn read_back(
    params: &Params,
    targets: &[Target],
    after: bool,
    progress: &ProgressReporter,
) -> Result<Vec<Findings>, JobError> {
    let checks: Result<Vec<Check>, JobError> = targets
        .iter()
        .map(|target| target.check_of(params, after))
        .collect();
    check::run(checks?, progress).await
}

/// The error that tells what is wrong with some of the targets.
pub(super) fn verdict(targets: &[Target], findings: &[Findings]) -> Result<(), JobError> {
    let mut wrong = targets
        .iter()
        .zip(findings)
        .filter_map(|(target, findings)| Some((target, findings.describe_faults()?)));
    let Some((first, text)) = wrong.next() else {
        return Ok(());
    };
    let others = wrong.map(|(target, text)| format!("{}: {text}", target.path.display()));
    let all: Vec<String> = std::iter::once(text).chain(others).collect();
    Err(first.wrong(format!("data errors: {}", all.join("; "))))
}

impl Target {
    /// The ledger to go on with while the target is loaded; the first call opens or creates it.
    fn ledger(&self, params: &Params, blocks: u64, seed: u64) -> Result<Arc<Ledger>, JobError> {
        let mut open = self
            .ledger
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(ledger) = &*open {
            return Ok(Arc::clone(ledger));
        }
        let path = self.ledger_path(params)?;
        let power_cut = params.after == After::PowerCut;
        let ledger = Ledger::begin(
            &path,
            self.device(),
            params.block.0,
            blocks,
            seed,
            power_cut,
        )?;
        let ledger = Arc::new(ledger);
        *open = Some(Arc::clone(&ledger));
        Ok(ledger)
    }

    /// Beside a file; a device's must be named, since what lies beside it is gone after a reboot.
    pub(super) fn ledger_path(&self, params: &Params) -> Result<PathBuf, JobError> {
        if params.ledger.is_none() && self.path.starts_with("/dev") {
            return Err(at(
                "ledger",
                format!("where is the ledger of {}?", self.path.display()),
            )
            .hint("name a folder on another device: --set ledger=/path/of/folder"));
        }
        Ok(ledger::path_of(&self.path, params.ledger.as_deref()))
    }

    /// What was written with another form of stamp, or not at all, is not what a ledger tells.
    pub(super) fn forget_ledger(&self, params: &Params) -> Result<(), JobError> {
        match self.ledger_path(params) {
            Ok(path) => ledger::forget(&path),
            // Nobody has said where it is: there is none that this job knows of.
            Err(_) => Ok(()),
        }
    }

    /// Before a target that `is_there`, or is not, is written from its begin on. With `verify`, what its
    /// ledger tells of must have been found right before it goes: it may be the proof of a fault.
    pub(super) fn begin_anew(&self, params: &Params, is_there: bool) -> Result<(), JobError> {
        if params.verify {
            let path = self.ledger_path(params)?;
            let anew = format!("remove {} to begin anew", path.display());
            match Ledger::open(&path, self.device())? {
                Some(_) if !is_there => {
                    let text = "it is gone, and its ledger tells what was written to it";
                    return Err(self
                        .wrong(text)
                        .hint(format!("mount what it is on, or {anew}")));
                }
                Some(ledger) if !ledger.is_verified() => {
                    let text = "precondition would overwrite what its ledger tells of";
                    return Err(self.wrong(text).hint(format!(
                        "leave precondition out, look at it with `igen data verify io` first, or {anew}"
                    )));
                }
                _ => (),
            }
        }
        self.forget_ledger(params)
    }

    /// The ledger of the load that goes on.
    pub(super) fn open_ledger(&self) -> Option<Arc<Ledger>> {
        let open = self.ledger.lock();
        open.unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }

    fn check_of(&self, params: &Params, after: bool) -> Result<Check, JobError> {
        let ledger = match self.open_ledger() {
            Some(ledger) => ledger,
            None => Arc::new(self.ledger_of_earlier_jobs(params)?),
        };
        let lost_power = params.after == After::PowerCut || ledger.rebooted;
        if let (Some(block), false) = (ledger.first_contradiction(), lost_power) {
            return Err(self.damaged_ledger(params, block * ledger.block_bytes)?);
        }
        let volume = self.volume(params)?;
        if after {
            let flushed = volume.file().and_then(|file| file.sync_data());
            flushed.map_err(|error| self.fault(&error))?;
            ledger.make_all_durable();
        }
        self.drop_cached(&volume)?;
        let expectation = if lost_power && !after {
            Expectation::Durable
        } else {
            Expectation::Acknowledged
        };
        Ok(Check {
            path: self.path.clone(),
            volume,
            ledger,
            expectation,
        })
    }

    /// Nothing can be said about the storage by a ledger that is wrong about the block at `offset_bytes`.
    fn damaged_ledger(&self, params: &Params, offset_bytes: u64) -> Result<JobError, JobError> {
        let path = self.ledger_path(params)?;
        let path = path.display();
        let text = format!(
            "{path} is damaged: what it tells of the block at byte {offset_bytes} of {} cannot be",
            self.path.display()
        );
        Ok(at("ledger", text).hint(
            "that is no fault of the target: look after the disk that holds the ledger, and remove the ledger to \
             begin anew",
        ))
    }

    fn ledger_of_earlier_jobs(&self, params: &Params) -> Result<Ledger, JobError> {
        let path = self.ledger_path(params)?;
        Ledger::open(&path, self.device())?.ok_or_else(|| {
            self.wrong(format!("nothing tells what was written to it: there is no {}", path.display()))
                .hint("load it with --set verify=true first; --set ledger=… tells where that put its ledgers")
        })
    }
}
