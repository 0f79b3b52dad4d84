//! Connections of the server that misbehaves.

use std::io::Result;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use igen_job::JobError;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::channel::Channel;
use super::misbehave::{Next, misbehave};
use crate::serve::Stop;

/// Connections at the same time; further ones are closed at once.
const MOST_CONNECTIONS: usize = 256;
/// Longest head and body of a request.
const REQUEST_BYTES: usize = 1 << 20;
/// How long a read or a write may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a server that misbehaves is to be.
pub struct Options {
    /// Address and port; port 0 is one that is free.
    pub listen: String,
    /// TLS, if any: its certificate may be as wrong as one likes.
    pub tls: Option<Arc<ServerConfig>>,
}

/// Serves until it is told to stop; `ready` is told the address.
pub fn serve(
    options: &Options,
    ready: impl FnOnce(&str),
    mut stop: Stop,
) -> std::result::Result<(), JobError> {
    let failed = |error: std::io::Error| {
        JobError::at(
            "--listen",
            format!("cannot listen on {}: {error}", options.listen),
        )
    };
    let listener = TcpListener::bind(&options.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?.to_string();
    let tls = options.tls.clone();
    // It ends with the process.
    std::thread::spawn(move || accept(&listener, tls.as_ref()));
    ready(&address);
    stop.blocking_recv();
    Ok(())
}

fn accept(listener: &TcpListener, tls: Option<&Arc<ServerConfig>>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (tls, open) = (tls.cloned(), Arc::clone(&open));
        std::thread::spawn(move || {
            // It ends where the client leaves.
            let _ = converse(stream, tls);
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn converse(stream: TcpStream, tls: Option<Arc<ServerConfig>>) -> Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    match tls {
        None => answer_all(stream),
        Some(tls) => {
            let connection = ServerConnection::new(tls).map_err(std::io::Error::other)?;
            answer_all(StreamOwned::new(connection, stream))
        }
    }
}

fn answer_all(mut channel: impl Channel) -> Result<()> {
    let mut heard = Vec::new();
    while let Some(path) = next_request(&mut channel, &mut heard)? {
        match misbehave(&mut channel, &path)? {
            Next::Request => {}
            Next::Close => break,
        }
    }
    channel.flush()
}

/// The path of the next request, whose body is read and dropped; `None` where there is none.
fn next_request(channel: &mut impl Channel, heard: &mut Vec<u8>) -> Result<Option<String>> {
    let mut piece = [0; 4096];
    loop {
        if let Some(end) = heard.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&heard[..end]).into_owned();
            let needed = end + 4 + body_bytes(&head);
            if heard.len() >= needed {
                heard.drain(..needed);
                return Ok(head.split(' ').nth(1).map(str::to_owned));
            }
        }
        if heard.len() > REQUEST_BYTES {
            return Ok(None);
        }
        match channel.read(&mut piece)? {
            0 => return Ok(None),
            read => heard.extend_from_slice(&piece[..read]),
        }
    }
}

fn body_bytes(head: &str) -> usize {
    let lines = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = lengths
        .next()
        .and_then(|(_, value)| value.trim().parse().ok());
    length.unwrap_or(0).min(REQUEST_BYTES)
}
