//! One of a job's targets: a web server, and what its users share.

use std::sync::OnceLock;

use igen_job::JobError;

use super::params::Params;
use crate::http::WebServer;

/// A web server.
pub struct Server {
    pub web: WebServer,
    pub authority: String,
    /// With what its own URLs begin.
    pub origin: String,
    /// The `ETag` of each resource, as its first answer had it.
    pub etags: Box<[OnceLock<Box<[u8]>>]>,
}

impl Server {
    /// The target of number `index` of the job, with so many resources.
    pub fn of(
        index: usize,
        target: &str,
        params: &Params,
        force: bool,
        resources: usize,
    ) -> Result<Self, JobError> {
        let web = WebServer::of(index, target, params.resumption, &params.i_may_load, force)?;
        let authority = web.site.authority();
        Ok(Self {
            origin: format!("{}://{authority}", web.site.scheme()),
            authority,
            etags: (0..resources).map(|_| OnceLock::new()).collect(),
            web,
        })
    }
}
