//! Clients of the servers under test: the connections to the servers' ports on this machine, by client.
//!
//! Reads: the kernel's list of TCP connections, and the links in `/proc/PID/fd`, which name the owner of each
//! connection. The subject is `own` for the load processes of the job, else the id and the name of the process
//! (`17 wrk`), `from ADDRESS` for another machine, or `hidden` for a process of another user. The counter `received`
//! counts the segments with data that the server received since the first look: about one for each request.
//! Segments between the last look at a connection and its end are not counted.
//! Cost: 5 µs for each process of the host and 2 µs for each connection. It looks at the start and at the end of
//! MEASURE, and in between only so often that this stays below 0.1 % of one processor. Requirements: `inet_diag`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use igen_engine::Monitor;
use igen_job::event::Reading;
use igen_kernel::connections::{Connection, Connections, Port};
use igen_kernel::holders::owners;
use igen_kernel::listeners::{Inode, is_local};
use igen_kernel::process_walk::with_stat;
use igen_kernel::server::Place;
use rustix::process::geteuid;

use crate::context::{Context, Monitors};
use crate::processes::{REST_PER_SCAN, processor_time};
use crate::targets;
use crate::values::values;

/// Subject of the load processes of the job.
const OWN: &str = "own";
/// Clients in one reading.
const MOST: usize = 20;

pub(crate) struct Clients {
    connections: Connections,
    ports: BTreeSet<u16>,
    /// The load processes of the job.
    own: Vec<u32>,
    /// Segments received on each connection at the last look, by its cookie.
    before: Option<HashMap<u64, u64>>,
    clients: BTreeMap<String, Came>,
    looked: Instant,
    rest: Duration,
}

/// Segments from one client.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Came {
    connections: u32,
    received: u64,
}

impl Clients {
    pub(crate) const NAME: &'static str = "clients";

    /// None if no target is a port of this machine.
    pub(crate) fn open(context: &Context) -> io::Result<Monitors> {
        let places = context
            .targets
            .iter()
            .filter_map(|target| targets::place(target));
        let ports: BTreeSet<u16> = places.filter_map(|place| local_port(&place)).collect();
        if ports.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Box::new(Self {
            connections: Connections::open()?,
            ports,
            own: [context.pids.as_slice(), &[std::process::id()]].concat(),
            before: None,
            clients: BTreeMap::new(),
            looked: Instant::now(),
            rest: Duration::ZERO,
        })])
    }

    fn look(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        let start = processor_time();
        let (mut served, mut asking) = (Vec::new(), HashMap::new());
        for port in &self.ports {
            served.extend(self.connections.with_port(Port::Local(*port))?);
            let clients = self.connections.with_port(Port::Remote(*port))?;
            asking.extend(
                clients
                    .into_iter()
                    .map(|end| ((end.local, end.remote), end)),
            );
        }
        let owners = owners(&asking.values().map(|end| end.inode).collect::<Vec<_>>());
        for came in self.clients.values_mut() {
            came.connections = 0;
        }
        let now = served
            .iter()
            .map(|end| (end.cookie, end.received))
            .collect();
        let before = self.before.replace(now);
        for end in &served {
            let here = asking.get(&(end.remote, end.local));
            let Some(client) = client_of(end, here, &owners, &self.own) else {
                continue;
            };
            let came = self.clients.entry(client).or_default();
            came.connections += 1;
            // What came before the first look is not counted.
            let known = before
                .as_ref()
                .map(|known| known.get(&end.cookie).copied().unwrap_or(0));
            came.received += end.received - known.unwrap_or(end.received);
        }
        self.looked = Instant::now();
        self.rest = processor_time().saturating_sub(start) * REST_PER_SCAN;
        readings.extend(self.readings());
        Ok(())
    }

    /// The load itself, and the clients that sent most.
    fn readings(&self) -> impl Iterator<Item = Reading> {
        let mut clients: Vec<(&String, &Came)> = self.clients.iter().collect();
        clients.sort_by_key(|(client, came)| (*client != OWN, Reverse(came.received)));
        let most = clients.into_iter().take(MOST);
        most.map(|(client, came)| Reading {
            monitor: Self::NAME.to_owned(),
            subject: client.clone(),
            counters: values([("received", Some(came.received as f64))]),
            gauges: values([("connections", Some(came.connections.into()))]),
            ..Reading::default()
        })
    }
}

