#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use igen_engine::{Recorder, User};
use igen_job::Bytes;

use super::*;

fn setup(target: &str) -> Setup {
    Setup {
        targets: vec![target.to_owned()],
        users: 1,
        own_users: 1,
        agent_users: 1,
        seed: 42,
        force: false,
        i_own_this_data: false,
        credentials: igen_job::Credentials::Own,
        stream: true,
        rest_s: 0.0,
    }
}

fn params(table: Name, predicate: Predicate) -> Params {
    Params {
        table,
        predicate,
        size_bytes: Bytes(1_000_000),
        ..Params::default()
    }
}

/// A target of each embedded engine that is there.
fn targets(folder: &Path) -> Vec<String> {
    let of = |scheme: &str| format!("{scheme}:///{}", folder.join(scheme).display());
    let there = |target: &String| {
        let database = Database::of(
            target,
            TARGET_FIELD,
            &Params::default().settings,
            igen_job::Credentials::Own,
        );
        if let Err(error) = &database {
            eprintln!("skipped: {error}");
        }
        database.is_ok()
    };
    ["sqlite", "duckdb"]
        .map(of)
        .into_iter()
        .filter(there)
        .collect()
}

async fn scan(params: Params, target: &str, times: u32) -> Result<Scan, JobError> {
    let workload = Scan::new(params, setup(target))?;
    workload.prepare(&ProgressReporter::silent()).await?;
    workload.facts().await;
    let context = UserContext {
        id: 0,
        seed: 1,
        target: 0,
    };
    let mut user = workload.user(context).await.expect("a user");
    let mut recorder = Recorder::detached(user::OPERATIONS.len(), user::COUNTERS.len()).unwrap();
    for _ in 0..times {
        user.transaction(&mut recorder)
            .await
            .expect("the right answer");
    }
    Ok(workload)
}

#[tokio::test]
async fn every_predicate_is_answered_right_on_every_table() {
    let folder = tempfile::tempdir().unwrap();
    for target in targets(folder.path()) {
        for table in Name::ALL {
            for predicate in [Predicate::Trivial, Predicate::Complex, Predicate::Payload] {
                scan(params(table, predicate), &target, 1).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_wrong_answer_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for target in targets(folder.path()) {
        let params = params(Name::Ten, Predicate::Trivial);
        let workload = scan(params, &target, 1).await.unwrap();
        let mut session = workload.engine.session().await.unwrap();
        session
            .query("UPDATE ten SET a = 1 WHERE a = 0")
            .await
            .unwrap();
        let question = workload.question();
        assert!(question.counts.zeros > 0);
        let failure = question.ask(&mut session).await.expect_err("no zeros");
        assert_eq!(failure.reason.text, "wrong answer");
    }
}

#[tokio::test]
async fn cold_and_warm_are_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    for target in targets(folder.path()) {
        let warm = params(Name::Page, Predicate::Payload);
        let cold = Params {
            cold: true,
            ..warm.clone()
        };
        let warm = scan(warm, &target, 2).await.unwrap();
        assert_eq!(warm.caching().state, "warm");
        let cold = scan(cold, &target, 2).await.unwrap();
        let there = cold.caching().cache.is_some();
        assert_eq!(cold.caching().state, if there { "cold" } else { "warm" });
    }
}

#[tokio::test]
async fn other_tables_are_another_database() {
    let folder = tempfile::tempdir().unwrap();
    for target in targets(folder.path()) {
        let trivial = params(Name::Ten, Predicate::Trivial);
        let workload = scan(trivial.clone(), &target, 1).await.unwrap();
        let other = Params {
            size_bytes: Bytes(2_000_000),
            ..trivial
        };
        let error = scan(other, &target, 1).await.err().expect("other sizes");
        assert!(error.text.contains("rows_ten"), "{error}");
        workload.cleanup().await.unwrap();
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn the_size_that_is_said_to_be_needed_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    for target in targets(folder.path()) {
        let params = params(Name::Ten, Predicate::Trivial);
        let workload = scan(params, &target, 1).await.unwrap();
        let files = workload.engine.database.files();
        let bytes = std::fs::metadata(&files[0]).unwrap().len();
        let needed = workload.content().bytes;
        assert!(bytes <= needed, "{target}: {bytes} > {needed}");
    }
}
