//! One of a job's targets: a web server, and what its users share.

use std::sync::OnceLock;

use igen_engine::Setup;
use igen_job::JobError;

use super::params::Params;
use super::place::Origin;
use super::program::Program;
use crate::http::WebServer;

/// A web server.
pub struct Server {
    pub web: WebServer,
    pub authority: String,
    /// As URLs name it.
    pub origin: Origin,
    /// The `ETag` of each resource, as its first answer had it.
    pub etags: Box<[OnceLock<Box<[u8]>>]>,
}

impl Server {
    /// The target of number `index` of the job, for the users of that program.
    pub fn of(
        index: usize,
        target: &str,
        params: &Params,
        setup: &Setup,
        program: &Program,
    ) -> Result<Self, JobError> {
        let how = (program.browser.protocol, params.resumption);
        let web = WebServer::of(index, target, how, &params.i_may_load, setup)?;
        Ok(Self {
            origin: Origin::of(&web.site),
            authority: web.site.authority(),
            etags: program.resources.iter().map(|_| OnceLock::new()).collect(),
            web,
        })
    }
}
