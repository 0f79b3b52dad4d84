//! One user of a web server: a connection at a time, kept as long as the server keeps it.

use std::sync::Arc;
use std::time::Duration;

use igen_net::{Patience, Resumption, Stream, Tls};

use crate::error::Error;
use crate::exchange::{Answer, exchange};
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
    /// The connection, if there is one.
    stream: Option<Stream>,
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
        Ok(Self {
            site: Arc::clone(site),
            tls,
            limit,
            patience,
            stream: None,
            joins_ring: false,
            search: Search::default(),
            sent_bytes: 0,
            received_bytes: 0,
        })
    }

    /// Another connection of the same user: they share their TLS sessions.
    pub fn sibling(&self) -> Result<Self, Error> {
        let mut patience = Patience::default();
        patience.limit(Some(self.limit))?;
        Ok(Self {
            site: Arc::clone(&self.site),
            tls: self.tls.clone(),
            limit: self.limit,
            patience,
            stream: None,
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

    /// Closes the connection.
    pub fn close(&mut self) {
        self.stream = None;
    }

    /// From now on answers must be there whole within `limit`.
    #[inline]
    pub fn answers_within(&mut self, limit: Duration) {
        self.patience.change(limit);
    }

    /// Whether there is a connection, as far as anybody knows.
    #[inline]
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.stream.is_some()
    }

    /// Whether its connections are encrypted.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.site.is_tls()
    }

    /// For one of many users on a thread that is a tokio `LocalRuntime`: connections without TLS share their
    /// system calls with the others from now on (docs/adr/0018-http-client.md).
    pub fn join_ring(&mut self) {
        self.joins_ring = !self.is_tls();
    }

    /// Connects, without TLS.
    pub async fn connect(&mut self) -> Result<(), Error> {
        self.stream = None;
        let mut stream = Stream::connect_to(self.site.addresses()?, self.limit).await?;
        if self.joins_ring {
            stream.join_ring()?;
        }
        self.stream = Some(stream);
        Ok(())
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
        self.stream = Some(stream);
        Ok(resumed)
    }

    /// Sends `request` and reads the answer, which must be there whole within the limit. After an error, and after
    /// an answer that says so, there is no connection any more.
    #[inline]
    pub async fn ask(&mut self, request: &Request, reading: &Reading) -> Result<Answer, Broken> {
        let Some(stream) = &mut self.stream else {
            return Err(Broken {
                error: Error::Closed,
                unanswered: false,
            });
        };
        self.sent_bytes += request.bytes().len() as u64;
        let before = self.received_bytes;
        let (search, received) = (&mut self.search, &mut self.received_bytes);
        let answered = self
            .patience
            .wait(async { Ok(exchange(stream, request, reading, search, received).await) })
            .await;
        let error = match answered {
            Ok(Ok(answer)) => {
                if !answer.keeps {
                    self.stream = None;
                }
                return Ok(answer);
            }
            Ok(Err(error)) => error,
            Err(error) => error.into(),
        };
        let unanswered = self.received_bytes == before && error.is_end();
        self.stream = None;
        Err(Broken { error, unanswered })
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
        (sent, std::mem::take(&mut self.received_bytes))
    }

    /// How the server is reached: names and values; nothing without connection.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        self.stream
            .as_ref()
            .map_or_else(Vec::new, |stream| stream.facts().into())
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub struct Broken {
    /// What went wrong.
    pub error: Error,
    /// The connection was closed before a byte of the answer: where it had been kept, perhaps before the server has
    /// seen the request.
    pub unanswered: bool,
}
