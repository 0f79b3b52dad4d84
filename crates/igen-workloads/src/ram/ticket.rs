//! Lotto tickets as California sells them (`SuperLotto Plus`): five numbers of 47 and a mega number of 27.

/// Numbers to choose five from: 1 to 47.
pub const NUMBERS: u64 = 47;
/// Mega numbers to choose one from: 1 to 27.
pub const MEGA_NUMBERS: u64 = 27;
/// Numbers on a ticket beside the mega number.
pub const CHOSEN: usize = 5;

/// Five different numbers in no order, then the mega number: 24 bytes.
pub type Ticket = [i32; CHOSEN + 1];

/// The tickets of one thread. Ticket i is a pure function of seed, thread and i.
#[derive(Debug, Clone, Copy)]
pub struct Tickets {
    base: u64,
}

impl Tickets {
    /// The tickets of `thread` under `seed`.
    #[must_use]
    pub fn of(seed: u64, thread: u32) -> Self {
        let base = scramble(scramble(seed) ^ u64::from(thread));
        Self { base }
    }

    /// Ticket number `index`.
    ///
    /// One random word of 64 bits serves all six numbers: a product with n has a fair number below
    /// n in its upper half and the rest of the word's randomness in its lower half (Lemire 2019).
    /// 43 · 44 · 45 · 46 · 47 · 27 outcomes need 32.2 bits, so no number is favoured by more than
    /// 2⁻³¹. Five different numbers take five draws (Floyd's sampling, Bentley and Floyd 1987).
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "no number is above 47")]
    pub fn ticket(self, index: u64) -> Ticket {
        let mut word = random(self.base, index);
        let mut ticket = [0; CHOSEN + 1];
        let mut taken = 0_u64;
        let (numbers, mega) = ticket.split_at_mut(CHOSEN);
        for (slot, last) in numbers.iter_mut().zip(NUMBERS - CHOSEN as u64 + 1..) {
            let drawn = 1 + below(&mut word, last);
            let number = if taken >> drawn & 1 == 1 { last } else { drawn };
            taken |= 1 << number;
            *slot = number as i32;
        }
        mega[0] = 1 + below(&mut word, MEGA_NUMBERS) as i32;
        ticket
    }
}

/// Word number `index` of the stream `base` of the generator `SplitMix64` (Steele, Lea, Flood 2014).
#[inline]
#[must_use]
pub fn random(base: u64, index: u64) -> u64 {
    scramble(base.wrapping_add(index.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// A number below `limit` from the upper half of a product; leaves the lower half in `word`.
#[inline]
pub fn below(word: &mut u64, limit: u64) -> u64 {
    let (low, high) = word.carrying_mul(limit, 0);
    *word = low;
    high
}

#[inline]
fn scramble(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_sign_loss)]

    use super::*;

    #[test]
    fn tickets_are_what_version_1_says() {
        assert_eq!(Tickets::of(42, 0).ticket(0), [35, 21, 25, 34, 5, 4]);
        let winner = Tickets::of(42, 7).ticket(123_456);
        assert_eq!(winner, [37, 34, 24, 40, 20, 7]);
    }

    #[test]
    fn numbers_differ_and_are_in_range() {
        for thread in 0..4 {
            let tickets = Tickets::of(1, thread);
            for index in 0..50_000 {
                let ticket = tickets.ticket(index);
                let mut numbers = ticket[..CHOSEN].to_vec();
                numbers.sort_unstable();
                numbers.dedup();
                assert_eq!(numbers.len(), CHOSEN, "{ticket:?}");
                assert!(numbers.iter().all(|n| (1..=47).contains(n)), "{ticket:?}");
                assert!((1..=27).contains(&ticket[CHOSEN]), "{ticket:?}");
            }
        }
    }

    /// A scaling by 12 bits favours some numbers by 1 %; here that would be 17 standard deviations.
    #[test]
    fn no_number_is_favoured() {
        const TICKETS: u32 = 1_000_000;
        let (mut numbers, mut megas) = ([0_u32; 48], [0_u32; 28]);
        let tickets = Tickets::of(42, 3);
        for index in 0..TICKETS.into() {
            let ticket = tickets.ticket(index);
            for number in &ticket[..CHOSEN] {
                numbers[*number as usize] += 1;
            }
            megas[ticket[CHOSEN] as usize] += 1;
        }
        for (counts, share) in [(&numbers[1..], 5.0 / 47.0), (&megas[1..], 1.0 / 27.0)] {
            let expected = f64::from(TICKETS) * share;
            let deviation = (expected * (1.0 - share)).sqrt();
            for (index, &count) in counts.iter().enumerate() {
                let z = (f64::from(count) - expected) / deviation;
                assert!(z.abs() < 4.5, "number {}: z = {z:.1}", index + 1);
            }
        }
    }

    #[test]
    fn threads_and_seeds_have_tickets_of_their_own() {
        let first = Tickets::of(42, 0).ticket(5);
        assert_ne!(first, Tickets::of(42, 1).ticket(5));
        assert_ne!(first, Tickets::of(43, 0).ticket(5));
        assert_ne!(first, Tickets::of(42, 0).ticket(6));
    }
}
