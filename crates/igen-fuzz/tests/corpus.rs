//! Each target takes its corpus, and some hundred inputs that are made of it.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use igen_fuzz::TARGETS;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const MUTATED: usize = 300;

/// Changes, copies or removes some bytes.
fn mutate(input: &mut Vec<u8>, random: &mut Xoshiro256PlusPlus) {
    for _ in 0..=random.next_u32() % 4 {
        if input.is_empty() {
            return;
        }
        let at = random.next_u32() as usize % input.len();
        let length = (random.next_u32() as usize % 16).min(input.len() - at);
        let byte = random.next_u32().to_le_bytes()[0];
        match random.next_u32() % 5 {
            0 => input[at] = byte,
            1 => input[at] = [0, 1, 0x7F, 0x80, 0xFF][usize::from(byte % 5)],
            2 => drop(input.drain(at..at + length)),
            3 => {
                let piece = input[at..at + length].to_vec();
                input.splice(at..at, piece);
            }
            _ => input.truncate(at),
        }
    }
}

#[test]
fn every_target_takes_its_corpus_and_what_is_made_of_it() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for target in TARGETS {
        let folder = std::fs::read_dir(corpus.join(target.name)).unwrap();
        let mut paths: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let inputs: Vec<_> = paths
            .iter()
            .map(|path| std::fs::read(path).unwrap())
            .collect();
        assert!(inputs.len() >= 5, "{}", target.name);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for (round, input) in inputs.iter().cycle().enumerate().take(MUTATED) {
            let mut input = input.clone();
            // First as they are.
            if round >= inputs.len() {
                mutate(&mut input, &mut random);
            }
            (target.run)(&input);
        }
    }
}
