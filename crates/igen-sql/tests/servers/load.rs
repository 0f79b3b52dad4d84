//! Looking, loading and removing.

use std::sync::{Arc, Mutex};

use igen_engine::ProgressReporter;
use igen_sql::content::{Column, ColumnType, Content, Filled, Found, Index, RowSource, Table};
use igen_sql::database::Database;
use igen_sql::settings::Settings;
use igen_sql::value::{Checksum, Value};

use crate::server::{Product, Server};

const EVENTS: Table = Table {
    name: "events",
    columns: &[
        column("e_id", ColumnType::Identity),
        column("e_kind", ColumnType::Integer),
        column("e_bytes", ColumnType::BigInteger),
        column("e_amount", ColumnType::Amount),
        column("e_code", ColumnType::Character(4)),
        column("e_text", ColumnType::Text(40)),
        column("e_at", ColumnType::Timestamp),
    ],
};
const KINDS: Table = Table {
    name: "kinds",
    columns: &[
        column("k_id", ColumnType::Key),
        column("k_name", ColumnType::Text(20)),
    ],
};
const INDEXES: &[Index] = &[Index {
    name: "events_by_kind",
    table: "events",
    column: "e_kind",
}];
pub const STATEMENTS: &[&str] = &[
    "SELECT * FROM events WHERE e_id BETWEEN ? AND ? ORDER BY e_id",
    "SELECT * FROM kinds ORDER BY k_id",
];

const fn column(name: &'static str, kind: ColumnType) -> Column {
    Column { name, kind }
}

pub struct Events;
struct Kinds;

impl RowSource for Events {
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>])) {
        let id = i64::try_from(index).unwrap() + 1;
        let text = format!("it's \\ a\ttab, größer {id}");
        write(&[
            Value::Integer(id),
            Value::Integer(id % 7 - 3),
            Value::Integer(id * 1_000_000_007),
            Value::Integer(-id),
            Value::Text(["abcd", "x"][usize::from(id % 2 == 0)]),
            Value::Text(&text),
            Value::Timestamp(1_000_000_000 + 86_399 * id),
        ]);
    }
}

impl RowSource for Kinds {
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>])) {
        let id = i64::try_from(index).unwrap() - 3;
        write(&[Value::Integer(id), Value::Text("kind")]);
    }
}

/// Two tables, with so many rows in the first.
pub fn content(events: u64) -> Content<'static> {
    Content {
        workload: "test",
        metadata: [
            ("events".to_owned(), events.cast_signed()),
            ("seed".to_owned(), -1),
        ]
        .into(),
        tables: vec![
            Filled {
                table: &EVENTS,
                rows: events,
                source: Box::new(|| Box::new(Events)),
            },
            Filled {
                table: &KINDS,
                rows: 7,
                source: Box::new(|| Box::new(Kinds)),
            },
        ],
        indexes: INDEXES,
        bytes: 0,
    }
}

/// The database `name` on `server`, created for this.
pub fn database(server: &Server, name: &str) -> Database {
    server.create(name);
    open(&server.target(name))
}

pub fn open(target: &str) -> Database {
    Database::of(
        target,
        "targets[0]",
        &Settings::default(),
        igen_job::Credentials::Own,
    )
    .unwrap()
}

async fn load(database: &Database, content: &Content<'_>) {
    database
        .load(content, false, &ProgressReporter::silent())
        .await
        .unwrap();
}

on_each_server!(
    loaded_rows_are_the_generated_ones,
    the_next_key_follows_the_loaded_ones,
    tables_of_others_are_left_alone,
    an_interrupted_load_is_replaced,
    a_table_that_somebody_dropped_is_damage,
    the_second_of_two_loads_waits_and_loads_nothing,
);

async fn a_table_that_somebody_dropped_is_damage(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let database = database(&server, "damaged");
    let content = content(100);
    load(&database, &content).await;
    server.sql("damaged", "DROP TABLE kinds");
    assert!(matches!(
        database.look(&content).await.unwrap(),
        Found::Damaged(_)
    ));
    let silent = ProgressReporter::silent();
    let prepared = database.prepare("t", &content, false, &silent).await;
    assert!(prepared.is_err());
    database.remove(&content).await.unwrap();
    assert_eq!(server.tables("damaged"), "");
}

