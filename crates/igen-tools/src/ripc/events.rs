//! Events that `ripc` counts.

use crate::counters::Event;

/// Loads that miss, of a cache: its number, 0 for loads, 1 for misses.
const L1_DATA: u64 = 0;
const DATA_TLB: u64 = 3;
const MISSES: u64 = 1 << 16;

/// Time on processors.
pub(super) const TASK_CLOCK: Event = Event::software("time on processors, ns", 1);

/// THE list.
pub(super) const EVENTS: [Event; 15] = [
    Event::hardware("cycles", 0),
    Event::hardware("instructions", 1),
    Event::hardware("cache references", 2),
    Event::hardware("cache misses", 3),
    Event::hardware("branches", 4),
    Event::hardware("branch misses", 5),
    Event::hardware("cycles without an instruction, frontend", 7),
    Event::hardware("cycles without an instruction, backend", 8),
    Event::cache("loads that missed the first cache", L1_DATA | MISSES),
    Event::cache("loads that missed the TLB", DATA_TLB | MISSES),
    TASK_CLOCK,
    Event::software("context switches", 3),
    Event::software("migrations to another processor", 4),
    Event::software("minor page faults", 5),
    Event::software("major page faults", 6),
];
