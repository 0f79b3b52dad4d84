//! Answers that arrive in whichever pieces, and garbage: the same answer always, or an error, in little memory.

#![allow(clippy::unwrap_used)]

use std::collections::VecDeque;
use std::io::Result;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use proptest::prelude::*;

use crate::channel::Channel;
use crate::error::Error;
use crate::exchange::{Answer, exchange};
use crate::reading::Reading;
use crate::request::Request;
use crate::search::Search;

/// What a server says, piece by piece.
#[derive(Default)]
struct Pieces {
    coming: VecDeque<Vec<u8>>,
    input: Vec<u8>,
    /// Most bytes that were kept at once.
    most: usize,
}

impl Channel for Pieces {
    async fn send(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn input(&self) -> &[u8] {
        &self.input
    }

    fn consume(&mut self, bytes: usize) {
        self.input.drain(..bytes);
    }

    async fn fill_or_end(&mut self) -> Result<bool> {
        let Some(piece) = self.coming.pop_front() else {
            return Ok(false);
        };
        self.input.extend(piece);
        self.most = self.most.max(self.input.len());
        Ok(true)
    }

    fn make_room(&mut self, _: usize) {}
}

/// Cuts `said` after these lengths, again and again.
fn pieces(said: &[u8], lengths: &[usize]) -> Pieces {
    let (mut rest, mut coming) = (said, VecDeque::new());
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at((*length).clamp(1, rest.len()));
        coming.push_back(piece.to_vec());
        rest = after;
    }
    Pieces {
        coming,
        ..Pieces::default()
    }
}

/// The answer to a request of that method, how much was received, and how much was kept at most.
fn answer(
    method: &str,
    said: &[u8],
    lengths: &[usize],
) -> (std::result::Result<Answer, Error>, u64, usize) {
    let mut channel = pieces(said, lengths);
    let request = Request::new(method, "web.lab", "/", &[], b"").unwrap();
    let reading = Reading::new(Some("needle"), 1 << 20);
    let (mut search, mut received) = (Search::default(), 0);
    let answered = {
        let exchange = exchange(&mut channel, &request, &reading, &mut search, &mut received);
        match pin!(exchange).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answered) => answered,
            Poll::Pending => unreachable!("nothing here waits"),
        }
    };
    (answered, received, channel.most)
}

/// An answer in one of the forms that the RFC has, and whether its body has the text.
fn well_formed() -> impl Strategy<Value = (Vec<u8>, bool)> {
    let body = prop::collection::vec(prop::sample::select(vec!["needle", "hay ", "nee"]), 0..40);
    let framed = (body, 0..3_u8, 1_usize..30).prop_map(|(body, framing, chunk)| {
        let body = body.concat().into_bytes();
        let contains = body.windows(6).any(|bytes| bytes == b"needle");
        let framed = match framing {
            0 => [
                format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(),
                &body,
            ]
            .concat(),
            1 => {
                let mut said = b"Transfer-Encoding: chunked\r\n\r\n".to_vec();
                for chunk in body.chunks(chunk) {
                    said.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
                    said.extend([chunk, b"\r\n"].concat());
                }
                said.extend(b"0\r\nX-Trailer: yes\r\n\r\n");
                said
            }
            _ => [b"Connection: close\r\n\r\n", body.as_slice()].concat(),
        };
        (framed, contains)
    });
    let interim = prop_oneof![
        Just(""),
        Just("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    ];
    (interim, 200_u16..500, framed).prop_map(|(interim, status, (framed, contains))| {
        let status = if matches!(status, 204 | 304) {
            200
        } else {
            status
        };
        let head = format!("{interim}HTTP/1.1 {status} Fine\r\nServer: x\r\n");
        ([head.as_bytes(), &framed].concat(), contains)
    })
}

#[test]
fn answers_that_end_too_early_or_too_late_are_failures() {
    for (said, says) in [
        ("", "without an answer"),
        ("HTTP/1.1 200 OK\r\nContent-", "middle of the answer"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1234",
            "middle of the answer",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n123456",
            "more bytes than Content-Length",
        ),
        (
            "HTTP/1.1 204 OK\r\nContent-Length: 1\r\n\r\n1",
            "more bytes than Content-Length",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n1",
            "max_bytes",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n1",
            "middle of",
        ),
        (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
            "not requested",
        ),
    ] {
        let (answered, _, _) = answer("GET", said.as_bytes(), &[7]);
        assert!(answered.unwrap_err().reason().text.contains(says), "{said}");
    }
    let hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20);
    let (answered, _, _) = answer("GET", hints.as_bytes(), &[1000]);
    assert!(answered.unwrap_err().reason().text.contains("interim"));
}

#[test]
fn bodies_that_nobody_may_send_are_not_waited_for() {
    for (method, said) in [
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
        (
            "HEAD",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        ),
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
        (
            "GET",
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        ),
        (
            "GET",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n",
        ),
    ] {
        let (answered, received, _) = answer(method, said.as_bytes(), &[3]);
        let answered = answered.unwrap();
        assert!(answered.keeps && answered.body_bytes == 0, "{said}");
        assert_eq!(received, said.len() as u64);
    }
}

proptest! {
    #[test]
    fn how_an_answer_arrives_makes_no_difference(
        (said, contains) in well_formed(), lengths in prop::collection::vec(1_usize..60, 1..20)
    ) {
        let (whole, received, _) = answer("GET", &said, &[said.len()]);
        let whole = whole.unwrap();
        prop_assert_eq!(received, said.len() as u64);
        prop_assert_eq!(whole.contains, contains);
        let (in_pieces, received, _) = answer("GET", &said, &lengths);
        prop_assert_eq!(in_pieces.unwrap(), whole);
        prop_assert_eq!(received, said.len() as u64);
    }

    #[test]
    fn an_answer_with_a_few_wrong_bytes_is_an_answer_or_an_error(
        (said, _) in well_formed(),
        wrong in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
        lengths in prop::collection::vec(1_usize..60, 1..20),
    ) {
        let mut said = said;
        for (place, byte, what) in wrong {
            let place = place.index(said.len());
            match what {
                0 => said[place] = byte,
                1 => said.insert(place, byte),
                _ => drop(said.remove(place)),
            }
        }
        let (whole, received, _) = answer("GET", &said, &[said.len()]);
        prop_assert!(received <= said.len() as u64);
        let (in_pieces, _, most) = answer("GET", &said, &lengths);
        if let (Ok(whole), Ok(in_pieces)) = (&whole, &in_pieces) {
            prop_assert_eq!(whole, in_pieces);
        }
        prop_assert!(most <= 64 * 1024 + 200);
    }

    #[test]
    fn garbage_is_an_error_in_little_memory(
        begin in prop::sample::select(vec![
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        ]),
        garbage in prop::collection::vec(any::<u8>(), 0..3000),
        lengths in prop::collection::vec(1_usize..200, 1..20),
    ) {
        let said = [begin.as_bytes(), &garbage].concat();
        let (whole, _, _) = answer("GET", &said, &[said.len().max(1)]);
        let (in_pieces, _, most) = answer("GET", &said, &lengths);
        // A part of it may be an answer, to which the rest does not belong: when that comes decides who notices.
        if let (Ok(whole), Ok(in_pieces)) = (&whole, &in_pieces) {
            prop_assert_eq!(whole, in_pieces);
        }
        prop_assert!(most <= 64 * 1024 + 200);
    }
}
