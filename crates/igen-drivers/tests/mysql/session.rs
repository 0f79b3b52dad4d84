//! Transactions, and what ends them.

use std::time::{Duration, Instant};

use igen_drivers::database::Database;
use igen_drivers::session::Session;
use igen_drivers::settings::Settings;
use igen_engine::Failure;
use igen_job::Seconds;

use crate::load::{content, database, open};
use crate::server::Server;

const STATEMENTS: &[&str] = &[
    "SELECT n_value FROM numbers WHERE n_id = ?",
    "UPDATE numbers SET n_value = n_value + ? WHERE n_id = ?",
    "INSERT INTO numbers (n_id, n_value) VALUES (?, ?)",
];
const SELECT: usize = 0;
const ADD: usize = 1;
const INSERT: usize = 2;

/// A database with the numbers 1 and 2.
fn numbers(server: &Server, name: &str) -> Database {
    let database = database(server, name);
    server.sql(&format!(
        "CREATE TABLE {name}.numbers (n_id INT PRIMARY KEY, n_value INT NOT NULL); \
         INSERT INTO {name}.numbers VALUES (1, 10), (2, 20)"
    ));
    database
}

async fn session(database: &Database) -> Session {
    database.session(STATEMENTS).await.unwrap()
}

async fn sum(session: &mut Session) -> i64 {
    let row = session.integers("SELECT SUM(n_value) FROM numbers").await;
    row.unwrap().unwrap()[0]
}

#[tokio::test]
async fn a_transaction_commits_or_rolls_back_as_a_whole() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = numbers(&server, "transactions");
    let mut one = session(&database).await;
    let mut other = session(&database).await;
    one.begin(true).await.unwrap();
    assert_eq!(one.execute(ADD, &[5, 1]).await.unwrap(), 1);
    assert_eq!(one.execute(INSERT, &[3, 7]).await.unwrap(), 1);
    assert_eq!(sum(&mut other).await, 30);
    one.rollback().await;
    assert_eq!(sum(&mut one).await, 30);
    one.begin(true).await.unwrap();
    assert_eq!(one.execute(ADD, &[5, 1]).await.unwrap(), 1);
    one.commit().await.unwrap();
    assert_eq!(sum(&mut other).await, 35);
    assert_eq!(one.execute(ADD, &[0, 1]).await.unwrap(), 1, "found rows");
    assert_eq!(one.execute(ADD, &[5, 9]).await.unwrap(), 0);
    assert_eq!(one.select(SELECT, &[9]).await.unwrap().count, 0);
    assert_eq!(
        one.execute(INSERT, &[1, 1]).await,
        Err(Failure::new("duplicate key"))
    );
    assert_eq!(sum(&mut one).await, 35, "the connection goes on");
}

#[tokio::test]
async fn a_procedure_answers_in_one_call() {
    const CALL: &[&str] = &["CALL add_number(?, ?)"];
    let Some(server) = Server::shared() else {
        return;
    };
    let database = numbers(&server, "procedures");
    session(&database)
        .await
        .query(
            "CREATE PROCEDURE add_number(IN id INT, IN amount INT) BEGIN \
             UPDATE numbers SET n_value = n_value + amount WHERE n_id = id; \
             SELECT n_value FROM numbers WHERE n_id = id; END",
        )
        .await
        .unwrap();
    let mut session = database.session(CALL).await.unwrap();
    for sum in [15, 20] {
        let mut expected = igen_drivers::value::Checksum::default();
        expected.integer(sum);
        let rows = session.select(0, &[1, 5]).await.unwrap();
        assert_eq!((rows.count, rows.checksum), (1, expected));
    }
}

