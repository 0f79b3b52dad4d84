//! `web`: virtual users of a web application, who go from page to page as a scenario says.
//!
//! A transaction is one page: its requests one after another, the redirects that they lead to, and what it embeds,
//! up to the last byte of the last one. Requests are operations, and are counted apart: pages are no requests.

#[cfg(test)]
mod answer_tests;
mod ask;
mod body;
mod cache;
mod cookies;
mod excerpt;
mod fetch;
#[cfg(test)]
mod fetch_tests;
mod judge;
mod last_body;
mod meter;
mod page;
mod parallel;
#[cfg(test)]
mod parallel_tests;
mod params;
mod place;
mod program;
mod render;
mod resources;
mod scenario;
mod server;
#[cfg(test)]
mod tests;
mod user;
mod variables;
mod visit;

use std::sync::Arc;
use std::time::Instant;

use igen_engine::{Failure, RunDefaults, Setup, UserContext, Workload};
use igen_http::{Client, SCHEMES};
use igen_job::{Fact, JobError, Placement, Seconds, ThinkTime, TimeDistribution, facts};
use igen_net::CONNECTING;
use serde_json::{Value, json};

use crate::http::{
    Connections, HttpVersion, MORE_FILES, PARK_FROM_S, WebServer, addresses, allow_files,
    check_ports, connection_operations, lacking_files,
};
use params::Params;
use program::Program;
use scenario::{OnFailure, Scenario};
use server::Server;
use user::WebUser;

/// What to do first where users keep too many connections.
const KEEP_FEWER: &str = "let users keep fewer connections while they think (`keep` of [browser])";

/// The workload.
pub struct Web {
    program: Arc<Program>,
    servers: Vec<Arc<Server>>,
    epoch: Instant,
    parks: bool,
    warnings: Vec<JobError>,
}

impl Workload for Web {
    const NAME: &'static str = "web";
    const SUMMARY: &'static str = "web application: users navigate from page to page";
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = "pages";
    const COUNTERS: &'static [&'static str] = meter::COUNTERS;
    const TARGETS: &'static [&'static str] = SCHEMES;
    const PLACEMENT: Placement = Placement::TASKS;

    type Params = Params;
    type User = WebUser;

    /// People who read before they go on, so many that the built-in shop has something to do, in less than a minute.
    fn run_defaults() -> Option<RunDefaults> {
        Some(RunDefaults {
            users: vec![50, 100, 200],
            repeats: 1,
            warmup_s: 2.0,
            measure_s: 12.0,
            think_time: Some(ThinkTime::Drawn(TimeDistribution::Uniform([
                Seconds(5.0),
                Seconds(15.0),
            ]))),
        })
    }

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        let mut scenario = match &params.scenario {
            Some(scenario) => scenario.clone(),
            None => Scenario::shop()
                .map_err(|text| JobError::new(format!("the built-in scenario: {text}")))?,
        };
        if let Some(protocol) = params.protocol {
            scenario.browser.protocol = protocol;
        }
        // Rows of tables are for users of the whole job.
        let in_params = |error: JobError| {
            let path = format!("params.{}", error.path);
            error.about(path)
        };
        let mut program = Program::new(&scenario, setup.users).map_err(in_params)?;
        program.read_secrets(&scenario).map_err(in_params)?;
        let thinks = program.pages.iter().filter_map(|page| page.think);
        let own_think_s = thinks.map(|time| time.mean_s()).fold(0.0, f64::max);
        let warnings = check_connections(&program, &setup)?.into_iter().collect();
        check_failures(&program, &setup)?;
        let servers = setup.targets.iter().enumerate().map(|(index, target)| {
            Server::of(index, target, &params, &setup, &program).map(Arc::new)
        });
        Ok(Self {
            servers: servers.collect::<Result<_, _>>()?,
            program: Arc::new(program),
            epoch: Instant::now(),
            parks: setup.rest_s.max(own_think_s) >= PARK_FROM_S,
            warnings,
        })
    }

    /// Each page and each request, and what a new connection takes: in the page's time, not in the request's.
    fn operations(&self) -> Vec<String> {
        let mut names = self.program.operations.clone();
        names.extend(connection_operations(self.web_servers()));
        names
    }

    async fn verify(&self, after: bool) -> Result<(), JobError> {
        if !after {
            for server in &self.servers {
                server.web.connected(self.program.limit).await?;
            }
        }
        Ok(())
    }

    fn warnings(&self) -> Vec<JobError> {
        self.warnings.clone()
    }

    async fn facts(&self) -> Vec<Fact> {
        let pages: Vec<_> = self
            .program
            .pages
            .iter()
            .map(|page| page.name.as_str())
            .collect();
        let transaction = "one page, from the first byte sent to the last byte of its last answer: its requests in their order with \
                           redirects, then its resources that the user does not have yet";
        let mut found = vec![
            facts::WEB_TRANSACTION.is(transaction),
            facts::WEB_SCENARIO.is(json!({"name": self.program.name, "pages": pages})),
            facts::WEB_ADDRESS.is(addresses(self.web_servers())),
        ];
        // Nodes are alike, or should be: the first one speaks for all.
        if let Ok(client) = self.servers[0].web.connected(self.program.limit).await {
            let of_target = client.facts().into_iter();
            found.extend(of_target.map(|(fact, value)| fact.of(Self::NAME, value)));
        }
        found
    }

    /// What was sent, so that the servers' own logs can be held against it.
    async fn facts_after(&self) -> Vec<Fact> {
        let asked: Value = self.web_servers().map(WebServer::asked).collect();
        vec![facts::WEB_REQUESTS.is(asked)]
    }

    async fn user(&self, context: UserContext) -> Result<WebUser, Failure> {
        let server = &self.servers[context.target];
        let client = Client::new(&server.web.site, &server.web.sessions, self.program.limit);
        let mut client = client.map_err(|error| error.failure())?;
        client.join_ring();
        let who = (context.id, context.seed);
        let mut user = WebUser::new(client, &self.program, server, who, self.epoch, self.parks);
        // A server signs people in one after another, so that a user waits for its turn; boxed, as it comes once.
        let _turn = CONNECTING.acquire().await;
        Box::pin(user.begin()).await?;
        Ok(user)
    }
}

