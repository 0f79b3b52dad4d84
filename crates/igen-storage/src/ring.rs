//! I/Os of one user by `io_uring`: the only unsafe code of storage.
//!
//! The buffers and the file are registered once, so that the kernel need not look them up for each
//! I/O. What was started goes to the kernel when nothing has ended that could be looked at first: as
//! many I/Os as there are go with one system call.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsRawFd;

use io_uring::types::{Fixed, FsyncFlags};
use io_uring::{Builder, IoUring, opcode, squeue};

use crate::buffer::Buffer;
use crate::completion::Completion;

/// The ring of one user on one file.
pub(super) struct Ring {
    ring: IoUring,
    /// Registered under index 0.
    _file: File,
    buffer: Buffer,
    block_bytes: usize,
    /// The buffer is registered: its pages are not looked up for each I/O.
    registered: bool,
    /// The kernel has none of the settings that make a ring faster.
    plain: bool,
    in_flight: Box<[bool]>,
}

impl Ring {
    /// Room for `depth` I/Os of `block_bytes` each. An error where the system has no `io_uring`, or
    /// not for us.
    pub(super) fn new(file: File, depth: u16, block_bytes: usize) -> Result<Self> {
        Self::in_form(&forms(), file, depth, block_bytes)
    }

    fn in_form(forms: &[Builder], file: File, depth: u16, block_bytes: usize) -> Result<Self> {
        let (ring, form) = build(forms, depth)?;
        ring.submitter().register_files(&[file.as_raw_fd()])?;
        let mut buffer = Buffer::new(usize::from(depth) * block_bytes);
        let registered = register(&ring, buffer.bytes_mut());
        Ok(Self {
            ring,
            _file: file,
            buffer,
            block_bytes,
            registered,
            plain: form + 1 == forms.len(),
            in_flight: vec![false; depth.into()].into(),
        })
    }

    /// The buffer's pages are registered with the kernel.
    pub(super) fn is_registered(&self) -> bool {
        self.registered
    }

    /// It has none of the settings that Linux knows since 6.1.
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The block of `slot`.
    ///
    /// # Panics
    /// While an I/O of this slot is in flight.
    pub(super) fn block(&mut self, slot: usize) -> &mut [u8] {
        assert!(!self.in_flight[slot], "the kernel has this block");
        let start = slot * self.block_bytes;
        &mut self.buffer.bytes_mut()[start..start + self.block_bytes]
    }

    /// Queues a read of the block at `offset` into that of `slot`.
    #[inline]
    pub(super) fn read(&mut self, slot: usize, offset: u64) -> Result<()> {
        let registered = self.registered;
        let block = self.block(slot);
        let (pointer, bytes) = (block.as_mut_ptr(), length(block.len()));
        let entry = if registered {
            opcode::ReadFixed::new(Fixed(0), pointer, bytes, 0)
                .offset(offset)
                .build()
        } else {
            opcode::Read::new(Fixed(0), pointer, bytes)
                .offset(offset)
                .build()
        };
        self.push(slot, entry)
    }

    /// Queues a write of the block of `slot` to `offset`.
    #[inline]
    pub(super) fn write(&mut self, slot: usize, offset: u64) -> Result<()> {
        let registered = self.registered;
        let block = self.block(slot);
        let (pointer, bytes) = (block.as_ptr(), length(block.len()));
        let entry = if registered {
            opcode::WriteFixed::new(Fixed(0), pointer, bytes, 0)
                .offset(offset)
                .build()
        } else {
            opcode::Write::new(Fixed(0), pointer, bytes)
                .offset(offset)
                .build()
        };
        self.push(slot, entry)
    }

    /// Queues a flush (fdatasync) of what has been written so far.
    ///
    /// # Panics
    /// While an I/O of this slot is in flight.
    pub(super) fn flush(&mut self, slot: usize) -> Result<()> {
        let entry = opcode::Fsync::new(Fixed(0))
            .flags(FsyncFlags::DATASYNC)
            .build();
        self.push(slot, entry)
    }

