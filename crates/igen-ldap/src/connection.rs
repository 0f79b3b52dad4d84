//! A connection: requests, and the responses to them.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use igen_engine::{Failure, Then};
use igen_net::{Bounds, Stream};

use crate::ber;
use crate::error::Error;
use crate::request::{self, SearchRequest};
use crate::response::{Body, Entry, Outcome, Response, UNSOLICITED};
use crate::sent::{RequestKind, Sent, Tally};

/// No message of a server is longer, or the server is hostile.
const MOST_MESSAGE_BYTES: usize = 16 << 20;
/// Then numbers begin anew.
const LAST_ID: u32 = i32::MAX.cast_unsigned();

const MALFORMED: Error = Error::Protocol("malformed answer");
const NOT_ASKED: Error = Error::Protocol("an answer without a request");
const TOO_MANY: Error = Error::Protocol("more entries than requested");

/// A connection.
pub struct Connection {
    pub(super) stream: Stream,
    /// Bytes of the message that was read last, with its header.
    current: usize,
    /// Number of the last request.
    pub(super) id: u32,
    /// It cannot go on.
    broken: bool,
    /// A search goes on where a part of it is elsewhere: that part is left out.
    leaves_referrals: bool,
    tally: Tally,
}

/// Result of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// Entries.
    pub entries: u64,
    /// Other servers that were named for a part of what was looked for, and that nobody asks.
    pub referrals: u64,
    /// Bytes that came for it.
    pub bytes: u64,
}

impl Connection {
    pub(super) fn new(stream: Stream, sent: Arc<Sent>, leaves_referrals: bool) -> Self {
        Self {
            stream,
            current: 0,
            id: 0,
            broken: false,
            leaves_referrals,
            tally: Tally::new(sent),
        }
    }

    /// For one of many connections on a thread that is a tokio `LocalRuntime`: shares its system
    /// calls with the others from now on. Goes on alone under TLS, and where the system has no
    /// `io_uring`.
    pub fn join_ring(&mut self) -> Result<(), Failure> {
        let joined = self.stream.join_ring();
        joined.map_err(|error| Error::from(error).failure())
    }

    /// Says by name and password who asks from now on; returns the bytes of the answer. A name
    /// without password is refused here: servers would take it for nobody's.
    #[inline]
    pub async fn bind(&mut self, dn: &[u8], password: &[u8]) -> Result<u64, Failure> {
        let bound = self.try_bind(dn, password).await;
        bound.map_err(|error| self.fail(&error))
    }

    pub(super) async fn try_bind(&mut self, dn: &[u8], password: &[u8]) -> Result<u64, Error> {
        if password.is_empty() && !dn.is_empty() {
            return Err(Error::Refused {
                text: "no password is set".to_owned(),
                hint: "put the password into LDAP_PASSWORD, or into a file and its path into LDAP_PASSWORD_FILE",
            });
        }
        let id = self.next_id(RequestKind::Bind);
        request::bind(self.stream.output(), id, dn, password);
        self.done(id).await
    }

    /// Asks to be `dn`, as whom the server knows the process at this end of a Unix socket.
    pub(super) async fn bind_external(&mut self, dn: &[u8]) -> Result<u64, Error> {
        let id = self.next_id(RequestKind::Bind);
        request::bind_external(self.stream.output(), id, dn);
        self.done(id).await
    }

