//! Transactions, and what ends them.

use std::time::{Duration, Instant};

use igen_engine::{Failure, FailureKind, Then};
use igen_job::Seconds;
use igen_sql::database::Database;
use igen_sql::session::Session;
use igen_sql::settings::{Settings, Variable};

use crate::load::{content, database, open};
use crate::server::{Product, Server};

pub const STATEMENTS: &[&str] = &[
    "SELECT n_value FROM numbers WHERE n_id = ?",
    "UPDATE numbers SET n_value = n_value + ? WHERE n_id = ?",
    "INSERT INTO numbers (n_id, n_value) VALUES (?, ?)",
];
const SELECT: usize = 0;
const ADD: usize = 1;
const INSERT: usize = 2;

/// A database with the numbers 1 and 2.
pub fn numbers(server: &Server, name: &str) -> Database {
    let database = database(server, name);
    server.sql(
        name,
        "CREATE TABLE numbers (n_id INT PRIMARY KEY, n_value INT NOT NULL); \
         INSERT INTO numbers VALUES (1, 10), (2, 20)",
    );
    database
}

/// A session as users have it: on the ring of the thread, where the system has one.
pub async fn session(database: &Database) -> Session {
    let mut session = database.session(STATEMENTS).await.unwrap();
    session.join_ring().unwrap();
    session
}

async fn sum(session: &mut Session) -> i64 {
    let row = session.integers("SELECT SUM(n_value) FROM numbers").await;
    row.unwrap().unwrap()[0]
}

on_each_server!(
    a_transaction_commits_or_rolls_back_as_a_whole,
    variables_are_set_in_each_session,
    a_deadlock_is_a_conflict,
    a_statement_that_takes_too_long_is_ended,
    a_refused_connection_says_why,
    a_server_of_another_kind_is_told_apart,
    a_connection_too_many_is_said,
    a_killed_server_ends_the_connection_and_its_next_life_serves_again,
    an_ended_connection_is_lost,
);

async fn a_transaction_commits_or_rolls_back_as_a_whole(product: Product) {
    let Some(server) = Server::shared(product) else {
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
        Err(Failure::new(FailureKind::Other, "duplicate key"))
    );
    assert_eq!(sum(&mut one).await, 35, "the connection goes on");
}

async fn variables_are_set_in_each_session(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let _ = numbers(&server, "variables");
    let with = |variables: &[(&str, Variable)]| {
        let variables = variables.iter().cloned();
        let settings = Settings {
            session_variables: variables
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            ..Settings::default()
        };
        Database::of(
            &server.target("variables"),
            "targets[0]",
            &settings,
            igen_job::Credentials::Own,
        )
        .unwrap()
    };
    let (number, word) = match product {
        Product::Mariadb => ("lock_wait_timeout", ("binlog_row_image", "MINIMAL")),
        Product::Postgresql => ("commit_delay", ("synchronous_commit", "local")),
    };
    let database = with(&[
        (number, Variable::Integer(7)),
        (word.0, Variable::Text(word.1.to_owned())),
    ]);
    let read = match product {
        Product::Mariadb => format!("SELECT @@{number}, @@{}", word.0),
        Product::Postgresql => {
            format!(
                "SELECT current_setting('{number}'), current_setting('{}')",
                word.0
            )
        }
    };
    let set = session(&database)
        .await
        .query(&read)
        .await
        .unwrap()
        .concat();
    assert_eq!(set, [Some("7".to_owned()), Some(word.1.to_owned())]);
    let facts = database.facts().await;
    assert!(
        facts
            .iter()
            .any(|fact| fact.name.contains(&format!(".{number}"))),
        "{facts:?}"
    );
    let unknown = with(&[("no_such_setting", Variable::Switch(true))]);
    assert!(unknown.session(STATEMENTS).await.is_err());
    let error = unknown.look(&content(1)).await.unwrap_err();
    assert!(error.text.contains("no_such_setting"), "{error}");
}

