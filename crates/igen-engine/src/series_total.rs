//! Times of one kind of transaction or operation, put together from several threads or loads.

use igen_job::event::{Statistics, Times};
use igen_stats::{Histogram, hdr};

use crate::thread_statistics::Series;

/// What a `Series` has, as plain values.
#[derive(Clone, Default)]
pub(crate) struct SeriesTotal {
    on_time: Histogram,
    late_service: Histogram,
    late_response: Histogram,
    failed_service: Histogram,
    failed_response: Histogram,
}

impl SeriesTotal {
    /// Adds what a thread has recorded.
    pub(crate) fn add(&mut self, series: &Series<'_>) {
        series.on_time.add_to(&mut self.on_time);
        series.late_service.add_to(&mut self.late_service);
        series.late_response.add_to(&mut self.late_response);
        series.failed_service.add_to(&mut self.failed_service);
        series.failed_response.add_to(&mut self.failed_response);
    }

    /// Adds another one.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.on_time.merge(&other.on_time);
        self.late_service.merge(&other.late_service);
        self.late_response.merge(&other.late_response);
        self.failed_service.merge(&other.failed_service);
        self.failed_response.merge(&other.failed_response);
    }

    /// What came since it was `then`.
    pub(crate) fn since(&self, then: &Self) -> Self {
        Self {
            on_time: self.on_time.since(&then.on_time),
            late_service: self.late_service.since(&then.late_service),
            late_response: self.late_response.since(&then.late_response),
            failed_service: self.failed_service.since(&then.failed_service),
            failed_response: self.failed_response.since(&then.failed_response),
        }
    }

    /// Returns true if nothing ended.
    pub(crate) fn is_empty(&self) -> bool {
        self.on_time.is_empty() && self.late_service.is_empty() && self.failed_response.is_empty()
    }

    /// As a snapshot tells it.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut service = self.on_time.clone();
        service.merge(&self.late_service);
        let response = (!self.late_response.is_empty()).then(|| {
            let mut response = self.on_time.clone();
            response.merge(&self.late_response);
            times(&response)
        });
        Statistics {
            count: service.count(),
            failed: self.failed_response.count(),
            service_time: times(&service),
            response_time: response,
            failed_service_time: (self.failed_service != self.failed_response)
                .then(|| times(&self.failed_service)),
            failed_time: (!self.failed_response.is_empty()).then(|| times(&self.failed_response)),
        }
    }
}

fn times(histogram: &Histogram) -> Times {
    Times {
        sum_ns: histogram.sum_ns(),
        hdr: hdr::encode(histogram),
    }
}
