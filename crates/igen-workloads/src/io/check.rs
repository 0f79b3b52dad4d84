//! Reading a target from begin to end, and judging each of its blocks.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use igen_engine::ProgressReporter;
use igen_job::JobError;
use igen_storage::{Engine, Queue, Volume};
use serde::Serialize;
use tokio::sync::mpsc;

use super::fault::Fault;
use super::judge::{self, Expectation, Judgement};
use super::ledger::Ledger;

/// Length of a read.
const CHUNK_BYTES: u64 = 1 << 20;
/// As many places are told for each kind of fault.
const PLACES: usize = 5;

/// A target to be read, and what must be there.
pub(super) struct Check {
    pub(super) path: PathBuf,
    pub(super) volume: Arc<Volume>,
    pub(super) ledger: Arc<Ledger>,
    pub(super) expectation: Expectation,
}

/// What was found in a target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Findings {
    /// Its path.
    pub(super) target: String,
    pub(super) expectation: Expectation,
    pub(super) block_bytes: u64,
    /// All blocks; each of them is one of the following.
    pub(super) blocks: u64,
    /// Those of which nothing is claimed: nobody has written them, or what was written was under way.
    pub(super) unclaimed: u64,
    pub(super) right: u64,
    /// Older than what was acknowledged, as is allowed: not flushed.
    pub(super) unflushed: u64,
    /// By kind.
    pub(super) faults: BTreeMap<&'static str, Faults>,
}

/// Faults of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Faults {
    pub(super) blocks: u64,
    /// The first of them.
    pub(super) first: Vec<Place>,
}

/// A block that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Place {
    pub(super) offset_bytes: u64,
    pub(super) text: String,
}

/// Reads all targets at once; an error is one of reading, not of what was read.
pub(super) async fn run(
    checks: Vec<Check>,
    progress: &ProgressReporter,
) -> Result<Vec<Findings>, JobError> {
    let total: u64 = checks.iter().map(|check| check.ledger.blocks).sum();
    let abandoned = Abandoned::default();
    let (send, mut heard) = mpsc::unbounded_channel();
    let mut threads = Vec::new();
    for check in checks {
        let (send, abandoned) = (send.clone(), Arc::clone(&abandoned.0));
        let thread = std::thread::Builder::new()
            .name("check".to_owned())
            .spawn(move || {
                check.all(&|blocks| send.send(blocks).is_ok() && !abandoned.load(Relaxed))
            });
        threads.push(thread.map_err(|error| JobError::new(format!("no thread: {error}")))?);
    }
    drop(send);
    let mut done = 0;
    while let Some(blocks) = heard.recv().await {
        done += blocks;
        progress.report("verifying", done, total, "blocks");
    }
    let findings = threads.into_iter().map(|thread| match thread.join() {
        Ok(Ok(findings)) => Ok(findings),
        Ok(Err(error)) => Err(JobError::new(format!("cannot verify: {error}"))),
        Err(_) => Err(JobError::new("verifying panicked; see standard error")),
    });
    findings.collect()
}

/// Tells the threads when nobody waits for them any more.
#[derive(Default)]
struct Abandoned(Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl Check {
    /// Reads and judges all blocks, or as many as are wanted.
    fn all(&self, wanted: &dyn Fn(u64) -> bool) -> Result<Findings, Error> {
        let ledger = &*self.ledger;
        let mut findings = Findings {
            target: self.path.display().to_string(),
            expectation: self.expectation,
            block_bytes: ledger.block_bytes,
            blocks: ledger.blocks,
            ..Findings::default()
        };
        let most = (CHUNK_BYTES / ledger.block_bytes).max(1);
        let mut chunks = self.queue(most)?;
        let mut singles = self.queue(1)?;
        let mut first = 0;
        while first < ledger.blocks {
            let count = most.min(ledger.blocks - first);
            if let Ok(bytes) = self.read(&mut chunks, first, count) {
                for (block, bytes) in (first..).zip(bytes.chunks_exact(self.block_bytes())) {
                    findings.add(self.judge(block, bytes), ledger, block);
                }
            } else {
                // One block that cannot be read must not hide its neighbours.
                for block in first..first + count {
                    let read = self.read(&mut singles, block, 1);
                    let judgement = read.map_or(Judgement::Wrong(Fault::Unreadable), |bytes| {
                        self.judge(block, bytes)
                    });
                    findings.add(judgement, ledger, block);
                }
            }
            first += count;
            if !wanted(count) {
                return Ok(findings);
            }
        }
        if findings.faults.is_empty() {
            ledger.set_verified();
        }
        Ok(findings)
    }

    fn queue(&self, blocks: u64) -> Result<Queue, Error> {
        let bytes = usize::try_from(blocks * self.ledger.block_bytes);
        let bytes = bytes.map_err(|_| Error::from(ErrorKind::FileTooLarge))?;
        Queue::new(&self.volume, Engine::Psync, 1, bytes)
    }

    fn block_bytes(&self) -> usize {
        usize::try_from(self.ledger.block_bytes).unwrap_or(usize::MAX)
    }

    /// The bytes of some blocks, all of them.
    fn read<'a>(&self, queue: &'a mut Queue, first: u64, count: u64) -> Result<&'a [u8], Error> {
        queue.read(0, first * self.ledger.block_bytes)?;
        let read = queue.wait()?.result?;
        let bytes = usize::try_from(count).unwrap_or(usize::MAX) * self.block_bytes();
        if read < bytes {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(&queue.block(0)[..bytes])
    }

    fn judge(&self, block: u64, bytes: &[u8]) -> Judgement {
        let claim = self.ledger.claim(block);
        let last = self.ledger.stamp(block, claim.acknowledged);
        judge::block(bytes, &last, claim, self.expectation)
    }
}

impl Findings {
    fn add(&mut self, judgement: Judgement, ledger: &Ledger, block: u64) {
        match judgement {
            Judgement::Unclaimed => self.unclaimed += 1,
            Judgement::Right => self.right += 1,
            Judgement::Unflushed => self.unflushed += 1,
            Judgement::Wrong(fault) => {
                let faults = self.faults.entry(fault.kind()).or_default();
                faults.blocks += 1;
                if faults.first.len() < PLACES {
                    let required = self.expectation.required(ledger.claim(block));
                    let offset_bytes = block * ledger.block_bytes;
                    faults.first.push(Place {
                        offset_bytes,
                        text: fault.describe(offset_bytes, required),
                    });
                }
            }
        }
    }

    /// What is wrong, in words: `2 lost (byte 8192: write 4 is there instead of 5; byte 0: …)`.
    pub(super) fn describe_faults(&self) -> Option<String> {
        let kinds = Fault::KINDS
            .into_iter()
            .filter_map(|kind| Some((kind, self.faults.get(kind)?)));
        let told: Vec<String> = kinds
            .map(|(kind, faults)| {
                let places: Vec<String> = faults
                    .first
                    .iter()
                    .map(|place| format!("byte {}: {}", place.offset_bytes, place.text))
                    .collect();
                let more = if faults.blocks > PLACES as u64 {
                    "; …"
                } else {
                    ""
                };
                format!("{} {kind} ({}{more})", faults.blocks, places.join("; "))
            })
            .collect();
        (!told.is_empty()).then(|| told.join(", "))
    }
}