    /// Waits for an I/O to end.
    #[inline]
    pub(super) fn wait(&mut self) -> Result<Completion> {
        loop {
            if let Some(entry) = self.ring.completion().next() {
                let slot = usize::try_from(entry.user_data()).unwrap_or(usize::MAX);
                self.in_flight[slot] = false;
                let result = entry.result();
                return Ok(Completion {
                    slot,
                    result: usize::try_from(result).map_err(|_| Error::from_raw_os_error(-result)),
                });
            }
            match self.ring.submit_and_wait(1) {
                // A signal: what has ended is there, or is waited for again.
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
                _ => (),
            }
        }
    }

    #[inline]
    fn push(&mut self, slot: usize, entry: squeue::Entry) -> Result<()> {
        // Of two, the end of the first would give the block away that the second still uses.
        assert!(!self.in_flight[slot], "an I/O of this slot is in flight");
        // SAFETY: the block of `slot` is lent to the kernel until its completion is seen: `block`
        // gives it to nobody meanwhile, its memory does not move, and `drop` frees it only when
        // nothing is in flight. The file stays open as long as the ring.
        unsafe { self.ring.submission().push(&entry.user_data(slot as u64)) }
            .map_err(|_| Error::other("more I/Os than the ring has room for"))?;
        self.in_flight[slot] = true;
        Ok(())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        while self.in_flight.contains(&true) {
            if self.wait().is_err() {
                // The kernel may still write there.
                std::mem::forget(std::mem::replace(&mut self.buffer, Buffer::new(0)));
                return;
            }
        }
    }
}

/// Settings of a ring, the fastest first; a kernel refuses those that it does not know.
fn forms() -> [Builder; 3] {
    let plain = IoUring::builder();
    let mut deferred = plain.clone();
    // Linux 6.1.
    deferred
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_submit_all();
    let mut without_array = deferred.clone();
    // Linux 6.6: saves a look-up for each I/O.
    without_array.setup_no_sqarray();
    [without_array, deferred, plain]
}

/// The first ring that the kernel knows, and its place among the `forms`.
fn build(forms: &[Builder], depth: u16) -> Result<(IoUring, usize)> {
    let mut unknown = Error::from(ErrorKind::Unsupported);
    for (place, form) in forms.iter().enumerate() {
        match form.build(depth.into()) {
            Ok(ring) => return Ok((ring, place)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => unknown = error,
            Err(error) => return Err(error),
        }
    }
    Err(unknown)
}

fn register(ring: &IoUring, bytes: &mut [u8]) -> bool {
    let vector = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: the memory belongs to the same `Ring` as the ring, which frees it only after the last
    // I/O, and unregisters it with its end.
    unsafe { ring.submitter().register_buffers(&[vector]) }.is_ok()
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn ring(forms: &[Builder]) -> Result<Ring> {
        let file = tempfile::tempfile()?;
        file.set_len(1 << 16)?;
        Ring::in_form(forms, file, 4, 4096)
    }

    #[test]
    #[should_panic(expected = "an I/O of this slot is in flight")]
    fn a_slot_has_one_io_at_a_time() {
        let mut ring = ring(&forms()).unwrap();
        ring.read(1, 0).unwrap();
        let _ = ring.flush(1);
    }

    #[test]
    fn an_old_kernel_gives_a_plain_ring_that_reads_and_writes() {
        let mut refused = IoUring::builder();
        // Unknown to old kernels, and to others wrong without a single issuer.
        refused.setup_defer_taskrun();
        let error = ring(&[refused.clone()]).err().unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
        let [.., plain] = forms();
        let mut ring = ring(&[refused, plain]).unwrap();
        assert!(ring.is_plain());
        for slot in 0..4 {
            ring.block(slot).fill(7);
            ring.write(slot, slot as u64 * 4096).unwrap();
        }
        for _ in 0..4 {
            assert_eq!(ring.wait().unwrap().result.unwrap(), 4096);
        }
        ring.block(0).fill(0);
        ring.read(0, 3 * 4096).unwrap();
        assert_eq!(ring.wait().unwrap().result.unwrap(), 4096);
        assert!(ring.block(0).iter().all(|byte| *byte == 7));
    }
}
