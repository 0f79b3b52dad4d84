//! A whole shop in threads of the test, and a client that keeps cookies.
#![allow(dead_code)] // each test uses some of it

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{COOKIE, HeaderMap, SET_COOKIE};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use igen_shop::tls::{self, ServerConfig};
use igen_shop::{Limits, Listen, app, data, web};
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// Longer than any answer takes.
const GUARD: Duration = Duration::from_mins(1);

/// A server in a thread; it ends when this is dropped.
pub struct Server {
    pub address: String,
    stop: Option<UnboundedSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one and waits until it listens.
    pub fn start(
        serve: impl FnOnce(Box<dyn FnOnce(&str)>, igen_shop::Stop) -> Result<(), igen_job::JobError>
        + Send
        + 'static,
    ) -> Self {
        let (stop, stopped) = unbounded_channel();
        let (tell, told) = channel();
        let thread = std::thread::spawn(move || {
            let ready = Box::new(move |address: &str| tell.send(address.to_owned()).unwrap());
            serve(ready, stopped).unwrap();
        });
        Self {
            address: told.recv_timeout(GUARD).unwrap(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// What a shop of a test is to be.
#[derive(Clone)]
pub struct Wish {
    pub seed: u64,
    pub nodes: usize,
    pub cache: bool,
    pub limits: Limits,
    pub tls: Option<Arc<ServerConfig>>,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            seed: 1,
            nodes: 1,
            cache: true,
            limits: Limits::default(),
            tls: None,
        }
    }
}

/// A shop.
pub struct Shop {
    pub web: Server,
    pub apps: Vec<Option<Server>>,
    pub data: Option<Server>,
    wish: Wish,
    folder: TempDir,
}

impl Shop {
    pub fn start(wish: Wish) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = Self::data(&wish, folder.path());
        let apps = (0..wish.nodes)
            .map(|node| Some(Self::app(&wish, folder.path(), node)))
            .collect();
        let options = web::Options {
            listen: vec!["127.0.0.1:0".parse().unwrap()],
            tls: wish.tls.clone(),
            apps: (0..wish.nodes)
                .map(|node| app_socket(folder.path(), node))
                .collect(),
            seed: wish.seed,
            limits: wish.limits,
        };
        let web = Server::start(move |ready, stop| web::serve(options, ready, stop));
        Self {
            web,
            apps,
            data: Some(data),
            wish,
            folder,
        }
    }

    /// One with TLS, and the files in `folder` of its certificate and its key; None without openssl.
    pub fn start_over_tls(folder: &Path) -> Option<(Self, String, String)> {
        let path = folder.join("localhost").display().to_string();
        if !igen_net::testing::certificate(&path, 0o600) {
            return None;
        }
        let (certificate, key) = (format!("{path}.pem"), format!("{path}.key"));
        let config = tls::config(certificate.as_ref(), key.as_ref(), tls::BOTH).unwrap();
        let shop = Self::start(Wish {
            tls: Some(config),
            ..Wish::default()
        });
        Some((shop, certificate, key))
    }

    fn data(wish: &Wish, folder: &Path) -> Server {
        let options = data::Options {
            listen: vec![Listen::Unix(folder.join("data"))],
            seed: wish.seed,
            limits: wish.limits,
        };
        Server::start(move |ready, stop| data::serve(&options, ready, stop))
    }

    fn app(wish: &Wish, folder: &Path, node: usize) -> Server {
        let options = app::Options {
            listen: vec![Listen::Unix(app_socket(folder, node))],
            data: folder.join("data"),
            cache: wish.cache,
            work: Duration::ZERO,
            seed: wish.seed,
            limits: wish.limits,
        };
        Server::start(move |ready, stop| app::serve(&options, ready, stop))
    }

    /// Ends an application.
    pub fn end_app(&mut self, node: usize) {
        self.apps[node] = None;
    }

    /// Starts it again.
    pub fn start_app(&mut self, node: usize) {
        self.apps[node] = Some(Self::app(&self.wish, self.folder.path(), node));
    }

    /// Ends the data tier.
    pub fn end_data(&mut self) {
        self.data = None;
    }

    /// What the web tier says below `/-/`.
    pub fn about(&self, what: &str) -> Value {
        let answer = Client::new(&self.web.address).get(&format!("/-/{what}"));
        serde_json::from_slice(&answer.body).unwrap()
    }
}

fn app_socket(folder: &Path, node: usize) -> PathBuf {
    folder.join(format!("app-{node}"))
}

/// An answer.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    /// A header; empty where it is not there.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// The value of the hidden field.
    pub fn token(&self) -> String {
        let text = self.text();
        let (_, rest) = text.split_once("name=\"csrf_token\" value=\"").unwrap();
        rest.split('"').next().unwrap().to_owned()
    }
}

/// A client with one connection and cookies, which follows no redirect.
pub struct Client {
    runtime: Runtime,
    sender: SendRequest<Full<Bytes>>,
    pub cookies: BTreeMap<String, String>,
}

impl Client {
    pub fn new(address: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let sender = runtime.block_on(async {
            let stream = TcpStream::connect(address).await.unwrap();
            let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
            tokio::spawn(connection);
            sender
        });
        Self {
            runtime,
            sender,
            cookies: BTreeMap::new(),
        }
    }

    /// One who is signed in.
    pub fn signed_in(address: &str) -> Self {
        let mut client = Self::new(address);
        let form = client.get("/login");
        let fields = format!("user=ann&password=shop&csrf_token={}", form.token());
        assert_eq!(client.post("/login", &fields).status, 302);
        client
    }

    pub fn get(&mut self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], "")
    }

    pub fn get_with(&mut self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(Method::GET, path, headers, "")
    }

    pub fn post(&mut self, path: &str, form: &str) -> Answer {
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        self.send(Method::POST, path, &headers, form)
    }

    pub fn send(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "shop");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !self.cookies.is_empty() {
            let pairs: Vec<_> = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            request = request.header(COOKIE, pairs.join("; "));
        }
        let request = request
            .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
            .unwrap();
        let sender = &mut self.sender;
        let (head, body) = self.runtime.block_on(async {
            timeout(GUARD, async {
                sender.ready().await.unwrap();
                let (head, body) = sender.send_request(request).await.unwrap().into_parts();
                (head, body.collect().await.unwrap().to_bytes())
            })
            .await
            .unwrap()
        });
        for line in head.headers.get_all(SET_COOKIE) {
            let mut parts = line.to_str().unwrap().split("; ");
            let (name, value) = parts.next().unwrap().split_once('=').unwrap();
            if parts.any(|part| part == "Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        }
    }
}
