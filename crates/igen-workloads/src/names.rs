//! Parameters that are lists of names: on a command line they are texts.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

/// Names: a list, or text with commas between them.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Names {
    /// `["cn", "mail"]`.
    List(Vec<String>),
    /// `cn,mail`.
    Text(String),
}

/// Reads `Names`.
pub(crate) fn names<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    Ok(match Names::deserialize(source)? {
        Names::List(list) => list,
        Names::Text(text) => text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
    })
}
