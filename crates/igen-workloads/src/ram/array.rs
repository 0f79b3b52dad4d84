//! The array of a transaction: from the allocator, or in pages of a kind.

use std::hint::black_box;
use std::io;

use igen_job::Pages;
use igen_kernel::region::Region;

use super::ticket::Ticket;
use crate::pages;

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
        /// Whether they are locked in memory.
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
    /// Its name in facts.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Allocator => "allocator".to_owned(),
            Self::Pages { pages, lock: false } => pages.to_string(),
            Self::Pages { pages, lock: true } => format!("{pages}, locked"),
        }
    }

    /// An array of which every page has been touched.
    pub fn take(self, len: usize) -> io::Result<Array> {
        let mut array = match self {
            Self::Allocator => Array::Allocated(vec![[0; 6]; len]),
            Self::Pages { pages, lock } => {
                let bytes = len as u64 * size_of::<Ticket>() as u64;
                Array::Mapped(pages::taken(bytes, pages, lock)?, len)
            }
        };
        // Not a constant, or the compiler might find out that the array could be as it is.
        let touch = black_box(1);
        let numbers = array.tickets().as_flattened_mut();
        for number in numbers.iter_mut().step_by(NUMBERS_PER_PAGE) {
            *number = touch;
        }
        Ok(array)
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
        assert_eq!(lock.name(), "4k, locked");
    }
}
