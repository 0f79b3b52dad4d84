//! A user of `web`: goes from page to page.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use igen_engine::{Failure, FailureKind, Reason, Recorder, Then, User, think};
use igen_http::Client;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ask::Asked;
use super::cache::{Cache, Need};
use super::cookies::Cookies;
use super::fetch::Lane;
use super::meter::{Meter, RECEIVED_BYTES, SENT_BYTES, Tally};
use super::program::{Page, Position, Program};
use super::render::Values;
use super::scenario::OnFailure;
use super::server::Server;
use super::variables::Variables;
use super::visit::Visit;

/// Why there is no transaction.
const NO_PAGE: &str = "a million steps of the session without a page";

/// A user of `web`.
pub struct WebUser {
    program: Arc<Program>,
    server: Arc<Server>,
    position: Position,
    values: Values,
    cookies: Cookies,
    cache: Cache,
    /// Its connections: the first one for requests that go out one after another, all of them for others.
    lanes: Vec<Lane>,
    /// Memory for bodies that were compressed.
    inflated: Vec<u8>,
    /// Resources that the page under way asks for.
    wanted: Vec<(usize, Need)>,
    /// Since when cookies and resources age.
    epoch: Instant,
    /// What it has asked, also of a page that the end of the load cuts off.
    tally: Rc<Tally>,
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
            inflated: Vec::new(),
            wanted: Vec::new(),
            epoch,
            tally: Rc::default(),
            parks,
            program: Arc::clone(program),
            server: Arc::clone(server),
        }
    }

    /// Goes to the pages of `once`, before the load.
    pub async fn begin(&mut self) -> Result<(), Failure> {
        let program = Arc::clone(&self.program);
        for page in &program.once {
            let tally = Rc::clone(&self.tally);
            let meter = Meter::none(&tally);
            let done = self.page(*page, &meter).await;
            done.map_err(|reason| Failure {
                said: meter.take_said(),
                ..self.failure(*page, reason)
            })?;
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
        for table in &page.tables {
            program.tables[*table].draw(&mut self.values.rows[*table], &mut self.values.random);
        }
        let done = self.visit(&program, page, meter).await;
        self.rest();
        done
    }

    /// The requests of a page, then what it embeds.
    async fn visit(
        &mut self,
        program: &Program,
        page: &Page,
        meter: &Meter<'_>,
    ) -> Result<(), Reason> {
        let now_ns = elapsed_ns(self.epoch);
        if let Some(most_ns) = program.idle_close_ns {
            let own = self.own_connections();
            for lane in &mut self.lanes[..own] {
                lane.wake(most_ns);
            }
        }
        let most = most_at_once(&self.lanes, program);
        let visit = Visit {
            program,
            server: &self.server,
            meter,
            values: RefCell::new(&mut self.values),
            cookies: RefCell::new(&mut self.cookies),
            cache: RefCell::new(&mut self.cache),
            inflated: RefCell::new(&mut self.inflated),
            now_ns,
        };
        if page.width == 1 {
            for request in &page.requests {
                visit
                    .ask(&mut self.lanes[0], Asked::Request(request))
                    .await?;
            }
        } else {
            let lanes = lay(&mut self.lanes, page.width.min(most))?;
            // Boxed, as few pages have any, and each user has the memory for them otherwise.
            Box::pin(visit.requests(lanes, page)).await?;
        }
        visit.want(page, &mut self.wanted);
        if self.wanted.is_empty() {
            return Ok(());
        }
        // By now the user knows which version of HTTP it speaks.
        let most = most_at_once(&self.lanes, program);
        let lanes = lay(&mut self.lanes, self.wanted.len().min(most))?;
        visit
            .resources(lanes, &self.wanted, page.resources_operation)
            .await
    }

    /// Lanes that have a connection of their own: all, or the first one for all.
    fn own_connections(&self) -> usize {
        match self.lanes[0].client.streams() {
            Some(_) => 1,
            None => self.lanes.len(),
        }
    }

    /// Closes the connections that do not stay while the user thinks, and gives memory back.
    fn rest(&mut self) {
        let keep = self.program.keep;
        let own = self.own_connections();
        if self.parks {
            self.lanes.truncate(own);
        }
        for (index, lane) in self.lanes[..own].iter_mut().enumerate() {
            if index >= keep {
                lane.client.close();
            }
            if self.parks {
                lane.park();
            }
        }
        if self.parks {
            self.inflated = Vec::new();
        }
    }

    #[cold]
    fn failure(&self, page: usize, reason: Reason) -> Failure {
        Failure::from(reason).in_step(self.program.pages[page].name.clone())
    }
}

impl User for WebUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let program = Arc::clone(&self.program);
        let Some(page) = program
            .steps
            .next(&mut self.position, &mut self.values.random)
        else {
            return Err(Failure::new(FailureKind::Other, NO_PAGE));
        };
        let tally = Rc::clone(&self.tally);
        let done = self
            .page(
                page,
                &Meter::new(recorder, &tally, program.operations.len()),
            )
            .await;
        recorder.is_operation(page, recorder.began_ns());
        for lane in &mut self.lanes {
            let (sent, received) = lane.client.take_bytes();
            recorder.count(SENT_BYTES, sent);
            recorder.count(RECEIVED_BYTES, received);
        }
        if let Some(time) = program.pages[page].think {
            recorder.think(think::draw_ns(time, &mut self.values.random));
        }
        done.map_err(|reason| {
            self.failure(page, reason).then(match program.on_failure {
                OnFailure::Restart => Then::Anew,
                OnFailure::StopTheUser => Then::End,
                OnFailure::NextPage => Then::GoOn,
            })
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

/// How many requests may be under way at once.
fn most_at_once(lanes: &[Lane], program: &Program) -> usize {
    let connections = usize::from(program.browser.connections);
    lanes[0].client.streams().unwrap_or(connections)
}

/// So many connections of a user, of which those are made that it has not had yet.
fn lay(lanes: &mut Vec<Lane>, count: usize) -> Result<&mut [Lane], Reason> {
    while lanes.len() < count {
        lanes.push(lanes[0].sibling()?);
    }
    Ok(&mut lanes[..count])
}

fn elapsed_ns(epoch: Instant) -> u64 {
    u64::try_from(epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
