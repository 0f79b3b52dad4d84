//! A request and the answer to it, on a connection that is there.

use crate::body;
use crate::channel::Channel;
use crate::error::Error;
use crate::head::Head;
use crate::reading::Reading;
use crate::request::Request;
use crate::search::Search;

/// Answers before the answer (1xx), which are read over: more of them are hostile.
pub(crate) const MOST_INTERIM: u32 = 16;
pub(crate) const TOO_MANY_INTERIM: Error =
    Error::Protocol("malformed answer: more than 16 interim answers");
pub(crate) const UPGRADED: Error =
    Error::Protocol("malformed answer: switch to a protocol that was not requested");

/// An answer, whose body has passed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Its status, 200 to 599.
    pub status: u16,
    /// Length of its body, as it was sent.
    pub body_bytes: u64,
    /// True if the body has the text that was asked for, or if no text was asked for.
    pub contains: bool,
    /// True if the connection stays.
    pub(crate) keeps: bool,
    /// For how long the server keeps it while it rests, if it says so.
    pub(crate) keep_alive_s: Option<u16>,
}

/// Sends `request` and reads the answer; `received` grows by what came for it. After an error the connection cannot
/// go on.
#[expect(
    clippy::manual_async_fn,
    reason = "thousands of users wait in it, and an `async fn` has its arguments twice"
)]
pub(crate) fn exchange(
    channel: &mut impl Channel,
    request: &Request,
    reading: &Reading,
    search: &mut Search,
    received: &mut u64,
) -> impl Future<Output = Result<Answer, Error>> {
    async move {
        channel.send(request.bytes()).await?;
        search.begin();
        let head = head(channel, request, reading, search, received).await?;
        let body_bytes = body::read(channel, head.framing, reading, search, received).await?;
        if !channel.input().is_empty() {
            return Err(Error::Protocol(
                "malformed answer: more bytes than Content-Length",
            ));
        }
        Ok(Answer {
            status: head.status,
            body_bytes,
            contains: reading.is_met(search),
            keeps: head.keeps && !request.closes(),
            keep_alive_s: head.keep_alive_s,
        })
    }
}

/// The head of the answer itself, which is read then.
#[inline]
#[expect(
    clippy::manual_async_fn,
    reason = "thousands of users wait in it, and an `async fn` has its arguments twice"
)]
fn head(
    channel: &mut impl Channel,
    request: &Request,
    reading: &Reading,
    search: &mut Search,
    received: &mut u64,
) -> impl Future<Output = Result<Head, Error>> {
    async move {
        for _ in 0..=MOST_INTERIM {
            // An interim answer may have brought it along.
            if channel.input().is_empty() {
                if !channel.fill_or_end().await? {
                    return Err(Error::Closed);
                }
                *received += channel.input().len() as u64;
            }
            let head = loop {
                if let Some(head) = Head::of(channel.input(), request)? {
                    break head;
                }
                let mut known = channel.input().len();
                loop {
                    if !channel.fill_or_end().await? {
                        return Err(Error::CutOff);
                    }
                    *received += (channel.input().len() - known) as u64;
                    if Head::may_end(channel.input(), known) {
                        break;
                    }
                    known = channel.input().len();
                }
            };
            if reading.keeps_head {
                search.head.clear();
                search
                    .head
                    .extend_from_slice(&channel.input()[..head.bytes]);
            }
            channel.consume(head.bytes);
            match head.status {
                101 => return Err(UPGRADED),
                100..=199 => (),
                _ => return Ok(head),
            }
        }
        Err(TOO_MANY_INTERIM)
    }
}
