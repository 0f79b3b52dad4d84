//! Parameters of `web`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::scenario::Scenario;
use crate::http::{HttpVersion, TlsResumption};
use crate::names::{Names, names};

/// What users do.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// What users do: `@FILE` on a command line reads it from a file of TOML; the pages of the built-in shop when
    /// absent.
    pub scenario: Option<Scenario>,
    /// Which version of HTTP is spoken, in place of what the scenario says: `http/1.1`, `h2` or `auto`.
    pub protocol: Option<HttpVersion>,
    /// Which TLS sessions a new connection resumes: `own` of the same user, or `never` any. Never those of others.
    pub resumption: TlsResumption,
    /// Hosts outside of this machine and of private networks that you may load: a list, or text with commas.
    #[serde(deserialize_with = "names")]
    #[schemars(with = "Names")]
    pub i_may_load: Vec<String>,
}
