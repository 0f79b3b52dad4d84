//! The workload against real database files.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use igen_engine::{ProgressReporter, Recorder, Setup, Then, User, UserContext, Workload};
use igen_job::JobError;
use igen_sql::settings::{Settings, Synchronous};
use rusqlite::Connection;
use tempfile::TempDir;

use super::schema::BYTES_PER_CUSTOMER;
use super::statements::{OPERATIONS, STATEMENTS};
use super::{Mode, Oltp, Params};

const CUSTOMERS: u32 = 1_000;

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
    let path = directory.path().join("shop.db");
    (directory, path)
}

fn small() -> Params {
    Params {
        customers: CUSTOMERS,
        settings: Settings {
            synchronous: Some(Synchronous::Normal),
            ..Settings::default()
        },
        ..Params::default()
    }
}

fn oltp(path: &Path, params: Params, seed: u64) -> Oltp {
    let setup = Setup {
        targets: vec![format!("sqlite:///{}", path.display())],
        users: 4,
        own_users: 4,
        agent_users: 4,
        seed,
        force: false,
        i_own_this_data: false,
        credentials: igen_job::Credentials::Own,
        stream: true,
        rest_s: 0.0,
    };
    Oltp::new(params, setup).unwrap()
}

fn prepared(path: &Path, params: Params) -> Oltp {
    let oltp = oltp(path, params, 42);
    block_on(oltp.prepare(&ProgressReporter::silent())).unwrap();
    block_on(oltp.verify(false)).unwrap();
    oltp
}

/// Runs `transactions` of each of `users` on threads of their own.
fn run(oltp: &Oltp, users: u32, transactions: u32) -> Result<(), String> {
    std::thread::scope(|scope| {
        let users: Vec<_> = (0..users)
            .map(|id| scope.spawn(move || block_on(run_user(oltp, id, transactions))))
            .collect();
        users.into_iter().try_for_each(|user| user.join().unwrap())
    })
}

async fn run_user(oltp: &Oltp, id: u32, transactions: u32) -> Result<(), String> {
    let context = UserContext {
        id,
        seed: u64::from(id),
        target: 0,
    };
    let reason = |failure: igen_engine::Failure| failure.reason.to_string();
    let mut recorder = Recorder::detached(OPERATIONS.len(), Oltp::COUNTERS.len()).unwrap();
    let mut user = oltp.user(context).await.map_err(reason)?;
    for _ in 0..transactions {
        user.transaction(&mut recorder).await.map_err(reason)?;
    }
    Ok(())
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
fn users_leave_the_database_as_large_as_they_found_it() {
    let (_directory, path) = place();
    let oltp = prepared(&path, small());
    let first = integer(&path, "SELECT MAX(o_id) FROM orders");
    run(&oltp, 4, 150).unwrap();
    block_on(oltp.verify(true)).unwrap();
    assert_eq!(integer(&path, "SELECT COUNT(*) FROM orders"), 10_000);
    assert_eq!(
        integer(&path, "SELECT MAX(o_id) FROM orders"),
        first + 600,
        "one insert each"
    );
    assert_eq!(
        integer(&path, "SELECT COUNT(*) FROM orders WHERE o_status = 'N'"),
        600
    );
    block_on(oltp.cleanup()).unwrap();
    assert_eq!(
        fs::read_dir(path.parent().unwrap()).unwrap().count(),
        0,
        "nothing is left"
    );
}

#[test]
fn autocommit_and_read_only_do_what_they_say() {
    let (_directory, path) = place();
    let autocommit = Params {
        mode: Mode::Autocommit,
        ..small()
    };
    run(&prepared(&path, autocommit), 4, 50).unwrap();
    assert_eq!(
        integer(&path, "SELECT COUNT(*) FROM orders WHERE o_status = 'N'"),
        200
    );
    for mode in [Mode::Autocommit, Mode::Transaction] {
        let read_only = Params {
            mode,
            read_only: true,
            ..small()
        };
        let oltp = prepared(&path, read_only);
        run(&oltp, 4, 50).unwrap();
        block_on(oltp.verify(true)).unwrap();
    }
    assert_eq!(
        integer(&path, "SELECT COUNT(*) FROM orders WHERE o_status = 'N'"),
        200
    );
}

#[test]
fn every_statement_finds_its_rows_by_an_index() {
    let (_directory, path) = place();
    prepared(&path, small());
    let connection = Connection::open(&path).unwrap();
    for sql in STATEMENTS {
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
            !steps.contains("SCAN") && !steps.contains("TEMP B-TREE"),
            "{sql}: {steps}"
        );
    }
}

#[test]
fn the_size_is_the_one_that_is_checked_for() {
    let (_directory, path) = place();
    prepared(&path, small());
    let bytes = fs::metadata(&path).unwrap().len() / u64::from(CUSTOMERS);
    assert!(
        bytes.abs_diff(BYTES_PER_CUSTOMER) * 20 < BYTES_PER_CUSTOMER,
        "{bytes}"
    );
}

