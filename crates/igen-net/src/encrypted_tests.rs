#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use rustls::version::TLS13;

use crate::stream::Stream;
use crate::tls::{Tls, TlsMode};
use crate::tls_server::tls_server;

type Server = rustls::StreamOwned<rustls::ServerConnection, std::net::TcpStream>;

/// A connection to a server that does so with it.
async fn connected<T: Send + 'static>(
    serve: impl FnOnce(Server) -> T + Send + 'static,
) -> (Stream, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        serve(Server::new(tls_server(&TLS13), socket))
    });
    let limit = Duration::from_secs(20);
    let mut stream = Stream::connect_to(&[address], limit).await.unwrap();
    stream
        .encrypt_for("localhost", &Tls::new(TlsMode::Require))
        .await
        .unwrap();
    (stream, server)
}

#[tokio::test]
async fn more_than_a_socket_takes_at_once_arrives_whole_both_ways() {
    const BYTES: usize = 8 << 20;
    let sent: Vec<u8> = (0..=250).cycle().take(BYTES).collect();
    let (mut stream, server) = connected(|mut server| {
        let mut received = vec![0; BYTES];
        server.read_exact(&mut received).unwrap();
        server.write_all(&received).unwrap();
        server.conn.send_close_notify();
        server.flush().unwrap();
    })
    .await;
    stream.output().extend_from_slice(&sent);
    stream.flush().await.unwrap();
    let mut received = Vec::new();
    while stream.fill_or_end().await.unwrap() {
        received.extend_from_slice(stream.input());
        stream.consume(stream.input().len());
    }
    assert!(received == sent);
    assert!(!stream.fill_or_end().await.unwrap(), "an end stays one");
    server.join().unwrap();
}

#[tokio::test]
async fn an_end_without_a_word_may_have_been_cut_off() {
    let (mut stream, server) = connected(|mut server| {
        server.write_all(b"half").unwrap();
        server.flush().unwrap();
    })
    .await;
    stream.fill().await.unwrap();
    assert_eq!(stream.input(), b"half");
    let error = stream.fill_or_end().await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
    server.join().unwrap();
}

#[tokio::test]
async fn a_server_that_leaves_in_the_middle_of_the_handshake_is_an_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        // So that it is an end and no reset.
        let _hello = socket.read(&mut [0; 4096]).unwrap();
    });
    let limit = Duration::from_secs(20);
    let mut stream = Stream::connect_to(&[address], limit).await.unwrap();
    let tls = Tls::new(TlsMode::Require);
    let error = stream.encrypt_for("localhost", &tls).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
    server.join().unwrap();
}
