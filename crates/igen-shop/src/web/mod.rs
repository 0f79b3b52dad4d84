//! The web tier: static files, and everything else from the application. It adds nothing to answers.

mod balancer;
mod content;
mod files;

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use hyper::{Request, Response};
use igen_job::JobError;
use rustls::ServerConfig;
use serde_json::Value;

use crate::seed::Seed;
use crate::serve::{self, Body, Limits, Listen, Stop, Tier};
use balancer::Balancer;
pub use content::RESOURCES;
use files::Files;

/// What a web server is to be.
pub struct Options {
    /// Where it listens; connections over TCP speak TLS where that is asked for.
    pub listen: Vec<Listen>,
    /// TLS, if any.
    pub tls: Option<Arc<ServerConfig>>,
    /// Sockets of the applications, to which requests are dealt in turn.
    pub apps: Vec<PathBuf>,
    /// What its files are made from.
    pub seed: u64,
    /// What it bears.
    pub limits: Limits,
}

/// Serves until it is told to stop; `ready` is told the address.
pub fn serve(options: Options, ready: impl FnOnce(&str), stop: Stop) -> Result<(), JobError> {
    let make = || {
        Ok(Web {
            files: Files::new(Seed(options.seed)),
            apps: Balancer::new(options.apps, options.limits.behind),
        })
    };
    serve::run(
        &options.listen,
        options.tls.as_ref(),
        options.limits,
        make,
        ready,
        stop,
    )
}

struct Web {
    files: Files,
    apps: Balancer,
}

impl Tier for Web {
    const NAME: &'static str = "web";

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        match self.files.answer(&request) {
            Some(file) => file,
            None => self.apps.pass_on(request).await,
        }
    }

    async fn obstacle(&self) -> Option<String> {
        self.apps.obstacle().await
    }

    fn counted(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    async fn counts_of(&self, tier: &str) -> Option<Response<Body>> {
        match tier {
            "app" => Some(self.apps.counts().await),
            "data" => Some(self.apps.counts_of_data().await),
            _ => None,
        }
    }
}
