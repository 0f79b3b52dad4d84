//! The data tier: SQLite in memory, filled from the seed at the start, asked over HTTP.

mod content;
mod queries;

use bytes::Bytes;
use hyper::{Method, Request, Response, StatusCode};
use igen_job::JobError;
use rusqlite::Connection;
use serde_json::Value;

use crate::seed::Seed;
use crate::serve::{self, Body, Limits, Listen, Stop, Tier, field, json, plain};
pub use content::{CHARTS, PRODUCTS, REGIONS};
pub use queries::PAGE_ROWS;

/// Longest note of a product.
const NOTE_BYTES: usize = 2_000;

/// What a data server is to be.
pub struct Options {
    /// Where it listens.
    pub listen: Vec<Listen>,
    /// What it is filled from.
    pub seed: u64,
    /// What it bears.
    pub limits: Limits,
}

/// Serves until it is told to stop; `ready` is told the address.
pub fn serve(options: &Options, ready: impl FnOnce(&str), stop: Stop) -> Result<(), JobError> {
    let make = || {
        let filled = content::filled(Seed(options.seed));
        let connection =
            filled.map_err(|error| JobError::new(format!("cannot fill the database: {error}")))?;
        Ok(Data { connection })
    };
    serve::run(&options.listen, None, options.limits, make, ready, stop)
}

struct Data {
    connection: Connection,
}

impl Data {
    /// The answer to a question, as JSON; `None` where there is nothing of that name.
    fn ask(&self, request: &Request<Bytes>) -> rusqlite::Result<Option<Value>> {
        let query = request.uri().query().unwrap_or_default();
        let number = |name| field(query, name).and_then(|text| text.parse::<u32>().ok());
        let path = request.uri().path();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (request.method(), segments.as_slice()) {
            (&Method::GET, ["products"]) => {
                queries::products(&self.connection, number("from").unwrap_or(0)).map(Some)
            }
            (&Method::GET, ["search"]) => {
                let words = field(query, "q").unwrap_or_default();
                let page = number("page").unwrap_or(0);
                queries::search(&self.connection, &words, page).map(Some)
            }
            (&Method::GET, ["chart", name]) => {
                queries::chart(&self.connection, name, number("region"))
            }
            (&Method::GET, ["product", id]) => match id.parse() {
                Ok(id) => queries::product(&self.connection, id),
                Err(_) => Ok(None),
            },
            (&Method::GET, ["product", id, "note"]) => match id.parse() {
                Ok(id) => queries::note(&self.connection, id),
                Err(_) => Ok(None),
            },
            (&Method::POST, ["product", id, "note"]) => match id.parse() {
                Ok(id) => {
                    let note = String::from_utf8_lossy(request.body());
                    queries::write_note(&self.connection, id, &note)
                }
                Err(_) => Ok(None),
            },
            _ => Ok(None),
        }
    }
}

impl Tier for Data {
    const NAME: &'static str = "data";

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        if request.body().len() > NOTE_BYTES {
            return plain(StatusCode::PAYLOAD_TOO_LARGE, "the note is too long");
        }
        match self.ask(&request) {
            Ok(Some(found)) => json(found.to_string()),
            Ok(None) => plain(StatusCode::NOT_FOUND, "there is no such thing"),
            Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }

    async fn obstacle(&self) -> Option<String> {
        None
    }

    fn counted(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    async fn counts_of(&self, _tier: &str) -> Option<Response<Body>> {
        None
    }
}
