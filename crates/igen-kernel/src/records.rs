//! Records that the kernel writes of each thread that ends: its name, its user, and the processor time it has used.
//!
//! Generic netlink, family TASKSTATS (include/uapi/linux/taskstats.h). All versions keep the places of these fields but
//! version 15, which moved them and was taken back by 16.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::netlink;

use crate::netlink::{ERROR, Message, Netlink, Received, attributes, half, long, word};

/// `GENL_ID_CTRL`, and its command to find a family by name.
const CONTROL: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
/// `TASKSTATS_CMD_GET` and its attribute that registers for the processors of a list.
const GET: u8 = 1;
const REGISTER: u16 = 3;
const STATS: u16 = 3;
const OF_THREAD: u16 = 4;
/// `NLM_F_REQUEST` and `NLM_F_ACK`.
const REQUEST: u16 = 1;
const WANT_ANSWER: u16 = 4;
const MOVED: u16 = 15;
/// The first version that says of which process a thread is.
const WITH_PROCESS: u16 = 12;
/// `AGROUP` of include/uapi/linux/acct.h: the thread was the last one of its process.
const LAST: u8 = 0x20;
const PATIENCE: Duration = Duration::from_secs(2);

/// The record that the kernel sends when a thread ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Id of the thread.
    pub pid: u32,
    /// Its process: its own pid where it was the first thread.
    pub process: u32,
    /// The process that had started it, or the one that took it over.
    pub parent: u32,
    /// Number of its user.
    pub user: u32,
    /// As the kernel keeps it: 15 bytes at most.
    pub name: String,
    /// Since it was started.
    pub life_us: u64,
    /// User and system time: as the scheduler has counted it, but as ticks have sampled it where it is little.
    pub used_us: u64,
    /// Since its process was started.
    pub process_life_us: u64,
    /// True if its process ended with it. Kernels before Linux 5.20 report each thread as a separate process.
    pub last: bool,
}

/// Listens to records.
pub struct Records {
    netlink: Netlink,
    /// Number of times that records were lost because the buffer was full.
    pub overruns: u64,
}

impl Records {
    /// Begins to listen on all processors. An error where this process may not.
    pub fn open() -> io::Result<Self> {
        let mut netlink = Netlink::open(netlink::GENERIC, 0)?;
        let name = attribute(FAMILY_NAME, b"TASKSTATS\0");
        let family = asked(&mut netlink, CONTROL, GET_FAMILY, &name, |body| {
            attributes(body.get(4..)?)
                .find(|(kind, _)| *kind == FAMILY_ID)
                .and_then(|(_, data)| half(data, 0))
        })?;
        let family =
            family.ok_or_else(|| io::Error::other("the kernel keeps no records of tasks"))?;
        let processors = fs::read_to_string("/sys/devices/system/cpu/possible")?;
        let mut list = processors.trim().as_bytes().to_vec();
        list.push(0);
        asked(
            &mut netlink,
            family,
            GET,
            &attribute(REGISTER, &list),
            |_| None::<()>,
        )?;
        Ok(Self {
            netlink,
            overruns: 0,
        })
    }

    /// Calls `each` for what is there, without waiting; `false` where nothing is.
    pub fn receive(&mut self, mut each: impl FnMut(Record)) -> io::Result<bool> {
        let received = self.netlink.receive(|message| {
            if let Some(record) = parse(message.body) {
                each(record);
            }
        })?;
        self.overruns += u64::from(received == Received::Overrun);
        Ok(received != Received::Nothing)
    }
}

/// Asks a family and waits for what `of` finds in the answer, or for its acknowledgement.
fn asked<T>(
    netlink: &mut Netlink,
    family: u16,
    command: u8,
    attributes: &[u8],
    of: impl Fn(&[u8]) -> Option<T>,
) -> io::Result<Option<T>> {
    let body = [&[command, 1, 0, 0], attributes].concat();
    netlink.send(family, REQUEST | WANT_ANSWER, &body)?;
    let time = Timespec::try_from(PATIENCE).map_err(io::Error::other)?;
    let (mut found, mut answer) = (None, None);
    // Others' records may come all the time, and the answer be one that did not fit into the buffer.
    let begun = Instant::now();
    while answer.is_none() {
        if begun.elapsed() > PATIENCE
            || poll(&mut [PollFd::new(netlink, PollFlags::IN)], Some(&time))? == 0
        {
            return Err(io::Error::other("the kernel does not answer"));
        }
        netlink.receive(|message: Message| match message.kind {
            ERROR => answer = word(message.body, 0).map(u32::cast_signed),
            _ => found = found.take().or_else(|| of(message.body)),
        })?;
    }
    match answer {
        None | Some(0) => Ok(found),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
    }
}

