//! Against the library itself; without it they say so and test nothing.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;

use igen_engine::{Failure, FailureKind, ProgressReporter, Then};

use super::Database;
use super::library::library;
use crate::content::{
    Column, ColumnType, Content, Filled, Found, Index, Metadata, RowSource, Table,
};
use crate::settings::Settings;
use crate::value::{Checksum, Rows, Value};

const ROWS: u64 = 12_345;

const WORDS: Table = Table {
    name: "words",
    columns: &[
        column("id", ColumnType::Identity),
        column("key", ColumnType::Integer),
        column("big", ColumnType::BigInteger),
        column("amount", ColumnType::Amount),
        column("code", ColumnType::Character(2)),
        column("word", ColumnType::Text(20)),
        column("since", ColumnType::Timestamp),
    ],
};

const fn column(name: &'static str, kind: ColumnType) -> Column {
    Column { name, kind }
}

struct Source;

impl RowSource for Source {
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>])) {
        let index = i64::try_from(index).unwrap();
        write(&values(index, &word(index)));
    }
}

/// Short ones lie in place in DuckDB's vectors, long ones do not.
fn word(index: i64) -> String {
    "x".repeat(usize::try_from(index % 20).unwrap())
}

fn values(index: i64, word: &str) -> [Value<'_>; 7] {
    [
        Value::Integer(index + 1),
        Value::Integer(index % 10 - 5),
        Value::Integer(index << 40),
        Value::Integer(3 * index),
        Value::Text("ab"),
        Value::Text(word),
        Value::Timestamp(1_000_000_000 + index),
    ]
}

fn content(version: i64) -> Content<'static> {
    Content {
        workload: "words",
        metadata: Metadata::from([("version".to_owned(), version)]),
        tables: vec![Filled {
            table: &WORDS,
            rows: ROWS,
            source: Box::new(|| Box::new(Source)),
        }],
        indexes: &[Index {
            name: "words_by_key",
            table: "words",
            column: "key",
        }],
        bytes: 0,
    }
}

/// The database at `path`; `None`, said aloud, without the library.
fn database(path: &Path) -> Option<Database> {
    if let Err(error) = library() {
        eprintln!("skipped: {error}");
        return None;
    }
    let target = format!("duckdb:///{}", path.display());
    Some(Database::of(&target, "targets[0]", &Settings::default()).unwrap())
}

async fn loaded(path: &Path) -> Option<Database> {
    let database = database(path)?;
    database
        .load(&content(1), false, &ProgressReporter::silent())
        .await
        .unwrap();
    Some(database)
}

fn names(directory: &Path) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name()).collect()
}

#[tokio::test]
async fn rows_come_back_as_they_were_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("words.duckdb");
    let Some(database) = loaded(&path).await else {
        return;
    };
    assert_eq!(names(directory.path()), ["words.duckdb"]);
    let mut session = database
        .session(&["SELECT * FROM words ORDER BY id LIMIT ?"])
        .unwrap();
    let mut expected = Rows::default();
    for index in 0..3_000 {
        expected.count += 1;
        let mut row = Checksum::default();
        std::mem::swap(&mut row, &mut expected.checksum);
        row.row(&values(index, &word(index)));
        expected.checksum = row;
    }
    assert_eq!(session.select(0, &[3_000]).unwrap(), expected);
    assert_eq!(session.select(0, &[0]).unwrap(), Rows::default());
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        session
            .query("SELECT COUNT(*), SUM(amount), SQRT(2), NULL, MIN(since) FROM words")
            .unwrap(),
        [[
            text("12345"),
            text("228580020"),
            text("1.4142135623730951"),
            None,
            text("2001-09-09 01:46:40"),
        ]]
    );
}

#[tokio::test]
async fn a_transaction_commits_or_rolls_back_as_a_whole() {
    let directory = tempfile::tempdir().unwrap();
    let Some(database) = loaded(&directory.path().join("words.duckdb")).await else {
        return;
    };
    let insert = "INSERT INTO words (key, big, amount, code, word, since) \
                  VALUES (?, 1, 1, 'ab', 'new', current_timestamp)";
    let statements = [insert, "UPDATE words SET big = ? WHERE id = 1"];
    let mut session = database.session(&statements).unwrap();
    let count = "SELECT COUNT(*) FROM words";
    session.begin(true).unwrap();
    assert_eq!(session.execute(0, &[7]).unwrap(), 1);
    session.rollback();
    session.rollback();
    assert_eq!(session.query(count).unwrap(), [[Some(ROWS.to_string())]]);
    session.begin(true).unwrap();
    session.execute(0, &[7]).unwrap();
    session.commit().unwrap();
    let one_more = ROWS + 1;
    assert_eq!(
        session.query(count).unwrap(),
        [[Some(one_more.to_string())]]
    );

    let mut other = database.session(&statements).unwrap();
    session.begin(true).unwrap();
    other.begin(true).unwrap();
    session.execute(1, &[1]).unwrap();
    let failure = other.execute(1, &[2]).expect_err("changed by another");
    assert_eq!(failure.reason.kind, FailureKind::Conflict, "{failure:?}");
    other.rollback();
    session.commit().unwrap();
    let failure = session
        .query("SELECT nothing FROM words")
        .expect_err("no such column");
    assert_eq!(failure.then, Then::GoOn, "{failure:?}");
}

#[tokio::test]
async fn what_is_not_ours_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("words.duckdb");
    let Some(database) = self::database(&path) else {
        return;
    };
    assert_eq!(database.look(&content(1)).unwrap(), Found::Nothing);
    assert_eq!(
        database.session(&[]).err(),
        Some(Failure::anew(
            FailureKind::Other,
            "the file is not a database of iGen"
        ))
    );
    fs::write(&path, "my notes, longer than a header").unwrap();
    let database = self::database(&path).unwrap();
    assert!(matches!(
        database.look(&content(1)).unwrap(),
        Found::Foreign(_)
    ));
    database.remove(&content(1)).expect_err("not ours");
    fs::remove_file(&path).unwrap();

    let database = loaded(&path).await.unwrap();
    let found = database.look(&content(2)).unwrap();
    assert_eq!(found, Found::Igen(content(1).metadata));
    let mut session = database.session(&[]).unwrap();
    session.query("DROP TABLE igen_metadata").unwrap();
    drop(session);
    assert!(matches!(
        database.look(&content(1)).unwrap(),
        Found::Foreign(_)
    ));
    database.remove(&content(1)).expect_err("not ours");
    assert!(path.exists());
}

#[tokio::test]
async fn an_interrupted_load_leaves_nothing_that_looks_complete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("words.duckdb");
    let Some(library) = library().ok() else {
        return;
    };
    let loader = super::load::Loader::start(library, &path, 0, false).unwrap();
    let mut loader = loader.expect("nobody else loads it");
    loader.create("CREATE TABLE words (word VARCHAR)").unwrap();
    assert!(
        super::load::Loader::start(library, &path, 0, false)
            .unwrap()
            .is_none()
    );
    drop(loader);
    assert!(names(directory.path()).is_empty());
    let database = loaded(&path).await.unwrap();
    database.remove(&content(1)).unwrap();
    assert!(names(directory.path()).is_empty());
}
