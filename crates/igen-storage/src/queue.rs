//! The I/Os that one user keeps in flight, by one engine or another.

use std::fs::File;
use std::io::{Error, Result};

use rustix::io::{pread, pwrite};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::buffer::Buffer;
use crate::completion::Completion;
use crate::ring::Ring;
use crate::volume::Volume;

/// How I/Os get to the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// `io_uring` where it can be had and several I/Os are in flight, else `psync`.
    #[default]
    Auto,
    /// Many I/Os with one system call.
    IoUring,
    /// A system call for each I/O, which waits for it.
    Psync,
}

/// Slots, each with a block of memory and at most one I/O in flight.
pub struct Queue {
    engine: Started,
}

enum Started {
    Ring(Box<Ring>),
    Psync(Psync),
}

impl Queue {
    /// `depth` slots with blocks of `block_bytes`; more than one needs `io_uring`.
    pub fn new(volume: &Volume, engine: Engine, depth: u16, block_bytes: usize) -> Result<Self> {
        let psync = || -> Result<Started> {
            Ok(Started::Psync(Psync {
                file: volume.file()?,
                buffer: Buffer::new(block_bytes),
                started: None,
            }))
        };
        let engine = match engine {
            Engine::Psync => psync()?,
            Engine::Auto if depth == 1 => psync()?,
            Engine::Auto | Engine::IoUring => {
                let ring = Ring::new(volume.file()?, depth, block_bytes)?;
                Started::Ring(Box::new(ring))
            }
        };
        Ok(Self { engine })
    }

    /// What it is, for a report.
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match &self.engine {
            Started::Ring(ring) => match (ring.is_registered(), ring.is_plain()) {
                (true, false) => "io_uring, file and buffers registered, submitted in batches",
                (true, true) => {
                    "io_uring as of Linux before 6.1, file and buffers registered, submitted in \
                     batches"
                }
                (false, false) => {
                    "io_uring, file registered, submitted in batches; buffers not registered: they \
                     are more than may be locked (`ulimit -l`)"
                }
                (false, true) => {
                    "io_uring as of Linux before 6.1, file registered, submitted in batches; \
                     buffers not registered: they are more than may be locked (`ulimit -l`)"
                }
            },
            Started::Psync(_) => "psync: a system call for each I/O",
        }
    }

    /// The block of `slot`, in which nothing is in flight.
    ///
    /// # Panics
    /// While an I/O of this slot is in flight.
    #[inline]
    pub fn block(&mut self, slot: usize) -> &mut [u8] {
        match &mut self.engine {
            Started::Ring(ring) => ring.block(slot),
            Started::Psync(psync) => psync.buffer.bytes_mut(),
        }
    }

    /// Starts a read at `offset` into the block of `slot`.
    #[inline]
    pub fn read(&mut self, slot: usize, offset: u64) -> Result<()> {
        match &mut self.engine {
            Started::Ring(ring) => ring.read(slot, offset),
            Started::Psync(psync) => psync.start(Call::Read(offset)),
        }
    }

    /// Starts a write of the block of `slot` to `offset`.
    #[inline]
    pub fn write(&mut self, slot: usize, offset: u64) -> Result<()> {
        match &mut self.engine {
            Started::Ring(ring) => ring.write(slot, offset),
            Started::Psync(psync) => psync.start(Call::Write(offset)),
        }
    }

    /// Starts a flush (fdatasync); what is in flight meanwhile may be flushed or not.
    ///
    /// # Panics
    /// While an I/O of this slot is in flight.
    #[inline]
    pub fn flush(&mut self, slot: usize) -> Result<()> {
        match &mut self.engine {
            Started::Ring(ring) => ring.flush(slot),
            Started::Psync(psync) => psync.start(Call::Flush),
        }
    }

    /// Waits for one of the I/Os in flight to end.
    #[inline]
    pub fn wait(&mut self) -> Result<Completion> {
        match &mut self.engine {
            Started::Ring(ring) => ring.wait(),
            Started::Psync(psync) => psync.wait(),
        }
    }
}

/// One I/O after the other: what was started is done when it is waited for.
struct Psync {
    file: File,
    buffer: Buffer,
    started: Option<Call>,
}

