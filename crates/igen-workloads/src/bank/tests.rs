//! The workload against real database files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use igen_engine::{ProgressReporter, Recorder, Setup, User, UserContext, Workload};
use igen_job::Fact;
use igen_job::JobError;
use igen_sql::settings::{Settings, Synchronous};
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use super::schema::BYTES_PER_BRANCH;
use super::statements::{OPERATIONS, STATEMENTS};
use super::{Bank, Form, Params};

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}

/// An empty directory and the path of a database in it that is not there yet.
fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bank.db");
    (directory, path)
}

fn small(synchronous: Synchronous) -> Params {
    Params {
        branches: 2,
        settings: Settings {
            synchronous: Some(synchronous),
            ..Settings::default()
        },
        ..Params::default()
    }
}

fn bank(path: &Path, params: Params) -> Bank {
    let setup = Setup {
        targets: vec![format!("sqlite:///{}", path.display())],
        users: 4,
        own_users: 4,
        agent_users: 4,
        seed: 42,
        force: false,
        i_own_this_data: false,
        credentials: igen_job::Credentials::Own,
        stream: true,
        rest_s: 0.0,
    };
    Bank::new(params, setup).unwrap()
}

fn prepared(path: &Path) -> Bank {
    let bank = bank(path, small(Synchronous::Normal));
    block_on(bank.prepare(&ProgressReporter::silent())).unwrap();
    block_on(bank.verify(false)).unwrap();
    bank
}

/// Runs `transactions` of each of `users` on threads of their own.
fn run(bank: &Bank, users: u32, transactions: u32) {
    std::thread::scope(|scope| {
        for id in 0..users {
            scope.spawn(move || block_on(run_user(bank, id, transactions)));
        }
    });
}

async fn run_user(bank: &Bank, id: u32, transactions: u32) {
    let context = UserContext {
        id,
        seed: u64::from(id),
        target: 0,
    };
    let mut recorder = Recorder::detached(OPERATIONS.len(), Bank::COUNTERS.len()).unwrap();
    let mut user = bank.user(context).await.unwrap();
    for _ in 0..transactions {
        user.transaction(&mut recorder).await.unwrap();
    }
}

fn by_name(facts: Vec<Fact>) -> BTreeMap<String, Value> {
    facts
        .into_iter()
        .map(|fact| (fact.name, fact.value))
        .collect()
}

fn facts_after(bank: &Bank) -> BTreeMap<String, Value> {
    by_name(block_on(bank.facts_after()))
}

fn integer(path: &Path, sql: &str) -> i64 {
    Connection::open(path)
        .unwrap()
        .query_row(sql, [], |row| row.get(0))
        .unwrap()
}

fn refused(result: Result<(), JobError>) -> JobError {
    let error = result.expect_err("refused");
    assert_eq!(error.path, "targets[0]", "{error}");
    assert!(!error.hint.is_empty(), "{error}");
    error
}

