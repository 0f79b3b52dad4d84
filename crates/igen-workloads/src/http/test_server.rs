//! A server of HTTP/2 for tests, which refuses requests on connections that go on, or ends one at a request.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;
use h2::Reason;
use h2::server::Builder;
use http::Response;
use tokio::net::{TcpListener, TcpStream};

/// So many requests at once, so that a client can tell whether it knows the server's settings.
pub const MOST_STREAMS: u32 = 7;

/// What has come, and how many of the next requests are to be refused.
#[derive(Default)]
pub struct Server {
    pub connections: Cell<usize>,
    pub requests: Cell<usize>,
    pub refuses: Cell<usize>,
    /// Whether the next request is the end of its connection.
    pub leaves: Cell<bool>,
}

impl Server {
    /// It, and its address as a target.
    pub async fn start() -> (Rc<Self>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = format!("http://{}", listener.local_addr().unwrap());
        let server = Rc::<Self>::default();
        let own = Rc::clone(&server);
        tokio::task::spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                own.connections.update(|connections| connections + 1);
                tokio::task::spawn_local(Rc::clone(&own).serve(stream));
            }
        });
        (server, target)
    }

    async fn serve(self: Rc<Self>, stream: TcpStream) {
        let mut builder = Builder::new();
        builder.max_concurrent_streams(MOST_STREAMS);
        let mut connection = builder.handshake::<_, Bytes>(stream).await.unwrap();
        while let Some(Ok((_, mut answer))) = connection.accept().await {
            self.requests.update(|requests| requests + 1);
            if self.leaves.take() {
                return;
            }
            if let Some(left) = self.refuses.get().checked_sub(1) {
                self.refuses.set(left);
                answer.send_reset(Reason::REFUSED_STREAM);
            } else {
                answer.send_response(Response::new(()), true).unwrap();
            }
        }
    }
}
