//! Floating point, bits and a table: enough code of its own beside Rust's library.
use std::collections::HashMap;

fn main() {
    let argument = std::env::args().nth(1);
    let count: usize = argument.and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut points: Vec<(f64, f64)> = (0..count).map(|i| (i as f64, 0.5 * i as f64)).collect();
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for round in 0..10 {
        for point in &mut points {
            point.0 = point.0 * 0.99 + point.1;
            point.1 = point.1 / (point.0 + 1.5) + round as f64;
        }
        for i in 0..count {
            *counts.entry((i as u64 * 2_654_435_761).count_ones()).or_default() += 1;
        }
    }
    let sum: f64 = points.iter().map(|point| point.0).sum();
    println!("{sum} {:?}", counts.get(&3));
}
