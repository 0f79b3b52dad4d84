//! Who loads the servers under test: the connections to their ports on this machine, by client.
//!
//! Reads: the kernel's list of TCP connections at the start and at the end of MEASURE, and the links in `/proc/PID/fd`,
//! which say whose they are. The subject is `own` for the load processes of the job, else the id and the name of the
//! process (`17 wrk`), `from ADDRESS` for another machine, or `hidden` for a process of another user. The counter
//! `received` is the segments with data that came in at the server since the first look: about one for each request.
//! A connection that is closed before the second look is not counted.
//! Cost: 5 µs for each process of the host and 2 µs for each connection, at both looks. Requirements: `inet_diag`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::net::SocketAddr;

use igen_engine::Monitor;
use igen_job::event::Reading;
use igen_kernel::connections::{Connection, Connections, Port};
use igen_kernel::holders::owners;
use igen_kernel::listeners::is_local;
use igen_kernel::process_walk::with_stat;
use igen_kernel::server::Place;

use crate::context::{Context, Monitors};
use crate::targets;
use crate::values::values;

/// Clients in one reading.
const MOST: usize = 20;

pub(crate) struct Clients {
    connections: Connections,
    ports: BTreeSet<u16>,
    /// The load processes of the job.
    own: Vec<u32>,
    /// What had come in on each connection at the first look, by its cookie.
    before: Option<HashMap<u64, u64>>,
}

/// What came from one client.
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
        })])
    }

    fn look(&mut self) -> io::Result<BTreeMap<String, Came>> {
        let (mut served, mut asking) = (Vec::new(), HashMap::new());
        for port in &self.ports {
            served.extend(self.connections.with_port(Port::Local(*port))?);
            let clients = self.connections.with_port(Port::Remote(*port))?;
            asking.extend(
                clients
                    .into_iter()
                    .map(|end| ((end.local, end.remote), end.inode)),
            );
        }
        let owners = owners(&asking.values().copied().collect::<HashSet<_>>());
        let before = self.before.get_or_insert_with(|| {
            served
                .iter()
                .map(|end| (end.cookie, end.received))
                .collect()
        });
        let mut found: BTreeMap<String, Came> = BTreeMap::new();
        for end in &served {
            let pid = asking
                .get(&(end.remote, end.local))
                .map(|inode| owners.get(inode));
            let client = client_of(end, pid.map(|pid| pid.copied()), &self.own);
            let came = found.entry(client).or_default();
            came.connections += 1;
            came.received += end.received - before.get(&end.cookie).copied().unwrap_or_default();
        }
        Ok(found)
    }
}

/// The client of a connection, of which the server's end is known: its process, if that is on this machine and may be
/// seen.
fn client_of(server: &Connection, here: Option<Option<u32>>, own: &[u32]) -> String {
    match here {
        None => format!("from {}", server.remote.ip()),
        Some(None) => "hidden".to_owned(),
        Some(Some(pid)) if own.contains(&pid) => "own".to_owned(),
        Some(Some(pid)) => {
            let name = with_stat(pid, |stat| stat.name.to_string());
            format!("{pid} {}", name.unwrap_or_default())
        }
    }
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

    fn read(&mut self, _: &mut Vec<Reading>) -> io::Result<()> {
        Ok(())
    }

    fn read_at_edge(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        let mut found: Vec<(String, Came)> = self.look()?.into_iter().collect();
        found.sort_by_key(|(client, came)| (client != "own", std::cmp::Reverse(came.received)));
        found.truncate(MOST);
        readings.extend(found.into_iter().map(|(client, came)| Reading {
            monitor: Self::NAME.to_owned(),
            subject: client,
            counters: values([("received", Some(came.received as f64))]),
            gauges: values([("connections", Some(came.connections.into()))]),
            ..Reading::default()
        }));
        Ok(())
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
            monitors[0].read(&mut readings).unwrap();
            assert!(readings.is_empty(), "it looks at the edges only");
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
        let expected = [("own".to_owned(), (3.0, 1.0)), (name, (7.0, 1.0))];
        assert_eq!(look(), BTreeMap::from(expected));
        process.kill().unwrap();
        process.wait().unwrap();
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
