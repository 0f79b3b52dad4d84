//! Servers that answer without an end, drop by drop, or with texts of many megabytes.

use std::io::{Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use igen_job::JobError;

/// Longer than any of it takes: bounds are of two seconds from the first such server on.
pub const GUARD: Duration = Duration::from_mins(1);
/// Time between two drops.
pub const DROP_EVERY: Duration = Duration::from_millis(20);

/// A server of this process misbehaves.
static MISBEHAVES: AtomicBool = AtomicBool::new(false);

/// What a server does with a connection, until it cannot any more.
type Talk = Arc<dyn Fn(&mut TcpStream) -> Result<()> + Send + Sync>;

/// Returns true if a server of this process misbehaves, so that its clients shall not wait for minutes.
pub(crate) fn misbehaves() -> bool {
    MISBEHAVES.load(Ordering::Relaxed)
}

/// Answers each connection so; the port.
pub fn serve(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> u16 {
    MISBEHAVES.store(true, Ordering::Relaxed);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let talk: Talk = Arc::new(talk);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let talk = Arc::clone(&talk);
            std::thread::spawn(move || {
                let mut stream = stream;
                // It ends when the client leaves.
                let _ = talk(&mut stream);
            });
        }
    });
    port
}

/// Says the same again and again, and every time waits for so long.
pub fn without_end(stream: &mut TcpStream, said: &[u8], pause: Duration) -> Result<()> {
    loop {
        stream.write_all(said)?;
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
    }
}

/// Says it byte by byte.
pub fn by_drops(stream: &mut TcpStream, said: &[u8]) -> Result<()> {
    for byte in said {
        stream.write_all(&[*byte])?;
        std::thread::sleep(DROP_EVERY);
    }
    Ok(())
}

/// A text of 10 MB, with what terminals obey.
#[must_use]
pub fn endless_text() -> Vec<u8> {
    b"\x1b[2Jno ".repeat(10_000_000 / 7)
}

/// An error that nobody minds in a report.
pub fn is_short_and_clean(error: &JobError) {
    let text = error.to_string();
    assert!(text.len() < 20_000, "{} bytes", text.len());
    assert!(!text.contains('\x1b'), "{text:.200}");
}

/// The bound of bytes; or that of time, where the machine is slow.
pub fn is_without_end(error: &JobError) {
    let bounds = ["more than 16 MiB", "within a minute"];
    assert!(
        bounds.iter().any(|bound| error.text.contains(bound)),
        "{error}"
    );
}
