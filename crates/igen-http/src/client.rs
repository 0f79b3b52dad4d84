//! One user of a web server: a connection at a time, kept as long as the server keeps it.

use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use igen_job::fact::Declared;
use igen_job::{Reason, facts};
use igen_net::{Patience, Resumption, Stream, Tls};
use tokio::sync::OwnedSemaphorePermit;

use crate::broken::{Broken, may_be_closed};
use crate::error::{Error, IS_HTTP1};
use crate::exchange::{Answer, exchange};
use crate::http2::{Connection, Shared};
use crate::long_body::LongBody;
use crate::protocol::{HTTP2, Protocol};
use crate::reading::Reading;
use crate::request::Request;
use crate::search::Search;
use crate::site::Site;

/// One user of a web server.
pub struct Client {
    site: Arc<Site>,
    tls: Tls,
    /// Longest time to connect, to negotiate TLS, and from a request to the end of its answer.
    limit: Duration,
    patience: Patience,
    /// The connection, if there is one of HTTP/1.1.
    stream: Option<Stream>,
    /// For how long the server keeps it while it rests, if its last answer said so.
    keep_alive_s: Option<u16>,
    /// That of HTTP/2, which siblings share, where there may be one.
    shared: Option<Rc<Shared>>,
    joins_ring: bool,
    search: Search,
    sent_bytes: u64,
    received_bytes: u64,
}

/// Where the TLS sessions of users come from.
#[derive(Debug, Clone)]
pub enum TlsSessions {
    /// Each user resumes those of its own.
    Own,
    /// Each handshake is a full one.
    Never(Tls),
}

impl TlsSessions {
    /// For the users of `site`; an error where the certificates that they trust cannot be read.
    pub fn of(site: &Site, resumption: Resumption) -> Result<Self, Error> {
        Ok(match resumption {
            Resumption::Own => Self::Own,
            Resumption::Never => Self::Never(site.endpoint.tls.apart(resumption)?),
        })
    }
}

impl Client {
    /// A user without connection, which waits no longer than `limit`, or for ever.
    pub fn new(site: &Arc<Site>, sessions: &TlsSessions, limit: Duration) -> Result<Self, Error> {
        let tls = match sessions {
            TlsSessions::Never(tls) => tls.clone(),
            TlsSessions::Own if site.is_tls() => site.endpoint.tls.apart(Resumption::Own)?,
            TlsSessions::Own => site.endpoint.tls.clone(),
        };
        let mut patience = Patience::default();
        patience.limit(Some(limit))?;
        let may_share = site.protocol.may_be_http2(site.is_tls());
        let shared = may_share.then(|| Shared::new(site.protocol == Protocol::Http2));
        Ok(Self {
            site: Arc::clone(site),
            tls,
            limit,
            patience,
            stream: None,
            keep_alive_s: None,
            shared,
            joins_ring: false,
            search: Search::default(),
            sent_bytes: 0,
            received_bytes: 0,
        })
    }

    /// Another connection of the same user: they share their TLS sessions. Over HTTP/2 it is the same connection.
    pub fn sibling(&self) -> Result<Self, Error> {
        let mut patience = Patience::default();
        patience.limit(Some(self.limit))?;
        Ok(Self {
            site: Arc::clone(&self.site),
            tls: self.tls.clone(),
            limit: self.limit,
            patience,
            stream: None,
            keep_alive_s: None,
            shared: self.shared.clone(),
            joins_ring: self.joins_ring,
            search: Search::default(),
            sent_bytes: 0,
            received_bytes: 0,
        })
    }