async fn loaded_rows_are_the_generated_ones(product: Product) {
    const EVENTS: u64 = 120_000;
    let Some(server) = Server::shared(product) else {
        return;
    };
    let database = database(&server, "loaded");
    let content = content(EVENTS);
    assert_eq!(database.look(&content).await.unwrap(), Found::Nothing);
    load(&database, &content).await;
    assert_eq!(
        database.look(&content).await.unwrap(),
        Found::Igen(content.metadata.clone())
    );
    let last = EVENTS.cast_signed();
    for database in [database, open(&server.socket_target("loaded"))] {
        let mut session = database.session(STATEMENTS).await.unwrap();
        for (statement, parameters, filled) in [
            (0, &[1, last][..], &content.tables[0]),
            (1, &[], &content.tables[1]),
        ] {
            let mut expected = Checksum::default();
            let mut source = (filled.source)();
            for index in 0..filled.rows {
                source.row(index, &mut |values| expected.row(values));
            }
            let rows = session.select(statement, parameters).await.unwrap();
            assert_eq!((rows.count, rows.checksum), (filled.rows, expected));
        }
    }
    let (indexes, names) = match product {
        Product::Mariadb => (
            "SELECT DISTINCT index_name FROM information_schema.statistics \
             WHERE table_schema = 'loaded' ORDER BY index_name",
            "events_by_kind\nPRIMARY",
        ),
        Product::Postgresql => (
            "SELECT concat_ws(' ', c.relname, CASE WHEN i.indisprimary THEN 'primary' END) \
             FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
             WHERE i.indrelid IN ('events'::regclass, 'kinds'::regclass) ORDER BY c.relname",
            "events_by_kind\nevents_pkey primary\nkinds_pkey primary",
        ),
    };
    assert_eq!(server.sql("loaded", indexes).trim(), names);
}

async fn the_next_key_follows_the_loaded_ones(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let database = database(&server, "identity");
    load(&database, &content(100)).await;
    let mut session = database.session(&[]).await.unwrap();
    session
        .query(
            "INSERT INTO events (e_kind, e_bytes, e_amount, e_code, e_text, e_at) \
                VALUES (1, 1, 1, 'a', 'b', CURRENT_TIMESTAMP)",
        )
        .await
        .unwrap();
    let last = session.integers("SELECT MAX(e_id) FROM events").await;
    assert_eq!(last.unwrap(), Some(vec![101]));
}

async fn tables_of_others_are_left_alone(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let content = content(10);
    for (name, create, table) in [
        ("foreign_table", "kinds (k_id INT)", "kinds"),
        ("foreign_metadata", "igen_metadata (a INT)", "igen_metadata"),
    ] {
        let database = database(&server, name);
        server.sql(name, &format!("CREATE TABLE {create}"));
        let Found::Foreign(what) = database.look(&content).await.unwrap() else {
            panic!("{name}");
        };
        assert!(
            what.contains(&format!("created the table {table}")),
            "{what}"
        );
        load(&database, &content).await;
        let error = database.remove(&content).await.expect_err(name);
        assert!(error.text.contains("not removed"), "{error}");
        assert_eq!(server.tables(name), table);
    }
}

async fn an_interrupted_load_is_replaced(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let database = database(&server, "interrupted");
    let content = content(200_000);
    let (loading, mut begun) = tokio::sync::mpsc::unbounded_channel();
    let progress = ProgressReporter::new(move |event| {
        if event.text == "loading events" {
            let _ = loading.send(());
        }
    });
    tokio::select! {
        _ = database.load(&content, false, &progress) => panic!("not interrupted"),
        _ = begun.recv() => (),
    }
    let tables = server.tables("interrupted");
    assert!(tables.contains("events"), "{tables}");
    assert_eq!(database.look(&content).await.unwrap(), Found::Nothing);
    load(&database, &content).await;
    assert_eq!(
        server
            .sql("interrupted", "SELECT COUNT(*) FROM events")
            .trim(),
        "200000"
    );
    database.remove(&content).await.unwrap();
    assert_eq!(server.tables("interrupted"), "");
}

async fn the_second_of_two_loads_waits_and_loads_nothing(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    let one = database(&server, "twice");
    let other = open(&server.target("twice"));
    let content = content(100_000);
    let said = Arc::new(Mutex::new(Vec::new()));
    let progress = ProgressReporter::new({
        let said = Arc::clone(&said);
        move |event| said.lock().unwrap().push(event.text)
    });
    let (first, second) = tokio::join!(
        one.load(&content, false, &progress),
        other.load(&content, false, &progress)
    );
    first.and(second).unwrap();
    let said = said.lock().unwrap();
    assert!(
        said.iter().any(|text| text.contains("another process")),
        "{said:?}"
    );
    assert_eq!(said.iter().filter(|text| *text == "loaded").count(), 1);
    assert_eq!(
        server.sql("twice", "SELECT COUNT(*) FROM events").trim(),
        "100000"
    );
}
