//! The kernel's connector of process events: each fork, exec and exit, as it happens.
//!
//! Messages of `include/uapi/linux/connector.h` and `cn_proc.h`. Each processor numbers its events: gaps are losses. Those
//! behind the last event of a processor leave no gap: there the kernel says no more than that its buffer was full.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::netlink;

use igen_kernel::netlink::{Message, Netlink, Received, half, word};

const GROUP: u32 = 1;
const INDEX: u32 = 1;
const LISTEN: u32 = 1;
/// `NLMSG_DONE`.
const DONE: u16 = 3;
/// `struct cn_msg` before its data.
const HEAD: usize = 20;
/// How long the kernel may take to say that it has understood.
const PATIENCE: Duration = Duration::from_secs(2);

/// Something that a process did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A process was started, not only a thread.
    Fork {
        parent: u32,
    },
    Exec,
    /// A process has ended, not only a thread.
    Exit,
    /// The kernel's answer to somebody's wish to listen: the number that was said in the wish, and one more; and 0, or
    /// the number of an error. All who listen get it.
    Answer {
        to: u32,
        error: u32,
    },
    Other,
}

/// Listens to events.
pub(super) struct Connector {
    netlink: Netlink,
    numbers: Numbers,
}

/// What each processor numbers.
#[derive(Debug, Default)]
struct Numbers {
    next: HashMap<u32, u32>,
    lost: Lost,
}

/// Events that never came.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lost {
    gaps: u64,
    /// The kernel has said that some did not fit into its buffer.
    overrun: bool,
}

impl fmt::Display for Lost {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        if self.overrun {
            write!(formatter, "at least {}", self.gaps.max(1))
        } else {
            write!(formatter, "{}", self.gaps)
        }
    }
}

impl Connector {
    /// Begins to listen. An error where this process may not, or where the kernel does not answer: in a container.
    pub(super) fn open() -> io::Result<Self> {
        let mut opened = Self {
            netlink: Netlink::open(netlink::CONNECTOR, GROUP)?,
            numbers: Numbers::default(),
        };
        let mut wish = Vec::with_capacity(HEAD + 4);
        let own = std::process::id();
        for number in [INDEX, INDEX, 0, own] {
            wish.extend(number.to_ne_bytes());
        }
        wish.extend(4_u16.to_ne_bytes());
        wish.extend(0_u16.to_ne_bytes());
        wish.extend(LISTEN.to_ne_bytes());
        opened.netlink.send(DONE, 0, &wish)?;
        opened.wait_for_answer(own.wrapping_add(1))?;
        Ok(opened)
    }

    fn wait_for_answer(&mut self, own: u32) -> io::Result<()> {
        let end = Instant::now() + PATIENCE;
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: 50_000_000,
        };
        // Events of others may come all the time.
        while Instant::now() < end {
            poll(
                &mut [PollFd::new(&self.netlink, PollFlags::IN)],
                Some(&look),
            )?;
            let mut answer = None;
            self.receive(|event| {
                if let Event::Answer { to, error } = event
                    && to == own
                {
                    answer = Some(error);
                }
            })?;
            match answer.map(i32::try_from) {
                None => {}
                Some(Ok(0)) => return Ok(()),
                Some(error) => return Err(io::Error::from_raw_os_error(error.unwrap_or(0))),
            }
        }
        let text = "the kernel does not answer, as in a container or another namespace";
        Err(io::Error::other(text))
    }

    /// Calls `each` for what is there, without waiting; `false` where nothing is.
    pub(super) fn receive(&mut self, mut each: impl FnMut(Event)) -> io::Result<bool> {
        let numbers = &mut self.numbers;
        let received = self.netlink.receive(|message: Message| {
            if let Some((event, processor, number)) = parse(message.body) {
                numbers.see(processor, number);
                each(event);
            }
        })?;
        numbers.lost.overrun |= received == Received::Overrun;
        Ok(received != Received::Nothing)
    }

    pub(super) fn lost(&self) -> Lost {
        self.numbers.lost
    }
}

impl Numbers {
    fn see(&mut self, processor: u32, number: u32) {
        if let Some(expected) = self.next.insert(processor, number.wrapping_add(1)) {
            self.lost.gaps += u64::from(number.wrapping_sub(expected));
        }
    }
}

/// The event, its processor, and its number there. Answers have a number too.
fn parse(body: &[u8]) -> Option<(Event, u32, u32)> {
    let (number, to) = (word(body, 8)?, word(body, 12)?);
    let length = usize::from(half(body, 16)?);
    let data = body.get(HEAD..HEAD + length)?;
    let (what, processor) = (word(data, 0)?, word(data, 4)?);
    let field = |index: usize| word(data, 16 + 4 * index);
    let event = match what {
        0 => Event::Answer {
            to,
            error: field(0)?,
        },
        // A new thread has the process of the one that started it.
        1 if field(2)? == field(3)? => Event::Fork { parent: field(1)? },
        2 => Event::Exec,
        0x8000_0000 if field(0)? == field(1)? => Event::Exit,
        _ => Event::Other,
    };
    Some((event, processor, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(what: u32, processor: u32, number: u32, fields: &[u32]) -> Vec<u8> {
        let mut data: Vec<u8> = [what, processor]
            .iter()
            .flat_map(|word| word.to_ne_bytes())
            .collect();
        data.extend(7_u64.to_ne_bytes());
        data.extend(fields.iter().flat_map(|word| word.to_ne_bytes()));
        let mut body: Vec<u8> = [1, 1, number, 0]
            .iter()
            .flat_map(|word: &u32| word.to_ne_bytes())
            .collect();
        body.extend(u16::try_from(data.len()).unwrap_or(0).to_ne_bytes());
        body.extend([0, 0]);
        body.extend(data);
        body
    }

    #[test]
    fn events_are_told_from_those_of_threads() {
        let event =
            |what, fields: &[u32]| parse(&message(what, 3, 9, fields)).map(|(event, ..)| event);
        let fork = Event::Fork { parent: 11 };
        assert_eq!(event(1, &[10, 11, 21, 21]), Some(fork));
        assert_eq!(event(1, &[10, 11, 22, 11]), Some(Event::Other));
        assert_eq!(event(2, &[21, 21]), Some(Event::Exec));
        assert_eq!(event(0x8000_0000, &[21, 21, 0, 17]), Some(Event::Exit));
        assert_eq!(event(0x8000_0000, &[22, 21, 0, 17]), Some(Event::Other));
        assert_eq!(event(0, &[1]), Some(Event::Answer { to: 0, error: 1 }));
        assert_eq!(event(0x200, &[22, 21]), Some(Event::Other));
        assert_eq!(parse(&message(1, 3, 9, &[1])), None);
        assert_eq!(parse(&[0; 12]), None);
    }

    #[test]
    fn gaps_in_the_numbers_of_a_processor_are_losses() {
        let mut numbers = Numbers::default();
        for (processor, number) in [(0, 5), (1, 900), (0, 6), (0, 9), (1, 901), (0, 10)] {
            numbers.see(processor, number);
        }
        assert_eq!(numbers.lost.to_string(), "2");
        let mut wraps = Numbers::default();
        wraps.see(0, u32::MAX);
        wraps.see(0, 0);
        assert_eq!(wraps.lost.to_string(), "0");
    }

    #[test]
    fn an_overrun_is_a_loss_without_a_gap_too() {
        let lost = |gaps| Lost {
            gaps,
            overrun: true,
        };
        assert_eq!(lost(0).to_string(), "at least 1");
        assert_eq!(lost(5).to_string(), "at least 5");
    }
}
