//! What the flags of a page say that it is used for.
//!
//! Bits of the kernel's include/uapi/linux/kernel-page-flags.h; the reserved one, which is no part of its interface,
//! of include/linux/kernel-page-flags.h, unchanged since it was introduced.

const DIRTY: u64 = 1 << 4;
const LRU: u64 = 1 << 5;
const ACTIVE: u64 = 1 << 6;
const SLAB: u64 = 1 << 7;
const WRITEBACK: u64 = 1 << 8;
const BUDDY: u64 = 1 << 10;
const MAPPED: u64 = 1 << 11;
const ANONYMOUS: u64 = 1 << 12;
const SWAP_BACKED: u64 = 1 << 14;
const HUGE: u64 = 1 << 17;
const UNEVICTABLE: u64 = 1 << 18;
const POISONED: u64 = 1 << 19;
const NO_PAGE: u64 = 1 << 20;
const OFFLINE: u64 = 1 << 23;
const PAGE_TABLE: u64 = 1 << 26;
const RESERVED: u64 = 1 << 32;

/// Uses of memory that flags tell, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Anonymous,
    Programs,
    Shared,
    PageCache,
    Reclaimable,
    Pool,
    Faulty,
    Free,
}

impl Use {
    /// How many there are.
    pub(super) const COUNT: usize = Self::Free as usize + 1;

    /// The use of a page. `None` is the kernel's own, which has no flags or some of its own, an address without
    /// memory, or what the kernel took at its start: those cannot be told apart everywhere.
    pub(super) fn of(flags: u64, program: bool) -> Option<Self> {
        let any = |bits: u64| flags & bits != 0;
        Some(if any(NO_PAGE | RESERVED) {
            return None;
        } else if any(POISONED | OFFLINE) {
            Self::Faulty
        } else if any(BUDDY) {
            Self::Free
        } else if any(HUGE) {
            Self::Pool
        } else if any(SLAB | PAGE_TABLE) {
            // Its other flags mean something else then.
            return None;
        } else if any(ANONYMOUS) {
            Self::Anonymous
        } else if !any(LRU | UNEVICTABLE | WRITEBACK | MAPPED) {
            return None;
        } else if any(SWAP_BACKED) {
            Self::Shared
        } else if program {
            Self::Programs
        } else if any(DIRTY | WRITEBACK | ACTIVE | MAPPED | UNEVICTABLE) {
            Self::PageCache
        } else {
            Self::Reclaimable
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_say_what_a_page_is_used_for() {
        for (flags, expected) in [
            (0, None),
            (SLAB, None),
            (SLAB | ANONYMOUS, None),
            (PAGE_TABLE | MAPPED, None),
            (NO_PAGE, None),
            (RESERVED, None),
            (BUDDY, Some(Use::Free)),
            (LRU | ANONYMOUS | SWAP_BACKED | MAPPED, Some(Use::Anonymous)),
            // Locked: not on a list that the kernel looks through.
            (
                UNEVICTABLE | ANONYMOUS | SWAP_BACKED | MAPPED,
                Some(Use::Anonymous),
            ),
            (LRU | SWAP_BACKED, Some(Use::Shared)),
            (LRU, Some(Use::Reclaimable)),
            (LRU | DIRTY, Some(Use::PageCache)),
            (LRU | ACTIVE, Some(Use::PageCache)),
            (LRU | MAPPED, Some(Use::PageCache)),
            (HUGE | MAPPED, Some(Use::Pool)),
            (POISONED, Some(Use::Faulty)),
        ] {
            assert_eq!(Use::of(flags, false), expected, "{flags:#x}");
        }
        assert_eq!(Use::of(LRU | MAPPED, true), Some(Use::Programs));
        assert_eq!(Use::of(ANONYMOUS | LRU, true), Some(Use::Anonymous));
        assert_eq!(Use::of(0, true), None);
    }
}