/// The client of a connection to a server, by its own end if that is on this machine; None if it has closed it since.
fn client_of(
    server: &Connection,
    here: Option<&Connection>,
    owners: &HashMap<Inode, u32>,
    own: &[u32],
) -> Option<String> {
    let Some(end) = here else {
        return (!is_local(server.remote)).then(|| format!("from {}", server.remote.ip()));
    };
    match owners.get(&end.inode) {
        None => is_hidden_user(end.user).then(|| "hidden".to_owned()),
        Some(pid) if own.contains(pid) => Some(OWN.to_owned()),
        Some(pid) => {
            let name = with_stat(*pid, |stat| stat.name.to_string());
            Some(format!("{pid} {}", name.unwrap_or_default()))
        }
    }
}

/// True if the open files of that user's processes may not be read.
fn is_hidden_user(user: u32) -> bool {
    let own = geteuid();
    !own.is_root() && own.as_raw() != user
}

fn local_port(place: &Place) -> Option<u16> {
    let Place::Tcp(addresses) = place else {
        return None;
    };
    let local = addresses.iter().find(|address| is_local(**address));
    local.map(SocketAddr::port)
}

impl Monitor for Clients {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        if self.looked.elapsed() >= self.rest {
            self.look(readings)?;
        }
        Ok(())
    }

    fn read_at_edge(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        self.look(readings)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::OwnedFd;
    use std::process::Command;
    use std::sync::Arc;

    use igen_engine::Clock;

    use super::*;

    #[test]
    fn others_are_told_apart_from_the_load_with_what_they_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connect = || {
            let client = TcpStream::connect(address).unwrap();
            (client, listener.accept().unwrap().0)
        };
        let (own, other) = (connect(), connect());
        let ask = |(client, server): &(TcpStream, TcpStream), times: usize| {
            for _ in 0..times {
                let (mut client, mut server) = (client, server);
                client.write_all(b"ask").unwrap();
                server.read_exact(&mut [0; 3]).unwrap();
            }
        };
        ask(&own, 5);
        ask(&other, 5);
        let (kept, at_server) = other;
        let given = OwnedFd::from(kept.try_clone().unwrap());
        // It has the connection open too, and this process is first asked whether it is its own.
        let mut process = Command::new("sleep")
            .arg("60")
            .stdin(given)
            .spawn()
            .unwrap();
        let targets = [format!("http://{address}/")];
        let context = Context::new(&[], &targets, Arc::new(|_| ()), Clock::start());
        let mut monitors = Clients::open(&context).unwrap();
        let mut look = || -> BTreeMap<String, (f64, f64)> {
            let mut readings = Vec::new();
            monitors[0].read_at_edge(&mut readings).unwrap();
            let each = readings.into_iter().map(|one| {
                (
                    one.subject,
                    (one.counters["received"], one.gauges["connections"]),
                )
            });
            each.collect()
        };
        assert_eq!(look(), BTreeMap::from([("own".to_owned(), (0.0, 2.0))]));
        ask(&own, 3);
        let other = (kept, at_server);
        ask(&other, 7);
        drop(other.0);
        let name = format!("{} sleep", process.id());
        let expected = [("own".to_owned(), (3.0, 1.0)), (name.clone(), (7.0, 1.0))];
        assert_eq!(look(), BTreeMap::from(expected));
        process.kill().unwrap();
        process.wait().unwrap();
        let expected = [("own".to_owned(), (3.0, 1.0)), (name, (7.0, 0.0))];
        assert_eq!(look(), BTreeMap::from(expected), "what it sent stays");
    }

    #[test]
    fn only_ports_of_this_machine_are_watched() {
        let open = |target: &str| {
            let targets = [target.to_owned()];
            let context = Context::new(&[], &targets, Arc::new(|_| ()), Clock::start());
            Clients::open(&context).unwrap().len()
        };
        assert_eq!(open("http://127.0.0.1/"), 1);
        assert_eq!(open("http://192.0.2.1/"), 0);
        assert_eq!(open("sqlite:///tmp/no.db"), 0);
    }
}
