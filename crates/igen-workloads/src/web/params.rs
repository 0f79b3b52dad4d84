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
    /// Actions of the users: `scenario=@FILE` (TOML).
    #[schemars(extend("x-default" = "the built-in shop"))]
    pub scenario: Option<Scenario>,
    /// Version of HTTP; auto: with TLS the server's choice.
    #[schemars(extend("x-default" = "the scenario's"))]
    pub protocol: Option<HttpVersion>,
    /// TLS sessions that new connections resume: of the same user, or none.
    pub resumption: TlsResumption,
    /// Public hosts that you may load: a list, or text with commas.
    ///
    /// Hosts of this machine and of private networks are always allowed.
    #[serde(deserialize_with = "names")]
    #[schemars(with = "Names")]
    pub i_may_load: Vec<String>,
}
