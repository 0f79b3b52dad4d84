//! Parameters of `io`.

use std::path::PathBuf;

use igen_engine::Setup;
use igen_job::{Bytes, JobError};
use igen_storage::{Direct, Engine};
use schemars::JsonSchema;
use serde::Deserialize;

use super::stamp::SECTOR_BYTES;

const MOST_BLOCK_BYTES: u64 = 64 << 20;
/// As many as a ring has room for.
const MOST_DEPTH: u16 = 32_768;
const DEFAULT_BYTES: u64 = 1 << 30;

/// Where blocks are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Anywhere, all alike.
    #[default]
    Random,
    /// Each user streams through its own part of the target, again and again.
    Sequential,
    /// Anywhere, some far more often than others.
    Zipf,
}

/// What is done to the page cache before the load, where it is not passed by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cache {
    /// Nothing.
    #[default]
    Keep,
    /// The targets are read through.
    Warm,
    /// The targets are written out and dropped from it.
    Drop,
}

/// What may have become of what was written before it is verified.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// The writer ended, by itself or killed: all that was acknowledged must be there.
    #[default]
    Exit,
    /// The power failed: all that was flushed must be there. Taken for granted after a reboot.
    PowerCut,
}

/// How storage is read and written.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Where blocks are.
    pub pattern: Pattern,
    /// Skew of the pattern `zipf`, above 0: block of rank k is chosen in proportion to k^-theta.
    pub zipf_theta: f64,
    /// Length of each I/O, such as "8KiB"; a multiple of 512 bytes.
    pub block: Bytes,
    /// Percent of reads, 0 to 100; at 100, without `precondition`, the targets are opened for reading only.
    pub read: u8,
    /// I/Os that each user keeps in flight; more than one only in a stream load.
    pub depth: u16,
    /// Used part of each target; all of it when absent, 1 GiB of a file that is created.
    pub size_bytes: Option<Bytes>,
    /// Use of direct I/O (`O_DIRECT`), which bypasses the page cache.
    pub direct: Direct,
    /// How I/Os get to the kernel.
    pub engine: Engine,
    /// Each user flushes (fdatasync) after so many of its writes; never when 0.
    pub fsync_every: u32,
    /// Percent of each written block that is zeros; the rest is random.
    pub compressible: u8,
    /// What is done to the page cache before the load.
    pub cache: Cache,
    /// Write all of `size_bytes` before the load even where there is something.
    pub precondition: bool,
    /// Every block written tells its place and which write of it this is; checked when it is read, and
    /// all of them at the end. Each user then keeps to blocks of its own.
    pub verify: bool,
    /// Folder of the ledgers that tell what was written with `verify`; beside each file when absent.
    pub ledger: Option<PathBuf>,
    /// What has happened since the ledger was last written.
    pub after: After,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            pattern: Pattern::default(),
            zipf_theta: 0.99,
            block: Bytes(8 << 10),
            read: 100,
            depth: 1,
            size_bytes: None,
            direct: Direct::default(),
            engine: Engine::default(),
            fsync_every: 0,
            compressible: 0,
            cache: Cache::default(),
            precondition: false,
            verify: false,
            ledger: None,
            after: After::default(),
        }
    }
}

