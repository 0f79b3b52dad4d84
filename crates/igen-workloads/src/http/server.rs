//! One of a job's targets: a web server, and the requests that are put to it.

use std::time::Duration;

use igen_engine::{Failure, Reason, Setup};
use igen_http::{Answer, Reading, Request};
use igen_job::JobError;

use super::params::Params;
use super::web_server::WebServer;

/// A web server, and what is asked of it.
pub(super) struct Server {
    pub(super) web: WebServer,
    /// One for each path.
    pub(super) requests: Vec<Request>,
}

/// What all users share.
pub(super) struct Plan {
    pub(super) params: Params,
    /// `GET /`, by path.
    pub(super) names: Vec<String>,
    /// Draws below the first one are of the first path, and so on; the last one is the sum of all weights.
    pub(super) bounds: Vec<u64>,
    pub(super) reading: Reading,
}

impl Plan {
    pub(super) fn new(params: Params) -> Self {
        let paths = params.asked();
        let names = paths
            .iter()
            .map(|each| format!("{} {}", params.method, each.path));
        let mut sum = 0;
        let bounds = paths.iter().map(|each| {
            sum += u64::from(each.weight);
            sum
        });
        Self {
            names: names.collect(),
            bounds: bounds.collect(),
            reading: Reading::new(params.expect.contains.as_deref(), params.expect.max_bytes.0),
            params,
        }
    }

    /// Why an answer is not the one that is expected.
    #[inline]
    pub(super) fn judge(&self, path: usize, answer: Answer) -> Result<(), Failure> {
        if !self.params.expect.takes(answer.status) {
            return Err(self.failure(path, Reason::wrong(format!("status {}", answer.status))));
        }
        if !answer.contains {
            return Err(self.failure(path, Reason::wrong("a body without the expected text")));
        }
        Ok(())
    }

    /// `GET /: status 503`.
    #[cold]
    pub(super) fn failure(&self, path: usize, reason: Reason) -> Failure {
        Failure::from(reason).in_step(self.names[path].clone())
    }

    pub(super) fn limit(&self) -> Duration {
        Duration::from_secs_f64(self.params.timeout_s.0)
    }
}

impl Server {
    /// The target of number `index` of the job.
    pub(super) fn of(
        index: usize,
        target: &str,
        params: &Params,
        setup: &Setup,
    ) -> Result<Self, JobError> {
        let how = (params.protocol, params.resumption);
        let web = WebServer::of(index, target, how, &params.i_may_load, setup)?;
        let headers = params.headers()?;
        let requests = params.asked().into_iter().map(|each| {
            let path = format!("{}{}", web.site.base(), each.path);
            params.request(&web.site.authority(), &path, &headers)
        });
        Ok(Self {
            requests: requests.collect::<Result<_, _>>()?,
            web,
        })
    }

    /// Asks for each path once; an error in its own words when that does not go as it should.
    pub(super) async fn verify(&self, plan: &Plan) -> Result<(), JobError> {
        let place = self.web.site.place();
        let mut client = self.web.connected(plan.limit()).await?;
        for (path, request) in self.requests.iter().enumerate() {
            if !client.is_connected() {
                client = self.web.connected(plan.limit()).await?;
            }
            let asked = client.ask(request, &plan.reading, 0).await;
            self.web.add(1, asked.is_ok().into());
            let answer = asked.map_err(|broken| {
                let place = format!("{place}: {}", plan.names[path]);
                self.web.fault(broken.error.job_error(&place))
            })?;
            if let Err(failure) = plan.judge(path, answer) {
                let text = format!("{place}: {}", failure.reason);
                let hint = remedy(answer, plan, self.web.site.scheme());
                return Err(self.web.fault(JobError::new(text).hint(hint)));
            }
        }
        Ok(())
    }
}

/// What to do about an answer that is not the one that is expected.
fn remedy(answer: Answer, plan: &Plan, scheme: &str) -> String {
    let expected = plan.params.expect.statuses();
    match answer.status {
        status if plan.params.expect.takes(status) => {
            "correct path or expect.contains: the answer may be another page".to_owned()
        }
        300..=399 => format!(
            "{expected} was expected, and redirects are not followed: use the path of the redirect, or \
             --set expect.status={}",
            answer.status
        ),
        400 if scheme == "http" => {
            format!("{expected} was expected; if the server uses TLS on this port, use https://")
        }
        401 | 403 => format!(
            "{expected} was expected; set credentials in a header: --set headers.Authorization=env:IGEN_TOKEN"
        ),
        status => format!(
            "{expected} was expected; correct path or method, or accept this status: --set expect.status={status}"
        ),
    }
}
