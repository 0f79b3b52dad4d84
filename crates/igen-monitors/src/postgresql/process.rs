//! Whether the server runs on this host, and as which process.

use crate::server::number;
use igen_kernel::proc_file::read_once;

/// What the server says of this connection and of the process behind it.
pub(super) const IDENTITY: &str = "SELECT a.pid, d.oid, a.usename, a.datname, host(a.client_addr), \
    a.client_port FROM pg_stat_activity a JOIN pg_database d ON d.datname = a.datname \
    WHERE a.pid = pg_backend_pid()";

/// The connection as the server sees it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) pid: u32,
    /// Object id of the database.
    pub(super) database: u32,
    /// What the server shows as the title of the connection's process.
    title: String,
}

impl Identity {
    /// From a row of `IDENTITY`.
    pub(super) fn of(row: &[Option<String>]) -> Option<Self> {
        let text = |index: usize| row.get(index)?.as_deref();
        let client = match (text(4), text(5)) {
            (Some(address), Some(port)) => format!("{address}({port})"),
            _ => "[local]".to_owned(),
        };
        Some(Self {
            pid: number(row.first())?,
            database: number(row.get(1))?,
            title: format!("{} {} {client}", text(2)?, text(3)?),
        })
    }

    /// The server's first process, where the connection's own is one of this host: its title says so,
    /// which another host's process of the same id does not have.
    pub(super) fn server_pid(&self) -> Option<u32> {
        let mut buffer = [0; 1024];
        let title = read_once(&format!("/proc/{}/cmdline", self.pid), &mut buffer).ok()?;
        if !title.contains(&self.title) {
            return None;
        }
        let mut buffer = [0; 4096];
        let status = read_once(&format!("/proc/{}/status", self.pid), &mut buffer).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        parent.trim().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: [Option<&str>; 6]) -> Vec<Option<String>> {
        values.map(|value| value.map(str::to_owned)).to_vec()
    }

    #[test]
    fn the_title_is_the_servers_for_this_connection() {
        let shop = [Some("7"), Some("16384"), Some("igen"), Some("shop")];
        let [pid, oid, user, database] = shop;
        let tcp = row([pid, oid, user, database, Some("127.0.0.1"), Some("40584")]);
        let identity = Identity::of(&tcp);
        assert_eq!(
            identity,
            Some(Identity {
                pid: 7,
                database: 16384,
                title: "igen shop 127.0.0.1(40584)".to_owned(),
            })
        );
        let socket = Identity::of(&row([pid, oid, user, database, None, Some("-1")]));
        assert_eq!(
            socket.map(|one| one.title).as_deref(),
            Some("igen shop [local]")
        );
        assert_eq!(Identity::of(&row([None; 6])), None);
    }

    #[test]
    fn another_process_of_that_id_is_not_the_servers() {
        let identity = Identity {
            pid: std::process::id(),
            database: 1,
            title: "igen shop 127.0.0.1(1)".to_owned(),
        };
        assert_eq!(identity.server_pid(), None);
    }
}