/// An attribute: length, type, data, filled up to 4 bytes.
fn attribute(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(4 + data.len()).unwrap_or(u16::MAX);
    let mut bytes = [length.to_ne_bytes(), kind.to_ne_bytes()].concat();
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// The record in a message; none of whole processes, which repeat those of their threads.
fn parse(body: &[u8]) -> Option<Record> {
    let (_, of_thread) = attributes(body.get(4..)?).find(|(kind, _)| *kind == OF_THREAD)?;
    let (_, stats) = attributes(of_thread).find(|(kind, _)| *kind == STATS)?;
    let version = half(stats, 0)?;
    if version == MOVED {
        return None;
    }
    let name = stats.get(80..112)?.split(|byte| *byte == 0).next()?;
    let pid = word(stats, 128)?;
    let of_process = |at| version >= WITH_PROCESS && stats.len() > at;
    let life_us = long(stats, 144)?;
    Some(Record {
        pid,
        process: word(stats, 368).filter(|_| of_process(368)).unwrap_or(pid),
        parent: word(stats, 132)?,
        user: word(stats, 120)?,
        name: String::from_utf8_lossy(name).into_owned(),
        life_us,
        used_us: used_us(stats)?,
        process_life_us: long(stats, 376)
            .filter(|_| of_process(376))
            .unwrap_or(life_us),
        last: !of_process(368) || stats.get(8)? & LAST != 0,
    })
}

/// Return the larger of two figures that are too small in different cases.
///
/// The scheduler counts, but lacks the time since the last tick, 10 ms at most. Ticks include it, and are right on average
/// for a thread that has a processor to itself. They miss threads that take turns: of 10 ms that a thread used next to 24
/// busy processes ticks had seen 2.3 ms.
fn used_us(stats: &[u8]) -> Option<u64> {
    let sampled = long(stats, 152)? + long(stats, 160)?;
    // 0 in kernels without delay accounting.
    let counted = long(stats, 72)? / 1000;
    Some(sampled.max(counted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_where_the_kernel_has_put_it() {
        let mut stats = vec![0; 416];
        stats[0] = 16;
        stats[8] = LAST;
        stats[80..84].copy_from_slice(b"date");
        for (at, number) in [(120, 1000_u32), (128, 30751), (132, 30710), (368, 30750)] {
            stats[at..at + 4].copy_from_slice(&number.to_ne_bytes());
        }
        for (at, number) in [(144, 1300_u64), (152, 200), (160, 50), (376, 7000)] {
            stats[at..at + 8].copy_from_slice(&number.to_ne_bytes());
        }
        let inner = [
            attribute(1, &30751_u32.to_ne_bytes()),
            attribute(STATS, &stats),
        ]
        .concat();
        let body = [vec![2, 1, 0, 0], attribute(OF_THREAD, &inner)].concat();
        let expected = Record {
            pid: 30751,
            process: 30750,
            parent: 30710,
            user: 1000,
            name: "date".into(),
            life_us: 1300,
            used_us: 250,
            process_life_us: 7000,
            last: true,
        };
        assert_eq!(parse(&body), Some(expected));
        let used = |counted_ns: u64| {
            stats[72..80].copy_from_slice(&counted_ns.to_ne_bytes());
            used_us(&stats)
        };
        assert_eq!(
            [0, 249_999, 300_999].map(used),
            [Some(250), Some(250), Some(300)]
        );
        let moved = [
            vec![2, 1, 0, 0],
            attribute(OF_THREAD, &attribute(STATS, &[15, 0, 0, 0])),
        ]
        .concat();
        assert_eq!(parse(&moved), None);
        for length in 0..200 {
            assert_eq!(parse(&body[..length]), None, "{length}");
        }
    }
}
