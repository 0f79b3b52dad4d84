//! Best practice, with reasons: how the settings of this machine and of its servers stand. It changes nothing.
//!
//! REQUIREMENTS: none; root to read the settings of servers.
//! OVERHEAD: some hundred small files are read once: 10 ms.

mod area;
mod check;
mod facts;
mod host;
mod machine;
mod mariadb;
mod mariadb_defaults;
mod network;
mod other_servers;
mod postgresql;
mod reads;
mod server;
mod server_files;
mod settings;
mod storage;
mod studies;
mod tables;
#[cfg(test)]
mod test_machine;

use clap::Args;
use igen_job::JobError;
use igen_job::tool::Verdict;

pub use self::facts::facts;

use self::area::Area;
use self::check::{Check, State};
use self::machine::Machine;
use self::server::Server;
use self::tables::Row;
use crate::emit::Emit;
use crate::tool::Tool;

const METHOD: &str = "files of /proc, /sys and the servers, without requests to servers";

/// THE lists of checks.
const LISTS: [&[Check]; 6] = [
    host::CHECKS,
    network::CHECKS,
    storage::CHECKS,
    postgresql::CHECKS,
    mariadb::CHECKS,
    other_servers::CHECKS,
];

pub(crate) struct Tunables;

/// Options of the tool.
#[derive(Args)]
pub(crate) struct TunablesArgs {
    /// Check this only; default: the machine and all running servers.
    #[arg(long = "for", value_enum, value_name = "WHAT")]
    area: Option<Area>,
    /// Check the machine for this server.
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,
    /// Print all settings, with reasons, changes and sources; default: only settings that differ.
    #[arg(long)]
    all: bool,
}

impl Tool for Tunables {
    const NAME: &'static str = "tunables";
    const SUMMARY: &'static str = "compare settings of machine and servers with best practice";
    const REQUIREMENTS: &'static str = "none; root to read the settings of servers";
    const OVERHEAD: &'static str = "about 10 ms: it reads a few hundred small files once";
    const EXAMPLES: &'static [&'static str] = &["", "--for postgresql --all", "--pid 1234"];
    type Args = TunablesArgs;

    fn run(args: TunablesArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let machine = Machine::new("/");
        let servers = servers(&machine, &args)?;
        for note in not_judged(&servers) {
            emit.note(note);
        }
        let mut rows = Vec::new();
        let mut missing = 0;
        for check in LISTS.into_iter().flatten() {
            for (pid, found) in asked(check, &args)
                .then(|| judged(check, &machine, &servers))
                .into_iter()
                .flatten()
            {
                match found {
                    Some((state, value)) => rows.push(Row {
                        state,
                        check,
                        value,
                        pid,
                    }),
                    None => missing += 1,
                }
            }
        }
        if args.all {
            emit.table(tables::all(&rows));
            emit.table(tables::advice(&rows));
            emit.note(format!(
                "checks without a result, because this machine does not have the setting or it cannot be read: {missing}"
            ));
        } else {
            emit.table(tables::differing(&rows));
            emit.note("use --all for all settings, with reason, change and source".to_owned());
        }
        Ok(verdict(&rows))
    }
}

/// Servers of which no setting is judged, each with its reason.
fn not_judged(servers: &[Machine]) -> Vec<String> {
    let servers = servers.iter().filter_map(|machine| machine.server.as_ref());
    servers
        .filter_map(|server| {
            let why = server.unknown.as_ref()?;
            let (name, pid) = (server.area.name(), server.pid);
            Some(format!(
                "settings of {name} (pid {pid}) are not checked: {why}"
            ))
        })
        .collect()
}

/// The servers that are looked at.
fn servers(machine: &Machine, args: &TunablesArgs) -> Result<Vec<Machine>, JobError> {
    let found: Vec<Server> = match args.pid {
        Some(pid) => {
            let server = server::of_pid(machine.root(), pid).ok_or_else(|| {
                JobError::at("--pid", format!("process {pid} is not a supported server"))
                    .hint("use a process of PostgreSQL, MariaDB, MySQL, OpenLDAP or nginx")
            })?;
            vec![server]
        }
        None => server::running(machine.root()),
    };
    if let Some(area) = args.area.filter(|area| area.is_server()) {
        let mut of_kind = found.iter().filter(|server| server.area == area);
        let Some(first) = of_kind.next() else {
            let text = format!("no {} is running, or this user cannot see it", area.name());
            return Err(JobError::at("--for", text)
                .hint("start the server: its settings are read from its process and files"));
        };
        if let Some(why) = &first.unknown
            && of_kind.all(|server| server.unknown.is_some())
        {
            let text = format!("cannot read the settings of {}: {why}", area.name());
            return Err(JobError::at("--for", text)
                .hint("run it as root, and in the container of the server"));
        }
    }
    Ok(found
        .into_iter()
        .map(|server| machine.with(server))
        .collect())
}

