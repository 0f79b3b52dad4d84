//! A server that no longer answers, although its connections stay.

use std::time::Duration;

use igen_engine::{Failure, FailureKind};
use igen_job::Seconds;
use igen_net::testing::stop;
use igen_sql::database::Database;
use igen_sql::settings::Settings;
use rustix::process::{Pid, Signal, kill_process};

use crate::load::content;
use crate::server::{Product, Server};
use crate::session::{STATEMENTS, numbers, session};

on_each_server!(a_server_that_no_longer_answers_is_given_up);

/// All processes of a server, stopped until this is dropped.
struct Frozen(Vec<Pid>);

impl Frozen {
    fn new(server: &Server) -> Self {
        let processes = match server.product {
            Product::Mariadb => {
                let file = server.sql("mysql", "SELECT @@pid_file");
                std::fs::read_to_string(file.trim()).unwrap()
            }
            Product::Postgresql => server.sql(
                "postgres",
                "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1) UNION ALL \
                 SELECT pid::text FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
            ),
        };
        let processes: Vec<Pid> = processes
            .split_whitespace()
            .map(|id| Pid::from_raw(id.parse().unwrap()).unwrap())
            .collect();
        let frozen = Self(processes);
        stop(&frozen.0);
        frozen
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for process in &self.0 {
            let _ = kill_process(*process, Signal::CONT);
        }
    }
}

async fn a_server_that_no_longer_answers_is_given_up(product: Product) {
    let Some(server) = Server::start(product, &[]) else {
        return;
    };
    numbers(&server, "frozen");
    let settings = Settings {
        statement_timeout_s: Some(Seconds(2.0)),
        connect_timeout_s: Some(Seconds(2.0)),
        ..Settings::default()
    };
    let database = Database::of(
        &server.target("frozen"),
        "targets[0]",
        &settings,
        igen_job::Credentials::Own,
    )
    .unwrap();
    let mut connected = session(&database).await;
    let frozen = Frozen::new(&server);
    let give_up = async {
        let no_answer = Failure::anew(FailureKind::Silent, "no answer from the server");
        assert_eq!(connected.select(0, &[1]).await, Err(no_answer.clone()));
        let refused = database.session(STATEMENTS).await.err();
        assert_eq!(refused, Some(no_answer));
        let error = database.look(&content(1)).await.expect_err("frozen");
        assert!(error.text.contains("no answer"), "{error}");
    };
    tokio::time::timeout(Duration::from_mins(1), give_up)
        .await
        .expect("no hang");
    drop(frozen);
    let rows = session(&database).await.select(0, &[1]).await;
    assert_eq!(rows.unwrap().count, 1);
}
