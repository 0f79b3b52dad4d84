//! The variables of a user, all in one piece of memory.

/// So much of the memory may be of values that are gone before it is put together anew.
const MOST_GONE_BYTES: usize = 1024;

/// The variables of a user, by place.
#[derive(Debug)]
pub struct Variables {
    bytes: Vec<u8>,
    /// Begin and end of each; `None` while it is not set.
    places: Box<[Option<(u32, u32)>]>,
}

impl Variables {
    /// So many, of which none is set.
    pub fn new(count: usize) -> Self {
        Self {
            bytes: Vec::new(),
            places: vec![None; count].into(),
        }
    }

    /// A value.
    pub fn get(&self, slot: usize) -> Option<&[u8]> {
        let (begin, end) = self.places[slot]?;
        Some(&self.bytes[begin as usize..end as usize])
    }

    /// Sets a value, in the place of the earlier one where it fits.
    pub fn set(&mut self, slot: usize, value: &[u8]) {
        let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
        if let Some((begin, end)) = self.places[slot]
            && end - begin >= length
        {
            self.bytes[begin as usize..][..value.len()].copy_from_slice(value);
            self.places[slot] = Some((begin, begin + length));
            return;
        }
        self.places[slot] = None;
        let used: usize = self
            .places
            .iter()
            .flatten()
            .map(|(begin, end)| (end - begin) as usize)
            .sum();
        if self.bytes.len() > 2 * used + MOST_GONE_BYTES {
            self.put_together(used + value.len());
        }
        // Values come from what is kept of a body: far below 4 GiB.
        let begin = u32::try_from(self.bytes.len()).unwrap_or(0);
        self.bytes.extend_from_slice(value);
        self.places[slot] = Some((begin, begin + length));
    }

    fn put_together(&mut self, length: usize) {
        let earlier = std::mem::replace(&mut self.bytes, Vec::with_capacity(length));
        for place in self.places.iter_mut().flatten() {
            let begin = u32::try_from(self.bytes.len()).unwrap_or(0);
            self.bytes
                .extend_from_slice(&earlier[place.0 as usize..place.1 as usize]);
            *place = (begin, begin + place.1 - place.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