#[tokio::test]
async fn a_deadlock_is_a_conflict() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = numbers(&server, "deadlocks");
    let mut one = session(&database).await;
    let mut other = session(&database).await;
    one.begin(true).await.unwrap();
    other.begin(true).await.unwrap();
    one.execute(ADD, &[1, 1]).await.unwrap();
    other.execute(ADD, &[1, 2]).await.unwrap();
    // Each rolls back at once where it is the victim, so that the other can go on.
    let add = async |session: &mut Session, id| {
        let added = session.execute(ADD, &[1, id]).await;
        if added.is_err() {
            session.rollback().await;
        }
        added
    };
    let results = tokio::join!(add(&mut one, 2), add(&mut other, 1));
    let failures: Vec<Failure> = [results.0.err(), results.1.err()]
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(failures, [Failure::conflict("deadlock")]);
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_ended() {
    let Some(server) = Server::shared() else {
        return;
    };
    let locker = numbers(&server, "slow");
    let settings = Settings {
        statement_timeout_s: Some(Seconds(0.2)),
        ..Settings::default()
    };
    let database = Database::of(&server.target("slow"), "targets[0]", &settings).unwrap();
    let mut one = session(&locker).await;
    let mut other = session(&database).await;
    one.begin(true).await.unwrap();
    one.execute(ADD, &[1, 1]).await.unwrap();
    let timed_out = Failure::new("statement timed out");
    assert_eq!(other.execute(ADD, &[1, 1]).await, Err(timed_out));
    one.commit().await.unwrap();
    other.execute(ADD, &[1, 1]).await.expect("it goes on");
}

#[tokio::test]
async fn a_refused_connection_says_why() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.sql("CREATE USER locked IDENTIFIED BY 'key'; CREATE DATABASE refused");
    let as_locked = server.target("refused").replace("root@", "locked@");
    for (target, reason, hint) in [
        (as_locked, "wrong user or password", "MYSQL_PWD"),
        (
            server.target("nothing"),
            "no such database",
            "CREATE DATABASE",
        ),
        (
            "mysql://root@127.0.0.1:1/refused".to_owned(),
            "connection refused",
            "start the server",
        ),
        (
            "mysql://root@localhost/refused?socket=/nowhere".to_owned(),
            "no server at the socket",
            "socket",
        ),
    ] {
        let database = open(&target);
        let failure = database.session(STATEMENTS).await.err().expect(reason);
        assert_eq!(failure, Failure::lost(reason));
        let error = database.look(&content(1)).await.expect_err(reason);
        assert!(error.text.contains(reason), "{error}");
        assert!(error.hint.contains(hint), "{error}");
        assert!(!error.to_string().contains("key"), "{error}");
    }
}

#[tokio::test]
async fn a_connection_too_many_is_said() {
    let Some(server) = Server::start(&["--max-connections=10"]) else {
        return;
    };
    let database = numbers(&server, "crowded");
    let mut sessions = Vec::new();
    let failure = loop {
        match database.session(STATEMENTS).await {
            Ok(session) => sessions.push(session),
            Err(failure) => break failure,
        }
    };
    assert_eq!(failure, Failure::lost("too many connections"));
    assert!(sessions.len() >= 10);
}

#[tokio::test]
async fn a_killed_server_ends_the_connection_and_its_next_life_serves_again() {
    let Some(server) = Server::start(&["--innodb-flush-log-at-trx-commit=1"]) else {
        return;
    };
    let database = numbers(&server, "killed");
    let mut waiting = session(&database).await;
    let mut locker = session(&database).await;
    locker.begin(true).await.unwrap();
    locker.execute(ADD, &[1, 1]).await.unwrap();
    let start = Instant::now();
    let kill = async {
        tokio::task::spawn_blocking(move || {
            let blocked = "SELECT COUNT(*) FROM information_schema.innodb_lock_waits";
            while server.sql(blocked).trim() != "1" {
                assert!(start.elapsed() < Duration::from_secs(9));
            }
            server.kill();
            server
        })
        .await
        .unwrap()
    };
    let (failed, server) = tokio::join!(waiting.execute(ADD, &[1, 1]), kill);
    assert_eq!(failed, Err(Failure::lost("connection lost")));
    assert!(locker.commit().await.expect_err("killed").lost);
    let refused = database.session(STATEMENTS).await.err();
    assert_eq!(refused, Some(Failure::lost("connection refused")));
    server.restart();
    let mut session = session(&database).await;
    assert_eq!(
        sum(&mut session).await,
        30,
        "what was not committed is gone"
    );
}

