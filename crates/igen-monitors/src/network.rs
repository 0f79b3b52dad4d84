//! Traffic of each network interface, `lo` among them.
//!
//! Reads: `/proc/net/dev`, that is the interfaces of the agent's own network namespace. An interface
//! that stands on others (bridge, bond, VLAN), a tunnel, and the host's end of a link into a container
//! (`veth…`) are left out: what they carry to other hosts appears at the interface below. So the sum
//! over all subjects but `lo` is the host's traffic. What an interface is, is looked up in
//! `/sys/class/net` when it is first seen.
//! Cost: 5 µs with 4 interfaces. Requirements: none.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use igen_engine::Monitor;
use igen_job::event::Reading;

use crate::values::{numbers, values};
use igen_kernel::proc_file::ProcFile;

pub(crate) struct Network {
    dev: ProcFile,
    counted: HashMap<String, bool>,
}

impl Network {
    pub(crate) const NAME: &'static str = "network";

    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self {
            dev: ProcFile::open("/proc/net/dev")?,
            counted: HashMap::new(),
        })
    }
}

impl Monitor for Network {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        for (name, fields) in lines(&self.dev.read()?) {
            if !self.counted.contains_key(name) {
                let counted = !is_above_others(Path::new("/sys/class/net"), name);
                self.counted.insert(name.to_owned(), counted);
            }
            if self.counted[name] {
                readings.push(reading(name, &numbers(fields)));
            }
        }
        Ok(())
    }
}

/// Name and fields of each interface; the two lines of headings have no colon.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (name, fields) = line.rsplit_once(':')?;
        Some((name.trim(), fields))
    })
}

/// See the head of this file. `net` is `/sys/class/net`; without it nothing is left out.
fn is_above_others(net: &Path, name: &str) -> bool {
    let is_trace = |file: &str| {
        file.starts_with("lower_") || ["bridge", "bonding", "tun_flags"].contains(&file)
    };
    let mut files = fs::read_dir(net.join(name)).into_iter().flatten().flatten();
    name.starts_with("veth") || files.any(|file| file.file_name().to_str().is_some_and(is_trace))
}

/// Columns: 8 for what is received, then 8 for what is sent.
fn reading(name: &str, fields: &[f64]) -> Reading {
    let field = |index: usize| fields.get(index).copied();
    Reading {
        monitor: Network::NAME.to_owned(),
        subject: name.to_owned(),
        counters: values([
            ("received_bytes", field(0)),
            ("received_packets", field(1)),
            ("receive_errors", field(2)),
            ("receive_drops", field(3)),
            ("sent_bytes", field(8)),
            ("sent_packets", field(9)),
            ("send_errors", field(10)),
            ("send_drops", field(11)),
        ]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const CAPTURED: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
  eth0:268144621   7646    1    2    0     0          0         0   441825    4509    3    4    0     0       0          0
";

    fn parse(text: &str) -> impl Iterator<Item = Reading> {
        lines(text).map(|(name, fields)| reading(name, &numbers(fields)))
    }

    #[test]
    fn each_interface_both_ways() {
        let readings: Vec<Reading> = parse(CAPTURED).collect();
        let subjects: Vec<&str> = readings.iter().map(|reading| &*reading.subject).collect();
        assert_eq!(subjects, ["lo", "eth0"]);
        assert_eq!(
            readings[1].counters,
            values([
                ("received_bytes", Some(268_144_621.0)),
                ("received_packets", Some(7646.0)),
                ("receive_errors", Some(1.0)),
                ("receive_drops", Some(2.0)),
                ("sent_bytes", Some(441_825.0)),
                ("sent_packets", Some(4509.0)),
                ("send_errors", Some(3.0)),
                ("send_drops", Some(4.0)),
            ])
        );
    }

    #[test]
    fn an_alias_keeps_its_colon_and_a_cut_line_its_first_columns() {
        let readings: Vec<Reading> = parse("eth0:1: 5 6\n").collect();
        assert_eq!(readings[0].subject, "eth0:1");
        assert_eq!(readings[0].counters.len(), 2);
        assert_eq!(parse("").count(), 0);
    }

    #[test]
    fn what_stands_on_others_is_told() {
        let net = tempfile::tempdir().unwrap();
        for path in [
            "eth0/queues",
            "bond0/lower_eth0",
            "br0/lower_veth1",
            "tun0/tun_flags",
        ] {
            fs::create_dir_all(net.path().join(path)).unwrap();
        }
        for (name, expected) in [
            ("lo", false),
            ("eth0", false),
            ("bond0", true),
            ("br0", true),
            ("tun0", true),
            ("veth1", true),
        ] {
            assert_eq!(is_above_others(net.path(), name), expected, "{name}");
        }
    }
}
