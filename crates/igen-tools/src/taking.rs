//! Taking memory: how much may be taken, and filling it with several threads.

use std::io;
use std::num::NonZero;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use igen_job::{JobError, Pages};
use igen_kernel::limits;
use igen_kernel::pool::Pool;
use igen_kernel::region::Region;

use crate::emit::Emit;
use crate::meminfo::Meminfo;
use crate::show::bytes_text;

/// What a thread fills at a time: progress is told, and an end is heard, in between.
const PIECE_BYTES: u64 = 64 << 20;
const LOOK: Duration = Duration::from_millis(20);
const TELL: Duration = Duration::from_secs(1);

/// What `--pages` understands.
pub(crate) fn kinds_of_pages() -> impl TypedValueParser<Value = Pages> {
    let names = PossibleValuesParser::new(Pages::ALL.map(Pages::name));
    names.try_map(|name| name.parse::<Pages>())
}

/// What is left alone: the machine stays usable.
pub(crate) fn default_reserve_bytes(meminfo: &Meminfo) -> u64 {
    (meminfo.get("MemTotal") / 20).max(256 << 20)
}

/// Refuses what is not there. `option` names the amount on the command line.
pub(crate) fn check_available(
    bytes: u64,
    pages: Pages,
    reserve_bytes: u64,
    meminfo: &Meminfo,
    option: &str,
) -> Result<(), JobError> {
    if pages.is_pool() {
        let Some(pool) = Pool::of(pages) else {
            return Err(
                JobError::at(option, "this system does not have this pool of huge pages")
                    .hint("use --pages thp"),
            );
        };
        let wanted = bytes.div_ceil(pool.page_bytes);
        if wanted > pool.free {
            let text = format!(
                "{wanted} huge pages are needed, but only {} are free",
                pool.free
            );
            let hint = format!(
                "run `echo {} > {}` as root, or use --pages thp",
                pool.needed_for(bytes),
                pool.setting.display()
            );
            return Err(JobError::at(option, text).hint(hint));
        }
        return Ok(());
    }
    let machine = meminfo.get("MemAvailable");
    let available = limits::left_bytes(Path::new("/")).map_or(machine, |left| left.min(machine));
    let available = available.saturating_sub(reserve_bytes);
    if bytes > available {
        let text = format!(
            "{} are requested, but only {} can be allocated while {} stay free for the machine",
            bytes_text(bytes),
            bytes_text(available),
            bytes_text(reserve_bytes)
        );
        return Err(
            JobError::at(option, text).hint("use a smaller size, or stop programs that use memory")
        );
    }
    Ok(())
}

/// How long it took to fill memory, and then to write to all of it once more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) fill: Duration,
    pub(crate) write: Duration,
}

/// Fills all of a region. `None` where the tool was stopped before the end.
pub(crate) fn take(
    region: &Region,
    bytes: u64,
    lock: bool,
    threads: NonZero<usize>,
    emit: &mut Emit,
) -> io::Result<Option<Times>> {
    let mut pass = |what: &str, work: &(dyn Fn(usize, usize) -> io::Result<()> + Sync)| {
        let start = Instant::now();
        let complete = in_pieces(bytes, threads, what, emit, work)?;
        io::Result::Ok(complete.then(|| start.elapsed()))
    };
    let Some(fill) = pass("taken", &|offset, length| region.fill(offset, length, lock))? else {
        return Ok(None);
    };
    let write = pass("written to", &|offset, length| region.write(offset, length))?;
    Ok(write.map(|write| Times { fill, write }))
}

/// Calls `work` for each piece, on several threads, until one fails or the tool is stopped: then not `true`.
fn in_pieces(
    bytes: u64,
    threads: NonZero<usize>,
    what: &str,
    emit: &mut Emit,
    work: &(dyn Fn(usize, usize) -> io::Result<()> + Sync),
) -> io::Result<bool> {
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let stop = AtomicBool::new(false);
    let failed = Mutex::new(None);
    let worker = || {
        while !stop.load(Ordering::Relaxed) {
            let offset = next.fetch_add(PIECE_BYTES, Ordering::Relaxed);
            if offset >= bytes {
                return;
            }
            let length = PIECE_BYTES.min(bytes - offset);
            let numbers =
                usize::try_from(offset).and_then(|offset| Ok((offset, usize::try_from(length)?)));
            let result = numbers
                .map_err(|_| io::ErrorKind::OutOfMemory.into())
                .and_then(|(offset, length)| work(offset, length));
            if let Err(error) = result {
                stop.store(true, Ordering::Relaxed);
                if let Ok(mut failed) = failed.lock() {
                    *failed = Some(error);
                }
                return;
            }
            done.fetch_add(length, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(worker)).collect();
        let mut told = Instant::now();
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(LOOK);
            if emit.stopped() {
                stop.store(true, Ordering::Relaxed);
            }
            if told.elapsed() >= TELL {
                told = Instant::now();
                let done = bytes_text(done.load(Ordering::Relaxed));
                emit.progress(format!("{done} of {} {what}", bytes_text(bytes)));
            }
        }
    });
    match failed.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(done.load(Ordering::Relaxed) >= bytes),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::emit::tests::lines;

    #[test]
    fn every_piece_is_worked_on_once() {
        let bytes = 5 * PIECE_BYTES + 7;
        let seen = AtomicU64::new(0);
        lines(|emit| {
            let two = NonZero::new(2).unwrap();
            let complete = in_pieces(bytes, two, "seen", emit, &|_, length| {
                seen.fetch_add(length as u64, Ordering::Relaxed);
                Ok(())
            });
            assert!(complete.unwrap());
        });
        assert_eq!(seen.into_inner(), bytes);
    }

    #[test]
    fn an_error_ends_the_work() {
        lines(|emit| {
            let one = NonZero::new(1).unwrap();
            let done = in_pieces(10 * PIECE_BYTES, one, "seen", emit, &|offset, _| {
                assert_eq!(offset, 0);
                Err(io::ErrorKind::OutOfMemory.into())
            });
            assert_eq!(done.unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        });
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let meminfo = Meminfo::parse("MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n");
        let reserve = default_reserve_bytes(&meminfo);
        assert_eq!(reserve, (8 << 30) / 20);
        let check = |bytes| check_available(bytes, Pages::Small, reserve, &meminfo, "SIZE");
        assert_eq!(check(1 << 20), Ok(()));
        let error = check(4 << 30).unwrap_err();
        assert!(
            error
                .text
                .starts_with("4 GiB are requested, but only 3.6 GiB"),
            "{error}"
        );
        let pool = check_available(1 << 50, Pages::Pool2m, 0, &meminfo, "SIZE").unwrap_err();
        assert!(pool.hint.contains("nr_hugepages"), "{pool}");
    }
}
