//! Limits of the system on connections, looked at before the first of them is made.

use std::fs;

use igen_job::JobError;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files beside the connections: of monitors, event loops, standard streams.
const SPARE_FILES: u64 = 256;
/// Local ports of connections (lowest and highest), and those of them that the system keeps for others.
const PORT_RANGE: &str = "/proc/sys/net/ipv4/ip_local_port_range";

/// What to do where users have too few files.
pub(crate) const MORE_FILES: &str = "use fewer users or several load machines, or raise the limit with `ulimit -Hn` or LimitNOFILE of a service";

/// Connections that a process has at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connections {
    pub(crate) users: u64,
    pub(crate) of_each: u64,
}

impl Connections {
    pub(crate) fn all(self) -> u64 {
        self.users * self.of_each
    }

    fn files(self) -> u64 {
        self.all() + SPARE_FILES
    }
}

/// Lets this process have so many connections at once, or says why it cannot; as many as it can where the load
/// `grows` and may never need all of them.
pub(crate) fn allow_files(connections: Connections, grows: bool) -> Result<(), JobError> {
    if !grows && let Some(error) = lacking_files(connections) {
        return Err(error);
    }
    let limit = getrlimit(Resource::Nofile);
    let needed = connections.files().min(limit.maximum.unwrap_or(u64::MAX));
    if limit.current.is_some_and(|current| current < needed) {
        let raised = Rlimit {
            current: Some(needed),
            ..limit
        };
        setrlimit(Resource::Nofile, raised).map_err(|error| {
            JobError::at(
                "load",
                format!("cannot raise the limit to {needed} open files: {error}"),
            )
        })?;
    }
    Ok(())
}

/// What is told where the system does not allow so many connections at once.
pub(crate) fn lacking_files(connections: Connections) -> Option<JobError> {
    let most = getrlimit(Resource::Nofile).maximum?;
    let (Connections { users, of_each }, needed) = (connections, connections.files());
    let what = match of_each {
        1 => format!("{users} connections"),
        each => format!("{users} users × {each} connections"),
    };
    let text = format!("{what} need {needed} open files, but only {most} are allowed");
    (most < needed).then(|| JobError::at("load", text).hint(MORE_FILES))
}

/// Returns true if so many connections to one address have a local port each.
pub(crate) fn check_ports(connections: u64) -> Result<(), JobError> {
    match fs::read_to_string(PORT_RANGE)
        .ok()
        .as_deref()
        .and_then(ports)
    {
        Some(ports) => within(connections, ports),
        None => Ok(()),
    }
}

fn within(connections: u64, ports: u64) -> Result<(), JobError> {
    if connections <= ports {
        return Ok(());
    }
    Err(JobError::at(
        "load",
        format!("{connections} connections to one address need a local port each, but there are only {ports}"),
    )
    .hint(
        "use several load machines or targets, or more ports: `sysctl net.ipv4.ip_local_port_range=\"1024 65535\"`",
    ))
}

/// How many ports lie between the lowest and the highest: `32768 60999`.
fn ports(text: &str) -> Option<u64> {
    let mut words = text.split_ascii_whitespace().map(str::parse::<u64>);
    let (low, high) = (words.next()?.ok()?, words.next()?.ok()?);
    (high + 1).checked_sub(low)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ports_are_counted() {
        assert_eq!(ports("32768\t60999\n"), Some(28_232));
        assert_eq!(ports("9 3"), None);
        assert_eq!(within(28_232, 28_232), Ok(()));
        let error = within(28_233, 28_232).unwrap_err();
        assert!(
            error.text.contains("28232") && !error.hint.is_empty(),
            "{error}"
        );
    }

    #[test]
    fn more_files_than_ever_are_refused() {
        let Some(most) = getrlimit(Resource::Nofile).maximum else {
            return;
        };
        for (users, of_each, says) in [
            (most, 1, format!("{most} connections need")),
            (
                most / 2,
                3,
                format!("{} users × 3 connections need", most / 2),
            ),
        ] {
            let connections = Connections { users, of_each };
            let error = allow_files(connections, false).unwrap_err();
            assert!(error.text.starts_with(&says), "{error}");
            assert!(
                error.text.contains(&format!("only {most} are allowed")),
                "{error}"
            );
            assert_eq!(allow_files(connections, true), Ok(()));
        }
        let one = Connections {
            users: 1,
            of_each: 1,
        };
        assert_eq!(allow_files(one, false), Ok(()));
    }
}
