//! How long a thread was ready to run and waited for a processor.

/// Time that the calling thread has waited for a processor, in nanoseconds; `None` if the kernel does not count it.
#[must_use]
pub fn of_this_thread_ns() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/thread-self/schedstat").ok()?)
}

/// From time on a processor, time waited for one, and time slices.
fn parse(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_the_delay() {
        assert_eq!(parse("1234 56 7\n"), Some(56));
        assert_eq!(parse(""), None);
        assert_eq!(parse("1 x 2"), None);
    }
}
