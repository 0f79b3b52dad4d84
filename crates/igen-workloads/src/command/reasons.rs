//! Why an execution failed, in words that many failures share.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// A program may say something else each time: of more last lines than this, the rest is left out.
const MOST_LINES: usize = 16;

/// The last lines of one user's programs that have been told.
#[derive(Default)]
pub(super) struct Reasons {
    lines: BTreeSet<String>,
}

impl Reasons {
    /// Why a program that ended with `status` and said `line` last has failed.
    pub(super) fn of(&mut self, status: ExitStatus, line: Option<String>) -> String {
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => match signal_hook::low_level::signal_name(signal) {
                Some(name) => format!("killed by {name}"),
                None => format!("killed by signal {signal}"),
            },
            (None, None) => "ended in an unknown way".to_owned(),
        };
        match line.filter(|line| self.may_tell(line)) {
            Some(line) => format!("{how}: {line}"),
            None => how,
        }
    }

    fn may_tell(&mut self, line: &str) -> bool {
        if self.lines.contains(line) {
            return true;
        }
        self.lines.len() < MOST_LINES && self.lines.insert(line.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_the_code_or_the_signal_and_the_last_line() {
        let mut reasons = Reasons::default();
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(
            reasons.of(exited(2), line("no file")),
            "exit code 2: no file"
        );
        assert_eq!(reasons.of(exited(3), None), "exit code 3");
        assert_eq!(
            reasons.of(ExitStatus::from_raw(11), None),
            "killed by SIGSEGV"
        );
    }

    #[test]
    fn lines_that_differ_each_time_do_not_become_reasons_without_end() {
        let mut reasons = Reasons::default();
        let failed = ExitStatus::from_raw(1 << 8);
        let told: BTreeSet<String> = (0..1_000)
            .map(|number| reasons.of(failed, Some(format!("at {number} s"))))
            .collect();
        assert_eq!(told.len(), MOST_LINES + 1);
        assert_eq!(
            reasons.of(failed, Some("at 0 s".into())),
            "exit code 1: at 0 s"
        );
        assert_eq!(reasons.of(failed, Some("at 999 s".into())), "exit code 1");
    }
}
