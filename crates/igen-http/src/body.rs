//! The body of an answer, which passes by: counted, searched where that is asked for, and kept nowhere.

use crate::channel::Channel;
use crate::chunked::Chunked;
use crate::error::Error;
use crate::head::Framing;
use crate::reading::Reading;
use crate::search::Search;

/// Most that one read takes of a long body.
const MOST_READ_BYTES: u64 = 64 * 1024;

/// Reads a body to its end; its length, without what frames chunks.
#[inline]
#[expect(
    clippy::manual_async_fn,
    reason = "thousands of users wait in it, and an `async fn` has its arguments twice"
)]
pub(crate) fn read(
    channel: &mut impl Channel,
    framing: Framing,
    reading: &Reading,
    search: &mut Search,
    received: &mut u64,
) -> impl Future<Output = Result<u64, Error>> {
    async move {
        match framing {
            Framing::Length(0) => Ok(0),
            Framing::Length(length) if length > reading.max_bytes => Err(Error::TooLong),
            Framing::Length(length) => {
                let mut remaining = length;
                loop {
                    let input = channel.input();
                    let most = usize::try_from(remaining).unwrap_or(usize::MAX);
                    let piece = &input[..input.len().min(most)];
                    reading.pass(search, piece);
                    let bytes = piece.len();
                    channel.consume(bytes);
                    remaining -= bytes as u64;
                    if remaining == 0 {
                        return Ok(length);
                    }
                    more(channel, remaining, received).await?;
                }
            }
            Framing::Chunked => {
                let (mut chunked, mut length) = (Chunked::new(), 0_u64);
                loop {
                    let read = chunked.read(channel.input(), |piece| {
                        length += piece.len() as u64;
                        reading.pass(search, piece);
                        if length > reading.max_bytes {
                            return Err(Error::TooLong);
                        }
                        Ok(())
                    })?;
                    channel.consume(read);
                    if chunked.has_ended() {
                        return Ok(length);
                    }
                    more(channel, chunked.remaining(), received).await?;
                }
            }
            Framing::UntilClose => {
                let mut length = 0_u64;
                loop {
                    let input = channel.input();
                    reading.pass(search, input);
                    let bytes = input.len();
                    length += bytes as u64;
                    if length > reading.max_bytes {
                        return Err(Error::TooLong);
                    }
                    channel.consume(bytes);
                    if !channel.fill_or_end().await? {
                        return Ok(length);
                    }
                    *received += channel.input().len() as u64;
                }
            }
        }
    }
}

/// Waits for more of a body of which so much is still to come.
async fn more(channel: &mut impl Channel, remaining: u64, received: &mut u64) -> Result<(), Error> {
    if let Ok(bytes) = usize::try_from(remaining.min(MOST_READ_BYTES)) {
        channel.make_room(bytes);
    }
    if !channel.fill_or_end().await? {
        return Err(Error::CutOff);
    }
    *received += channel.input().len() as u64;
    Ok(())
}