    /// The head of the last answer, where it was kept.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.search.head
    }

    /// The begin of the last answer's body, where it was kept.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.search.kept
    }

    /// What has looked at the last answer's body, where that was longer than what was kept.
    pub fn take_long_body(&mut self) -> Option<Box<dyn LongBody>> {
        self.search.long.take()
    }

    /// Closes the connection, for its siblings too if they share it.
    pub fn close(&mut self) {
        self.stream = None;
        if let Some(shared) = &self.shared {
            shared.close();
        }
    }

    /// From now on answers must be there whole within `limit`.
    #[inline]
    pub fn answers_within(&mut self, limit: Duration) {
        self.patience.change(limit);
    }

    /// Returns true if there is a connection, as far as anybody knows.
    #[inline]
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.stream.is_some() || self.connection().is_some()
    }

    /// That of HTTP/2, if it takes requests.
    #[inline]
    fn connection(&self) -> Option<Rc<Connection>> {
        self.shared.as_ref()?.connection()
    }

    /// How many siblings may ask at once over one connection; `None` where each has one of its own.
    #[must_use]
    pub fn streams(&self) -> Option<usize> {
        self.shared.as_ref()?.streams()
    }

    /// Waits while a sibling makes the connection that both will have; why it could not make it, where there is none
    /// now. `None` where each makes its own.
    pub async fn turn(&self) -> Result<Option<OwnedSemaphorePermit>, Reason> {
        match &self.shared {
            Some(shared) => shared.turn().await,
            None => Ok(None),
        }
    }

    /// Tells the siblings that wait for their turn why there is no connection.
    pub fn attempt_failed(&self, reason: Reason) {
        if let Some(shared) = &self.shared {
            shared.attempt_failed(reason);
        }
    }

    /// Returns true if its connections are encrypted.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.site.is_tls()
    }

    /// For one of many users on a thread that is a tokio `LocalRuntime`: connections without TLS share their
    /// system calls with the others from now on (docs/adr/0018-http-client.md).
    pub fn join_ring(&mut self) {
        self.joins_ring = !self.is_tls() && self.shared.is_none();
    }

    /// Connects, without TLS.
    pub async fn connect(&mut self) -> Result<(), Error> {
        self.close();
        self.keep_alive_s = None;
        let mut stream = Stream::connect_to(self.site.addresses()?, self.limit).await?;
        if self.joins_ring {
            stream.join_ring()?;
        }
        match &self.shared {
            Some(shared) if !self.site.is_tls() => {
                shared.open(stream, &self.site.authority()).await
            }
            _ => {
                self.stream = Some(stream);
                Ok(())
            }
        }
    }

    /// Negotiates TLS on the new connection; whether an earlier session was resumed.
    pub async fn encrypt(&mut self) -> Result<bool, Error> {
        let Some(mut stream) = self.stream.take() else {
            return Err(Error::Closed);
        };
        let encrypted = stream.encrypt_for(self.site.host(), &self.tls);
        tokio::time::timeout(self.limit, encrypted)
            .await
            .map_err(|_| Error::TimedOut)??;
        let resumed = stream.is_resumed();
        match &self.shared {
            Some(shared) if stream.protocol() == Some(HTTP2.as_bytes()) => {
                shared.open(stream, &self.site.authority()).await?;
            }
            Some(_) if self.site.protocol == Protocol::Http2 => {
                return Err(Error::Protocol(IS_HTTP1));
            }
            shared => {
                if let Some(shared) = shared {
                    shared.is_http1();
                }
                self.stream = Some(stream);
            }
        }
        Ok(resumed)
    }

    /// Waits for a sign of life where that takes no request, so that a server which does not speak HTTP/2 is told
    /// before the first one.
    pub async fn greet(&self) -> Result<(), Error> {
        match self.settle().await {
            // Under TLS it has agreed to it. Many a server of HTTP/1.1 ends the connection without a word; text of
            // HTTP/1.1, taken for a frame, is one of a length that nobody may send.
            Err(Error::Closed | Error::Violation(h2::Reason::FRAME_SIZE_ERROR))
                if !self.is_tls() =>
            {
                Err(Error::Protocol(IS_HTTP1))
            }
            settled => settled,
        }
    }

    /// Waits until both sides know each other's settings, where HTTP/2 has any.
    pub async fn settle(&self) -> Result<(), Error> {
        let Some(connection) = self.connection() else {
            return Ok(());
        };
        let settled = tokio::time::timeout(self.limit, connection.round_trip());
        settled.await.map_err(|_| Error::TimedOut)?
    }

    /// Sends `request` on a connection that has rested for `rested_ns`, and reads the answer, which must be there
    /// whole within the limit. After an error, and after an answer that says so, there is no connection any more.
    #[inline]
    pub fn ask(
        &mut self,
        request: &Request,
        reading: &Reading,
        rested_ns: u64,
    ) -> impl Future<Output = Result<Answer, Broken>> {
        // Whoever waits in thousands should not hold the time as well.
        let may_be_closed = may_be_closed(rested_ns, self.keep_alive_s);
        self.ask_on(request, reading, may_be_closed)
    }

    async fn ask_on(
        &mut self,
        request: &Request,
        reading: &Reading,
        may_be_closed: bool,
    ) -> Result<Answer, Broken> {
        let Some(stream) = &mut self.stream else {
            // Boxed: who speaks HTTP/1.1 should not wait in a future that holds both.
            return Box::pin(self.ask_beside_others(request, reading)).await;
        };
        self.sent_bytes += request.bytes().len() as u64;
        let before = self.received_bytes;
        let (search, received) = (&mut self.search, &mut self.received_bytes);
        // Pinned here, as whoever waits in thousands should hold it once: what is passed on is copied.
        let answered = {
            let asked =
                pin!(async { Ok(exchange(stream, request, reading, search, received).await) });
            self.patience.wait(asked).await
        };
        let error = match answered {
            Ok(Ok(answer)) => {
                self.keep_alive_s = answer.keep_alive_s;
                if !answer.keeps {
                    self.stream = None;
                }
                return Ok(answer);
            }
            Ok(Err(error)) => error,
            Err(error) => error.into(),
        };
        let unseen = self.received_bytes == before && error.is_end() && may_be_closed;
        self.stream = None;
        Err(Broken { error, unseen })
    }

    /// The same over HTTP/2. Only after an error of the connection, and where no answer has come in time, there is
    /// none any more.
    async fn ask_beside_others(
        &mut self,
        request: &Request,
        reading: &Reading,
    ) -> Result<Answer, Broken> {
        let Some((shared, connection)) = self.shared.as_ref().zip(self.connection()) else {
            return Err(Broken::seen(Error::Closed));
        };
        let search = &mut self.search;
        let answered = {
            let asked = pin!(async { Ok(connection.exchange(request, reading, search).await) });
            self.patience.wait(asked).await
        };
        match answered {
            Ok(answered) => {
                if request.closes() {
                    shared.forget(&connection);
                }
                answered
            }
            Err(error) => {
                shared.forget(&connection);
                Err(Broken::seen(error.into()))
            }
        }
    }

    /// Gives memory back that a user needs only while something is under way.
    pub fn park(&mut self) {
        self.search.forget();
        if let Some(stream) = &mut self.stream {
            stream.park();
        }
    }

    /// Bytes sent and received since the last call, without those of TLS.
    #[inline]
    pub fn take_bytes(&mut self) -> (u64, u64) {
        let sent = std::mem::take(&mut self.sent_bytes);
        let received = std::mem::take(&mut self.received_bytes);
        let Some(shared) = &self.shared else {
            return (sent, received);
        };
        let (beside_sent, beside_received) = shared.traffic.take();
        (sent + beside_sent, received + beside_received)
    }

    /// How the server is reached: facts of its kind, and values; nothing without connection.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static Declared, String)> {
        let (mut found, protocol) = match (&self.stream, self.connection()) {
            (Some(stream), _) => (stream.facts().into(), "HTTP/1.1"),
            (None, Some(connection)) => (connection.facts.clone(), "HTTP/2"),
            (None, None) => return Vec::new(),
        };
        found.push((&facts::TARGET_PROTOCOL, protocol.to_owned()));
        if let Some(streams) = self.streams() {
            found.push((&facts::TARGET_STREAMS, streams.to_string()));
        }
        found
    }
}
