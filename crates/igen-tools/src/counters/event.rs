//! An event that the kernel can count, with its numbers for it (`include/uapi/linux/perf_event.h`).

/// Who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The processor's own counters (PMU): not there in many virtual machines.
    Processor,
    /// The kernel.
    Kernel,
}

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: &'static str,
    pub(crate) source: Source,
    kind: u32,
    pub(crate) config: u64,
}

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
const RAW: u32 = 4;

impl Event {
    /// One that the kernel finds on each processor.
    pub(crate) const fn hardware(name: &'static str, config: u64) -> Self {
        Self::new(name, Source::Processor, HARDWARE, config)
    }

    /// One of a cache.
    pub(crate) const fn cache(name: &'static str, config: u64) -> Self {
        Self::new(name, Source::Processor, CACHE, config)
    }

    /// One that the kernel counts itself.
    pub(crate) const fn software(name: &'static str, config: u64) -> Self {
        Self::new(name, Source::Kernel, SOFTWARE, config)
    }

    /// One of this kind of processor alone, by its maker's number.
    pub(crate) const fn raw(name: &'static str, config: u64) -> Self {
        Self::new(name, Source::Processor, RAW, config)
    }

    /// One of Intel's or AMD's processors: an event and the unit mask that chooses a part of it.
    pub(crate) const fn masked(name: &'static str, event: u8, mask: u8) -> Self {
        Self::raw(name, event as u64 | (mask as u64) << 8)
    }

    const fn new(name: &'static str, source: Source, kind: u32, config: u64) -> Self {
        Self {
            name,
            source,
            kind,
            config,
        }
    }

    /// The type of the event, as the kernel numbers it.
    pub(crate) fn kind(self) -> u32 {
        self.kind
    }
}
