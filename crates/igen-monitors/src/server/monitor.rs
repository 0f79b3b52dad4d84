//! A monitor of a server, as the engine sees it: it asks its thread for a reading and goes on.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use igen_engine::Monitor;
use igen_job::Seconds;
use igen_job::event::Reading;
use igen_sql::database::Database;
use igen_sql::settings::Settings;
use tokio::sync::mpsc;

use super::follow::{Follower, LIMIT_S};
use super::source::Source;
use crate::context::{Context, Monitors};
use crate::outlet::Outlet;

/// Longest wait at the end of the job for a reading that is still under way.
const END_LIMIT: Duration = Duration::from_millis(500);

/// A monitor of one server.
struct ServerMonitor {
    name: &'static str,
    /// Each message asks for a reading; closed when the job is over.
    orders: Option<mpsc::UnboundedSender<()>>,
    /// Closed by the thread when it ends.
    ended: Receiver<()>,
    outlet: Arc<Outlet>,
}

/// A monitor for each server of the job that `S` can read; a database that is named twice has one.
pub(crate) fn open<S: Source>(context: &Context) -> io::Result<Monitors> {
    let settings = Settings {
        statement_timeout_s: Some(Seconds(LIMIT_S)),
        connect_timeout_s: Some(Seconds(LIMIT_S)),
        ..Settings::default()
    };
    let mut places = Vec::new();
    let mut monitors: Monitors = Vec::new();
    for target in &context.targets {
        if target
            .split_once(':')
            .is_none_or(|(scheme, _)| scheme != S::NAME)
        {
            continue;
        }
        // The workload has checked its targets and says what is wrong with them.
        let Ok(database) = Database::of(target, "targets", &settings, context.credentials) else {
            continue;
        };
        let Some(place) = database.place().filter(|place| !places.contains(place)) else {
            continue;
        };
        places.push(place.clone());
        monitors.push(Box::new(start::<S>(database, place, context)?));
    }
    Ok(monitors)
}

fn start<S: Source>(
    database: Database,
    place: String,
    context: &Context,
) -> io::Result<ServerMonitor> {
    let (orders, received) = mpsc::unbounded_channel();
    let (end, ended) = channel();
    let outlet = Arc::new(Outlet::new(context.emit.clone()));
    let follower = Follower::<S>::new(
        database,
        place,
        context.clock.clone(),
        context.of_interest.clone(),
        Arc::clone(&outlet),
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    thread::Builder::new()
        .name(S::NAME.to_owned())
        .spawn(move || {
            runtime.block_on(follower.follow(received));
            drop(end);
        })?;
    Ok(ServerMonitor {
        name: S::NAME,
        orders: Some(orders),
        ended,
        outlet,
    })
}

impl Monitor for ServerMonitor {
    fn name(&self) -> &'static str {
        self.name
    }

    /// The reading comes from the monitor's own thread, with the time when the server answered.
    fn read(&mut self, _readings: &mut Vec<Reading>) -> io::Result<()> {
        let asked = self.orders.as_ref().map(|orders| orders.send(()));
        match asked {
            Some(Ok(())) => Ok(()),
            _ => Err(io::Error::other("the thread of the monitor has ended")),
        }
    }
}

impl Drop for ServerMonitor {
    fn drop(&mut self) {
        self.orders = None;
        // Closed is what is waited for, and too late is too late.
        let _ = self.ended.recv_timeout(END_LIMIT);
        self.outlet.close();
    }
}
