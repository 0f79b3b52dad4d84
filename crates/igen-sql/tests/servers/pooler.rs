//! `PgBouncer` before PostgreSQL.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use igen_engine::ProgressReporter;
use igen_sql::content::Found;

use crate::load::{STATEMENTS, content, open};
use crate::server::{Product, Server, give};

/// Longest time for its start.
const PATIENCE: Duration = Duration::from_secs(30);

/// A `PgBouncer` that is stopped when it is dropped.
struct Pooler {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Pooler {
    /// Starts one before `server`; `None` with a printed reason if it is not installed.
    fn start(server: &Server, mode: &str, settings: &str) -> Option<Self> {
        if !std::path::Path::new("/usr/sbin/pgbouncer").exists() {
            println!("skipped: pgbouncer is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let users = folder.path().join("users");
        let file = folder.path().join("pgbouncer.ini");
        std::fs::write(&users, "\"root\" \"\"\n").unwrap();
        let text = format!(
            "[databases]\n* = host={} port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = {mode}\n{settings}\n",
            server.folder(),
            server.port(),
            users.display(),
        );
        std::fs::write(&file, text).unwrap();
        give(folder.path(), Product::Postgresql);
        let process = Product::Postgresql
            .command("/usr/sbin/pgbouncer")
            .arg("--quiet")
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pooler = Self {
            process,
            port,
            _folder: folder,
        };
        let start = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "PgBouncer does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(pooler)
    }

    fn target(&self, database: &str) -> String {
        format!("postgresql://root@127.0.0.1:{}/{database}", self.port)
    }

    /// Returns the settings that another client finds in the server connection assigned to it.
    fn found_by_another_client(&self, database: &str) -> String {
        let sql = "SELECT current_setting('synchronous_commit') || ' ' || current_setting('statement_timeout') \
                   || ' ' || (SELECT count(*) FROM pg_prepared_statements) \
                   || ' ' || (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory')";
        let output = Command::new("psql")
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--host=127.0.0.1", "--username=root"])
            .arg(format!("--port={}", self.port))
            .args(["--dbname", database, "--command", sql])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "local")]
async fn a_pooler_that_shares_connections_is_refused_and_nothing_is_left_in_them() {
    let Some(server) = Server::shared(Product::Postgresql) else {
        return;
    };
    server.create("shared");
    // The first one gives the connection that was used last, the other one each in turn.
    for (mode, settings) in [
        ("transaction", ""),
        ("transaction", "server_round_robin = 1\nmin_pool_size = 3"),
        ("statement", ""),
    ] {
        let Some(pooler) = Pooler::start(&server, mode, settings) else {
            return;
        };
        let before = pooler.found_by_another_client("shared");
        assert_eq!(before, "on 0 0 0");
        let database = open(&pooler.target("shared"));
        let (content, silent) = (content(100), ProgressReporter::silent());
        assert!(database.look(&content).await.is_err(), "{mode} {settings}");
        assert!(database.load(&content, false, &silent).await.is_err());
        assert!(database.remove(&content).await.is_err());
        assert!(database.session(STATEMENTS).await.is_err());
        assert!(database.facts().await.is_empty());
        assert_eq!(pooler.found_by_another_client("shared"), before, "{mode}");
        assert_eq!(server.tables("shared"), "");
    }
}

#[tokio::test(flavor = "local")]
async fn a_pooler_that_keeps_a_connection_for_each_client_is_a_fact() {
    let Some(server) = Server::shared(Product::Postgresql) else {
        return;
    };
    server.create("kept");
    let Some(pooler) = Pooler::start(&server, "session", "") else {
        return;
    };
    let content = content(100);
    for (target, pooled) in [
        (pooler.target("kept"), true),
        (server.target("kept"), false),
    ] {
        let database = open(&target);
        let silent = ProgressReporter::silent();
        let loaded = database.load(&content, false, &silent);
        loaded.await.unwrap();
        assert!(matches!(
            database.look(&content).await.unwrap(),
            Found::Igen(_)
        ));
        let facts = database.facts().await;
        let of = |name: &str| {
            let name = format!("target.postgresql.{name}");
            let fact = facts.iter().find(|fact| fact.name == name);
            fact.unwrap().value.clone()
        };
        assert_eq!(of("pooler"), pooled);
        assert_eq!(of("replica"), false);
        assert_eq!(of("read_only"), "off");
    }
}