/// Returns true if the load is an open one with as many users as it takes.
fn grows(setup: &Setup) -> bool {
    !setup.stream && setup.rest_s <= 0.0
}

/// Checks that users who stop are missed: a load that grows has another one in the place of each.
fn check_failures(program: &Program, setup: &Setup) -> Result<(), JobError> {
    if program.on_failure != OnFailure::StopTheUser || !grows(setup) {
        return Ok(());
    }
    let text = "an open load without `users` would replace every user that stops";
    Err(JobError::at("params.scenario.session.on_failure", text)
        .hint("set `users` of the load, or use \"restart\" or \"next page\""))
}

/// The shortest mean rest of a user after a page of its session, in s. What a page says takes the place of a closed
/// load's think time; of a paced or open load it shortens the rest at most, since the timetable has the say.
fn least_rest_s(program: &Program, setup: &Setup) -> f64 {
    let rests = program.steps.pages().map(|page| {
        let own_s = program.pages[page].think.map(|time| time.mean_s());
        match own_s {
            Some(own_s) if setup.stream => own_s,
            Some(own_s) => own_s.min(setup.rest_s),
            None => setup.rest_s,
        }
    });
    rests.fold(f64::INFINITY, f64::min)
}

/// Checks that the system allows so many connections: those that stay must all be there at once. Users who close
/// theirs and then rest have few of them at once as long as answers are quick beside the rest; after a shorter rest
/// than `PARK_FROM_S` they are counted as if they stayed. What is told where all would be busy at once is a warning.
fn check_connections(program: &Program, setup: &Setup) -> Result<Option<JobError>, JobError> {
    let grows = grows(setup);
    let least = usize::from(least_rest_s(program, setup) < PARK_FROM_S);
    let most = match program.browser.protocol {
        HttpVersion::Http2 => 1,
        HttpVersion::Http1 | HttpVersion::Auto => program.connections_at_once(),
    };
    let users = u64::from(setup.agent_users);
    let [kept, most] = [program.keep.clamp(least, most), most].map(|each| Connections {
        users,
        of_each: each as u64,
    });
    allow_files(kept, grows).map_err(|error| match program.keep {
        0 => error,
        _ => error.hint(format!("{KEEP_FEWER}, {MORE_FILES}")),
    })?;
    allow_files(most, true)?;
    if grows {
        return Ok(None);
    }
    let nodes = setup.targets.len().max(1) as u64;
    check_ports(kept.all().div_ceil(nodes))?;
    let warning = lacking_files(most).map(|warning| JobError {
        text: format!("if all users are busy at once, {}", warning.text),
        ..warning.hint(format!("lower `connections` of [browser], {MORE_FILES}"))
    });
    Ok(warning)
}

impl Web {
    fn web_servers(&self) -> impl Iterator<Item = &WebServer> {
        self.servers.iter().map(|server| &server.web)
    }
}
