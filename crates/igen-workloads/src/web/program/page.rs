//! A page of a program.

use super::request::Request;

/// A page.
pub struct Page {
    pub name: String,
    pub requests: Vec<Request>,
    /// Places in the program's resources.
    pub resources: Vec<usize>,
    /// The operation that its resources are.
    pub resources_operation: usize,
    /// Tables that it takes rows from.
    pub tables: Vec<usize>,
}