#[test]
fn every_transaction_is_in_the_books_and_in_the_history() {
    let (_directory, path) = place();
    let bank = prepared(&path);
    run(&bank, 4, 100);
    block_on(bank.verify(true)).unwrap();
    let facts = facts_after(&bank);
    assert_eq!(facts["bank.acknowledged_transactions"], 400);
    assert_eq!(facts["bank.stored_transactions"], 400);
    assert_eq!(facts["bank.lost_transactions"], 0);
    assert_eq!(integer(&path, "SELECT COUNT(*) FROM history"), 400);
    let moved = "SELECT COUNT(*) FROM accounts WHERE a_balance <> 0";
    assert!((380..=400).contains(&integer(&path, moved)));
    // Another run on top of it: its own transactions are told from those before.
    let again = prepared(&path);
    run(&again, 2, 50);
    block_on(again.verify(true)).unwrap();
    assert_eq!(facts_after(&again)["bank.stored_transactions"], 100);
    block_on(again.cleanup()).unwrap();
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn books_that_do_not_balance_are_noticed() {
    for damage in [
        "DELETE FROM accounts WHERE a_id = 20000",
        "INSERT INTO tellers SELECT 21, 1, 0, t_filler FROM tellers LIMIT 1",
        "UPDATE accounts SET a_balance = a_balance + 1 WHERE a_id = 7",
        "UPDATE branches SET b_balance = CASE b_id WHEN 1 THEN 5 ELSE -5 END",
        "INSERT INTO history VALUES (1, 1, 1, 5, '2026-01-01 00:00:00', 0, 1, 1, 'abcdefghijklmn')",
        "UPDATE accounts SET a_filler = 'none'",
        "UPDATE accounts SET a_b_id = 1",
    ] {
        let (_directory, path) = place();
        let bank = prepared(&path);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(damage).unwrap();
        refused(block_on(bank.verify(false)));
    }
}

/// Takes transactions back as a whole, so that the books balance, as a crash of a server that is not
/// durable does.
const LOSE_THE_LAST: &str = "\
    CREATE TEMP TABLE lost AS SELECT rowid AS id, * FROM history WHERE h_number > 8; \
    UPDATE accounts SET a_balance = a_balance - (SELECT SUM(h_amount) FROM lost WHERE h_a_id = a_id) \
        WHERE a_id IN (SELECT h_a_id FROM lost); \
    UPDATE tellers SET t_balance = t_balance - (SELECT SUM(h_amount) FROM lost WHERE h_t_id = t_id) \
        WHERE t_id IN (SELECT h_t_id FROM lost); \
    UPDATE branches SET b_balance = b_balance - (SELECT SUM(h_amount) FROM lost WHERE h_b_id = b_id) \
        WHERE b_id IN (SELECT h_b_id FROM lost); \
    DELETE FROM history WHERE rowid IN (SELECT id FROM lost);";

#[test]
fn lost_transactions_are_an_error_where_the_database_is_durable_and_a_fact_elsewhere() {
    for (synchronous, durable) in [(Synchronous::Full, true), (Synchronous::Normal, false)] {
        let (_directory, path) = place();
        prepared(&path);
        let bank = bank(&path, small(synchronous));
        run(&bank, 3, 10);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(LOSE_THE_LAST).unwrap();
        let verified = block_on(bank.verify(true));
        if durable {
            let error = refused(verified);
            let text = "6 acknowledged transactions are missing in the database";
            assert!(error.text.contains(text), "{error}");
        } else {
            verified.unwrap();
        }
        let facts = facts_after(&bank);
        assert_eq!(facts["bank.acknowledged_transactions"], 30);
        assert_eq!(facts["bank.stored_transactions"], 24);
        assert_eq!(facts["bank.lost_transactions"], 6);
    }
}

#[test]
fn transactions_that_nobody_sent_are_noticed() {
    let (_directory, path) = place();
    let bank = prepared(&path);
    run(&bank, 1, 3);
    let connection = Connection::open(&path).unwrap();
    let forge = "INSERT INTO history SELECT h_a_id, h_t_id, h_b_id, 0, h_time, h_run, h_session, 4, \
                 h_filler FROM history LIMIT 1";
    connection.execute_batch(forge).unwrap();
    let error = refused(block_on(bank.verify(true)));
    assert!(error.text.contains("only 3 were sent"), "{error}");
}

#[test]
fn a_transaction_that_fails_leaves_no_trace_and_no_gap() {
    let (_directory, path) = place();
    let bank = prepared(&path);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "CREATE TRIGGER refuse BEFORE INSERT ON history WHEN NEW.h_number = 3 AND \
             (SELECT COUNT(*) FROM history) = 2 BEGIN SELECT RAISE(ABORT, 'refused'); END",
        )
        .unwrap();
    block_on(async {
        let context = UserContext {
            id: 0,
            seed: 1,
            target: 0,
        };
        let mut recorder = Recorder::detached(OPERATIONS.len(), Bank::COUNTERS.len()).unwrap();
        let mut user = bank.user(context).await.unwrap();
        for number in 1..=4 {
            let done = user.transaction(&mut recorder).await;
            assert_eq!(done.is_err(), number >= 3, "{done:?}");
        }
        connection.execute_batch("DROP TRIGGER refuse").unwrap();
        user.transaction(&mut recorder).await.unwrap();
    });
    block_on(bank.verify(true)).unwrap();
    assert_eq!(facts_after(&bank)["bank.stored_transactions"], 3);
}

