//! What a server has been asked and has answered, so that a client's counts can be held against it.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::request::is_digits;

/// Paths that are counted apart; further ones are counted together, so that no client fills the memory.
const MOST_PATHS: usize = 1_000;
const OTHER: &str = "other";
/// The status of a request whose client left before the answer.
const UNANSWERED: u16 = 0;

/// Requests by method, path and status.
#[derive(Default)]
pub struct Counts(RefCell<HashMap<String, HashMap<u16, u64>>>);

impl Counts {
    /// A request that has come. It is counted with its status, or as unanswered when it is dropped before.
    pub fn request(&self, method: &Method, path: &str) -> Pending<'_> {
        Pending {
            counts: self,
            request: format!("{method} {}", named(path)),
            status: Cell::new(UNANSWERED),
        }
    }

    /// All of them, in order.
    pub fn to_json(&self) -> Value {
        let counted = self.0.borrow();
        let mut rows: Vec<_> = counted
            .iter()
            .flat_map(|(request, by_status)| {
                by_status
                    .iter()
                    .map(move |(status, count)| (request.as_str(), *status, *count))
            })
            .collect();
        rows.sort_unstable();
        rows.into_iter()
            .map(|(request, status, count)| {
                let (method, path) = request.split_once(' ').unwrap_or((request, ""));
                json!({"method": method, "path": path, "status": status, "count": count})
            })
            .collect()
    }

    fn count(&self, request: &str, status: u16) {
        let mut counted = self.0.borrow_mut();
        let known = if counted.contains_key(request) || counted.len() < MOST_PATHS {
            request
        } else {
            OTHER
        };
        if let Some(by_status) = counted.get_mut(known) {
            *by_status.entry(status).or_default() += 1;
        } else {
            counted.insert(known.to_owned(), HashMap::from([(status, 1)]));
        }
    }
}

/// A request that is being answered.
pub struct Pending<'a> {
    counts: &'a Counts,
    request: String,
    status: Cell<u16>,
}

impl Pending<'_> {
    /// This is the answer.
    pub fn answered(self, status: StatusCode) {
        self.status.set(status.as_u16());
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.counts.count(&self.request, self.status.get());
    }
}

/// A path with `{id}` for numbers: else each record would be counted apart.
fn named(path: &str) -> Cow<'_, str> {
    if !path.split('/').any(is_digits) {
        return Cow::Borrowed(path);
    }
    let segments = path.split('/');
    let named: Vec<&str> = segments
        .map(|segment| if is_digits(segment) { "{id}" } else { segment })
        .collect();
    Cow::Owned(named.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_path_and_status() {
        let counts = Counts::default();
        for id in 1..=3 {
            let path = format!("/product/{id}/edit");
            counts.request(&Method::GET, &path).answered(StatusCode::OK);
        }
        drop(counts.request(&Method::POST, "/login"));
        assert_eq!(
            counts.to_json(),
            json!([
                {"method": "GET", "path": "/product/{id}/edit", "status": 200, "count": 3},
                {"method": "POST", "path": "/login", "status": 0, "count": 1},
            ])
        );
    }

    #[test]
    fn many_paths_do_not_fill_the_memory() {
        let counts = Counts::default();
        for number in 0..3_000 {
            let path = format!("/x{number}");
            counts
                .request(&Method::GET, &path)
                .answered(StatusCode::NOT_FOUND);
        }
        assert_eq!(counts.0.borrow().len(), MOST_PATHS + 1);
        let rows = counts.to_json();
        let total: u64 = rows
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| row["count"].as_u64())
            .sum();
        assert_eq!(total, 3_000);
    }
}
