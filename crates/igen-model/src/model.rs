//! `model`: a queueing system with known answers, to check the whole chain from the engine to the
//! report against theory.
//!
//! One queue, first come first served, `servers` servers, exponential or constant service times, and
//! if asked for a stall: the whole station stands still for `stall_time` in the middle of every
//! `stall_every`. Nothing is computed while a customer is served: its user only waits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::arrivals::exponential;
use igen_engine::clock::ns;
use igen_engine::{Failure, Recorder, Setup, User, UserContext, Workload};
use igen_job::{JobError, Placement, Seconds};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const MAX_SERVERS: u32 = 1_000_000;
const MAX_TIME_S: f64 = 86_400.0;

/// The queueing system.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Distribution of service times.
    pub service: Service,
    /// Mean service time.
    pub service_time: Seconds,
    /// Servers of the one queue.
    pub servers: NonZeroU32,
    /// Length of a stall; 0: no stalls.
    pub stall_time: Seconds,
    /// Time from the start of a stall to the start of the next one.
    pub stall_every: Seconds,
}

/// Distribution of service times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Exponential: an M/M/k queue under Poisson arrivals.
    Exponential,
    /// Always the mean: an M/D/k queue.
    Deterministic,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            service: Service::Exponential,
            service_time: Seconds(0.001),
            servers: NonZeroU32::MIN,
            stall_time: Seconds(0.0),
            stall_every: Seconds(10.0),
        }
    }
}

/// The workload.
pub struct Model {
    params: Arc<Params>,
    station: Arc<Mutex<Station>>,
}

/// A customer of the station.
pub struct ModelUser {
    params: Arc<Params>,
    station: Arc<Mutex<Station>>,
    random: Xoshiro256PlusPlus,
}

impl Workload for Model {
    const NAME: &'static str = "model";
    const SUMMARY: &'static str = "a simulated queueing system with known results, to check iGen";
    const VERSION: u32 = 1;
    const PLACEMENT: Placement = Placement::TASKS;
    type Params = Params;
    type User = ModelUser;

    fn new(params: Params, _: Setup) -> Result<Self, JobError> {
        if params.servers.get() > MAX_SERVERS {
            return Err(JobError::at(
                "params.servers",
                format!("more than {MAX_SERVERS} servers"),
            ));
        }
        for (path, time) in [
            ("params.service_time", params.service_time),
            ("params.stall_time", params.stall_time),
            ("params.stall_every", params.stall_every),
        ] {
            if time.0 > MAX_TIME_S {
                return Err(JobError::at(path, format!("longer than {MAX_TIME_S} s")));
            }
        }
        if params.stall_time >= params.stall_every {
            return Err(JobError::at(
                "params.stall_time",
                "a stall as long as its interval would never end",
            )
            .hint("make stall_time shorter than stall_every"));
        }
        let station = Station::new(&params);
        Ok(Self {
            params: Arc::new(params),
            station: Arc::new(Mutex::new(station)),
        })
    }

    async fn user(&self, context: UserContext) -> Result<ModelUser, Failure> {
        Ok(ModelUser {
            params: Arc::clone(&self.params),
            station: Arc::clone(&self.station),
            random: Xoshiro256PlusPlus::seed_from_u64(context.seed),
        })
    }
}

impl User for ModelUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let factor = match self.params.service {
            Service::Exponential => exponential(&mut self.random),
            Service::Deterministic => 1.0,
        };
        let service_ns = ns(self.params.service_time.0 * factor);
        let now_ns = recorder.timer().clock().now_ns();
        let end_ns = {
            let mut station = self.station.lock().unwrap_or_else(PoisonError::into_inner);
            station.serve(now_ns, service_ns)
        };
        // When the load stops, customers still in the queue leave at once; DRAIN does not count.
        recorder.timer().sleep_until(end_ns).await;
        Ok(())
    }
}

/// The queue: knows when each server will be free, so that a customer's end is known on arrival.
#[derive(Debug)]
struct Station {
    free_ns: BinaryHeap<Reverse<u64>>,
    stall_ns: u64,
    every_ns: u64,
}

impl Station {
    fn new(params: &Params) -> Self {
        Self {
            free_ns: (0..params.servers.get()).map(|_| Reverse(0)).collect(),
            stall_ns: ns(params.stall_time.0),
            every_ns: ns(params.stall_every.0).max(1),
        }
    }

    /// When a customer that arrives at `now_ns` and needs `service_ns` leaves.
    fn serve(&mut self, now_ns: u64, service_ns: u64) -> u64 {
        let free_ns = self.free_ns.pop().map_or(0, |Reverse(free)| free);
        let end_ns = self.work(now_ns.max(free_ns), service_ns);
        self.free_ns.push(Reverse(end_ns));
        end_ns
    }

    /// When work begun at `start_ns` ends, given that it rests during stalls.
    fn work(&self, start_ns: u64, work_ns: u64) -> u64 {
        if self.stall_ns == 0 {
            return start_ns + work_ns;
        }
        let (mut now_ns, mut left_ns) = (start_ns, work_ns);
        let mut stall_begins_ns = start_ns / self.every_ns * self.every_ns + self.every_ns / 2;
        loop {
            let before_ns = stall_begins_ns.saturating_sub(now_ns);
            if left_ns < before_ns {
                return now_ns + left_ns;
            }
            left_ns -= before_ns;
            now_ns = now_ns.max(stall_begins_ns + self.stall_ns);
            stall_begins_ns += self.every_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn station(servers: u32, stall_ms: u32) -> Station {
        Station::new(&Params {
            servers: NonZeroU32::new(servers).unwrap_or(NonZeroU32::MIN),
            stall_time: Seconds(f64::from(stall_ms) / 1e3),
            stall_every: Seconds(10.0),
            ..Params::default()
        })
    }

    #[test]
    fn customers_are_served_in_turn() {
        let mut one = station(1, 0);
        assert_eq!(
            [0, 1, 20].map(|at| one.serve(at * MS, 5 * MS) / MS),
            [5, 10, 25]
        );
        let mut two = station(2, 0);
        assert_eq!(
            [0, 1, 2].map(|at| two.serve(at * MS, 5 * MS) / MS),
            [5, 6, 10]
        );
    }

    #[test]
    fn work_rests_during_a_stall_in_the_middle_of_every_period() {
        let mut station = station(1, 1000);
        for (at_ms, end_ms) in [
            (0, 5),
            (4998, 6003),
            (6100, 6105),
            (15_500, 16_005),
            (15_500, 16_010),
        ] {
            assert_eq!(
                station.serve(at_ms * MS, 5 * MS) / MS,
                end_ms,
                "arrival at {at_ms} ms"
            );
        }
    }

    #[test]
    fn a_stall_that_would_never_end_is_refused() {
        let params = Params {
            stall_time: Seconds(10.0),
            ..Params::default()
        };
        let setup = Setup {
            targets: Vec::new(),
            users: 1,
            own_users: 1,
            agent_users: 1,
            seed: 1,
            force: false,
            i_own_this_data: false,
            credentials: igen_job::Credentials::Own,
            stream: true,
            rest_s: 0.0,
        };
        let error = Model::new(params, setup).err();
        assert_eq!(
            error.map(|error| error.path),
            Some("params.stall_time".to_owned())
        );
    }
}
