//! A user of `http`: asks for one path after another, on a connection that stays as long as the server keeps it.

use std::sync::Arc;

use igen_engine::{Failure, Recorder, User};
use igen_http::{Answer, Broken, Client};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::server::{Plan, Server};
use crate::random::below;

/// What is counted; the constants below are their places.
pub(super) const COUNTERS: &[&str] = &[
    "requests",
    "sent_bytes",
    "received_bytes",
    "connections",
    "stale_connections",
    "resumed_tls_handshakes",
    "status_2xx",
    "status_3xx",
    "status_4xx",
    "status_5xx",
    "refused_requests",
    "repeated_requests",
    "repeated_us",
];
pub(super) const REQUESTS: usize = 0;
const SENT_BYTES: usize = 1;
const RECEIVED_BYTES: usize = 2;
const CONNECTIONS: usize = 3;
pub(super) const STALE_CONNECTIONS: usize = 4;
const RESUMED_TLS_HANDSHAKES: usize = 5;
/// Place of the statuses from 200 on.
const STATUS_2XX: usize = 6;
pub(super) const REFUSED_REQUESTS: usize = 10;
pub(super) const REPEATED_REQUESTS: usize = 11;
/// From the first to the second time that a request was sent, with the new connection.
const REPEATED_US: usize = 12;
const NS_PER_US: u64 = 1_000;

/// A user of `http`.
pub struct HttpUser {
    pub(super) client: Client,
    plan: Arc<Plan>,
    server: Arc<Server>,
    random: Xoshiro256PlusPlus,
    /// It rests between two requests, long enough to give memory back.
    parks: bool,
    /// All it has asked and was answered.
    requests: u64,
    answers: u64,
    /// Those that the server refused, and that are not counted yet.
    refused: u64,
}

impl HttpUser {
    /// A user with this seed, whose client is connected.
    pub(super) fn new(
        client: Client,
        plan: &Arc<Plan>,
        server: &Arc<Server>,
        seed: u64,
        parks: bool,
    ) -> Self {
        Self {
            client,
            plan: Arc::clone(plan),
            server: Arc::clone(server),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            parks,
            requests: 0,
            answers: 0,
            refused: 0,
        }
    }

    /// The path that is next.
    #[inline]
    fn choose(&mut self) -> usize {
        match self.plan.bounds.as_slice() {
            [_] => 0,
            bounds => {
                let all = bounds.last().copied().unwrap_or(1);
                let drawn = below(&mut self.random, all);
                bounds.partition_point(|bound| *bound <= drawn)
            }
        }
    }

    /// Asks for a path on the connection that is there, which has rested for `rested_ns`.
    #[inline]
    async fn ask(&mut self, path: usize, rested_ns: u64) -> Result<Answer, Broken> {
        self.requests += 1;
        let request = &self.server.requests[path];
        let reading = &self.plan.reading;
        let answered = self.client.ask(request, reading, rested_ns).await;
        match &answered {
            Ok(_) => self.answers += 1,
            Err(broken) => self.refused += u64::from(broken.is_refused()),
        }
        answered
    }

    /// Connects; the times that this takes are separate operations.
    async fn connect(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let connect = self.plan.names.len();
        let at = |step: &'static str, error: &igen_http::Error| error.failure().in_step(step);
        let client = &mut self.client;
        let connecting = async {
            client
                .connect()
                .await
                .map_err(|error| at("connect", &error))
        };
        recorder.time(connect, connecting).await?;
        recorder.count(CONNECTIONS, 1);
        if client.is_tls() {
            let encrypting = async { client.encrypt().await.map_err(|error| at("tls", &error)) };
            let resumed = recorder.time(connect + 1, encrypting).await?;
            recorder.count(RESUMED_TLS_HANDSHAKES, resumed.into());
        }
        Ok(())
    }

    /// Asks for a path on a new connection.
    async fn connect_and_ask(
        &mut self,
        path: usize,
        recorder: &mut Recorder,
    ) -> Result<(), Failure> {
        self.connect(recorder).await?;
        self.ask_in_time_of_its_own(path, recorder).await
    }

    /// Sends the request again, on the same connection if it is still open.
    async fn ask_again(&mut self, path: usize, recorder: &mut Recorder) -> Result<(), Failure> {
        if !self.client.is_connected() {
            self.connect(recorder).await?;
        }
        let now_ns = recorder.timer().clock().now_ns();
        let lost_ns = now_ns.saturating_sub(recorder.began_ns());
        recorder.count(REPEATED_REQUESTS, 1);
        recorder.count(REPEATED_US, lost_ns / NS_PER_US);
        self.ask_in_time_of_its_own(path, recorder).await
    }

    /// Asks in a transaction that has done something else before.
    async fn ask_in_time_of_its_own(
        &mut self,
        path: usize,
        recorder: &mut Recorder,
    ) -> Result<(), Failure> {
        let mut status = None;
        let asking = async {
            let answered = self.ask(path, 0).await;
            status = answered.as_ref().ok().map(|answer| answer.status);
            self.judge(path, answered)
        };
        let answered = recorder.time(path, asking).await;
        count_status(recorder, status);
        answered
    }

    #[inline]
    fn judge(&self, path: usize, answered: Result<Answer, Broken>) -> Result<(), Failure> {
        match answered {
            Ok(answer) => self.plan.judge(path, answer),
            Err(broken) => Err(self.plan.failure(path, broken.error.reason())),
        }
    }
}

/// Counts the status of an answer from 200 on, if there was one.
#[inline]
fn count_status(recorder: &mut Recorder, status: Option<u16>) {
    if let Some(status) = status {
        recorder.count(STATUS_2XX + usize::from(status / 100) - 2, 1);
    }
}

impl User for HttpUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let path = self.choose();
        let requests = self.requests;
        // What is rare is boxed: thousands of users wait in this future.
        let answered = if self.client.is_connected() {
            match self.ask(path, recorder.idle_ns()).await {
                Err(broken) if broken.unseen => {
                    // Closed while nobody looked, or refused on a connection that goes on.
                    recorder.count(STALE_CONNECTIONS, (!broken.is_refused()).into());
                    if self.server.requests[path].may_repeat() {
                        Box::pin(self.ask_again(path, recorder)).await
                    } else {
                        self.judge(path, Err(broken))
                    }
                }
                answered => {
                    recorder.is_operation(path, recorder.began_ns());
                    count_status(recorder, answered.as_ref().ok().map(|answer| answer.status));
                    self.judge(path, answered)
                }
            }
        } else {
            Box::pin(self.connect_and_ask(path, recorder)).await
        };
        recorder.count(REQUESTS, self.requests - requests);
        recorder.count(REFUSED_REQUESTS, std::mem::take(&mut self.refused));
        let (sent, received) = self.client.take_bytes();
        recorder.count(SENT_BYTES, sent);
        recorder.count(RECEIVED_BYTES, received);
        if self.parks {
            self.client.park();
        }
        answered
    }
}

impl Drop for HttpUser {
    fn drop(&mut self) {
        self.server.web.add(self.requests, self.answers);
    }
}
