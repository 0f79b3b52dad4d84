//! Which process of this machine serves a connection.

use std::fs;
use std::path::Path;

use igen_sql::session::Session;

use super::cpu::{Source, Stat};

/// Where the CPU time of the connection's engine is counted, or why it is not.
pub(super) async fn cpu_source(engine: &str, session: &mut Session) -> Result<Source, String> {
    let pid = match engine {
        "postgresql" => postmaster(session).await,
        "mysql" => mysqld(session).await,
        _ => return Ok(Source::Own),
    };
    pid.map(Source::Server).ok_or_else(|| {
        "the processes of the server are not on this machine or not visible".to_owned()
    })
}

/// The parent of the process that serves the connection, if both ends have the same address.
async fn postmaster(session: &mut Session) -> Option<u32> {
    let sql = "SELECT pg_backend_pid(), \
               (inet_server_addr() IS NOT DISTINCT FROM inet_client_addr())::int";
    let [backend, 1] = session.integers(sql).await.ok()??[..] else {
        return None;
    };
    let backend = Stat::of(u32::try_from(backend).ok()?)?;
    let named = |stat: &Stat| stat.name.starts_with("postgres") || stat.name == "postmaster";
    (named(&backend) && named(&Stat::of(backend.parent)?)).then_some(backend.parent)
}

/// The process of the server's pid file, if the server says that it runs on this host.
async fn mysqld(session: &mut Session) -> Option<u32> {
    let rows = session
        .query("SELECT @@hostname, @@datadir, @@pid_file")
        .await;
    let [Some(host), Some(folder), Some(file)] = &rows.ok()?.pop()?[..] else {
        return None;
    };
    if rustix::system::uname().nodename().to_str() != Ok(host) {
        return None;
    }
    let pid = fs::read_to_string(Path::new(folder).join(file)).ok()?;
    let pid = pid.trim().parse().ok()?;
    matches!(Stat::of(pid)?.name.as_str(), "mariadbd" | "mysqld").then_some(pid)
}