/// Returns true if the command line wants it. What loads web servers is only checked when it is asked for.
fn asked(check: &Check, args: &TunablesArgs) -> bool {
    match args.area {
        Some(area) => check.area == area,
        None => check.area != Area::HttpClient,
    }
}

/// Once for the machine, or once for each server of its kind, with the first process of it.
fn judged(
    check: &'static Check,
    machine: &Machine,
    servers: &[Machine],
) -> Vec<(Option<u32>, check::Found)> {
    match check.area {
        area if area.is_server() => {
            let of_kind = servers.iter().filter_map(|machine| {
                let server = machine.server.as_ref()?;
                let known = server.area == check.area && server.unknown.is_none();
                known.then_some((machine, server.pid))
            });
            of_kind
                .map(|(machine, pid)| (Some(pid), (check.judge)(machine)))
                .collect()
        }
        // What loads servers is none of them.
        Area::HttpClient => vec![(None, (check.judge)(machine))],
        // The limits of the only server there is are those that count.
        _ => {
            let looked_at = if let [only] = servers { only } else { machine };
            vec![(None, (check.judge)(looked_at))]
        }
    }
}

fn verdict(rows: &[Row]) -> Verdict {
    let count = |state: State| rows.iter().filter(|row| row.state == state).count();
    let counted = format!(
        "{} of {} settings follow best practice",
        count(State::Pass),
        rows.len()
    );
    let look = count(State::Check);
    let wrong = wrong(rows);
    if wrong.is_empty() {
        let more = if look == 0 {
            String::new()
        } else {
            format!("; {look} to review")
        };
        return Verdict::good(METHOD, format!("{counted}{more}"));
    }
    let text = format!("wrong: {}; {counted}; {look} to review", wrong.join(", "));
    Verdict::finding(METHOD, text)
}