async fn a_deadlock_is_a_conflict(product: Product) {
    let Some(server) = Server::shared(product) else {
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
    assert_eq!(failures, [Failure::new(FailureKind::Conflict, "deadlock")]);
}

async fn a_statement_that_takes_too_long_is_ended(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let locker = numbers(&server, "slow");
    let settings = Settings {
        statement_timeout_s: Some(Seconds(1.0)),
        ..Settings::default()
    };
    let database = Database::of(
        &server.target("slow"),
        "targets[0]",
        &settings,
        igen_job::Credentials::Own,
    )
    .unwrap();
    let mut one = session(&locker).await;
    let mut other = session(&database).await;
    one.begin(true).await.unwrap();
    one.execute(ADD, &[1, 1]).await.unwrap();
    let timed_out = Failure::new(FailureKind::Other, "statement timed out");
    assert_eq!(other.execute(ADD, &[1, 1]).await, Err(timed_out));
    one.commit().await.unwrap();
    other.execute(ADD, &[1, 1]).await.expect("it goes on");
}

async fn a_refused_connection_says_why(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    server.create("refused");
    let (wrong, password_hint, create_hint) = match product {
        Product::Mariadb => {
            server.sql("refused", "CREATE USER locked IDENTIFIED BY 'key'");
            let target = server.target("refused").replace("root@", "locked@");
            (
                (target, "wrong user or password"),
                "MYSQL_PWD",
                "CREATE DATABASE",
            )
        }
        Product::Postgresql => {
            let target = server.target("refused").replace("root@", "nobody@");
            (
                (target, "access denied for this user"),
                "PGPASSWORD",
                "createdb",
            )
        }
    };
    let scheme = server.scheme();
    let socket = match product {
        Product::Mariadb => "socket",
        Product::Postgresql => "host",
    };
    for (target, reason, hint) in [
        (wrong.0, wrong.1, password_hint),
        (server.target("nothing"), "no such database", create_hint),
        (
            format!("{scheme}://root@127.0.0.1:1/refused"),
            "connection refused",
            "start the server",
        ),
        (
            format!("{scheme}://root@localhost/refused?{socket}=/nowhere"),
            "no server listens on the socket",
            "socket",
        ),
    ] {
        let database = open(&target);
        let failure = database.session(STATEMENTS).await.err().expect(reason);
        assert_eq!(failure, Failure::anew(FailureKind::Refused, reason));
        let error = database.look(&content(1)).await.expect_err(reason);
        assert!(error.text.contains(reason), "{error}");
        assert!(error.hint.contains(hint), "{error}");
    }
}

async fn a_server_of_another_kind_is_told_apart(product: Product) {
    let (other, scheme, reason) = match product {
        Product::Mariadb => (Product::Postgresql, "mysql", "sends a greeting"),
        Product::Postgresql => (Product::Mariadb, "postgresql", "is not PostgreSQL"),
    };
    let Some(server) = Server::shared(other) else {
        return;
    };
    let target = server.target("other").replace(server.scheme(), scheme);
    for mode in ["disable", "prefer"] {
        let database = open(&format!("{target}?sslmode={mode}"));
        let error = database.look(&content(1)).await.expect_err(reason);
        let said = [error.text, error.hint].join(": ");
        assert!(said.contains(reason), "{said}");
    }
}

async fn a_connection_too_many_is_said(product: Product) {
    let options: &[&str] = match product {
        Product::Mariadb => &["--max-connections=10"],
        // Three are kept for administrators, such as this test's user.
        Product::Postgresql => &["-c", "max_connections=10"],
    };
    let Some(server) = Server::start(product, options) else {
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
    assert_eq!(
        failure,
        Failure::anew(FailureKind::Refused, "too many connections")
    );
    assert!(sessions.len() >= 10);
}

async fn a_killed_server_ends_the_connection_and_its_next_life_serves_again(product: Product) {
    let (options, blocked): (&[&str], _) = match product {
        Product::Mariadb => (
            &["--innodb-flush-log-at-trx-commit=1"],
            "SELECT COUNT(*) FROM information_schema.innodb_lock_waits",
        ),
        Product::Postgresql => (
            &["-c", "fsync=on"],
            "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
        ),
    };
    let Some(server) = Server::start(product, options) else {
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
            while server.sql("killed", blocked).trim() != "1" {
                assert!(start.elapsed() < Duration::from_secs(9));
            }
            server.kill();
            server
        })
        .await
        .unwrap()
    };
    let (failed, server) = tokio::join!(waiting.execute(ADD, &[1, 1]), kill);
    assert_eq!(
        failed,
        Err(Failure::anew(FailureKind::Lost, "connection lost"))
    );
    assert!(locker.commit().await.expect_err("killed").then == Then::Anew);
    let refused = database.session(STATEMENTS).await.err();
    assert_eq!(
        refused,
        Some(Failure::anew(FailureKind::Refused, "connection refused"))
    );
    server.restart();
    let mut session = session(&database).await;
    assert_eq!(
        sum(&mut session).await,
        30,
        "what was not committed is gone"
    );
}

async fn an_ended_connection_is_lost(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let database = numbers(&server, "ended");
    let mut session = session(&database).await;
    let (id, end) = match product {
        Product::Mariadb => ("SELECT CONNECTION_ID()", "KILL "),
        Product::Postgresql => ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend"),
    };
    let id = session.integers(id).await.unwrap().unwrap()[0];
    server.sql("ended", &format!("{end}({id})"));
    let failure = session.select(SELECT, &[1]).await.expect_err("killed");
    assert!(failure.then == Then::Anew, "{failure:?}");
}
