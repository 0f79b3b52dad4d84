//! The array of a transaction: from the allocator, or in pages of a kind.

use std::hint::black_box;

use igen_engine::Failure;
use igen_job::Pages;
use igen_kernel::region::Region;

use super::ticket::Ticket;
use crate::pages::{self, Found};

/// Numbers in the smallest page of any machine, 4 KiB.
const NUMBERS_PER_PAGE: usize = 1_024;

/// Where the memory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Whatever the allocator gives.
    Allocator,
    /// The operating system.
    Pages {
        /// Their kind.
        pages: Pages,
        /// True if they are locked in memory.
        lock: bool,
    },
}

/// Memory of so many tickets, given back when it goes out of scope.
pub enum Array {
    /// From the allocator.
    Allocated(Vec<Ticket>),
    /// Pages with so many tickets, and room for more.
    Mapped(Region, usize),
}

impl Source {
    /// Its name in facts, with what the arrays got; none where it is not known.
    pub(super) fn name(self, found: &[Found]) -> Option<String> {
        let Self::Pages { pages, lock } = self else {
            return Some("allocator".to_owned());
        };
        if found.is_empty() {
            return None;
        }
        let in_words = pages::in_words(pages, found);
        Some(if lock {
            format!("{in_words}, locked")
        } else {
            in_words
        })
    }

    /// An array of which every page has been touched.
    pub fn take(self, len: usize) -> Result<Array, Failure> {
        match self {
            Self::Allocator => {
                let mut tickets = vec![[0; 6]; len];
                touch(&mut tickets);
                Ok(Array::Allocated(tickets))
            }
            Self::Pages { pages, lock } => {
                let bytes = len as u64 * size_of::<Ticket>() as u64;
                let region = pages::taken(bytes, pages, lock, |region| {
                    touch(&mut region.slice()[..len]);
                    Ok(())
                })?;
                Ok(Array::Mapped(region, len))
            }
        }
    }
}

fn touch(tickets: &mut [Ticket]) {
    // Not a constant, or the compiler might find out that the array could be as it is.
    let touch = black_box(1);
    let numbers = tickets.as_flattened_mut();
    for number in numbers.iter_mut().step_by(NUMBERS_PER_PAGE) {
        *number = touch;
    }
}

impl Array {
    /// All of it.
    pub fn tickets(&mut self) -> &mut [Ticket] {
        match self {
            Self::Allocated(tickets) => tickets,
            Self::Mapped(region, len) => &mut region.slice()[..*len],
        }
    }

    /// What pages it got; none where the allocator has chosen.
    pub(super) fn found(&self, source: Source) -> Option<Found> {
        match (self, source) {
            (Self::Mapped(region, _), Source::Pages { pages, .. }) => {
                Some(match pages {
                    Pages::Transparent => pages::found_at(region.address(), pages),
                    // Nothing else is given in their place.
                    _ => Found::default(),
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_page_is_touched_wherever_it_comes_from() {
        let pages = |pages| Source::Pages { pages, lock: false };
        for source in [
            Source::Allocator,
            pages(Pages::Small),
            pages(Pages::Transparent),
        ] {
            let mut array = source.take(10_000).unwrap();
            assert_eq!(array.tickets().len(), 10_000);
            let pages = array.tickets().as_flattened().chunks(NUMBERS_PER_PAGE);
            assert!(pages.map(|page| page[0]).all(|touched| touched == 1));
        }
        let lock = Source::Pages {
            pages: Pages::Small,
            lock: true,
        };
        assert_eq!(lock.take(100).unwrap().tickets().len(), 100);
        assert_eq!(lock.name(&[]), None, "nothing is known of it");
        assert_eq!(lock.name(&[Found::default()]).unwrap(), "4k, locked");
        assert_eq!(Source::Allocator.name(&[]).unwrap(), "allocator");
        let half = Found {
            huge: Some(0.5),
            nodes: Vec::new(),
        };
        let name = pages(Pages::Transparent).name(&[half]);
        assert_eq!(name.unwrap(), "thp (50 % huge)");
    }
}