#[derive(Clone, Copy)]
enum Call {
    Read(u64),
    Write(u64),
    Flush,
}

impl Psync {
    #[inline]
    fn start(&mut self, call: Call) -> Result<()> {
        match self.started.replace(call) {
            None => Ok(()),
            Some(_) => Err(Error::other("psync has one I/O in flight")),
        }
    }

    #[inline]
    fn wait(&mut self) -> Result<Completion> {
        let call = self.started.take();
        let result = match call.ok_or_else(|| Error::other("nothing is in flight"))? {
            Call::Read(offset) => pread(&self.file, self.buffer.bytes_mut(), offset),
            Call::Write(offset) => pwrite(&self.file, self.buffer.bytes(), offset),
            Call::Flush => rustix::fs::fdatasync(&self.file).map(|()| 0),
        };
        Ok(Completion {
            slot: 0,
            result: result.map_err(Error::from),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::volume::{Access, Direct};

    const BLOCK: usize = 4096;

    fn volume(file: &tempfile::NamedTempFile, direct: Direct) -> Volume {
        file.as_file().set_len(64 * BLOCK as u64).unwrap();
        Volume::open(file.path(), Access::Write, direct).unwrap()
    }

    #[test]
    fn blocks_come_back_as_they_were_written() {
        for (engine, depth) in [(Engine::Psync, 1), (Engine::IoUring, 1), (Engine::Auto, 8)] {
            for direct in [Direct::Off, Direct::Prefer] {
                let file = tempfile::NamedTempFile::new().unwrap();
                let volume = volume(&file, direct);
                let mut queue = Queue::new(&volume, engine, depth, BLOCK).unwrap();
                for slot in 0..depth {
                    queue
                        .block(slot.into())
                        .fill(u8::try_from(slot).unwrap() + 1);
                    queue
                        .write(slot.into(), u64::from(slot) * 2 * BLOCK as u64)
                        .unwrap();
                }
                for _ in 0..depth {
                    assert_eq!(queue.wait().unwrap().result.unwrap(), BLOCK);
                }
                queue.flush(0).unwrap();
                assert_eq!(queue.wait().unwrap().result.unwrap(), 0);
                for slot in 0..depth {
                    let other = depth - 1 - slot;
                    queue
                        .read(slot.into(), u64::from(other) * 2 * BLOCK as u64)
                        .unwrap();
                }
                for _ in 0..depth {
                    let ended = queue.wait().unwrap();
                    assert_eq!(ended.result.unwrap(), BLOCK);
                    let other = u8::try_from(usize::from(depth) - ended.slot).unwrap();
                    assert!(queue.block(ended.slot).iter().all(|&byte| byte == other));
                }
            }
        }
    }

    #[test]
    fn the_end_of_a_file_gives_fewer_bytes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let volume = volume(&file, Direct::Off);
        for (engine, depth) in [(Engine::Psync, 1), (Engine::IoUring, 2)] {
            let mut queue = Queue::new(&volume, engine, depth, BLOCK).unwrap();
            queue.read(0, volume.bytes - 100).unwrap();
            assert_eq!(queue.wait().unwrap().result.unwrap(), 100);
            queue.read(0, volume.bytes + 100).unwrap();
            assert_eq!(queue.wait().unwrap().result.unwrap(), 0);
        }
    }

    #[test]
    fn what_is_in_flight_ends_before_the_queue_does() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let volume = volume(&file, Direct::Prefer);
        let mut queue = Queue::new(&volume, Engine::IoUring, 16, BLOCK).unwrap();
        for slot in 0..16 {
            queue.block(slot).fill(7);
            queue.write(slot, (slot * BLOCK) as u64).unwrap();
        }
        drop(queue);
        let content = std::fs::read(file.path()).unwrap();
        assert!(content[..16 * BLOCK].iter().all(|&byte| byte == 7));
    }

    #[test]
    #[should_panic(expected = "the kernel has this block")]
    fn nobody_touches_a_block_in_flight() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let volume = volume(&file, Direct::Off);
        let mut queue = Queue::new(&volume, Engine::IoUring, 2, BLOCK).unwrap();
        queue.read(1, 0).unwrap();
        queue.block(1).fill(1);
    }
}
