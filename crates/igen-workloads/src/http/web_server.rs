//! A web server that is loaded: how it is reached, and how much this process has asked it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use igen_engine::Setup;
use igen_http::{Client, Error, Site, TlsSessions};
use igen_job::JobError;
use serde_json::{Value, json};

use super::params::{HttpVersion, TlsResumption};
use super::permission::check_permission;

/// A web server among the targets of a job.
pub struct WebServer {
    /// `targets[0]`, for errors.
    field: String,
    pub(crate) site: Arc<Site>,
    pub(crate) sessions: TlsSessions,
    /// Requests and answers of users that are gone, to the request: so that the server's own log can be held
    /// against them.
    requests: AtomicU64,
    answers: AtomicU64,
}

impl WebServer {
    /// The target of number `index` of the job; refused where its owner may not have agreed to a load.
    pub(crate) fn of(
        index: usize,
        target: &str,
        (version, resumption): (HttpVersion, TlsResumption),
        i_may_load: &[String],
        setup: &Setup,
    ) -> Result<Self, JobError> {
        let field = format!("targets[{index}]");
        let site = Site::of(target, &field, version.into(), setup.credentials)?;
        check_permission(&site, &field, i_may_load, setup.force)?;
        let sessions = TlsSessions::of(&site, resumption.into())
            .map_err(|error| error.job_error(&site.place()));
        Ok(Self {
            sessions: sessions.map_err(|error| error.about(&field))?,
            site: Arc::new(site),
            field,
            requests: AtomicU64::default(),
            answers: AtomicU64::default(),
        })
    }

    /// A client that is connected, with TLS where the target says so, to a server that speaks the version of HTTP
    /// that is asked for; an error in words of its own.
    pub(crate) async fn connected(&self, limit: Duration) -> Result<Client, JobError> {
        let fault = |error: Error| self.fault(error.job_error(&self.site.place()));
        let mut client = Client::new(&self.site, &self.sessions, limit).map_err(fault)?;
        client.connect().await.map_err(fault)?;
        if client.is_tls() {
            client.encrypt().await.map_err(fault)?;
        }
        client.greet().await.map_err(fault)?;
        Ok(client)
    }

    /// An error about this target.
    pub(crate) fn fault(&self, error: JobError) -> JobError {
        error.about(&self.field)
    }

    /// Adds what was asked and answered, of a user that is gone for one.
    pub(crate) fn add(&self, requests: u64, answers: u64) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
        self.answers.fetch_add(answers, Ordering::Relaxed);
    }

    /// What was asked, for the facts after a load.
    pub(crate) fn asked(&self) -> Value {
        json!({
            "target": self.site.place(),
            "requests": self.requests.load(Ordering::Relaxed),
            "answers": self.answers.load(Ordering::Relaxed),
        })
    }
}

/// The names of the operations of a new connection, behind those of a workload that loads these servers.
pub(crate) fn connection_operations<'a>(
    mut servers: impl Iterator<Item = &'a WebServer>,
) -> impl Iterator<Item = String> {
    let is_tls = servers.any(|server| server.site.is_tls());
    let names: &[&str] = if is_tls {
        &["connect", "tls"]
    } else {
        &["connect"]
    };
    names.iter().map(ToString::to_string)
}

/// The addresses that these servers have.
pub(crate) fn addresses<'a>(servers: impl Iterator<Item = &'a WebServer>) -> Value {
    servers
        .flat_map(|server| server.site.addresses().unwrap_or_default())
        .map(ToString::to_string)
        .collect()
}