/// What is wrong, each setting once, with the servers where it is.
fn wrong(rows: &[Row]) -> Vec<String> {
    let mut found: Vec<(&Check, Vec<String>)> = Vec::new();
    for row in rows.iter().filter(|row| row.state == State::Fail) {
        let pid = row.pid.map(|pid| format!("pid {pid}"));
        match found.iter_mut().find(|(check, _)| check.is(row.check)) {
            Some((_, pids)) => pids.extend(pid),
            None => found.push((row.check, pid.into_iter().collect())),
        }
    }
    let named = |(check, pids): (&Check, Vec<String>)| {
        if pids.is_empty() {
            check.name.to_owned()
        } else {
            format!("{} ({})", check.name, pids.join(", "))
        }
    };
    found.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::HashSet;

    use serde_json::json;

    use super::test_machine::judge;
    use super::*;

    #[test]
    fn there_are_many_checks_each_with_reason_source_and_change() {
        let checks: Vec<&Check> = LISTS.into_iter().flatten().collect();
        assert!(checks.len() >= 40, "{}", checks.len());
        let mut names = HashSet::new();
        for check in &checks {
            for text in [
                check.name,
                check.good,
                check.why,
                check.source,
                check.change,
            ] {
                assert!(!text.is_empty(), "{}", check.name);
            }
            assert!(
                names.insert((check.area.name(), check.name)),
                "{} comes twice",
                check.name
            );
        }
        for area in <Area as clap::ValueEnum>::value_variants() {
            assert!(
                checks.iter().any(|check| check.area == *area),
                "nothing of {}",
                area.name()
            );
        }
    }

    #[test]
    fn what_is_wrong_at_several_servers_is_said_once_with_each() {
        let check = |name| {
            let mut all = LISTS.into_iter().flatten();
            all.find(|check| check.name == name).unwrap()
        };
        let row = |name, pid| Row {
            state: State::Fail,
            check: check(name),
            value: "off".into(),
            pid,
        };
        let rows = [
            row("fsync", Some(7)),
            row("open files of a process", None),
            row("fsync", Some(9)),
        ];
        let said = verdict(&rows);
        assert!(
            said.text
                .starts_with("wrong: fsync (pid 7, pid 9), open files of a process; 0 of 3"),
            "{}",
            said.text
        );
        assert_eq!(tables::advice(&rows).rows.len(), 2);
        assert_eq!(tables::differing(&rows).rows.len(), 2);
        assert_eq!(tables::differing(&rows).rows[0]["pids"], json!("7, 9"));
        assert_eq!(tables::all(&rows).rows[2]["pid"], json!(9));
    }

    #[test]
    fn a_knob_that_does_not_exist_is_not_advised() {
        for check in LISTS.into_iter().flatten() {
            assert_eq!(judge(check.area, check.name, &[]), None, "{}", check.name);
        }
    }

    #[test]
    fn settings_of_the_machine_are_judged() {
        let found = |name, files: &[(&str, &str)]| judge(Area::Host, name, files).unwrap();
        let thp = "sys/kernel/mm/transparent_hugepage/enabled";
        assert_eq!(
            found(
                "transparent huge pages",
                &[(thp, "always [madvise] never\n")]
            )
            .0,
            State::Pass
        );
        assert_eq!(
            found(
                "transparent huge pages",
                &[(thp, "[always] madvise never\n")]
            )
            .0,
            State::Check
        );
        let stat = "proc/stat";
        let stolen = found(
            "time stolen by the hypervisor",
            &[(stat, "cpu 50 0 0 40 0 0 0 10 0 0\n")],
        );
        assert_eq!(stolen, (State::Fail, "10.00 % since the start".to_owned()));
        let files = [(
            "proc/self/limits",
            "Limit  Soft  Hard\nMax open files  1024  4096 files\n",
        )];
        assert_eq!(
            found("open files of a process", &files),
            (State::Fail, "1024".to_owned())
        );
        let dirty = [
            ("proc/sys/vm/dirty_background_bytes", "0"),
            ("proc/sys/vm/dirty_background_ratio", "10"),
            ("proc/meminfo", "MemAvailable: 104857600 kB\n"),
        ];
        let expected = (State::Check, "10 GiB".to_owned());
        assert_eq!(
            found("dirty pages before writing in the background", &dirty),
            expected
        );
    }

    #[test]
    fn a_quota_may_be_that_of_a_group_above() {
        let with = |above| {
            let files = [
                ("proc/self/cgroup", "0::/a/b\n"),
                ("proc/cpuinfo", "processor: 0\nprocessor: 1\n"),
                (
                    "proc/self/mountinfo",
                    "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                ),
                ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
                ("sys/fs/cgroup/a/cpu.max", above),
            ];
            judge(Area::Host, "quota of processors", &files)
        };
        let expected = (State::Check, "1.5 of 2 processors".to_owned());
        assert_eq!(with("150000 100000\n"), Some(expected.clone()));
        assert_eq!(with("max 100000\n"), Some((State::Pass, "none".to_owned())));
        let with = |quota| {
            let files = [
                ("proc/self/cgroup", "2:cpu,cpuacct:/c\n0::/\n"),
                ("proc/cpuinfo", "processor: 0\nprocessor: 1\n"),
                (
                    "proc/self/mountinfo",
                    "35 31 0:32 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
                ),
                ("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", quota),
                ("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"),
            ];
            judge(Area::Host, "quota of processors", &files)
        };
        assert_eq!(with("150000\n"), Some(expected));
        assert_eq!(with("-1\n"), Some((State::Pass, "none".to_owned())));
    }

    #[test]
    fn the_limits_of_a_server_are_not_those_of_the_load_client() {
        let files = [
            ("proc/7/comm", "postgres\n"),
            ("proc/7/status", "PPid:\t1\n"),
            ("proc/7/limits", "Max open files  1024  4096 files\n"),
            ("proc/self/limits", "Max open files  70000  70000 files\n"),
        ];
        let found = |area, name| judge(area, name, &files).unwrap().1;
        assert_eq!(found(Area::Host, "open files of a process"), "1024");
        assert_eq!(
            found(Area::HttpClient, "open files of the load client"),
            "70000"
        );
    }

    #[test]
    fn overflows_are_found_by_name() {
        let netstat = "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 0 17 3\nIpExt: A\nIpExt: 1\n";
        let found = judge(
            Area::Network,
            "overflows of listening sockets",
            &[("proc/net/netstat", netstat)],
        );
        assert_eq!(found, Some((State::Check, "17 since the start".to_owned())));
    }
}
