//! `http`: requests to a web server, one a transaction (SLAMD's `GetRate`).
//!
//! A user keeps its connection as long as the server does. A connection that the server has closed in the meantime
//! is made anew, and the request asked once more where that changes nothing (GET, HEAD). What a browser does beyond
//! one request (redirects, cookies, what a page embeds) is not here.
//!
//! Several targets are nodes: users are dealt to them like cards.

mod limits;
mod params;
mod permission;
mod server;
#[cfg(test)]
pub(crate) mod test_server;
#[cfg(test)]
mod tests;
mod user;
mod web_server;

use std::sync::Arc;

use igen_engine::{Failure, Setup, UserContext, Workload};
use igen_http::{Client, SCHEMES};
use igen_job::{Fact, JobError, Placement, facts};
use igen_net::CONNECTING;
use serde_json::Value;

pub(crate) use limits::{Connections, MORE_FILES, allow_files, check_ports, lacking_files};
pub(crate) use params::{HttpVersion, TlsResumption};
pub(crate) use web_server::{WebServer, addresses, connection_operations};

use params::Params;
use server::{Plan, Server};
use user::HttpUser;

/// A user that rests for so long gives the memory of its buffers back, which takes some microseconds.
pub(crate) const PARK_FROM_S: f64 = 0.005;

/// The workload.
pub struct Http {
    plan: Arc<Plan>,
    servers: Vec<Arc<Server>>,
    parks: bool,
}

impl Workload for Http {
    const NAME: &'static str = "http";
    const SUMMARY: &'static str = "web server: one request, with a check of the answer";
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = "requests";
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const TARGETS: &'static [&'static str] = SCHEMES;
    const PLACEMENT: Placement = Placement::TASKS;

    type Params = Params;
    type User = HttpUser;

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        params.check()?;
        // An open load without a number of users has few at first.
        let grows = !setup.stream && setup.rest_s <= 0.0;
        let users = setup.agent_users.into();
        allow_files(Connections { users, of_each: 1 }, grows)?;
        if !grows {
            let nodes = setup.targets.len().max(1) as u64;
            check_ports(users.div_ceil(nodes))?;
        }
        let servers = setup
            .targets
            .iter()
            .enumerate()
            .map(|(index, target)| Server::of(index, target, &params, &setup).map(Arc::new));
        Ok(Self {
            servers: servers.collect::<Result<_, _>>()?,
            plan: Arc::new(Plan::new(params)),
            parks: setup.rest_s >= PARK_FROM_S,
        })
    }

    /// Each path, and what a new connection takes: in the transaction's time, not in the request's.
    fn operations(&self) -> Vec<String> {
        let mut names = self.plan.names.clone();
        names.extend(connection_operations(self.web_servers()));
        names
    }

    async fn verify(&self, after: bool) -> Result<(), JobError> {
        if !after {
            for server in &self.servers {
                server.verify(&self.plan).await?;
            }
        }
        Ok(())
    }

    async fn facts(&self) -> Vec<Fact> {
        let mut found = vec![facts::HTTP_TRANSACTION.is(
            "one request, from the first byte sent to the last byte of the answer, with a new connection if the server \
             closed the last one; redirects are not followed",
        )];
        found.push(facts::HTTP_ADDRESS.is(addresses(self.web_servers())));
        if self.web_servers().any(|server| server.site.is_tls()) {
            let resumed = match self.plan.params.resumption {
                params::TlsResumption::Own => "sessions of the same user",
                params::TlsResumption::Never => "none",
            };
            found.push(facts::HTTP_RESUMED_TLS_SESSIONS.is(resumed));
        }
        // Nodes are alike, or should be: the first one speaks for all.
        if let Ok(client) = self.servers[0].web.connected(self.plan.limit()).await {
            let of_target = client.facts().into_iter();
            found.extend(of_target.map(|(fact, value)| fact.of(Self::NAME, value)));
        }
        found
    }

    /// What was sent, so that the servers' own logs can be held against it.
    async fn facts_after(&self) -> Vec<Fact> {
        let asked: Value = self.web_servers().map(WebServer::asked).collect();
        vec![facts::HTTP_REQUESTS.is(asked)]
    }

    async fn user(&self, context: UserContext) -> Result<HttpUser, Failure> {
        let server = &self.servers[context.target];
        let client = Client::new(&server.web.site, &server.web.sessions, self.plan.limit());
        let mut client = client.map_err(|error| error.failure())?;
        client.join_ring();
        {
            // A server makes connections one after another; those of transactions wait for no turn.
            let _turn = CONNECTING.acquire().await;
            // Boxed, as it is large and comes once: a user waits in its own future from then on.
            Box::pin(open(&mut client)).await?;
            if self.parks {
                client.park();
            }
        }
        let seed = context.seed;
        Ok(HttpUser::new(client, &self.plan, server, seed, self.parks))
    }
}

/// Connects before the load; what both sides say of themselves then is none of it.
async fn open(client: &mut Client) -> Result<(), Failure> {
    client.connect().await.map_err(|error| error.failure())?;
    if client.is_tls() {
        client.encrypt().await.map_err(|error| error.failure())?;
    }
    client.settle().await.map_err(|error| error.failure())?;
    client.take_bytes();
    Ok(())
}

impl Http {
    fn web_servers(&self) -> impl Iterator<Item = &WebServer> {
        self.servers.iter().map(|server| &server.web)
    }
}
