//! On real sockets. Where the system has no `io_uring` there is nothing to test.

#![allow(clippy::unwrap_used)]

use std::future::poll_fn;
use std::io::{ErrorKind, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::task::JoinSet;

use super::{Connected, Socket, reactor};

const BUFFER_BYTES: usize = 4096;

fn runtime() -> LocalRuntime {
    let mut builder = Builder::new_current_thread();
    builder.enable_all();
    builder.build_local(LocalOptions::default()).unwrap()
}

/// A socket on the ring, and its other end; `None` where there is no ring.
fn pair() -> Option<(Socket, UnixStream)> {
    let (near, far) = UnixStream::pair().unwrap();
    far.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    Some((Socket::new(Connected::Unix(near)).ok()?, far))
}

async fn send(socket: &Socket, bytes: &[u8]) -> Result<()> {
    let mut output = bytes.to_vec();
    poll_fn(|context| socket.poll_send(context, &mut output)).await?;
    assert!(output.is_empty());
    Ok(())
}

async fn receive(socket: &Socket) -> Result<Vec<u8>> {
    let mut input = vec![0; BUFFER_BYTES];
    let bytes = poll_fn(|context| socket.poll_receive(context, &mut input, 0)).await?;
    input.truncate(bytes);
    Ok(input)
}

/// Sends back what it reads, until the end.
fn echo(mut far: UnixStream) {
    let mut buffer = [0; BUFFER_BYTES];
    while let Ok(bytes @ 1..) = far.read(&mut buffer) {
        far.write_all(&buffer[..bytes]).unwrap();
    }
}

#[test]
fn more_sockets_than_the_queue_holds_do_not_mix_up_their_bytes() {
    const SOCKETS: u32 = 200;
    const ROUND_TRIPS: u32 = 20;
    runtime().block_on(async {
        let mut users = JoinSet::new();
        for id in 0..SOCKETS {
            let Some((socket, far)) = pair() else { return };
            thread::spawn(move || echo(far));
            users.spawn_local(async move {
                for round in 0..ROUND_TRIPS {
                    let question = format!("{id} in round {round}");
                    send(&socket, question.as_bytes()).await.unwrap();
                    assert_eq!(receive(&socket).await.unwrap(), question.as_bytes());
                }
            });
        }
        while let Some(ended) = users.join_next().await {
            ended.unwrap();
        }
    });
}

#[test]
fn the_end_is_no_bytes_and_a_send_after_it_an_error() {
    runtime().block_on(async {
        let Some((socket, far)) = pair() else { return };
        drop(far);
        assert_eq!(receive(&socket).await.unwrap(), b"");
        // Queued first, known to have failed later.
        send(&socket, b"x").await.unwrap();
        let failed = send(&socket, b"x").await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::BrokenPipe);
    });
}

#[test]
fn a_socket_given_up_while_it_waits_is_closed_and_its_place_used_again() {
    runtime().block_on(async {
        let Some((socket, mut far)) = pair() else {
            return;
        };
        let place = socket.slot;
        tokio::select! {
            biased;
            _ = receive(&socket) => unreachable!("nobody has sent"),
            () = tokio::task::yield_now() => (),
        }
        drop(socket);
        assert_eq!(
            far.read(&mut [0]).unwrap(),
            0,
            "the other side sees the end"
        );
        // The reactor has heard of the end when it has served another socket.
        let (other, far) = pair().unwrap();
        thread::spawn(move || echo(far));
        send(&other, b"x").await.unwrap();
        assert_eq!(receive(&other).await.unwrap(), b"x");
        assert_eq!(pair().unwrap().0.slot, place);
    });
}

#[test]
fn a_place_whose_operations_end_together_is_free_once() {
    runtime().block_on(async {
        let Some((socket, _unread)) = pair() else {
            return;
        };
        // More than fits between both sides, so that it is under way for as long as the receive.
        send(&socket, &vec![0; 4_000_000]).await.unwrap();
        tokio::select! {
            biased;
            _ = receive(&socket) => unreachable!("nobody has sent"),
            () = tokio::task::yield_now() => (),
        }
        let place = socket.slot;
        drop(socket);
        let (other, far) = pair().unwrap();
        thread::spawn(move || echo(far));
        send(&other, b"x").await.unwrap();
        assert_eq!(receive(&other).await.unwrap(), b"x");
        let (next, after) = (pair().unwrap().0, pair().unwrap().0);
        assert_eq!(next.slot, place);
        assert_ne!(after.slot, place, "two sockets at one place");
    });
}

#[test]
fn who_waits_for_an_answer_is_not_woken_for_what_it_has_sent() {
    runtime().block_on(async {
        let Some((socket, mut far)) = pair() else {
            return;
        };
        let asking = tokio::task::spawn_local(async move {
            let (mut output, mut input) = (b"question".to_vec(), vec![0; BUFFER_BYTES]);
            let mut looks = 0;
            let answered = poll_fn(|context| {
                looks += 1;
                if !output.is_empty() {
                    assert!(socket.poll_send(context, &mut output).is_ready());
                }
                socket.poll_receive(context, &mut input, 0)
            });
            (answered.await.unwrap(), looks)
        });
        far.set_nonblocking(true).unwrap();
        while far.read(&mut [0; 8]).is_err() {
            tokio::task::yield_now().await;
        }
        // By now the send has ended, and the ring is looked at some times more.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        far.write_all(b"answer").unwrap();
        let (bytes, looks) = asking.await.unwrap();
        assert_eq!(
            (bytes, looks),
            (6, 2),
            "for the question and for the answer"
        );
    });
}

#[test]
fn a_wait_that_was_given_up_goes_on() {
    runtime().block_on(async {
        let Some((socket, mut far)) = pair() else {
            return;
        };
        let mut input = vec![0; BUFFER_BYTES];
        tokio::select! {
            biased;
            _ = poll_fn(|context| socket.poll_receive(context, &mut input, 0)) => unreachable!(),
            () = tokio::task::yield_now() => (),
        }
        assert!(input.is_empty(), "the kernel has the buffer");
        far.write_all(b"late").unwrap();
        assert_eq!(receive(&socket).await.unwrap(), b"late");
    });
}

#[test]
fn without_its_runtime_a_ring_waits_for_nothing() {
    let first = runtime();
    let Some((socket, _far)) = first.block_on(async { pair() }) else {
        return;
    };
    drop(first);
    runtime().block_on(async {
        let failed = receive(&socket).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::NotConnected);
        let fresh = reactor::ring().unwrap();
        assert!(!std::rc::Rc::ptr_eq(&fresh, &socket.ring));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn all_of_a_long_message_arrives(bytes in proptest::collection::vec(any::<u8>(), 0..2_000_000)) {
        let expected = bytes.clone();
        runtime().block_on(async {
            let Some((socket, mut far)) = pair() else { return };
            let reader = thread::spawn(move || {
                let mut all = Vec::new();
                far.read_to_end(&mut all).unwrap();
                all
            });
            send(&socket, &bytes).await.unwrap();
            // The second waits for the first.
            send(&socket, b".").await.unwrap();
            send(&socket, b".").await.unwrap();
            drop(socket);
            let arrived = reader.join().unwrap();
            assert!(arrived.starts_with(&expected));
        });
    }
}
