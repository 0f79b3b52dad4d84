//! What is wrong with each answer.

use std::io::{ErrorKind, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_linger;

use super::channel::Channel;
use crate::serve::field;

/// The longest that any of it lasts.
const LONGEST: Duration = Duration::from_mins(10);
const HUGE_BYTES: u64 = 1 << 30;
const LONG_HEAD_BYTES: usize = 128 << 10;
/// Written at once of what has no end.
const PIECE_BYTES: usize = 64 << 10;

/// Requests to `/nth`.
static NTH: AtomicU64 = AtomicU64::new(0);

/// What comes after an answer.
pub enum Next {
    /// The next request.
    Request,
    /// The end of the connection.
    Close,
}

/// Answers a request for a path, with what is wrong there.
pub fn misbehave(channel: &mut impl Channel, target: &str) -> Result<Next> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let number = |name, otherwise| {
        let given = field(query, name).and_then(|text| text.parse::<u64>().ok());
        given.unwrap_or(otherwise)
    };
    let every = Duration::from_millis(number("every_ms", 1_000));
    if let Some((said, next)) = fixed(path) {
        channel.write_all(said)?;
        channel.flush()?;
        return Ok(next);
    }
    match path {
        "/ok" => answer(channel, "200 OK", "", "ok"),
        "/slow" => {
            channel.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
            by_drops(channel, &[b'x'; 1_000], every)
        }
        "/slow-head" => by_drops(
            channel,
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            every,
        ),
        "/silent" => silent(channel),
        "/reset" => {
            channel.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
            let after = usize::try_from(number("after", 100)).unwrap_or(usize::MAX);
            channel.write_all(&[b'x'; 1_000][..after.min(1_000)])?;
            channel.flush()?;
            // A socket that may not linger is closed by a reset.
            set_socket_linger(channel.socket(), Some(Duration::ZERO))?;
            Ok(Next::Close)
        }
        "/long" => {
            channel.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")?;
            channel.write_all(&[b'x'; 1_000])?;
            Ok(Next::Close)
        }
        "/huge" => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {HUGE_BYTES}\r\n\r\n");
            channel.write_all(head.as_bytes())?;
            let piece = vec![b'x'; PIECE_BYTES];
            for _ in 0..HUGE_BYTES / PIECE_BYTES as u64 {
                channel.write_all(&piece)?;
            }
            Ok(Next::Request)
        }
        "/endless" => {
            channel.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            without_end(channel, b"4\r\nmore\r\n")
        }
        "/endless-head" => {
            channel.write_all(b"HTTP/1.1 200 OK\r\n")?;
            without_end(channel, b"X-More: and more\r\n")
        }
        "/endless-chunk-length" => {
            channel.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            without_end(channel, b"0000000000000000")
        }
        "/long-head" => {
            let header = format!("X-Long: {}\r\n", "x".repeat(LONG_HEAD_BYTES));
            answer(channel, "200 OK", &header, "ok")
        }
        "/hops" => match number("left", 5) {
            0 => answer(channel, "200 OK", "", "there"),
            left => {
                let header = format!("Location: /hops?left={}\r\n", left - 1);
                answer(channel, "302 Found", &header, "")
            }
        },
        "/nth" => {
            let is_nth =
                (NTH.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(number("n", 3).max(1));
            let status = if is_nth { number("status", 503) } else { 200 };
            answer(channel, &format!("{status} Status"), "", "one of many")
        }
        _ => answer(channel, "404 Not Found", "", "no such fault"),
    }
}

/// Answers that are the same each time.
fn fixed(path: &str) -> Option<(&'static [u8], Next)> {
    let redirect_or_wrong: &[u8] = match path {
        "/loop" => b"HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n",
        "/ping" => b"HTTP/1.1 302 Found\r\nLocation: /pong\r\nContent-Length: 0\r\n\r\n",
        "/pong" => b"HTTP/1.1 302 Found\r\nLocation: /ping\r\nContent-Length: 0\r\n\r\n",
        "/away" => b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.invalid/\r\nContent-Length: 0\r\n\r\n",
        "/error-page" => b"HTTP/1.1 200 OK\r\nContent-Length: 29\r\n\r\n<h1>Something went wrong</h1>",
        "/no-content" => b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nbody",
        "/not-modified" => b"HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nbody",
        "/continue" => b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "/early-hints" => {
            b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        }
        "/both-lengths" => {
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        }
        "/two-lengths" => b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
        "/folded" => b"HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\nok",
        "/nul" => b"HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 2\r\n\r\nok",
        _ => {
            let closed: &[u8] = match path {
                "/close" => b"",
                "/short" => b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nxxxxxxxxxx",
                "/garbage" => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\nok\r\n",
                "/cut" => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nxxxxxxxxxx",
                "/not-http" => b"SSH-2.0-OpenSSH_9.9\r\n",
                "/until-close" => b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end",
                _ => return None,
            };
            return Some((closed, Next::Close));
        }
    };
    Some((redirect_or_wrong, Next::Request))
}

/// An answer that is well formed.
fn answer(channel: &mut impl Channel, status: &str, headers: &str, body: &str) -> Result<Next> {
    let length = body.len();
    let text = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
    channel.write_all(text.as_bytes())?;
    channel.flush()?;
    Ok(Next::Request)
}

fn by_drops(channel: &mut impl Channel, said: &[u8], every: Duration) -> Result<Next> {
    for byte in said {
        channel.write_all(&[*byte])?;
        channel.flush()?;
        std::thread::sleep(every);
    }
    Ok(Next::Request)
}

/// Says the same again and again until the client leaves, in pieces that are long enough to be quick.
fn without_end(channel: &mut impl Channel, said: &[u8]) -> Result<Next> {
    let piece = said.repeat(PIECE_BYTES / said.len());
    let start = Instant::now();
    while start.elapsed() < LONGEST {
        channel.write_all(&piece)?;
    }
    Ok(Next::Close)
}

/// Says nothing until the client leaves.
fn silent(channel: &mut impl Channel) -> Result<Next> {
    let start = Instant::now();
    while start.elapsed() < LONGEST {
        match channel.read(&mut [0; 64]) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Next::Close)
}
