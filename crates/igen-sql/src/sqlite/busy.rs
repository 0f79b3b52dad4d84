//! Waiting for SQLite's one writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

/// Time between two looks at a lock.
///
/// SQLite's own handler waits 1, 2, 5, 10 ... 100 ms: a user that loses the race sleeps while the
/// others pass by, and now and then all sleep. Medians of 5 alternating runs with 8 users: own
/// handler 6.1 k tx/s and 660 ms at p99.9 with synchronous=normal, 1.4 k and 1,135 ms with full;
/// 0.5 ms 9.9 k and 82 ms, 2.1 k and 314 ms. Shorter waits pass the lock on more often, so that
/// fewer checkpoints complete: 0.2 ms reaches 1.5 k with full.
const RETRY_EVERY: Duration = Duration::from_micros(500);

/// Makes `connection` retry every 0.5 ms for at most `timeout` where it finds a lock, and count
/// each retry in `retries`.
pub(super) fn wait_for_locks(
    connection: &mut Connection,
    timeout: Duration,
    retries: Arc<AtomicU64>,
) -> rusqlite::Result<()> {
    let mut since = Instant::now();
    connection.busy_handler(Some(move |attempt: i32| {
        if attempt == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= timeout {
            return false;
        }
        retries.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(RETRY_EVERY);
        true
    }))
}
