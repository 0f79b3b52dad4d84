//! A fuzz target under libFuzzer; the environment variable `IGEN_FUZZ` names it.

#![no_main]

use std::sync::LazyLock;

use igen_fuzz::{Target, target};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("IGEN_FUZZ").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("unknown fuzz target `{name}` in IGEN_FUZZ"))
});

fuzz_target!(|input: &[u8]| (TARGET.run)(input));
