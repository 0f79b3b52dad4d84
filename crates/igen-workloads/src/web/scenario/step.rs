//! What users do one after another: pages, again, or one way of several.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// A step: exactly one of `page`, `loop` and `choose`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// Goes to the page of that name.
    pub page: Option<String>,
    /// Does `steps` several times: how often, and with which weight that is drawn: `{ 1 = 60, 3 = 40 }`.
    #[serde(rename = "loop")]
    pub times: Option<BTreeMap<String, u32>>,
    /// What a loop does.
    pub steps: Vec<Step>,
    /// Takes one of these ways.
    pub choose: Option<Vec<Branch>>,
}

/// One way of several.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// How often it is taken, to the other weights.
    pub weight: u32,
    /// What is done on it; nothing when empty.
    pub steps: Vec<Step>,
}
