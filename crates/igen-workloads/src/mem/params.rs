//! Parameters of `mem`.

use igen_job::{Bytes, Pages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;

/// What is read and written, in which way, and in what kind of memory. Of `kernel`, `width` and
/// `stores` each that is absent stands for all that this processor has; with several the users run
/// them in turn, all the same one at a time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Operation of a pass.
    ///
    /// Without it the users run all operations in turn.
    #[schemars(extend("x-default" = "all"))]
    pub kernel: Option<Kernel>,
    /// Instructions to use.
    ///
    /// Without it the users run all that this processor has in turn.
    #[schemars(extend("x-default" = "all"))]
    pub width: Option<Width>,
    /// Stores through the caches (regular) or past them (nt).
    ///
    /// Without it the users run both in turn.
    #[schemars(extend("x-default" = "both"))]
    pub stores: Option<Stores>,
    /// Size of each array of a user, from 4KiB.
    ///
    /// `read`, `write` and `chase` use one array, `copy` and `scale` two, `add` and `triad` three. The default for
    /// more than 2 users is 256 MiB divided by their number, but at least 16 MiB.
    #[schemars(extend("x-default" = "128MiB; less from 3 users on"))]
    pub size_bytes: Option<Bytes>,
    /// Kind of pages.
    #[schemars(extend("x-default" = "thp if the system has it, else 4k"))]
    pub pages: Option<Pages>,
    /// Lock the memory, so that it is not swapped out.
    pub lock: bool,
    /// Run the users on the processors of this NUMA node.
    #[schemars(extend("x-default" = "any"))]
    pub node: Option<u32>,
    /// Allocate the memory on this NUMA node.
    #[schemars(extend("x-default" = "the node of each user"))]
    pub memory_node: Option<u32>,
}

impl Params {
    /// Size of each array of one of so many users.
    pub(super) fn array_bytes(&self, users: u32) -> u64 {
        self.size_bytes.map_or_else(
            || ((256 * MIB) / u64::from(users.max(1))).clamp(16 * MIB, 128 * MIB),
            |size_bytes| size_bytes.0,
        )
    }
}

/// What a pass does with arrays `a`, `b` and `c` of 64-bit floating-point numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// The sum of `b`.
    Read,
    /// `a = s`.
    Write,
    /// `a = b`.
    Copy,
    /// `a = s b`.
    Scale,
    /// `a = b + c`.
    Add,
    /// `a = b + s c`.
    Triad,
    /// From each cache line to the next of a random cycle through all: latency.
    Chase,
}

/// How bytes are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Width {
    /// 8 bytes an instruction.
    Scalar,
    /// 16 bytes an instruction.
    Sse2,
    /// 32 bytes an instruction.
    Avx2,
    /// 64 bytes an instruction.
    Avx512,
    /// 16 bytes an instruction, on 64-bit ARM.
    Neon,
    /// The C library's `memcpy`, or `memset` to write: it chooses width and stores itself.
    Memcpy,
    /// The processor's string instructions, `rep movsb` and `rep stosb`.
    Rep,
}

/// The way of stores: through the caches or past them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stores {
    /// Through the caches: memory is read before it is written.
    Regular,
    /// Non-temporal, past the caches: no figure of STREAM's.
    Nt,
}

/// The word of a parameter's value.
pub(super) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_users_have_smaller_arrays() {
        let mib = |users| Params::default().array_bytes(users) / MIB;
        assert_eq!([1, 2, 4, 8, 16, 512].map(mib), [128, 128, 64, 32, 16, 16]);
    }
}
