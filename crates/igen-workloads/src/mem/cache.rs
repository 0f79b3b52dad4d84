//! The last cache before memory, as the system tells it.

use std::fs;
use std::path::Path;

use super::node::numbers;

const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// A cache of the highest level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LastCache {
    level: u32,
    bytes: u64,
    /// Processors that have it together.
    processors: u32,
}

impl LastCache {
    /// The last cache of the first processor; `None` where the system does not say. A virtual machine may be
    /// told its host's, which is more than it gets.
    pub(super) fn of_this_machine() -> Option<Self> {
        Self::in_folder(CACHES.as_ref())
    }

    #[cfg(test)]
    pub(super) const fn of(bytes: u64, processors: u32) -> Self {
        Self {
            level: 3,
            bytes,
            processors,
        }
    }

    fn in_folder(folder: &Path) -> Option<Self> {
        let caches = fs::read_dir(folder).ok()?.filter_map(|entry| {
            let text = |name: &str| fs::read_to_string(entry.as_ref().ok()?.path().join(name)).ok();
            let kib = text("size")?
                .trim()
                .strip_suffix('K')?
                .parse::<u64>()
                .ok()?;
            let processors = numbers(&text("shared_cpu_list")?).len();
            Some(Self {
                level: text("level")?.trim().parse().ok()?,
                bytes: kib << 10,
                processors: u32::try_from(processors).ok()?,
            })
        });
        caches.max_by_key(|cache| cache.level)
    }

    /// Returns true if so many users that each go over `bytes` may find some of them in the cache when they do so
    /// again: of more than twice what it holds nothing worth mentioning is left.
    pub(super) fn may_keep(self, bytes: u64, users: u32) -> bool {
        let together = bytes.saturating_mul(users.min(self.processors).into());
        together <= 2 * self.bytes
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_last_cache_is_that_of_the_highest_level() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(LastCache::in_folder(folder.path()), None);
        for (index, level, size, processors) in [
            ("index0", "1", "48K", "0"),
            ("index3", "3", "32768K", "0-3,8-11"),
            ("index2", "2", "2048K", "0"),
        ] {
            let index = folder.path().join(index);
            fs::create_dir(&index).unwrap();
            for (name, text) in [
                ("level", level),
                ("size", size),
                ("shared_cpu_list", processors),
            ] {
                fs::write(index.join(name), format!("{text}\n")).unwrap();
            }
        }
        let found = LastCache::in_folder(folder.path()).unwrap();
        let last = LastCache::of(32 << 20, 8);
        assert_eq!(found, last);
    }

    #[test]
    fn users_share_the_cache_of_their_processors() {
        let last = LastCache::of(32 << 20, 8);
        for (bytes, users, keeps) in [
            (64 << 20, 1, true),
            (65 << 20, 1, false),
            (8 << 20, 8, true),
            (9 << 20, 8, false),
            // The other half has a cache of its own.
            (8 << 20, 16, true),
        ] {
            assert_eq!(last.may_keep(bytes, users), keeps, "{bytes} {users}");
        }
    }
}
