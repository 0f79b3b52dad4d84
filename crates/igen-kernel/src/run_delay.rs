//! Times of a thread: on a processor, and ready to run but waiting for a processor.

/// Times of a thread since it was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadTimes {
    /// On a processor, in nanoseconds.
    pub ran_ns: u64,
    /// Waiting for a processor, in nanoseconds.
    pub delay_ns: u64,
}

/// Times of the calling thread; `None` if the kernel does not count them.
#[must_use]
pub fn of_this_thread() -> Option<ThreadTimes> {
    parse(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

/// From time on a processor, time waited for one, and time slices.
fn parse(text: &str) -> Option<ThreadTimes> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    Some(ThreadTimes {
        ran_ns: numbers.next()?.ok()?,
        delay_ns: numbers.next()?.ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_delay() {
        let times = ThreadTimes {
            ran_ns: 1234,
            delay_ns: 56,
        };
        assert_eq!(parse("1234 56 7\n"), Some(times));
        assert_eq!(parse(""), None);
        assert_eq!(parse("1 x 2"), None);
    }
}
