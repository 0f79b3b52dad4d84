#![allow(clippy::unwrap_used)]
use std::io::{Read, Write};
use std::net::TcpListener;

use tokio::runtime::{Builder, LocalOptions, LocalRuntime};

use super::*;

/// Returns the address of a server that sends back what it reads; it serves `clients` clients at once.
fn echo(clients: usize) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for _ in 0..clients {
        let listener = listener.try_clone().unwrap();
        std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut bytes = [0; 16];
            while let Ok(read @ 1..) = client.read(&mut bytes) {
                client.write_all(&bytes[..read]).unwrap();
            }
        });
    }
    Address::Tcp {
        host: "127.0.0.1".to_owned(),
        port,
    }
}

fn local_runtime() -> LocalRuntime {
    Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())
        .unwrap()
}

async fn round_trip(stream: &mut Stream, bytes: &[u8]) {
    stream.output().extend_from_slice(bytes);
    stream.flush().await.unwrap();
    while stream.input().len() < bytes.len() {
        stream.fill().await.unwrap();
    }
    assert_eq!(stream.input(), bytes);
    stream.consume(bytes.len());
}

#[test]
fn connections_share_their_system_calls_as_soon_as_there_are_two() {
    let runtime = local_runtime();
    let address = echo(2);
    runtime.block_on(async {
        let in_ring = |stream: &Stream| matches!(stream.io, Io::Ring(_));
        let mut first = Stream::connect(&address, GRACE).await.unwrap();
        first.join_ring().unwrap();
        round_trip(&mut first, b"alone").await;
        assert!(!in_ring(&first));
        let mut second = Stream::connect(&address, GRACE).await.unwrap();
        second.join_ring().unwrap();
        round_trip(&mut second, b"with another").await;
        round_trip(&mut first, b"with company").await;
        let there = ring::is_available();
        assert_eq!((in_ring(&first), in_ring(&second)), (there, there));
        drop(second);
        round_trip(&mut first, b"left").await;
    });
}

#[test]
fn a_parked_connection_holds_no_memory_and_goes_on() {
    let runtime = local_runtime();
    let address = echo(2);
    runtime.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..2 {
            let addresses = address.look_up().unwrap();
            streams.push(Stream::connect_to(&addresses, GRACE).await.unwrap());
        }
        for shared in [false, true] {
            for stream in &mut streams {
                if shared {
                    stream.join_ring().unwrap();
                }
                round_trip(stream, b"before").await;
                stream.park();
                assert_eq!((stream.input.capacity(), stream.output.capacity()), (0, 0));
                stream.park();
                round_trip(stream, b"after").await;
                // Output that was not sent yet stays.
                stream.output().extend_from_slice(b"next");
                stream.park();
                round_trip(stream, b"").await;
                while stream.input().len() < 4 {
                    stream.fill().await.unwrap();
                }
                stream.park();
                assert_eq!(stream.input(), b"next");
                stream.consume(4);
            }
        }
    });
}

#[test]
fn the_end_is_told_apart_where_it_may_be_that_of_a_message() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    runtime.block_on(async {
        let mut stream = Stream::connect_to(&[address], GRACE).await.unwrap();
        listener.accept().unwrap().0.write_all(b"end").unwrap();
        assert!(stream.fill_or_end().await.unwrap());
        assert_eq!(stream.input(), b"end");
        assert!(!stream.fill_or_end().await.unwrap());
        let error = stream.fill().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    });
}
