//! The variables of a user, all in one piece of memory.

use std::ops::Range;

/// So much of the memory may be of values that are gone before it is put together anew.
const MOST_GONE_BYTES: usize = 1024;

/// The variables of a user, by place.
#[derive(Debug)]
pub struct Variables {
    bytes: Vec<u8>,
    places: Box<[Place]>,
}

/// Where a value begins and ends.
#[derive(Debug, Clone, Copy)]
struct Place {
    begin: u32,
    end: u32,
}

impl Place {
    /// That of what is not set: no value begins behind its end.
    const NONE: Self = Self { begin: 1, end: 0 };

    fn is_set(self) -> bool {
        self.begin <= self.end
    }

    fn range(self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }

    /// That of `length` bytes from `begin` on.
    fn at(begin: u32, length: usize) -> Self {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        Self {
            begin,
            end: begin.saturating_add(length),
        }
    }
}

impl Variables {
    /// So many, of which none is set.
    pub fn new(count: usize) -> Self {
        Self {
            bytes: Vec::new(),
            places: vec![Place::NONE; count].into(),
        }
    }

    /// A value.
    pub fn get(&self, slot: usize) -> Option<&[u8]> {
        let place = self.places[slot];
        place.is_set().then(|| &self.bytes[place.range()])
    }

    /// Sets a value, in the place of the earlier one where it fits.
    pub fn set(&mut self, slot: usize, value: &[u8]) {
        let place = self.places[slot];
        if place.is_set() && place.range().len() >= value.len() {
            let place = Place::at(place.begin, value.len());
            self.bytes[place.range()].copy_from_slice(value);
            self.places[slot] = place;
            return;
        }
        self.places[slot] = Place::NONE;
        let used: usize = self.places.iter().map(|place| place.range().len()).sum();
        if self.bytes.len() > 2 * used + MOST_GONE_BYTES {
            self.put_together(used + value.len());
        }
        // Doubled by itself, it would have up to as much again that no value takes.
        if self.bytes.capacity() - self.bytes.len() < value.len() {
            let more = value.len().max(self.bytes.len() / 8);
            self.bytes.reserve_exact(more);
        }
        // Values come from what is kept of a body: far below 4 GiB.
        let begin = u32::try_from(self.bytes.len()).unwrap_or(0);
        self.bytes.extend_from_slice(value);
        self.places[slot] = Place::at(begin, value.len());
    }

    fn put_together(&mut self, length: usize) {
        let earlier = std::mem::replace(&mut self.bytes, Vec::with_capacity(length));
        for place in self.places.iter_mut().filter(|place| place.is_set()) {
            let begin = u32::try_from(self.bytes.len()).unwrap_or(0);
            self.bytes.extend_from_slice(&earlier[place.range()]);
            *place = Place::at(begin, place.range().len());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn they_take_little_more_than_their_values() {
        let (mut variables, value) = (Variables::new(10), [7; 16]);
        for slot in 0..10 {
            variables.set(slot, &value);
        }
        let (used, places) = (10 * value.len(), size_of_val(&*variables.places));
        assert!(variables.bytes.capacity() <= used + used / 8 + value.len());
        assert_eq!(places, 80);
    }

    proptest! {
        #[test]
        fn they_hold_what_was_set_last(sets in prop::collection::vec((0_usize..4, prop::collection::vec(any::<u8>(), 0..700)), 0..60)) {
            let (mut variables, mut truth) = (Variables::new(4), vec![None; 4]);
            for (slot, value) in sets {
                variables.set(slot, &value);
                truth[slot] = Some(value);
                for (slot, value) in truth.iter().enumerate() {
                    prop_assert_eq!(variables.get(slot), value.as_deref());
                }
                prop_assert!(variables.bytes.len() <= 2 * 4 * 700 + MOST_GONE_BYTES + 700);
            }
        }
    }
}
