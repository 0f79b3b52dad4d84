//! Bodies of answers: as a whole, in chunks, or as they come from the tier behind.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as Stream, Frame, SizeHint};

use super::upstream::Passed;

/// The body of an answer.
pub enum Body {
    /// Its length is told.
    Whole(Full<Bytes>),
    /// Its length is not told: it is sent in chunks.
    Pieces(VecDeque<Bytes>),
    /// What the tier behind answers.
    Passed(Passed),
}

impl Body {
    /// A body of known length.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::Whole(Full::new(bytes.into()))
    }
}

impl Stream for Body {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.get_mut() {
            Self::Whole(body) => Pin::new(body)
                .poll_frame(context)
                .map_err(|never| match never {}),
            Self::Pieces(pieces) => {
                Poll::Ready(pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
            }
            Self::Passed(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Pieces(pieces) => pieces.is_empty(),
            Self::Passed(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Pieces(_) => SizeHint::default(),
            Self::Passed(body) => body.size_hint(),
        }
    }
}
