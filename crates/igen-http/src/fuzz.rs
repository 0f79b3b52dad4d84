//! Entry points of fuzz targets.

#![allow(clippy::missing_panics_doc)]

use std::sync::LazyLock;

use igen_net::Stream;
use igen_net::testing::now;

use crate::chunked::Chunked;
use crate::error::Error;
use crate::exchange::exchange;
use crate::head::Head;
use crate::reading::Reading;
use crate::request::Request;
use crate::search::Search;

static REQUESTS: LazyLock<[Option<Request>; 2]> = LazyLock::new(|| {
    ["GET", "HEAD"].map(|method| Request::new(method, "web.lab", "/", &[], b"").ok())
});

/// Reads an answer to a request that the first byte chooses, whole and in pieces: the same comes of both.
pub fn head(input: &[u8]) {
    let Some((choice, input)) = input.split_first() else {
        return;
    };
    let [Some(get), Some(to_head)] = &*REQUESTS else {
        return;
    };
    let request = if choice & 1 == 0 { get } else { to_head };
    if let Ok(Some(head)) = Head::of(input, request) {
        let read = &input[..head.bytes];
        assert_eq!(Head::of(read, request).ok(), Some(Some(head)));
        // A client looks once more only when the end may have come.
        assert!(Head::may_end(read, read.len() - 1));
    }
    let reading = Reading::new(Some("needle"), 1 << 20).keeping(1 << 10);
    let answer = |piece| {
        let (mut search, mut received) = (Search::default(), 0);
        let mut stream = Stream::given(input, piece);
        now(exchange(
            &mut stream,
            request,
            &reading,
            &mut search,
            &mut received,
        ))
    };
    let (whole, pieces) = (answer(usize::MAX), answer(usize::from(choice >> 1).max(1)));
    // Bytes behind the answer are noticed only if they came with its end.
    if let (Ok(whole), Ok(pieces)) = (whole, pieces) {
        assert_eq!(whole, pieces);
    }
}

/// Reads a body in chunks, whole and in pieces of the length that the first byte says: the same comes of both.
pub fn chunked(input: &[u8]) {
    let Some((piece, input)) = input.split_first() else {
        return;
    };
    let read = |piece| {
        let (mut body, mut content, mut read) = (Chunked::new(), Vec::new(), 0);
        let mut pieces = input.chunks(piece);
        let ended = pieces.try_for_each(|bytes| {
            read += body.read(bytes, |bytes| {
                content.extend_from_slice(bytes);
                Ok(())
            })?;
            Ok::<(), Error>(())
        });
        (ended.is_ok(), body.has_ended(), content, read)
    };
    let whole = read(input.len().max(1));
    assert!(whole.2.len() <= input.len());
    assert_eq!(whole.0, read(usize::from(*piece).max(1)).0);
    if whole.0 {
        assert_eq!(whole, read(usize::from(*piece).max(1)));
    }
}
