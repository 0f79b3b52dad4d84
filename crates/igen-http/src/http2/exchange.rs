//! A request and the answer to it, beside others on the same connection.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use h2::RecvStream;
use h2::client::ResponseFuture;
use http::{Response, StatusCode};

use super::connection::Connection;
use super::fault::error;
use super::message;
use crate::broken::Broken;
use crate::error::Error;
use crate::exchange::{Answer, MOST_INTERIM, TOO_MANY_INTERIM, UPGRADED};
use crate::reading::Reading;
use crate::request::Request;
use crate::search::Search;

impl Connection {
    /// Sends `request` and reads the answer. After an error the connection may go on: what is wrong with one answer
    /// ends its stream alone.
    pub(crate) async fn exchange(
        &self,
        request: &Request,
        reading: &Reading,
        search: &mut Search,
    ) -> Result<Answer, Broken> {
        let request = message::request(request.bytes(), &self.scheme, &self.authority);
        let (head, body) = request.map_err(Broken::seen)?;
        search.begin();
        let before_bytes = self.traffic.sent_bytes();
        let before_answer = |error| {
            let sent = self.traffic.sent_bytes() > before_bytes;
            Broken::before_answer(error, sent)
        };
        // A sender of its own: each waits for its own turn where the server lets few be under way.
        let mut sender = self.sender.borrow().clone();
        let (mut answer, mut upload) = sender
            .send_request(head, body.is_empty())
            .map_err(|fault| before_answer(error(fault, false)))?;
        if !body.is_empty() {
            upload
                .send_data(body, true)
                .map_err(|fault| before_answer(error(fault, false)))?;
        }
        let mut interim = 0;
        let answer = poll_fn(|context| {
            self.drive(context);
            self.poll_answer(context, &mut answer, &mut interim)
        })
        .await;
        let answer = answer.map_err(|error| match error {
            error if interim == 0 => before_answer(error),
            Error::Closed => Broken::seen(Error::CutOff),
            error => Broken::seen(error),
        })?;
        if reading.keeps_head {
            message::write_head(&answer, &mut search.head);
        }
        let status = answer.status().as_u16();
        if !(200..=599).contains(&status) {
            let error = Error::Protocol("malformed answer: not HTTP/2");
            return Err(Broken::seen(error));
        }
        let body_bytes = self
            .body(answer.into_body(), reading, search)
            .await
            .map_err(Broken::seen)?;
        Ok(Answer {
            status,
            body_bytes,
            contains: reading.is_met(search),
            keeps: true,
            keep_alive_s: None,
        })
    }

    /// The head of the answer itself, behind those that only say that it will come.
    fn poll_answer(
        &self,
        context: &mut Context<'_>,
        answer: &mut ResponseFuture,
        interim: &mut u32,
    ) -> Poll<Result<Response<RecvStream>, Error>> {
        while let Poll::Ready(Some(told)) = answer.poll_informational(context) {
            let told = told.map_err(|fault| error(fault, false))?;
            *interim += 1;
            if told.status() == StatusCode::SWITCHING_PROTOCOLS {
                return Poll::Ready(Err(UPGRADED));
            }
            if *interim > MOST_INTERIM {
                return Poll::Ready(Err(TOO_MANY_INTERIM));
            }
        }
        match Pin::new(answer).poll(context) {
            Poll::Ready(answer) => Poll::Ready(answer.map_err(|fault| error(fault, false))),
            Poll::Pending if self.is_over() => Poll::Ready(Err(Error::Closed)),
            Poll::Pending => Poll::Pending,
        }
    }

    /// Reads a body to its end, and what stands behind it; its length.
    async fn body(
        &self,
        mut body: RecvStream,
        reading: &Reading,
        search: &mut Search,
    ) -> Result<u64, Error> {
        let mut length = 0;
        while !body.is_end_stream() {
            let piece = poll_fn(|context| {
                let piece = match body.poll_data(context) {
                    ready @ Poll::Ready(_) => ready,
                    Poll::Pending => {
                        self.drive(context);
                        body.poll_data(context)
                    }
                };
                match piece {
                    Poll::Ready(piece) => Poll::Ready(piece.transpose()),
                    Poll::Pending if self.is_over() => Poll::Ready(Ok(None)),
                    Poll::Pending => Poll::Pending,
                }
            });
            let Some(piece) = piece.await.map_err(|fault| error(fault, true))? else {
                break;
            };
            length += piece.len() as u64;
            if length > reading.max_bytes {
                return Err(Error::TooLong);
            }
            reading.pass(search, &piece);
            body.flow_control()
                .release_capacity(piece.len())
                .map_err(|fault| error(fault, true))?;
        }
        if !body.is_end_stream() {
            poll_fn(|context| {
                self.drive(context);
                match body.poll_trailers(context) {
                    Poll::Ready(Ok(_)) => Poll::Ready(Ok(())),
                    Poll::Ready(Err(fault)) => Poll::Ready(Err(error(fault, true))),
                    Poll::Pending if self.is_over() => Poll::Ready(Err(Error::CutOff)),
                    Poll::Pending => Poll::Pending,
                }
            })
            .await?;
        }
        Ok(length)
    }
}
