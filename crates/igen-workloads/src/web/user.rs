//! A user of `web`: goes from page to page.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use igen_engine::{Failure, Recorder, User};
use igen_http::Client;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::cache::{Cache, Need};
use super::cookies::Cookies;
use super::fetch::{Lane, Reason};
use super::meter::{Meter, RECEIVED_BYTES, SENT_BYTES, Tally};
use super::program::{Position, Program};
use super::render::Values;
use super::scenario::Pick;
use super::server::Server;
use super::variables::Variables;
use crate::random::below;

/// A user of `web`.
pub struct WebUser {
    pub(super) program: Arc<Program>,
    pub(super) server: Arc<Server>,
    position: Position,
    pub(super) values: Values,
    pub(super) cookies: Cookies,
    pub(super) cache: Cache,
    /// Its connections: the first one for requests, all of them for resources.
    pub(super) lanes: Vec<Lane>,
    /// Path of the request under way, with that of the target.
    pub(super) path: Vec<u8>,
    /// Body of the request under way.
    pub(super) body: Vec<u8>,
    /// Memory for bodies that were compressed.
    pub(super) inflated: Vec<u8>,
    /// Resources that the page under way asks for.
    pub(super) wanted: Vec<(usize, Need)>,
    /// Since when cookies and resources age.
    epoch: Instant,
    /// The present, as of the begin of the page under way.
    pub(super) now_ns: u64,
    tally: Tally,
    /// It rests between pages, long enough to give memory back.
    parks: bool,
}

impl WebUser {
    /// The user of that number, with this seed, who asks through `client`.
    pub fn new(
        client: Client,
        program: &Arc<Program>,
        server: &Arc<Server>,
        (id, seed): (u32, u64),
        epoch: Instant,
        parks: bool,
    ) -> Self {
        let rows = program
            .tables
            .iter()
            .map(|rows| id as usize % rows.table.rows());
        Self {
            position: program.steps.begin(),
            values: Values {
                id,
                random: Xoshiro256PlusPlus::seed_from_u64(seed),
                variables: Variables::new(program.variables.len()),
                rows: rows.collect(),
            },
            cookies: Cookies::default(),
            cache: Cache::new(program.resources.len()),
            lanes: vec![Lane::new(client)],
            path: Vec::new(),
            body: Vec::new(),
            inflated: Vec::new(),
            wanted: Vec::new(),
            epoch,
            now_ns: 0,
            tally: Tally::default(),
            parks,
            program: Arc::clone(program),
            server: Arc::clone(server),
        }
    }

    /// Goes to the pages of `once`, before the load.
    pub async fn begin(&mut self) -> Result<(), Failure> {
        let program = Arc::clone(&self.program);
        for page in &program.once {
            let tally = std::mem::take(&mut self.tally);
            let done = self.page(*page, &Meter::none(&tally)).await;
            self.tally = tally;
            done.map_err(|reason| self.failure(*page, &reason))?;
        }
        for lane in &mut self.lanes {
            lane.client.take_bytes();
        }
        Ok(())
    }

    /// A page with all that belongs to it.
    async fn page(&mut self, page: usize, meter: &Meter<'_>) -> Result<(), Reason> {
        let program = Arc::clone(&self.program);
        let page = &program.pages[page];
        self.now_ns = u64::try_from(self.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX);
        for table in &page.tables {
            let rows = &program.tables[*table];
            let count = rows.table.rows();
            self.values.rows[*table] = match rows.pick {
                Pick::Unique => self.values.rows[*table],
                Pick::Random => {
                    usize::try_from(below(&mut self.values.random, count as u64)).unwrap_or(0)
                }
                Pick::Next => rows.next.fetch_add(1, Ordering::Relaxed) % count,
            };
        }
        let mut done = Ok(());
        for request in &page.requests {
            done = self.request(request, meter).await;
            if done.is_err() {
                break;
            }
        }
        if done.is_ok() && !page.resources.is_empty() {
            done = self.resources(page, meter).await;
        }
        self.rest();
        done
    }

    /// Closes the connections that do not stay while the user thinks, and gives memory back.
    fn rest(&mut self) {
        let keep = usize::from(self.program.browser.keep);
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            if index >= keep {
                lane.client.close();
            }
            if self.parks {
                lane.client.park();
            }
        }
        if self.parks {
            self.inflated = Vec::new();
        }
    }

    #[cold]
    fn failure(&self, page: usize, reason: &str) -> Failure {
        Failure::new(format!("{}: {reason}", self.program.pages[page].name))
    }
}

impl User for WebUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let program = Arc::clone(&self.program);
        let page = program
            .steps
            .next(&mut self.position, &mut self.values.random);
        let tally = std::mem::take(&mut self.tally);
        let done = self
            .page(
                page,
                &Meter::new(recorder, &tally, program.operations.len()),
            )
            .await;
        self.tally = tally;
        recorder.is_operation(page, recorder.began_ns());
        for lane in &mut self.lanes {
            let (sent, received) = lane.client.take_bytes();
            recorder.count(SENT_BYTES, sent);
            recorder.count(RECEIVED_BYTES, received);
        }
        done.map_err(|reason| {
            let failure = self.failure(page, &reason);
            // A user that is lost is created anew.
            Failure {
                lost: program.restarts,
                ..failure
            }
        })
    }
}

impl Drop for WebUser {
    fn drop(&mut self) {
        self.server
            .web
            .add(self.tally.requests.get(), self.tally.answers.get());
    }
}
