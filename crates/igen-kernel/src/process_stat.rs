//! The line of `/proc/<pid>/stat`.

use std::borrow::Cow;

/// The fields of it that are needed.
#[derive(Debug, PartialEq, Eq)]
pub struct ProcessStat<'a> {
    /// Name of the program, in brackets for a thread of the kernel, as ps shows it.
    pub name: Cow<'a, str>,
    /// Process id of its parent; 0 of the first process.
    pub parent: u32,
    /// Ended; its parent has not asked for its exit status yet.
    pub zombie: bool,
    /// Page faults without I/O.
    pub minor_faults: u64,
    /// Page faults with I/O.
    pub major_faults: u64,
    /// Guest time included.
    pub user_ticks: u64,
    /// In the kernel.
    pub system_ticks: u64,
    /// User ticks of children that ended and were waited for, including their own children.
    pub waited_user_ticks: u64,
    /// Kernel ticks of those children.
    pub waited_system_ticks: u64,
    /// Number of threads.
    pub threads: u64,
    /// With the pid it tells a process from a later one of the same pid.
    pub start_ticks: u64,
    /// Pages of memory that it has.
    pub resident_pages: u64,
}

/// `PF_KTHREAD` of the kernel's include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;

impl<'a> ProcessStat<'a> {
    /// None if the line is cut off. The name may hold spaces and brackets: it ends at the last one.
    #[must_use]
    pub fn parse(line: &'a str) -> Option<Self> {
        let (_pid, rest) = line.split_once('(')?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let (state, rest) = rest.split_once(' ')?;
        // Fields are numbered as in proc_pid_stat(5), the parent's pid being the fourth.
        let mut fields = rest.split_ascii_whitespace();
        let parent = fields.next()?.parse().ok()?;
        let mut next = |skip: usize| fields.nth(skip)?.parse::<u64>().ok();
        let flags = next(4)?;
        Some(Self {
            name: if flags & KERNEL_THREAD == 0 {
                name.into()
            } else {
                format!("[{name}]").into()
            },
            parent,
            zombie: matches!(state, "Z" | "X"),
            minor_faults: next(0)?,
            major_faults: next(1)?,
            user_ticks: next(1)?,
            system_ticks: next(0)?,
            waited_user_ticks: next(0)?,
            waited_system_ticks: next(0)?,
            threads: next(2)?,
            start_ticks: next(1)?,
            resident_pages: next(1)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURED: &str = "11656 (cat) R 11646 11646 8654 0 -1 4194304 97 3 5 4 700 80 6 7 20 0 \
        2 0 99894 3133440 382 18446744073709551615 94568502583296 94568502603177 0 0 0 0 0 0 0 0 \
        0 0 17 0 0 0 0 0 0 94568502619184 94568502620800 94569202487296 0 0 0 0 0\n";

    #[test]
    fn the_fields_are_where_the_manual_says() {
        let expected = ProcessStat {
            name: "cat".into(),
            parent: 11646,
            zombie: false,
            minor_faults: 97,
            major_faults: 5,
            user_ticks: 700,
            system_ticks: 80,
            waited_user_ticks: 6,
            waited_system_ticks: 7,
            threads: 2,
            start_ticks: 99894,
            resident_pages: 382,
        };
        assert_eq!(ProcessStat::parse(CAPTURED), Some(expected));
    }

    #[test]
    fn a_name_may_hold_anything() {
        for name in ["a b", ") R 1 (", "((", "tmux: server", ""] {
            let line = CAPTURED.replacen("cat", name, 1);
            let parsed = ProcessStat::parse(&line);
            assert_eq!(parsed.as_ref().map(|stat| &*stat.name), Some(name));
            assert_eq!(parsed.map(|stat| stat.resident_pages), Some(382), "{name}");
        }
    }

    #[test]
    fn threads_of_the_kernel_and_zombies_are_told() {
        let kernel = CAPTURED.replacen(" 4194304 ", " 69238880 ", 1);
        let name = ProcessStat::parse(&kernel).map(|stat| stat.name);
        assert_eq!(name.as_deref(), Some("[cat]"));
        let zombie = CAPTURED.replacen(" R ", " Z ", 1);
        assert!(ProcessStat::parse(&zombie).is_some_and(|stat| stat.zombie));
    }

    #[test]
    fn a_line_cut_off_before_the_last_field_is_refused() {
        for length in 0..CAPTURED.find("382").unwrap_or_default() {
            assert_eq!(ProcessStat::parse(&CAPTURED[..length]), None, "{length}");
        }
    }
}
