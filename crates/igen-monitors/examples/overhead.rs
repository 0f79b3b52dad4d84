//! What each monitor costs here: `cargo run --release --example overhead [PID…]`.
//! Prints the time to open it (for `processes` that is one scan), and the median and the highest
//! of many readings. What the monitors of servers cost is on their own threads and on the server.

use std::sync::Arc;
use std::time::Instant;

use igen_engine::Clock;
use igen_monitors::Context;

const TIMES: usize = 500;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pids: Vec<u32> = std::env::args()
        .skip(1)
        .map(|pid| pid.parse())
        .collect::<Result<_, _>>()?;
    let context = Context::new(&pids, &[], Arc::new(|_| ()), Clock::start());
    println!("monitor      open µs median µs   high µs  readings");
    for entry in igen_monitors::list() {
        let start = Instant::now();
        let mut opened = igen_monitors::open(Some(&[entry.name.to_owned()]), &context);
        let open_us = start.elapsed().as_secs_f64() * 1e6;
        for unavailable in &opened.unavailable {
            println!("{:<10} {}", unavailable.name, unavailable.reason);
        }
        let Some(monitor) = opened.monitors.first_mut() else {
            continue;
        };
        let mut readings = Vec::new();
        let mut costs_us = Vec::new();
        for _ in 0..TIMES {
            readings.clear();
            let start = Instant::now();
            monitor.read(&mut readings)?;
            costs_us.push(start.elapsed().as_secs_f64() * 1e6);
        }
        costs_us.sort_by(f64::total_cmp);
        let (median, high) = (costs_us[TIMES / 2], costs_us[TIMES - 1]);
        let (name, count) = (entry.name, readings.len());
        println!("{name:<10} {open_us:>9.1} {median:>9.1} {high:>9.1} {count:>9}");
    }
    Ok(())
}