#[test]
fn the_log_is_counted_page_by_page() {
    let (_directory, path) = place();
    prepared(&path);
    for (synchronous, flushes) in [(Synchronous::Full, 50), (Synchronous::Normal, 0)] {
        let bank = bank(&path, small(synchronous));
        block_on(async {
            let database = &bank.places[0].database;
            let mut session = database.session(STATEMENTS).await.unwrap();
            let log = path.with_extension("db-wal");
            let before = fs::metadata(&log).map_or(0, |log| log.len());
            let _ = session.take_log();
            for teller in 1..=50 {
                session.begin(true).await.unwrap();
                let _ = session.execute(2, &[1, teller % 20 + 1]).await.unwrap();
                session.commit().await.unwrap();
            }
            let written = session.take_log();
            assert_eq!(written.flushes, flushes);
            assert_eq!(written.writes, 50, "a page for each");
            // The log begins with a header of 32 bytes.
            let grown = fs::metadata(&log).unwrap().len() - before;
            assert_eq!(grown - if before == 0 { 32 } else { 0 }, written.bytes);
            session.begin(false).await.unwrap();
            session.select(1, &[1]).await.unwrap();
            session.commit().await.unwrap();
            assert_eq!(session.take_log(), igen_sql::value::LogWritten::default());
        });
    }
}

#[test]
fn statements_find_their_rows_by_key() {
    let (_directory, path) = place();
    prepared(&path);
    let connection = Connection::open(&path).unwrap();
    for sql in &STATEMENTS[..4] {
        let mut plan = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .unwrap();
        let steps: Vec<String> = plan
            .raw_query()
            .mapped(|row| row.get(3))
            .collect::<Result<_, _>>()
            .unwrap();
        let steps = steps.join("; ");
        assert!(
            steps.contains("SEARCH") && !steps.contains("SCAN"),
            "{sql}: {steps}"
        );
    }
}

#[test]
fn the_size_is_the_one_that_is_checked_for() {
    let (_directory, path) = place();
    prepared(&path);
    let bytes = fs::metadata(&path).unwrap().len() / 2;
    assert!(
        bytes.abs_diff(BYTES_PER_BRANCH) * 20 < BYTES_PER_BRANCH,
        "{bytes}"
    );
}

#[test]
fn facts_say_what_a_transaction_is_and_whether_it_is_durable() {
    let (_directory, path) = place();
    prepared(&path);
    for (synchronous, says) in [
        (Synchronous::Full, "durable: a commit is on disk"),
        (Synchronous::Normal, "not durable"),
    ] {
        let bank = bank(&path, small(synchronous));
        let facts = by_name(block_on(bank.facts()));
        let text = |name: &str| facts[name].as_str().unwrap().to_owned();
        assert!(text("bank.durability").starts_with(says));
        assert!(text("bank.transaction").contains("BEGIN IMMEDIATE"));
        assert!(text("bank.log").contains("log_flushes"));
        assert_eq!(text("target.sqlite.journal_mode"), "wal");
        let per_account = facts["bank.bytes_per_account"].as_f64().unwrap();
        assert!((90.0..110.0).contains(&per_account));
    }
}

#[test]
fn sqlite_has_no_procedures_and_others_tables_are_left_alone() {
    let (_directory, path) = place();
    let setup = Setup {
        targets: vec![format!("sqlite:///{}", path.display())],
        users: 1,
        own_users: 1,
        agent_users: 1,
        seed: 42,
        force: false,
        i_own_this_data: false,
        credentials: igen_job::Credentials::Own,
        stream: true,
        rest_s: 0.0,
    };
    let procedure = Params {
        form: Form::Procedure,
        ..Params::default()
    };
    let error = Bank::new(procedure, setup).err().expect("no procedures");
    assert_eq!(error.path, "params.form");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE accounts (id INTEGER)")
        .unwrap();
    let bank = bank(&path, small(Synchronous::Normal));
    refused(block_on(bank.prepare(&ProgressReporter::silent())));
    block_on(bank.cleanup()).expect_err("not ours");
    assert_eq!(integer(&path, "SELECT COUNT(*) FROM accounts"), 0);
}