impl Params {
    /// Checks each of them, and the job they are for.
    pub(super) fn check(&self, setup: &Setup) -> Result<(), JobError> {
        let block = self.block.0;
        if block == 0 || !block.is_multiple_of(SECTOR_BYTES as u64) || block > MOST_BLOCK_BYTES {
            let text = format!("{block} bytes are no block");
            return Err(at("block", text).hint("use a multiple of 512 bytes, at most 64MiB"));
        }
        for (name, percent) in [("read", self.read), ("compressible", self.compressible)] {
            if percent > 100 {
                let text = format!("{percent} percent are more than all");
                return Err(at(name, text).hint("use 0 to 100"));
            }
        }
        if self.depth == 0 || self.depth > MOST_DEPTH {
            let text = format!("{} I/Os in flight", self.depth);
            return Err(at("depth", text).hint(format!("use 1 to {MOST_DEPTH}")));
        }
        if self.depth > 1 && !setup.stream {
            let text = "more than one I/O in flight needs a stream load: users without think time, \
                        pace or rate";
            return Err(at("depth", text).hint("use depth=1 and more users"));
        }
        if self.depth > 1 && self.engine == Engine::Psync {
            let text = "engine psync has one I/O in flight";
            return Err(at("depth", text).hint("use engine=io_uring, or more users"));
        }
        if self.pattern == Pattern::Zipf && !(self.zipf_theta > 0.0 && self.zipf_theta <= 10.0) {
            return Err(
                at("zipf_theta", format!("{} is out of range", self.zipf_theta))
                    .hint("use a number above 0, at most 10"),
            );
        }
        let size_bytes = self.size_bytes.map(|size| size.0);
        if size_bytes.is_some_and(|bytes| bytes < block) {
            return Err(
                at("size_bytes", "no block fits").hint("use at least the length of a block")
            );
        }
        if self.direct == Direct::Require && self.cache != Cache::Keep {
            return Err(at("cache", "direct I/O passes the page cache by")
                .hint("leave it out, or use direct=off"));
        }
        Ok(())
    }

    /// Something is written.
    pub(super) fn writes(&self) -> bool {
        self.read < 100 || self.precondition
    }

    /// Blocks of the used part of a target that has so many bytes.
    pub(super) fn blocks(&self, bytes: u64) -> u64 {
        let used = self.size_bytes.map_or(bytes, |size| size.0.min(bytes));
        used / self.block.0
    }

    /// Length of a file that is created.
    pub(super) fn new_file_bytes(&self) -> u64 {
        let bytes = self.size_bytes.map_or(DEFAULT_BYTES, |size| size.0);
        bytes.next_multiple_of(self.block.0)
    }
}

/// An error about a parameter.
pub(super) fn at(name: &str, text: impl Into<String>) -> JobError {
    JobError::at(format!("params.{name}"), text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;

    fn check(params: Value, stream: bool) -> Result<(), JobError> {
        let setup = Setup {
            targets: Vec::new(),
            users: 1,
            own_users: 1,
            agent_users: 1,
            stream,
            rest_s: 0.0,
            seed: 42,
            force: false,
            i_own_this_data: false,
            credentials: igen_job::Credentials::Own,
        };
        serde_json::from_value::<Params>(params)
            .unwrap()
            .check(&setup)
    }

    #[test]
    fn the_defaults_and_what_is_usual_are_right() {
        for params in [
            json!({}),
            json!({"pattern": "random", "block": "8KiB", "read": 70, "depth": 8}),
            json!({"pattern": "sequential", "block": "1MiB", "direct": "off", "cache": "drop"}),
            json!({"pattern": "zipf", "zipf_theta": 1.2, "read": 0, "fsync_every": 1}),
        ] {
            check(params, true).unwrap();
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_name() {
        for (params, stream, name) in [
            (json!({"block": 1000}), true, "block"),
            (json!({"block": 0}), true, "block"),
            (json!({"block": "128MiB"}), true, "block"),
            (json!({"read": 101}), true, "read"),
            (json!({"compressible": 200}), true, "compressible"),
            (json!({"depth": 0}), true, "depth"),
            (json!({"depth": 2}), false, "depth"),
            (json!({"depth": 2, "engine": "psync"}), true, "depth"),
            (
                json!({"pattern": "zipf", "zipf_theta": 0}),
                true,
                "zipf_theta",
            ),
            (
                json!({"block": "8KiB", "size_bytes": 4096}),
                true,
                "size_bytes",
            ),
            (json!({"direct": "require", "cache": "warm"}), true, "cache"),
        ] {
            let error = check(params, stream).unwrap_err();
            assert_eq!(error.path, format!("params.{name}"), "{error}");
            assert!(!error.hint.is_empty(), "{error}");
        }
    }
}
