//! The search for winning tickets, sequential and random.

use std::hint::black_box;

use serde::Serialize;

use super::ticket::{CHOSEN, Ticket, below, random};

/// Tickets of one draw: the array is `tickets[draw][ticket][number]`, and a draw of 24 KiB fits into
/// the first cache level.
pub const TICKETS_PER_DRAW: usize = 1_024;
/// Numbers in a cache line of 64 bytes.
const NUMBERS_PER_LINE: usize = 16;

/// Tickets that won, by what they won with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All five numbers and the mega number.
    pub five_and_mega: u64,
    /// All five numbers.
    pub five: u64,
    /// Four of the five numbers.
    pub four: u64,
    /// Three of the five numbers.
    pub three: u64,
    /// The mega number.
    pub mega: u64,
}

/// A ticket to compare with. A table says of each number whether it wins, so that a comparison has
/// no branch that a processor could mispredict.
#[derive(Debug, Clone, Copy)]
pub struct Winner {
    wins: [u8; 64],
    mega: i32,
}

/// Tickets by 2 × numbers hit + mega number hit; 16 elements, of which 12 are used, spare the check
/// of the index.
type Hits = [u64; 16];

impl Winner {
    /// The winner is `ticket`.
    #[must_use]
    pub fn new(ticket: &Ticket) -> Self {
        let (numbers, mega) = ticket.split_at(CHOSEN);
        let mut wins = [0; 64];
        for &number in numbers {
            wins[place(number)] = 1;
        }
        Self {
            wins,
            mega: mega[0],
        }
    }

    /// Compares every ticket, in the order of memory. Scalar code; each draw is touched line by line
    /// before it is searched, because the search itself is too long for a processor to look far
    /// ahead: with many lines on their way at once the search is bound by memory, not arithmetic.
    #[must_use]
    pub fn search(&self, tickets: &[Ticket]) -> Tally {
        let mut hits = Hits::default();
        for draw in tickets.chunks(TICKETS_PER_DRAW) {
            let lines = draw.as_flattened().iter().step_by(NUMBERS_PER_LINE);
            black_box(lines.fold(0, |any, number| any | number));
            for ticket in draw {
                self.compare(ticket, &mut hits);
            }
        }
        tally(&hits)
    }

    /// Compares `lookups` tickets in random places that depend on `seed` only, not on what is
    /// found, so that a processor may have several on their way.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an index is below the length"
    )]
    pub fn search_random(&self, tickets: &[Ticket], lookups: u64, seed: u64) -> Tally {
        let mut hits = Hits::default();
        for lookup in 0..lookups {
            let index = below(&mut random(seed, lookup), tickets.len() as u64);
            self.compare(&tickets[index as usize], &mut hits);
        }
        tally(&hits)
    }

    #[inline]
    fn compare(&self, ticket: &Ticket, hits: &mut Hits) {
        let (numbers, mega) = ticket.split_at(CHOSEN);
        let numbers: u8 = numbers.iter().map(|&number| self.wins[place(number)]).sum();
        let mega = u8::from(mega[0] == self.mega);
        hits[usize::from(2 * numbers + mega) & 15] += 1;
    }
}

/// The place of a number in a table of 64.
#[inline]
#[expect(clippy::cast_sign_loss, reason = "no number is negative or above 47")]
fn place(number: i32) -> usize {
    number as usize & 63
}

fn tally(hits: &Hits) -> Tally {
    let with = |numbers: usize| hits[2 * numbers] + hits[2 * numbers + 1];
    Tally {
        five_and_mega: hits[11],
        five: with(5),
        four: with(4),
        three: with(3),
        mega: hits.iter().skip(1).step_by(2).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ram::ticket::Tickets;

    /// The definition, number by number.
    fn plain(tickets: &[Ticket], winner: &Ticket) -> Tally {
        let mut tally = Tally::default();
        for ticket in tickets {
            let hit = |n: &&i32| winner[..CHOSEN].contains(n);
            let numbers = ticket[..CHOSEN].iter().filter(hit).count();
            let mega = u64::from(ticket[CHOSEN] == winner[CHOSEN]);
            tally.mega += mega;
            match numbers {
                5 => {
                    tally.five += 1;
                    tally.five_and_mega += mega;
                }
                4 => tally.four += 1,
                3 => tally.three += 1,
                _ => (),
            }
        }
        tally
    }

    fn array(tickets: u64) -> Vec<Ticket> {
        let all = Tickets::of(42, 0);
        (0..tickets).map(|index| all.ticket(index)).collect()
    }

    #[test]
    fn a_search_finds_what_the_definition_finds() {
        for tickets in [1, 1_023, 1_024, 1_025, 100_000] {
            let array = array(tickets);
            // A ticket of the array, with its numbers in another order.
            let mut ticket = array[array.len() / 2];
            ticket[..CHOSEN].reverse();
            let found = Winner::new(&ticket).search(&array);
            assert_eq!(found, plain(&array, &ticket), "{tickets} tickets");
            assert!(found.five_and_mega >= 1, "{tickets} tickets");
        }
    }

    #[test]
    fn random_look_ups_find_their_share_and_the_same_again() {
        let array = array(1_000);
        let winner = Winner::new(&array[17]);
        let found = winner.search_random(&array, 1_000_000, 1);
        // Each ticket is looked up 1,000 times, give or take 6 standard deviations.
        assert!(found.five_and_mega.abs_diff(1_000) < 190, "{found:?}");
        assert_eq!(found, winner.search_random(&array, 1_000_000, 1));
        assert_ne!(found, winner.search_random(&array, 1_000_000, 2));
    }

    #[test]
    fn an_array_of_zeroes_wins_nothing() {
        let winner = Winner::new(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(winner.search(&vec![[0; 6]; 5_000]), Tally::default());
    }
}
