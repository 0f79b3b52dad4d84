//! Questions to the database; the answers are JSON.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use serde_json::{Value, json};

use super::content::CHARTS;

/// Rows on a page.
pub const PAGE_ROWS: u32 = 20;

const PRODUCT: &str = "SELECT id, name, category, price_cents, stock FROM products";

/// Some products in a row.
pub fn products(database: &Connection, from: u32) -> rusqlite::Result<Value> {
    let sql = format!("{PRODUCT} WHERE id > ? ORDER BY id LIMIT 10");
    rows(database, &sql, [from], product_of).map(|rows| json!({"products": rows}))
}

/// The products whose names or descriptions hold some words, and how many there are in all.
pub fn search(database: &Connection, words: &str, page: u32) -> rusqlite::Result<Value> {
    let matches = "WHERE instr(name, ?1) OR instr(description, ?1)";
    let sql = format!("{PRODUCT} {matches} ORDER BY id LIMIT {PAGE_ROWS} OFFSET ?2");
    let skipped = u64::from(page) * u64::from(PAGE_ROWS);
    let skipped = i64::try_from(skipped).unwrap_or_default();
    let found = rows(database, &sql, params![words, skipped], product_of)?;
    let count: u32 = database
        .prepare_cached(&format!("SELECT COUNT(*) FROM products {matches}"))?
        .query_row([words], |row| row.get(0))?;
    Ok(json!({"count": count, "page": page, "products": found}))
}

/// A product.
pub fn product(database: &Connection, id: u32) -> rusqlite::Result<Option<Value>> {
    let sql =
        "SELECT id, name, category, price_cents, stock, description FROM products WHERE id = ?";
    let mut statement = database.prepare_cached(sql)?;
    let found = statement.query_row([id], |row| {
        let mut product = product_of(row)?;
        product["description"] = row.get::<_, String>(5)?.into();
        Ok(product)
    });
    found.optional()
}

/// The note of a product; empty where nobody has written one.
pub fn note(database: &Connection, id: u32) -> rusqlite::Result<Option<Value>> {
    let sql = "SELECT name, COALESCE(note, '') FROM products LEFT JOIN notes ON product = id WHERE id = ?";
    let mut statement = database.prepare_cached(sql)?;
    let found = statement.query_row([id], |row| {
        let (name, note): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(json!({"name": name, "note": note}))
    });
    found.optional()
}

/// Writes the note of a product; `None` where there is no such product.
pub fn write_note(database: &Connection, id: u32, note: &str) -> rusqlite::Result<Option<Value>> {
    let sql = "INSERT OR REPLACE INTO notes SELECT id, ?2 FROM products WHERE id = ?1";
    let written = database.prepare_cached(sql)?.execute(params![id, note])?;
    Ok((written == 1).then(|| json!({"written": written})))
}

/// The labels and values of a chart, of one region or of all; `None` where there is no such chart.
pub fn chart(
    database: &Connection,
    name: &str,
    region: Option<u32>,
) -> rusqlite::Result<Option<Value>> {
    let Some((_, sql)) = CHARTS.iter().find(|(known, _)| *known == name) else {
        return Ok(None);
    };
    let points = rows(database, sql, [region], |row| {
        let value: i64 = row.get(1)?;
        Ok(json!([label(row.get_ref(0)?), value]))
    })?;
    Ok(Some(
        json!({"chart": name, "region": region, "points": points}),
    ))
}

fn label(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Integer(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        _ => Value::Null,
    }
}

fn product_of(row: &Row<'_>) -> rusqlite::Result<Value> {
    let (id, name, category): (u32, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let (price_cents, stock): (u32, u32) = (row.get(3)?, row.get(4)?);
    Ok(
        json!({"id": id, "name": name, "category": category, "price_cents": price_cents, "stock": stock}),
    )
}

fn rows(
    database: &Connection,
    sql: &str,
    values: impl Params,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<Value>,
) -> rusqlite::Result<Vec<Value>> {
    database
        .prepare_cached(sql)?
        .query_map(values, row)?
        .collect()
}
