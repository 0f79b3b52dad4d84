//! Whose TLS sessions are resumed by users who do all at once, as the server has it: it knows whom it gave each one.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use igen_net::Resumption;
use igen_net::testing::certificate;
use rustls::SupportedProtocolVersion;
use rustls::server::StoresServerSessions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use tokio::task::{JoinSet, LocalSet};
use tokio_rustls::TlsAcceptor;

use crate::tls_tests::{LIMIT, config};
use crate::{Client, Protocol, Reading, Request, Site, TlsSessions};

const USERS: usize = 6;
const VISITS: usize = 3;

/// What a server knows of its sessions.
#[derive(Debug, Default)]
struct Given {
    /// By its key: the connection over which a session was given, and the session.
    sessions: BTreeMap<Vec<u8>, (usize, Vec<u8>)>,
    /// The connections over which sessions were given, and those over which they were resumed.
    resumed: Vec<(usize, usize)>,
    /// The user who has spoken over a connection.
    users: BTreeMap<usize, String>,
}

/// The sessions of a server, for one connection.
#[derive(Debug)]
struct Store {
    connection: usize,
    given: Arc<Mutex<Given>>,
}

impl StoresServerSessions for Store {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        let mut given = self.given.lock().unwrap();
        given.sessions.insert(key, (self.connection, value));
        true
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let mut given = self.given.lock().unwrap();
        let (giver, value) = given.sessions.get(key)?.clone();
        given.resumed.push((giver, self.connection));
        Some(value)
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.get(key)
    }

    fn can_cache(&self) -> bool {
        true
    }
}

/// Answers one request of a user, who says in its path who it is.
async fn answer(stream: TcpStream, acceptor: TlsAcceptor, store: Arc<Store>) {
    let mut stream = acceptor.accept(stream).await.unwrap();
    let mut asked = [0; 1024];
    let bytes = stream.read(&mut asked).await.unwrap();
    let asked = String::from_utf8_lossy(&asked[..bytes]);
    let user = asked.split(' ').nth(1).unwrap().to_owned();
    {
        let mut given = store.given.lock().unwrap();
        given.users.insert(store.connection, user);
    }
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(answer).await.unwrap();
    // The client may have left.
    let _ = stream.shutdown().await;
}

/// Serves so many connections at once.
async fn serve(
    listener: TcpListener,
    path: &str,
    version: &'static SupportedProtocolVersion,
    given: &Arc<Mutex<Given>>,
) {
    let mut answers = JoinSet::new();
    for connection in 0..USERS * VISITS {
        let given = Arc::clone(given);
        let store = Arc::new(Store { connection, given });
        let mut config = config(path, version);
        config.session_storage = Arc::<Store>::clone(&store);
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let (stream, _) = listener.accept().await.unwrap();
        answers.spawn(answer(stream, acceptor, store));
    }
    answers.join_all().await;
}

/// Visits of a user, each at the same time as one of all others; whether each resumed a session.
async fn visits(number: usize, mut client: Client, all: Rc<Barrier>) -> Vec<bool> {
    let request = Request::new("GET", "localhost", &format!("/{number}"), &[], b"").unwrap();
    let mut resumed = Vec::new();
    for _ in 0..VISITS {
        all.wait().await;
        client.connect().await.unwrap();
        all.wait().await;
        resumed.push(client.encrypt().await.unwrap());
        all.wait().await;
        let reading = Reading::new(None, 100);
        client.ask(&request, &reading, 0).await.unwrap();
    }
    resumed
}

#[tokio::test]
async fn of_users_who_connect_at_once_nobody_resumes_anybody_else_s_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    let path = path.to_str().unwrap();
    assert!(certificate(path, 0o600), "openssl is needed");
    for version in [&rustls::version::TLS13, &rustls::version::TLS12] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let target = format!("https://localhost:{port}?sslrootcert={path}.pem");
        let given = Arc::default();
        let visiting = async {
            let site = Arc::new(
                Site::of(&target, "", Protocol::Http1, igen_job::Credentials::Own).unwrap(),
            );
            let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
            let all = Rc::new(Barrier::new(USERS));
            let mut users = JoinSet::new();
            for number in 0..USERS {
                let client = Client::new(&site, &sessions, LIMIT).unwrap();
                users.spawn_local(visits(number, client, Rc::clone(&all)));
            }
            users.join_all().await
        };
        let users = LocalSet::new();
        let both = async { tokio::join!(serve(listener, path, version, &given), visiting).1 };
        let resumed = users.run_until(both).await;
        assert_eq!(resumed, vec![vec![false, true, true]; USERS], "{version:?}");
        let given = given.lock().unwrap();
        assert_eq!(given.resumed.len(), USERS * (VISITS - 1));
        for (giver, taker) in &given.resumed {
            assert_eq!(given.users[giver], given.users[taker], "{version:?}");
        }
    }
}
