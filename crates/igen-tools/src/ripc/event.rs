//! Events that the kernel can count, with its numbers for them (`include/uapi/linux/perf_event.h`).

/// Who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The processor's own counters (PMU): not there in many virtual machines.
    Processor,
    /// The kernel.
    Kernel,
}

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) name: &'static str,
    pub(super) source: Source,
    kind: u32,
    pub(super) config: u64,
}

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
/// Loads that miss, of a cache: its number, 0 for loads, 1 for misses.
const L1_DATA: u64 = 0;
const DATA_TLB: u64 = 3;
const MISSES: u64 = 1 << 16;

const fn hardware(name: &'static str, config: u64) -> Event {
    Event {
        name,
        source: Source::Processor,
        kind: HARDWARE,
        config,
    }
}

const fn cache(name: &'static str, config: u64) -> Event {
    Event {
        name,
        source: Source::Processor,
        kind: CACHE,
        config,
    }
}

const fn software(name: &'static str, config: u64) -> Event {
    Event {
        name,
        source: Source::Kernel,
        kind: SOFTWARE,
        config,
    }
}

/// Time on processors.
pub(super) const TASK_CLOCK: Event = software("time on processors, ns", 1);

/// THE list.
pub(super) const EVENTS: [Event; 15] = [
    hardware("cycles", 0),
    hardware("instructions", 1),
    hardware("cache references", 2),
    hardware("cache misses", 3),
    hardware("branches", 4),
    hardware("branch misses", 5),
    hardware("cycles without an instruction, frontend", 7),
    hardware("cycles without an instruction, backend", 8),
    cache("loads that missed the first cache", L1_DATA | MISSES),
    cache("loads that missed the TLB", DATA_TLB | MISSES),
    TASK_CLOCK,
    software("context switches", 3),
    software("migrations to another processor", 4),
    software("minor page faults", 5),
    software("major page faults", 6),
];

impl Event {
    /// The type of the event, as the kernel numbers it.
    pub(super) fn kind(self) -> u32 {
        self.kind
    }
}
