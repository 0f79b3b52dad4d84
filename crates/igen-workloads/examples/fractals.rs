//! Draws fractals of workload `cpu` without engine: `fractals latency|throughput [N]` prints the
//! fastest of N. `checks/instruction_mix.py` counts its instructions.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cpu::fractal::{GOLDEN, View, blank_counts};
use cpu::{latency, throughput};

/// The kernels' own files, so that `rustc` alone compiles this example.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/cpu"]
mod cpu {
    pub mod complex;
    pub mod fractal;
    pub mod latency;
    pub mod texture;
    pub mod throughput;
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let render = match arguments.first().map(String::as_str) {
        Some("latency") => latency::render,
        Some("throughput") => throughput::render,
        _ => {
            eprintln!("usage: fractals latency|throughput [N]");
            return ExitCode::from(2);
        }
    };
    let fractals = arguments.get(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut counts = blank_counts();
    let mut fastest = Duration::MAX;
    for _ in 0..fractals {
        let view = black_box(View::WHOLE);
        let start = Instant::now();
        let signature = render(&view, &mut counts);
        fastest = fastest.min(start.elapsed());
        if signature != GOLDEN {
            eprintln!("wrong: {signature:x?}");
            return ExitCode::FAILURE;
        }
    }
    println!("{:.3} ms", fastest.as_secs_f64() * 1e3);
    ExitCode::SUCCESS
}