#[test]
fn facts_are_read_back_from_the_database() {
    let (_directory, path) = place();
    let params = Params {
        settings: Settings::default(),
        ..small()
    };
    let oltp = prepared(&path, params);
    let facts: std::collections::BTreeMap<_, _> = block_on(oltp.facts())
        .into_iter()
        .map(|fact| (fact.name, fact.value))
        .collect();
    for (name, value) in [
        ("target.sqlite.journal_mode", "wal".into()),
        ("target.sqlite.synchronous", "full".into()),
        ("target.sqlite.isolation", "serializable".into()),
        ("target.sqlite.cache_bytes", (2_000 * 1024).into()),
        ("target.sqlite.version", rusqlite::version().into()),
    ] {
        assert_eq!(facts.get(name), Some(&value), "{name}");
    }
    let per_customer = facts["oltp.bytes_per_customer"].as_f64().unwrap();
    assert!((1_000.0..2_000.0).contains(&per_customer));
    assert!(
        facts["oltp.transaction"]
            .as_str()
            .unwrap()
            .contains("BEGIN IMMEDIATE")
    );
}

#[test]
fn a_database_of_the_same_figures_is_kept_and_of_others_refused() {
    let (_directory, path) = place();
    run(&prepared(&path, small()), 1, 10).unwrap();
    run(&prepared(&path, small()), 1, 10).unwrap();
    assert_eq!(
        integer(&path, "SELECT COUNT(*) FROM orders WHERE o_status = 'N'"),
        20
    );
    let more = Params {
        customers: 2_000,
        ..small()
    };
    for (other, loaded) in [
        (oltp(&path, more, 42), "customers = 1000"),
        (oltp(&path, small(), 43), "seed = 42"),
    ] {
        let error = refused(block_on(other.prepare(&ProgressReporter::silent())));
        assert!(
            error.text.contains(&format!("was loaded with {loaded},")),
            "{error}"
        );
        refused(block_on(other.verify(false)));
    }
}

#[test]
fn what_others_made_is_left_alone() {
    let (directory, path) = place();
    let other = directory.path().join("other.db");
    Connection::open(&other)
        .unwrap()
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE orders (o_id INTEGER)")
        .unwrap();
    for content in [Vec::new(), b"my notes".to_vec(), fs::read(&other).unwrap()] {
        fs::write(&path, &content).unwrap();
        let oltp = oltp(&path, small(), 42);
        refused(block_on(oltp.prepare(&ProgressReporter::silent())));
        refused(block_on(oltp.verify(false)));
        block_on(oltp.cleanup()).expect_err("not ours");
        run(&oltp, 1, 1).expect_err("not ours");
        assert_eq!(fs::read(&path).unwrap(), content);
        assert_eq!(
            fs::read_dir(directory.path()).unwrap().count(),
            2,
            "no file is left behind"
        );
    }
}

#[test]
fn a_log_without_its_database_is_not_replayed_into_a_new_one() {
    let (_directory, path) = place();
    fs::write(
        path.with_extension("db-wal"),
        "of a database that was removed",
    )
    .unwrap();
    let oltp = oltp(&path, small(), 42);
    let error = block_on(oltp.prepare(&ProgressReporter::silent())).expect_err("log");
    assert!(error.text.contains("shop.db-wal"), "{error}");
    assert!(!path.exists());
}

#[test]
fn an_interrupted_load_leaves_nothing_and_a_killed_one_does_not_matter() {
    let (directory, path) = place();
    let oltp = oltp(&path, small(), 42);
    let mut polls = 0;
    block_on(async {
        let progress = ProgressReporter::silent();
        let mut prepare = std::pin::pin!(oltp.prepare(&progress));
        std::future::poll_fn(|context| {
            polls += 1;
            assert!(
                prepare.as_mut().poll(context).is_pending(),
                "it takes several batches"
            );
            std::task::Poll::Ready(())
        })
        .await;
    });
    assert_eq!(polls, 1);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    fs::write(
        directory.path().join("shop.db.igen-loading"),
        "of a process that was killed",
    )
    .unwrap();
    block_on(oltp.prepare(&ProgressReporter::silent())).unwrap();
    block_on(oltp.verify(false)).unwrap();
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        1,
        "only the database"
    );
}

#[test]
fn loads_of_one_database_at_once_end_with_one_database() {
    let (directory, path) = place();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| prepared(&path, small()));
        }
    });
    // Where two close it at the same moment, neither may take away the log of changes.
    let names = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let others = names.filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert_eq!(others.collect::<Vec<_>>(), ["shop.db"]);
}

#[test]
fn progress_counts_rows_to_the_end() {
    let (_directory, path) = place();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let events = Arc::clone(&seen);
    let progress = ProgressReporter::new(move |event| events.lock().unwrap().push(event));
    block_on(oltp(&path, small(), 42).prepare(&progress)).unwrap();
    let seen = seen.lock().unwrap();
    let last = seen.last().unwrap();
    assert_eq!(
        (last.done, last.total, last.unit.as_str()),
        (11_000, 11_000, "rows")
    );
    assert!(seen.iter().all(|event| event.total == 11_000));
}

