//! A workload's tables in the dialect of MariaDB and MySQL: creating and filling them.

use igen_engine::ProgressReporter;

use super::connection::Connection;
use super::error::Error;
use super::rows::{Way, load};
use crate::content::{Column, ColumnType, Content, Table};
use crate::server::content::{CREATE_METADATA, LOADING, drop_tables, finished, forget};
use crate::server::protocol::LOADERS;

/// Creates and fills the tables.
pub(super) async fn fill(
    connection: &mut Connection,
    loaders: &mut [Connection; LOADERS],
    content: &Content<'_>,
    progress: &ProgressReporter,
) -> Result<(), Error> {
    // In one statement, since DDL commits by itself: the tables are never there without a row that says so.
    let begun = format!(
        "REPLACE INTO igen_metadata VALUES ('{}', '{LOADING}', 1)",
        content.workload
    );
    let metadata = format!("{CREATE_METADATA} ENGINE = InnoDB");
    for sql in [metadata, begun, drop_tables(content)] {
        connection.query(&sql).await?;
    }
    let way = way(connection).await?;
    let total = content.rows();
    let done = std::cell::Cell::new(0);
    for filled in &content.tables {
        connection.query(&create_table(filled.table)).await?;
        let text = match way {
            Way::LoadData => format!("loading {}", filled.table.name),
            Way::Insert => format!(
                "loading {} slowly, because local_infile is off on the server",
                filled.table.name
            ),
        };
        let report = |rows: u64| {
            done.set(done.get() + rows);
            // The last report follows when all is done.
            progress.report(
                &text,
                done.get().min(total.saturating_sub(1)),
                total,
                "rows",
            );
        };
        load(loaders, way, filled, &report).await?;
    }
    for index in content.indexes {
        progress.report(
            &format!("creating index {}", index.name),
            total,
            total,
            "rows",
        );
        connection
            .query(&format!(
                "CREATE INDEX {} ON {} ({})",
                index.name, index.table, index.column
            ))
            .await?;
    }
    for filled in &content.tables {
        connection
            .query(&format!("ANALYZE TABLE {}", filled.table.name))
            .await?;
    }
    for sql in [
        "START TRANSACTION",
        &forget(content.workload),
        &finished(content),
        "COMMIT",
    ] {
        connection.query(sql).await?;
    }
    progress.report("loaded", total, total, "rows");
    Ok(())
}

/// Returns the names of those of `content`'s tables that are there.
pub(super) async fn tables(
    connection: &mut Connection,
    content: &Content<'_>,
) -> Result<Vec<String>, Error> {
    let names: Vec<String> = content
        .tables
        .iter()
        .map(|filled| format!("'{}'", filled.table.name))
        .collect();
    let rows = connection
        .query(&format!(
            "SELECT table_name FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name IN ({}) ORDER BY table_name",
            names.join(", ")
        ))
        .await?;
    Ok(rows.into_iter().flatten().flatten().collect())
}

async fn way(connection: &mut Connection) -> Result<Way, Error> {
    let rows = connection.query("SELECT @@local_infile").await?;
    Ok(match rows.first().and_then(|row| row.first()) {
        Some(Some(on)) if on == "1" => Way::LoadData,
        _ => Way::Insert,
    })
}

/// Texts are stored as utf8mb4, MySQL's and since 11.6 MariaDB's default, and compared by their
/// bytes: ASCII takes one byte a character, and nothing is converted on its way.
fn create_table(table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    format!(
        "CREATE TABLE {} ({}) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        table.name,
        columns.join(", ")
    )
}

fn column(column: &Column) -> String {
    let kind = match column.kind {
        ColumnType::Key => "INT PRIMARY KEY".to_owned(),
        ColumnType::Identity => "BIGINT AUTO_INCREMENT PRIMARY KEY".to_owned(),
        ColumnType::Integer => "INT NOT NULL".to_owned(),
        ColumnType::BigInteger => "BIGINT NOT NULL".to_owned(),
        ColumnType::Amount => "DECIMAL(12,2) NOT NULL".to_owned(),
        ColumnType::Character(length) => format!("CHAR({length}) NOT NULL"),
        ColumnType::Text(most) => format!("VARCHAR({most}) NOT NULL"),
        // A TIMESTAMP would depend on the time zone and end in 2038.
        ColumnType::Timestamp => "DATETIME NOT NULL".to_owned(),
    };
    format!("{} {kind}", column.name)
}