    /// Searches, and shows each entry that is found to `look`.
    #[inline]
    pub async fn search<A: AsRef<str>>(
        &mut self,
        search: &SearchRequest<'_, A>,
        look: impl FnMut(Entry<'_>),
    ) -> Result<SearchResult, Failure> {
        let found = self.try_search(search, look).await;
        found.map_err(|error| self.fail(&error))
    }

    #[inline]
    pub(super) async fn try_search<A: AsRef<str>>(
        &mut self,
        search: &SearchRequest<'_, A>,
        mut look: impl FnMut(Entry<'_>),
    ) -> Result<SearchResult, Error> {
        let id = self.next_id(RequestKind::Search);
        request::search(self.stream.output(), id, search);
        self.stream.flush().await?;
        let (most_entries, leaves_referrals) = (search.most_entries(), self.leaves_referrals);
        let (mut found, mut bounds) = (SearchResult::default(), Bounds::default());
        loop {
            let response = self.receive().await?;
            let bytes = response.1;
            let body = answer_to(id, response.0)?;
            found.bytes += bytes;
            match body {
                Body::Entry(entry) => {
                    found.entries += 1;
                    if found.entries > 1
                        && let Some(most) = most_entries
                    {
                        bounds.part(entry.dn.len()).map_err(Error::Protocol)?;
                        if found.entries > most {
                            return Err(TOO_MANY);
                        }
                    }
                    look(entry);
                }
                Body::Reference => {
                    found.referrals += 1;
                    // A tree has few of them, and each of them may come once.
                    bounds.part(0).map_err(Error::Protocol)?;
                }
                Body::Intermediate => bounds.aside().map_err(Error::Protocol)?,
                Body::Done(Outcome { code: 0, .. }) if found.referrals > 0 && !leaves_referrals => {
                    return Err(Error::Referral);
                }
                Body::Done(Outcome { code: 0, .. }) => return Ok(found),
                Body::Done(outcome) => return Err(Error::of(&outcome)),
            }
        }
    }

    /// Replaces the values of an attribute; returns the bytes of the answer.
    #[inline]
    pub async fn modify(
        &mut self,
        dn: &[u8],
        attribute: &str,
        values: &[&[u8]],
    ) -> Result<u64, Failure> {
        let modified = self.try_modify(dn, attribute, values).await;
        modified.map_err(|error| self.fail(&error))
    }

    #[inline]
    pub(super) async fn try_modify(
        &mut self,
        dn: &[u8],
        attribute: &str,
        values: &[&[u8]],
    ) -> Result<u64, Error> {
        let id = self.next_id(RequestKind::Modify);
        request::modify(self.stream.output(), id, dn, attribute, values);
        self.done(id).await
    }

    /// Asks for TLS; the caller then encrypts the stream.
    pub(super) async fn start_tls(&mut self) -> Result<(), Error> {
        let id = self.next_id(RequestKind::Extended);
        request::start_tls(self.stream.output(), id);
        self.done(id).await?;
        self.consume();
        if self.stream.input().is_empty() {
            Ok(())
        } else {
            // From somebody in between.
            Err(MALFORMED)
        }
    }

    /// Returns true if it cannot go on.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    fn fail(&mut self, error: &Error) -> Failure {
        let failure = error.failure();
        self.broken |= failure.then == Then::Anew;
        failure
    }

    /// Everything sent so far, also by connections to this directory that are gone.
    pub(super) fn sent(&self) -> [u64; RequestKind::COUNT] {
        self.tally.total()
    }

    /// Number of a new request.
    #[inline]
    pub(super) fn next_id(&mut self, kind: RequestKind) -> u32 {
        self.id = if self.id == LAST_ID { 1 } else { self.id + 1 };
        self.tally.count(kind);
        self.id
    }

    /// Sends the request of that number and reads its outcome; returns the bytes of the answer.
    #[inline]
    async fn done(&mut self, id: u32) -> Result<u64, Error> {
        self.stream.flush().await?;
        let mut bounds = Bounds::default();
        loop {
            let (response, bytes) = self.receive().await?;
            match answer_to(id, response)? {
                Body::Intermediate => bounds.aside().map_err(Error::Protocol)?,
                Body::Done(Outcome { code: 0, .. }) => return Ok(bytes),
                Body::Done(outcome) => return Err(Error::of(&outcome)),
                Body::Entry(_) | Body::Reference => return Err(NOT_ASKED),
            }
        }
    }

    /// The next message and its bytes.
    #[inline]
    pub(super) async fn receive(&mut self) -> Result<(Response<'_>, u64), Error> {
        self.consume();
        let (header, length) = loop {
            let input = self.stream.input();
            if let Some((header, length)) = ber::header(input).ok_or(MALFORMED)? {
                if input[0] != ber::SEQUENCE || length > MOST_MESSAGE_BYTES {
                    return Err(MALFORMED);
                }
                if input.len() >= header + length {
                    break (header, length);
                }
            }
            self.stream.fill().await?;
        };
        self.current = header + length;
        let content = self.stream.input().get(header..header + length);
        let response = content.and_then(Response::of).ok_or(MALFORMED)?;
        match response {
            Response {
                id: UNSOLICITED,
                body: Body::Done(outcome),
            } => Err(Error::Disconnected { code: outcome.code }),
            response => Ok((response, (header + length) as u64)),
        }
    }

    /// Takes the message that was read last off the input.
    #[inline]
    fn consume(&mut self) {
        self.stream.consume(std::mem::take(&mut self.current));
    }
}

#[inline]
fn answer_to(id: u32, response: Response<'_>) -> Result<Body<'_>, Error> {
    if response.id == id {
        Ok(response.body)
    } else {
        Err(NOT_ASKED)
    }
}

impl Drop for Connection {
    /// Says goodbye, as servers like it, in the middle of nothing else.
    fn drop(&mut self) {
        if !self.broken && self.stream.output().is_empty() {
            let id = self.next_id(RequestKind::Unbind);
            request::unbind(self.stream.output(), id);
            self.stream.last_words();
        }
    }
}

/// The error of a connection that takes too long.
pub(super) fn timed_out() -> Error {
    Error::Connection(io::Error::from(ErrorKind::TimedOut))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::time::Duration;

    use igen_engine::FailureKind;
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::ber::{OCTET_STRING, SEQUENCE, push, push_bytes, push_number};
    use crate::{Directory, Filter, Scope, Timeouts};

    const LIMIT: Duration = Duration::from_secs(5);
    const SUCCESS: &[u8] = b"\x0a\x01\x00\x04\x00\x04\x00";
    const SEARCH: SearchRequest<'_> = SearchRequest {
        base: b"dc=lab",
        scope: Scope::Subtree,
        filter: Filter::Equality("uid", b"user.1"),
        attributes: &[],
        size_limit: 0,
    };

    /// Says `said` to a client that connects and searches twice; returns what became of that.
    async fn talk(said: &[u8]) -> [Result<SearchResult, Failure>; 2] {
        talk_to(said, false).await
    }

    /// The same to one that leaves out what other servers hold, or not.
    async fn talk_to(said: &[u8], leaves_referrals: bool) -> [Result<SearchResult, Failure>; 2] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let speak = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            // The client may have left.
            let _ = stream.write_all(said).await;
            let _ = stream.shutdown().await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        };
        let listen = async {
            let target = format!("ldap://127.0.0.1:{port}/dc=lab");
            let directory =
                Directory::of(&target, "", Timeouts::default(), igen_job::Credentials::Own)
                    .unwrap();
            let directory = directory.leaving_referrals(leaves_referrals);
            let mut connection = directory.connect().await.unwrap();
            let look = |entry: Entry<'_>| drop(entry.texts("cn"));
            let first = connection.search(&SEARCH, look).await;
            [first, connection.search(&SEARCH, look).await]
        };
        tokio::join!(speak, listen).1
    }

    fn message(said: &mut Vec<u8>, id: u32, tag: u8, body: &[u8]) {
        push(said, SEQUENCE, |said| {
            push_number(said, ber::INTEGER, id);
            push_bytes(said, tag, body);
        });
    }

    async fn after(messages: &[(u32, u8, &[u8])]) -> [Result<SearchResult, Failure>; 2] {
        let mut said = Vec::new();
        for (id, tag, body) in messages {
            message(&mut said, *id, *tag, body);
        }
        talk(&said).await
    }

    const ENTRY: (u32, u8, &[u8]) = (1, 0x64, b"\x04\x06dc=lab\x30\x00");
    const DONE: (u32, u8, &[u8]) = (1, 0x65, SUCCESS);

    #[tokio::test]
    async fn entries_are_counted_up_to_the_end_of_the_search() {
        let [first, second] = after(&[ENTRY, ENTRY, DONE]).await;
        assert_eq!(first.unwrap().entries, 2);
        assert_eq!(
            second,
            Err(Failure::anew(FailureKind::Lost, "connection lost"))
        );
    }

    #[tokio::test]
    async fn referrals_are_refused_in_all_their_forms() {
        let reference = (1, 0x73, &b"\x04\x09ldap://b/"[..]);
        let code = (1, 0x65, &b"\x0a\x01\x0a\x04\x00\x04\x00"[..]);
        for messages in [&[reference, DONE][..], &[code]] {
            let [first, _] = after(messages).await;
            let failure = first.unwrap_err();
            assert!(
                failure.reason.text.contains("referral") && failure.then == Then::GoOn,
                "{failure:?}"
            );
        }
    }

    #[tokio::test]
    async fn what_other_servers_hold_is_left_out_and_counted() {
        let mut said = Vec::new();
        let reference = (1, 0x73, &b"\x04\x09ldap://b/"[..]);
        for (id, tag, body) in [ENTRY, reference, reference, DONE] {
            message(&mut said, id, tag, body);
        }
        let [found, _] = talk_to(&said, true).await;
        let found = found.unwrap();
        assert_eq!((found.entries, found.referrals), (1, 2));
        // That it holds nothing itself is another thing.
        said.clear();
        message(&mut said, 1, 0x65, b"\x0a\x01\x0a\x04\x00\x04\x00");
        assert!(talk_to(&said, true).await[0].is_err());
    }

    #[tokio::test]
    async fn who_answers_what_nobody_asked_is_left() {
        use FailureKind::{Lost, Protocol};
        for (said, kind, text) in [
            ((2, 0x65, SUCCESS), Protocol, "an answer without a request"),
            (
                (0, 0x78, &b"\x0a\x01\x34\x04\x00\x04\x00"[..]),
                Lost,
                "disconnected by the server: unavailable (52)",
            ),
            ((1, 0x42, b""), Protocol, "malformed answer"),
            ((1, 0x65, b"\x0a\x01"), Protocol, "malformed answer"),
        ] {
            let [first, _] = after(&[said]).await;
            assert_eq!(first, Err(Failure::anew(kind, text)));
        }
    }

    #[tokio::test]
    async fn a_length_without_bounds_takes_no_memory() {
        let [first, _] = talk(b"\x30\x84\x7f\xff\xff\xff\x02\x01\x01").await;
        assert_eq!(
            first,
            Err(Failure::anew(FailureKind::Protocol, "malformed answer"))
        );
    }

    /// Types of messages that servers send, mostly.
    fn tag() -> impl Strategy<Value = u8> {
        prop_oneof![
            9 => prop::sample::select(vec![0x61, 0x64, 0x65, 0x67, 0x73, 0x78, 0x79, OCTET_STRING]),
            1 => any::<u8>(),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn whatever_a_server_says_it_is_an_error_at_worst(
            messages in prop::collection::vec((0_u32..3, tag(), any::<Vec<u8>>()), 0..12),
            rest: Vec<u8>,
        ) {
            let mut said = Vec::new();
            for (id, tag, body) in messages {
                message(&mut said, id, tag, &body);
            }
            said.extend(rest);
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let _ = runtime.block_on(async {
                tokio::time::timeout(2 * LIMIT, talk(&said)).await.expect("no hang")
            });
        }
    }
}