#[test]
fn a_file_removed_during_the_run_is_noticed() {
    let (_directory, path) = place();
    let oltp = prepared(&path, small());
    let reason = block_on(async {
        let mut recorder = Recorder::detached(OPERATIONS.len(), Oltp::COUNTERS.len()).unwrap();
        let mut user = oltp
            .user(UserContext {
                id: 0,
                seed: 1,
                target: 0,
            })
            .await
            .unwrap();
        user.transaction(&mut recorder).await.unwrap();
        fs::remove_file(&path).unwrap();
        loop {
            if let Err(failure) = user.transaction(&mut recorder).await {
                break failure;
            }
        }
    });
    assert!(
        reason.then == Then::Anew && reason.reason.text.contains("removed"),
        "{reason:?}"
    );
    assert!(run(&oltp, 1, 1).is_err(), "no user can come back");
    let error = refused(block_on(oltp.verify(true)));
    assert!(error.text.contains("removed or replaced"), "{error}");
}

#[test]
fn a_file_replaced_during_the_run_is_noticed() {
    let (directory, path) = place();
    let oltp = prepared(&path, small());
    run(&oltp, 1, 1).unwrap();
    let copy = directory.path().join("copy.db");
    fs::copy(&path, &copy).unwrap();
    fs::rename(&copy, &path).unwrap();
    assert!(run(&oltp, 1, 1).unwrap_err().contains("replaced"));
    refused(block_on(oltp.verify(true)));
}

#[test]
fn missing_and_changed_rows_are_noticed() {
    for damage in [
        "DELETE FROM orders WHERE o_c_id = 77 AND o_id = (SELECT MIN(o_id) FROM orders WHERE o_c_id = 77)",
        "DELETE FROM customers WHERE c_id = 1000",
        "UPDATE customers SET c_balance = c_balance + 1 WHERE c_id = 1",
        "UPDATE orders SET o_comment = 'none'",
        "INSERT INTO orders SELECT NULL, o_c_id, o_date, o_status, o_qty, o_amount, o_item, o_comment FROM orders LIMIT 50",
    ] {
        let (_directory, path) = place();
        let oltp = prepared(&path, small());
        Connection::open(&path)
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        let error = refused(block_on(oltp.verify(true)));
        assert!(error.hint.contains("another client"), "{error}");
    }
}

#[test]
fn a_lock_held_too_long_is_a_failure_with_a_reason() {
    let (_directory, path) = place();
    let params = Params {
        settings: Settings {
            busy_timeout_s: Some(igen_job::Seconds(0.01)),
            ..Settings::default()
        },
        ..small()
    };
    let oltp = prepared(&path, params);
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(run(&oltp, 1, 1).unwrap_err(), "database is locked");
    holder.execute_batch("ROLLBACK").unwrap();
    run(&oltp, 1, 1).unwrap();
}

/// Two shards in one directory; `order` says which file comes first.
fn sharded(directory: &Path, order: [&str; 2]) -> Oltp {
    let target = |name| format!("sqlite:///{}/{name}.db", directory.display());
    let setup = Setup {
        targets: order.map(target).to_vec(),
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
    Oltp::new(small(), setup).unwrap()
}

#[test]
fn shards_hold_ranges_of_customers_and_users_stay_in_theirs() {
    let directory = tempfile::tempdir().unwrap();
    let oltp = sharded(directory.path(), ["a", "b"]);
    block_on(oltp.prepare(&ProgressReporter::silent())).unwrap();
    for (file, target, first) in [("a.db", 0, 1), ("b.db", 1, 1_001)] {
        let path = directory.path().join(file);
        let context = UserContext {
            id: 7,
            seed: 1,
            target,
        };
        block_on(async {
            let mut recorder = Recorder::detached(OPERATIONS.len(), Oltp::COUNTERS.len()).unwrap();
            let mut user = oltp.user(context).await.unwrap();
            for _ in 0..20 {
                user.transaction(&mut recorder).await.unwrap();
            }
        });
        assert_eq!(integer(&path, "SELECT MIN(c_id) FROM customers"), first);
        assert_eq!(
            integer(&path, "SELECT MAX(c_id) FROM customers"),
            first + 999
        );
        let new = "SELECT COUNT(*) FROM orders WHERE o_status = 'N'";
        assert_eq!(integer(&path, new), 20);
    }
    block_on(oltp.verify(true)).unwrap();
    let swapped = sharded(directory.path(), ["b", "a"]);
    let error = refused(block_on(swapped.verify(false)));
    assert!(
        error.text.contains("from 1001 on") && error.hint.contains("missing"),
        "{error}"
    );
    refused(block_on(swapped.prepare(&ProgressReporter::silent())));
    let twice = sharded(directory.path(), ["a", "a"]);
    let error = block_on(twice.verify(false)).expect_err("one file cannot be two shards");
    assert_eq!(error.path, "targets[1]");
    block_on(oltp.cleanup()).unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
