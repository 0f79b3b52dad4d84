//! A request and its answer, on a connection that is made where there is none.

use std::num::NonZero;
use std::time::{Duration, Instant};

use igen_engine::Reason;
use igen_http::{Answer, Client, Error, Reading, Request};

use super::meter::{Meter, REFUSED_REQUESTS, STALE_CONNECTIONS};

/// A connection of a user, and the request that is put together for it.
pub struct Lane {
    pub client: Client,
    pub request: Request,
    /// Path of the request under way, with that of the target.
    pub path: Vec<u8>,
    /// Body of the request under way.
    pub body: Vec<u8>,
    /// Since when its connection rests, unless it is in use.
    pub(super) rests_since: Instant,
}

/// An answer, or why there is none; and when its request was sent, if it was.
pub struct Fetched {
    pub began_ns: Option<u64>,
    pub answer: Result<Answer, Reason>,
}

impl Lane {
    /// A lane without connection.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            request: Request::blank(),
            path: Vec::new(),
            body: Vec::new(),
            rests_since: Instant::now(),
        }
    }

    /// Another one of the same user.
    pub fn sibling(&self) -> Result<Self, Reason> {
        let sibling = self.client.sibling();
        sibling.map(Self::new).map_err(|error| error.reason())
    }

    /// A page begins: closes the connection if it has rested for longer than `most_ns`.
    pub fn wake(&mut self, most_ns: u64) {
        if self.rested_ns() > most_ns {
            self.client.close();
        }
    }

    fn rested_ns(&self) -> u64 {
        u64::try_from(self.rests_since.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Gives memory back that it needs only while something is under way.
    pub fn park(&mut self) {
        self.client.park();
        self.request = Request::blank();
        (self.path, self.body) = (Vec::new(), Vec::new());
    }

    /// Sends the request and waits for the answer, for so long. What the server cannot have seen, or has refused, is
    /// asked once more if that changes nothing.
    pub async fn fetch(
        &mut self,
        reading: &Reading,
        limit: Duration,
        meter: &Meter<'_>,
    ) -> Fetched {
        self.client.answers_within(limit);
        let mut began_ns: Option<NonZero<u64>> = None;
        let fetched = loop {
            if !self.client.is_connected() {
                // Boxed, as it is rare and large.
                if let Err(reason) = Box::pin(connect(&mut self.client, meter)).await {
                    break Fetched {
                        began_ns: None,
                        answer: Err(reason),
                    };
                }
                self.rests_since = Instant::now();
            }
            let rested_ns = self.rested_ns();
            let is_repeated = began_ns.is_some();
            let first_ns = std::mem::replace(&mut began_ns, NonZero::new(meter.now_ns()));
            if let (Some(first_ns), Some(again_ns)) = (first_ns, began_ns) {
                meter.repeats(first_ns.get(), again_ns.get());
            }
            meter.asks();
            let asked = self.client.ask(&self.request, reading, rested_ns).await;
            let answer = match asked {
                Ok(answer) => {
                    meter.is_answered(answer.status);
                    Ok(answer)
                }
                Err(broken) => {
                    let refused = broken.is_refused();
                    meter.count(REFUSED_REQUESTS, refused.into());
                    meter.count(STALE_CONNECTIONS, (broken.unseen && !refused).into());
                    if !is_repeated && broken.unseen && self.request.may_repeat() {
                        continue;
                    }
                    Err(broken.error.reason())
                }
            };
            break Fetched {
                began_ns: began_ns.map(NonZero::get),
                answer,
            };
        };
        self.rests_since = Instant::now();
        fetched
    }
}

/// Connects, unless a sibling has done so for both, or has tried in vain while this one has waited.
async fn connect(client: &mut Client, meter: &Meter<'_>) -> Result<(), Reason> {
    let _turn = client.turn().await?;
    if client.is_connected() {
        return Ok(());
    }
    let connected = make_connection(client, meter).await;
    if let Err(reason) = &connected {
        client.attempt_failed(reason.clone());
    }
    connected
}

/// Connects, with TLS where the target says so; both are operations of their own.
async fn make_connection(client: &mut Client, meter: &Meter<'_>) -> Result<(), Reason> {
    let at = |step: &'static str, error: &Error| error.reason().in_step(step);
    let began_ns = meter.now_ns();
    let connected = client.connect().await;
    meter.connected(began_ns, connected.is_ok());
    connected.map_err(|error| at("connect", &error))?;
    if client.is_tls() {
        let began_ns = meter.now_ns();
        let encrypted = client.encrypt().await;
        meter.encrypted(began_ns, encrypted.as_ref().ok().copied());
        encrypted.map_err(|error| at("tls", &error))?;
    }
    Ok(())
}

/// The values of the headers of that name, in a head that was found to be one.
pub fn header<'a>(head: &'a [u8], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    lines(head).filter_map(move |line| value_of(line, name))
}

/// The value of a header of that name, where that line has it.
pub fn value_of<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let (own, value) = line.split_at_checked(name.len())?;
    let value = value.strip_prefix(b":")?;
    let is_it = own.eq_ignore_ascii_case(name.as_bytes());
    is_it.then(|| value.trim_ascii())
}

/// The lines behind the first one, each up to the feed that ends it.
pub fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut begins = memchr::memchr_iter(b'\n', head).map(|feed| feed + 1);
    let mut begin = begins.next().unwrap_or(head.len());
    begins.map(move |next| {
        let line = &head[begin..next - 1];
        begin = next;
        line
    })
}