#[tokio::test]
async fn an_ended_connection_is_lost() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = numbers(&server, "ended");
    let mut session = session(&database).await;
    let id = session.integers("SELECT CONNECTION_ID()").await.unwrap();
    server.sql(&format!("KILL {}", id.unwrap()[0]));
    let failure = session.select(SELECT, &[1]).await.expect_err("killed");
    assert!(failure.lost, "{failure:?}");
}

#[tokio::test]
async fn facts_are_read_from_the_server() {
    let Some(server) = Server::shared() else {
        return;
    };
    let database = database(&server, "facts");
    let facts = database.facts().await;
    let fact = |name: &str| {
        let fact = facts.iter().find(|(known, _)| known == name);
        fact.map(|(_, value)| value.clone())
    };
    assert_eq!(fact("flavour"), Some("MariaDB".into()));
    assert_eq!(fact("placement"), Some("console/server".into()));
    assert_eq!(fact("isolation"), Some("REPEATABLE-READ".into()));
    assert_eq!(fact("innodb_flush_log_at_trx_commit"), Some(0.into()));
    assert_eq!(fact("innodb_buffer_pool_bytes"), Some((32 << 20).into()));
    assert!(fact("version").is_some() && fact("max_connections").is_some());
}

#[tokio::test]
async fn tls_is_used_and_checked_as_far_as_asked_for() {
    let certificates = tempfile::tempdir().unwrap();
    let path = |name: &str| certificates.path().join(name).display().to_string();
    for name in ["server", "other"] {
        if !certificate(&path(name)) {
            println!("skipped: openssl is not installed");
            return;
        }
    }
    std::fs::set_permissions(
        certificates.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let Some(server) = Server::start(&[
        &format!("--ssl-cert={}.pem", path("server")),
        &format!("--ssl-key={}.key", path("server")),
    ]) else {
        return;
    };
    server.sql("CREATE DATABASE encrypted");
    let by_name = server.target("encrypted").replace("127.0.0.1", "localhost");
    let by_address = server.target("encrypted");
    for (target, mode, roots, works) in [
        (&by_address, "require", "other", true),
        (&by_name, "verify-full", "server", true),
        (&by_address, "verify-ca", "server", true),
        (&by_address, "verify-full", "server", false),
        (&by_name, "verify-ca", "other", false),
    ] {
        let target = format!("{target}?sslmode={mode}&sslrootcert={}.pem", path(roots));
        let looked = open(&target).look(&content(1)).await;
        match looked {
            Ok(_) => assert!(works, "{target}"),
            Err(error) => assert!(!works && error.text.contains("certificate"), "{error}"),
        }
        if works {
            let facts = open(&target).facts().await;
            let tls = facts.iter().find(|(name, _)| name == "tls").unwrap();
            assert!(tls.1.as_str().unwrap().starts_with("TLSv1"), "{tls:?}");
        }
    }
}

/// Writes a certificate for `localhost` that is its own authority, and its key.
fn certificate(path: &str) -> bool {
    let created = std::process::Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        ])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg(format!("-out={path}.pem"))
        .arg(format!("-keyout={path}.key"))
        .output();
    if !created.is_ok_and(|output| output.status.success()) {
        return false;
    }
    // The server runs as another user.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(format!("{path}.key"), readable).unwrap();
    true
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_tls_is_asked_for() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.sql("CREATE DATABASE plain");
    let target = server.target("plain") + "?sslmode=require";
    let error = open(&target).look(&content(1)).await.expect_err("no TLS");
    assert!(error.text.contains("no TLS"), "{error}");
    open(&(server.target("plain") + "?sslmode=prefer"))
        .look(&content(1))
        .await
        .expect("without TLS");
}
