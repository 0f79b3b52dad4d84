//! The server that listens at an address of this machine, and its processes.
//!
//! A server is each process that has the listening socket open, with all processes below it: nginx's master gives
//! the socket to its workers, PostgreSQL's first process starts one for each connection. If the agent itself is below
//! a holder, such as a service manager that opened the socket, that holder counts alone.

use std::collections::HashSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;

use crate::holders::Holders;
use crate::listeners::{at_path, at_port, is_local};
use crate::process_walk::{Ticks, walk, with_stat};

/// The address or path on which a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At one of these addresses: those of a name, in the order in which a client tries them.
    Tcp(Vec<SocketAddr>),
    /// At a socket of the file system.
    Unix(PathBuf),
}

impl fmt::Display for Place {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Tcp(addresses) => match addresses.first() {
                Some(address) => address.fmt(text),
                None => text.write_str("an unknown address"),
            },
            Self::Unix(path) => path.display().fmt(text),
        }
    }
}

/// The processes of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Processes that have the server's socket open, the oldest first.
    pub holders: Vec<u32>,
    /// The agent and the processes above it.
    pub above: HashSet<u32>,
}

/// Why the processes of a server are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// It is on another machine.
    Elsewhere,
    /// No process listens at this address in the network namespace of the agent.
    NotListening,
    /// Its processes belong to another user.
    NotPermitted,
    /// Its processes are not in the `/proc` of the agent: it is in another container.
    NotVisible,
}

impl Server {
    /// Find the server that listens there now.
    pub fn find(place: &Place) -> Result<Self, Unknown> {
        let sockets = match place {
            Place::Unix(path) => at_path(path).unwrap_or_default(),
            Place::Tcp(addresses) => {
                let mut local = addresses.iter().filter(|one| is_local(**one)).peekable();
                if local.peek().is_none() {
                    return Err(Unknown::Elsewhere);
                }
                let found = local.map(|address| at_port(*address).unwrap_or_default());
                found
                    .into_iter()
                    .find(|found| !found.is_empty())
                    .unwrap_or_default()
            }
        };
        if sockets.is_empty() {
            return Err(Unknown::NotListening);
        }
        let found = Holders::of(&sockets);
        let started = |pid: u32| Some((with_stat(pid, |stat| stat.start_ticks)?, pid));
        let mut holders: Vec<(u64, u32)> =
            found.processes.into_iter().filter_map(started).collect();
        holders.sort_unstable();
        match holders.as_slice() {
            [] if found.hidden => Err(Unknown::NotPermitted),
            [] => Err(Unknown::NotVisible),
            _ => Ok(Self {
                holders: holders.into_iter().map(|(_, pid)| pid).collect(),
                above: self_and_above(),
            }),
        }
    }

    /// Return the name of its program.
    #[must_use]
    pub fn program(&self) -> Option<String> {
        let mut names = self.holders.iter();
        names.find_map(|pid| with_stat(*pid, |stat| stat.name.to_string()))
    }

    /// Return the processor time that its processes have used so far: what ended counts if another one waited for it.
    #[must_use]
    pub fn processor_time(&self) -> Duration {
        let mut ticks = Ticks::default();
        walk(self.holders.clone(), |pid, stat| {
            let alone = self.above.contains(&pid);
            ticks = ticks.plus(if alone {
                Ticks::of_own(stat)
            } else {
                Ticks::of(stat)
            });
            !alone
        });
        Duration::from_secs_f64(
            (ticks.user + ticks.system) as f64 / clock_ticks_per_second() as f64,
        )
    }
}

impl Unknown {
    /// Its name in facts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Elsewhere => "elsewhere",
            Self::NotListening => "not_listening",
            Self::NotPermitted => "not_permitted",
            Self::NotVisible => "not_visible",
        }
    }
}

/// This process, its parent, and so on.
fn self_and_above() -> HashSet<u32> {
    let mut found = HashSet::new();
    let mut next = Some(std::process::id());
    while let Some(pid) = next.filter(|pid| *pid != 0 && found.insert(*pid)) {
        next = with_stat(pid, |stat| stat.parent);
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::net::TcpListener;
    use std::os::fd::OwnedFd;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A shell that has a listening socket as its standard input, and the place of it.
    ///
    /// A process that another test forks at this moment holds the socket as well, until it runs its program:
    /// so these tests ask who is among the holders, not who they all are.
    fn holder(script: &str) -> (Child, Place) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = Place::Tcp(vec![listener.local_addr().unwrap()]);
        let shell = Command::new("sh")
            .args(["-c", script])
            .stdin(OwnedFd::from(listener))
            .stdout(Stdio::piped())
            .spawn();
        (shell.unwrap(), place)
    }

    fn end(mut process: Child) {
        process.kill().unwrap();
        process.wait().unwrap();
    }

    #[test]
    fn a_server_is_whoever_holds_its_socket_and_all_below() {
        let script = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; exec sleep 60";
        let (mut shell, place) = holder(script);
        let server = Server::find(&place).unwrap();
        assert!(server.holders.contains(&shell.id()));
        let mut output = shell.stdout.take().unwrap();
        std::io::Read::read(&mut output, &mut [0; 8]).unwrap();
        assert!(server.processor_time() > Duration::ZERO);
        end(shell);
        assert_eq!(Server::find(&place), Err(Unknown::NotListening));
        assert_eq!(server.program(), None);
    }

    #[test]
    fn a_holder_above_the_agent_counts_alone() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = Place::Tcp(vec![listener.local_addr().unwrap()]);
        let server = Server::find(&place).unwrap();
        assert!(server.holders.contains(&std::process::id()));
        assert!(server.above.contains(&std::os::unix::process::parent_id()));
        let all = || {
            walk(vec![std::process::id()], |pid, _| {
                !server.above.contains(&pid)
            })
        };
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(all(), [std::process::id()]);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn the_first_address_at_which_somebody_listens() {
        let (shell, place) = holder("exec sleep 60");
        let Place::Tcp(addresses) = &place else {
            unreachable!()
        };
        let port = addresses[0].port();
        let named = Place::Tcp(vec![format!("[::1]:{port}").parse().unwrap(), addresses[0]]);
        let found = Server::find(&named).unwrap();
        assert!(found.holders.contains(&shell.id()));
        end(shell);
        let other = Place::Tcp(vec!["192.0.2.1:80".parse().unwrap()]);
        assert_eq!(Server::find(&other), Err(Unknown::Elsewhere));
        let none = Place::Unix("/no/such/socket".into());
        assert_eq!(Server::find(&none), Err(Unknown::NotListening));
    }
}
