//! Random numbers within bounds.

use rand_core::Rng;

/// A number from 0 to `bound` - 1 by multiplication; the bias is below bound / 2^64.
pub(crate) fn below(random: &mut impl Rng, bound: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// One of `texts`.
pub(crate) fn pick(random: &mut impl Rng, texts: &[&'static str]) -> &'static str {
    let index = below(random, texts.len() as u64);
    usize::try_from(index)
        .ok()
        .and_then(|index| texts.get(index))
        .copied()
        .unwrap_or_default()
}
