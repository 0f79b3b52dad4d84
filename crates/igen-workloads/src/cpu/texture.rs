//! The integer half: what each iteration folds into its pixel beside the floating-point step.

/// Knuth's multiplier and increment of a 64-bit linear congruential generator (MMIX).
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;

/// 2⁶⁴ divided by the golden ratio, the multiplier of all hashes here.
const GOLDEN_RATIO: u64 = 0x9E37_79B9_7F4A_7C15;

/// 64 words that look random: the generator's own, from state 0.
static TABLE: [u64; 64] = {
    let mut table = [0; 64];
    let mut state = 0;
    let mut index = 0;
    while index < table.len() {
        state = step(state);
        table[index] = state;
        index += 1;
    }
    table
};

#[inline]
const fn step(state: u64) -> u64 {
    state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT)
}

/// Adds `value` to `hash`: xor, multiply, rotate. The order in which values come matters.
#[inline]
#[must_use]
pub const fn fold(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(GOLDEN_RATIO).rotate_left(23)
}

/// Integer state of one pixel.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texture {
    state: u64,
    mix: u64,
}

impl Texture {
    /// The state before the first iteration of pixel number `pixel`.
    #[inline]
    #[must_use]
    pub fn of(pixel: usize) -> Self {
        Self {
            state: pixel as u64,
            mix: 0,
        }
    }

    /// One iteration: generator, xor and rotate, table look-up by the generator's six best bits.
    #[inline]
    #[must_use]
    pub fn next(self) -> Self {
        let state = step(self.state);
        let mix = (self.mix ^ state).rotate_left(23) ^ TABLE[(state >> 58) as usize];
        Self { state, mix }
    }

    /// What all iterations together left behind.
    #[inline]
    #[must_use]
    pub fn value(self) -> u64 {
        self.mix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_iterations_differ() {
        let first = Texture::of(1).next();
        assert_ne!(first.value(), Texture::of(2).next().value());
        assert_ne!(first.value(), first.next().value());
    }

    #[test]
    fn the_order_of_values_matters() {
        assert_ne!(fold(fold(0, 1), 2), fold(fold(0, 2), 1));
    }

    #[test]
    fn the_table_has_no_word_twice() {
        let mut words = TABLE.to_vec();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), TABLE.len());
    }
}
