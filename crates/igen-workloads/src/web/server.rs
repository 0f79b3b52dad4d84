//! One of a job's targets: a web server, and what its users share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use igen_http::{Client, Error, Site, TlsSessions};
use igen_job::JobError;

use super::params::Params;
use crate::http::check_permission;

/// A web server.
pub struct Server {
    /// `targets[0]`, for errors.
    field: String,
    pub site: Arc<Site>,
    pub sessions: TlsSessions,
    pub authority: String,
    /// With what its own URLs begin.
    pub origin: String,
    /// The `ETag` of each resource, as its first answer had it.
    pub etags: Box<[OnceLock<Box<[u8]>>]>,
    pub requests: AtomicU64,
    pub answers: AtomicU64,
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
        let field = format!("targets[{index}]");
        let site = Site::of(target, &field)?;
        check_permission(&site, &field, &params.i_may_load, force)?;
        let sessions = TlsSessions::of(&site, params.resumption.into())
            .map_err(|error| at(&field, error.job_error(&site.place())))?;
        let authority = site.authority();
        Ok(Self {
            origin: format!("{}://{authority}", site.scheme()),
            authority,
            sessions,
            site: Arc::new(site),
            field,
            etags: (0..resources).map(|_| OnceLock::new()).collect(),
            requests: AtomicU64::default(),
            answers: AtomicU64::default(),
        })
    }

    /// Adds what a user has asked that is gone.
    pub fn add(&self, requests: u64, answers: u64) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
        self.answers.fetch_add(answers, Ordering::Relaxed);
    }

    /// Connects once; how it is reached, or an error in its own words.
    pub async fn verify(&self, limit: Duration) -> Result<Vec<(&'static str, String)>, JobError> {
        let fault = |error: Error| at(&self.field, error.job_error(&self.site.place()));
        let mut client = Client::new(&self.site, &self.sessions, limit).map_err(fault)?;
        client.connect().await.map_err(fault)?;
        if client.is_tls() {
            client.encrypt().await.map_err(fault)?;
        }
        Ok(client.facts())
    }
}

fn at(field: &str, error: JobError) -> JobError {
    JobError {
        path: field.to_owned(),
        ..error
    }
}
