//! Prints the facts of this host and what each subject costs: `cargo run --release --example facts`.

use std::time::Instant;

fn main() {
    let mut total_us = 0.0;
    for subject in igen_facts::list() {
        let start = Instant::now();
        let facts = subject.facts.facts();
        let cost_us = start.elapsed().as_secs_f64() * 1e6;
        total_us += cost_us;
        println!("# {} ({cost_us:.0} µs)", subject.name);
        for fact in facts {
            println!("{} = {}", fact.name, fact.value);
        }
    }
    println!("# in all {total_us:.0} µs");
}
