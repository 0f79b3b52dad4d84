//! Facts about the kernel.
//!
//! REQUIREMENTS: none; the preemption that a dynamic kernel chose needs root and debugfs.
//! OVERHEAD: 0.1 ms.

use igen_engine::FactSource;
use igen_job::Fact;
use igen_job::facts;
use rustix::system::uname;

use crate::fact_list::FactList;
use crate::tree::Tree;

pub(crate) struct Kernel;

impl FactSource for Kernel {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn facts(&self) -> Vec<Fact> {
        facts(&Tree::host(), &uname().machine().to_string_lossy())
    }
}

/// Parts of names of parameters whose values may be secrets.
const SECRETS: [&str; 6] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
];

fn facts(tree: &Tree, architecture: &str) -> Vec<Fact> {
    let mut list = FactList::default();
    list.add(&facts::KERNEL_ARCHITECTURE, Some(architecture));
    list.add(
        &facts::KERNEL_RELEASE,
        tree.text("proc/sys/kernel/osrelease"),
    );
    let version = tree.text("proc/sys/kernel/version");
    list.add(
        &facts::KERNEL_PREEMPTION,
        preemption(tree, version.as_deref()),
    );
    list.add(&facts::KERNEL_VERSION, version);
    list.add(
        &facts::KERNEL_COMMAND_LINE,
        tree.text("proc/cmdline").map(|line| command_line(&line)),
    );
    let clock = "sys/devices/system/clocksource/clocksource0/current_clocksource";
    list.add(&facts::KERNEL_CLOCK_SOURCE, tree.text(clock));
    // Signed: distributions deny all by -1 to 4.
    let signed = |path: &str| tree.text(path)?.parse::<i64>().ok();
    list.add(
        &facts::KERNEL_PERF_EVENT_PARANOID,
        signed("proc/sys/kernel/perf_event_paranoid"),
    );
    list.add(
        &facts::KERNEL_IO_URING_DISABLED,
        signed("proc/sys/kernel/io_uring_disabled"),
    );
    list.into_facts()
}

/// The mode in force if it can be read, else what the kernel says that it was built for.
fn preemption(tree: &Tree, version: Option<&str>) -> Option<String> {
    let text = tree.text("sys/kernel/debug/sched/preempt");
    let chosen = text
        .as_deref()
        .and_then(|text| Some(text.split_once('(')?.1.split_once(')')?.0));
    let built =
        version.and_then(|version| version.split(' ').find(|word| word.starts_with("PREEMPT")));
    chosen.or(built).map(str::to_owned)
}

/// Parameters of the kernel, not those after `--`, which are for the first process. Values that
/// may be secrets are not shown.
fn command_line(line: &str) -> String {
    let parameters = line
        .split_ascii_whitespace()
        .take_while(|word| *word != "--");
    let shown: Vec<String> = parameters
        .map(|parameter| match parameter.split_once('=') {
            Some((name, _)) if SECRETS.iter().any(|secret| name.contains(secret)) => {
                format!("{name}=(hidden)")
            }
            _ => parameter.to_owned(),
        })
        .collect();
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    #[test]
    fn what_the_kernel_says_of_itself() {
        let fake = Fake::new(&[
            ("proc/sys/kernel/osrelease", "6.18.44\n"),
            (
                "proc/sys/kernel/version",
                "#1 SMP PREEMPT_DYNAMIC Fri Nov 20 2026\n",
            ),
            ("proc/cmdline", "quiet mitigations=auto\n"),
            (
                "sys/devices/system/clocksource/clocksource0/current_clocksource",
                "tsc\n",
            ),
            ("proc/sys/kernel/perf_event_paranoid", "-1\n"),
            ("proc/sys/kernel/io_uring_disabled", "2\n"),
        ]);
        assert_eq!(
            object(facts(&fake.tree, "x86_64")),
            json!({
                "kernel.architecture": "x86_64",
                "kernel.release": "6.18.44",
                "kernel.version": "#1 SMP PREEMPT_DYNAMIC Fri Nov 20 2026",
                "kernel.preemption": "PREEMPT_DYNAMIC",
                "kernel.command_line": "quiet mitigations=auto",
                "kernel.clock_source": "tsc",
                "kernel.perf_event_paranoid": -1,
                "kernel.io_uring_disabled": 2,
            })
        );
    }

    #[test]
    fn the_preemption_in_force_goes_before_the_one_built_in() {
        let fake = Fake::new(&[("sys/kernel/debug/sched/preempt", "none voluntary (full)\n")]);
        let version = Some("#1 SMP PREEMPT_DYNAMIC");
        assert_eq!(preemption(&fake.tree, version).as_deref(), Some("full"));
        assert_eq!(preemption(&Fake::new(&[]).tree, Some("#1 SMP")), None);
    }

    #[test]
    fn secrets_and_what_is_for_the_first_process_are_not_shown() {
        let line = "root=/dev/sda1 site.password=hunter2 quiet -- --token abc";
        assert_eq!(
            command_line(line),
            "root=/dev/sda1 site.password=(hidden) quiet"
        );
    }
}
