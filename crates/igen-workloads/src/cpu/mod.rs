//! `cpu` (iGenCPU v1): fractals a second.
//!
//! A transaction draws one Mandelbrot fractal of 160 × 120 pixels with complex numbers of its own.
//! About half of the executed instructions are floating-point: each iteration also turns a 64-bit
//! generator, mixes, and looks into a table (`checks/instruction_mix.py` counts them). Under 40 kB
//! a user, no input, no output.
//!
//! The two variants do the same work in another order and must never be compared: `latency` is the
//! published workload, `throughput` keeps four pixels in flight.
//!
//! Every fractal leaves checksums: its iterations, and hashes of the count, the last z and the
//! integer half of each pixel. One that differs from the golden ones in any bit is counted,
//! and `verify` fails at the end of the level. In the timed path that costs one comparison a
//! fractal; the hashes are folded once a pixel, 1 of 108 iterations on average.

mod complex;
pub mod fractal;
pub mod latency;
mod texture;
pub mod throughput;

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use igen_engine::{Failure, Recorder, Setup, User, UserContext, Workload};
use igen_job::{Fact, JobError, facts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use fractal::{Checksums, Counts, GOLDEN, GOLDEN_COUNTS, View, blank_counts, checksum};

const FRACTALS: usize = 0;
const ITERATIONS: usize = 1;

/// How to draw.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Pixels one after the other (latency) or four at a time (throughput).
    ///
    /// Results of different variants must not be compared.
    pub variant: Variant,
}

/// What bounds the speed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// One pixel after the other, bound by the chain of dependent operations: as published.
    #[default]
    Latency,
    /// Four pixels interleaved, bound by the processor's execution units.
    Throughput,
}

impl Variant {
    fn renderer(self) -> fn(&View, &mut Counts) -> Checksums {
        match self {
            Self::Latency => latency::render,
            Self::Throughput => throughput::render,
        }
    }
}

/// The workload.
pub struct Cpu {
    variant: Variant,
    /// Fractals of all users that differ from the golden one.
    wrong: Arc<AtomicU64>,
}

/// A thread that draws.
pub struct CpuUser {
    render: fn(&View, &mut Counts) -> Checksums,
    counts: Box<Counts>,
    wrong: Arc<AtomicU64>,
}

impl Workload for Cpu {
    const NAME: &'static str = "cpu";
    const KEEPS_PROCESSOR: bool = true;
    const SUMMARY: &'static str =
        "computes Mandelbrot fractals: half integer, half floating-point instructions";
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = "fractals";
    const COUNTERS: &'static [&'static str] = &["fractals", "iterations"];
    type Params = Params;
    type User = CpuUser;

    fn new(params: Params, _: Setup) -> Result<Self, JobError> {
        Ok(Self {
            variant: params.variant,
            wrong: Arc::default(),
        })
    }

    async fn verify(&self, _: bool) -> Result<(), JobError> {
        let mut counts = blank_counts();
        let checksums = self.variant.renderer()(&View::WHOLE, &mut counts);
        check(
            checksums,
            checksum(&counts),
            self.wrong.load(Ordering::Relaxed),
        )
    }

    async fn facts(&self) -> Vec<Fact> {
        vec![
            facts::WORKLOAD_VARIANT.is(json!(self.variant)),
            facts::WORKLOAD_ITERATIONS_PER_FRACTAL.is(GOLDEN.iterations),
            facts::WORKLOAD_BYTES_PER_USER.is(size_of::<Counts>()),
        ]
    }

    async fn user(&self, _: UserContext) -> Result<CpuUser, Failure> {
        Ok(CpuUser {
            render: self.variant.renderer(),
            counts: blank_counts(),
            wrong: Arc::clone(&self.wrong),
        })
    }
}

impl User for CpuUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        // The compiler must not know that every fractal is the same.
        let view = black_box(View::WHOLE);
        let checksums = (self.render)(&view, &mut self.counts);
        if checksums != GOLDEN {
            self.wrong.fetch_add(1, Ordering::Relaxed);
        }
        recorder.count(FRACTALS, 1);
        recorder.count(ITERATIONS, checksums.iterations);
        Ok(())
    }
}

/// Compares a fractal drawn for verification, and the number of wrong ones under load, with what
/// they must be.
fn check(checksums: Checksums, counts: u64, wrong: u64) -> Result<(), JobError> {
    if wrong > 0 {
        return Err(JobError::new(format!(
            "{wrong} of the fractals computed under load are wrong"
        ))
        .hint("do not trust results of this machine: the processor or its memory is faulty or overclocked"));
    }
    if checksums != GOLDEN || counts != GOLDEN_COUNTS {
        return Err(JobError::new(format!(
            "a fractal is wrong: {checksums:x?} with counts {counts:x}, not {GOLDEN:x?} with {GOLDEN_COUNTS:x}"
        ))
        .hint("the agent was built with unsafe floating-point options, or the processor is faulty"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn draw(variant: Variant) -> (Checksums, Box<Counts>) {
        let mut counts = blank_counts();
        (variant.renderer()(&View::WHOLE, &mut counts), counts)
    }

    fn workload(variant: Variant) -> Cpu {
        let setup = Setup {
            targets: Vec::new(),
            users: 1,
            own_users: 1,
            agent_users: 1,
            seed: 42,
            force: false,
            i_own_this_data: false,
            credentials: igen_job::Credentials::Own,
            stream: true,
            rest_s: 0.0,
        };
        Cpu::new(Params { variant }, setup).unwrap()
    }

    async fn user(workload: &Cpu) -> CpuUser {
        workload
            .user(UserContext {
                id: 0,
                seed: 1,
                target: 0,
            })
            .await
            .unwrap()
    }

    async fn transaction(mut user: CpuUser) {
        let mut recorder = Recorder::detached(0, Cpu::COUNTERS.len()).unwrap();
        user.transaction(&mut recorder).await.unwrap();
    }

    #[test]
    fn both_variants_draw_the_golden_fractal() {
        for variant in [Variant::Latency, Variant::Throughput] {
            let (checksums, counts) = draw(variant);
            assert_eq!(checksums, GOLDEN, "{variant:?}");
            assert_eq!(checksum(&counts), GOLDEN_COUNTS, "{variant:?}");
        }
    }

    #[tokio::test]
    async fn one_wrong_fractal_of_many_is_found() {
        fn wrong(view: &View, counts: &mut Counts) -> Checksums {
            let mut checksums = latency::render(view, counts);
            checksums.orbits ^= 1;
            checksums
        }
        let workload = workload(Variant::Latency);
        transaction(user(&workload).await).await;
        workload.verify(true).await.unwrap();

        let faulty = CpuUser {
            render: wrong,
            ..user(&workload).await
        };
        transaction(faulty).await;
        transaction(user(&workload).await).await;
        let error = workload.verify(true).await.unwrap_err();
        assert!(error.text.starts_with("1 of the fractals"), "{error}");
    }

    #[test]
    fn an_unknown_variant_names_the_known_ones() {
        let error = serde_json::from_value::<Params>(json!({ "variant": "fast" })).unwrap_err();
        assert!(error.to_string().contains("latency"), "{error}");
        assert!(serde_json::from_value::<Params>(json!({ "size": 1 })).is_err());
    }
}
