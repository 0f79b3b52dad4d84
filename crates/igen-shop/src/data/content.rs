//! What is in the database: products, and the orders of two years.

use rusqlite::{Connection, params};

use crate::seed::Seed;

/// Products, numbered from 1.
pub const PRODUCTS: u32 = 2_000;
/// Regions, numbered from 0.
pub const REGIONS: u32 = 10;
/// Orders.
const ORDERS: u32 = 10_000;
const MONTHS: u64 = 24;

const ADJECTIVES: [&str; 16] = [
    "amber", "brisk", "coastal", "durable", "elegant", "folding", "gentle", "heavy", "iron",
    "light", "modern", "northern", "oak", "portable", "quiet", "round",
];
const NOUNS: [&str; 16] = [
    "bench", "cabinet", "desk", "easel", "frame", "globe", "hammer", "kettle", "lamp", "mirror",
    "pillow", "rack", "shelf", "table", "vase", "wardrobe",
];
const CATEGORIES: [&str; 8] = [
    "office", "kitchen", "garden", "workshop", "bedroom", "hall", "bath", "nursery",
];

const TABLES: &str = "
    CREATE TABLE products (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL,
        price_cents INTEGER NOT NULL, stock INTEGER NOT NULL, description TEXT NOT NULL
    );
    CREATE TABLE orders (
        id INTEGER PRIMARY KEY, product INTEGER NOT NULL, region INTEGER NOT NULL,
        month INTEGER NOT NULL, quantity INTEGER NOT NULL
    );
    CREATE TABLE notes (product INTEGER PRIMARY KEY, note TEXT NOT NULL);
    CREATE INDEX orders_by_region ON orders (region);
";

/// Names of charts, and what each asks: `?1` is the region, or null for all of them. Labels and values
/// only, in an order that is complete.
pub const CHARTS: [(&str, &str); 4] = [
    (
        "sales-by-month",
        "SELECT month, SUM(quantity * price_cents) FROM orders JOIN products ON products.id = product
         WHERE ?1 IS NULL OR region = ?1 GROUP BY month ORDER BY month",
    ),
    (
        "sales-by-category",
        "SELECT category, SUM(quantity * price_cents) FROM orders JOIN products ON products.id = product
         WHERE ?1 IS NULL OR region = ?1 GROUP BY category ORDER BY category",
    ),
    (
        "top-products",
        "SELECT name, SUM(quantity) AS sold FROM orders JOIN products ON products.id = product
         WHERE ?1 IS NULL OR region = ?1 GROUP BY product ORDER BY sold DESC, product LIMIT 10",
    ),
    (
        "order-sizes",
        "SELECT quantity, COUNT(*) FROM orders
         WHERE ?1 IS NULL OR region = ?1 GROUP BY quantity ORDER BY quantity",
    ),
];

/// A database in memory with everything in it.
pub fn filled(seed: Seed) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch(TABLES)?;
    connection.set_prepared_statement_cache_capacity(32);
    let load = connection.transaction()?;
    {
        let mut numbers = seed.numbers("products");
        let mut insert = load.prepare("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?)")?;
        for id in 1..=PRODUCTS {
            let (adjective, noun) = (numbers.one_of(&ADJECTIVES), numbers.one_of(&NOUNS));
            let category = numbers.one_of(&CATEGORIES);
            let description = format!(
                "A {adjective} {noun} for the {category}, {} cm wide and {} cm high.",
                numbers.below(180) + 20,
                numbers.below(180) + 20
            );
            let name = format!("{adjective} {noun} {id}");
            let (price_cents, stock) = (numbers.below(99_900) + 100, numbers.below(500));
            let price_cents = i64::try_from(price_cents).unwrap_or_default();
            let stock = i64::try_from(stock).unwrap_or_default();
            insert.execute(params![id, name, category, price_cents, stock, description])?;
        }
        let mut numbers = seed.numbers("orders");
        let mut insert = load.prepare("INSERT INTO orders VALUES (?, ?, ?, ?, ?)")?;
        for id in 1..=ORDERS {
            let row = [
                u64::from(id),
                numbers.below(u64::from(PRODUCTS)) + 1,
                numbers.below(u64::from(REGIONS)),
                numbers.below(MONTHS) + 1,
                numbers.below(9) + 1,
            ];
            insert.execute(row.map(|value| i64::try_from(value).unwrap_or_default()))?;
        }
    }
    load.commit()?;
    Ok(connection)
}
