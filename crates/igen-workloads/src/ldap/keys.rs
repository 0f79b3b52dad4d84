//! Whom a transaction is about.

use std::sync::Arc;

use igen_engine::arrivals::uniform;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::key_file::KeyFile;
use super::params::TreeParams;
use super::person::letters;
use crate::random::below;

/// The persons that are asked for on one target.
#[derive(Debug, Clone)]
pub(super) enum Keys {
    /// `user.N` from `first` on.
    Loaded {
        first: u64,
        entries: u64,
        /// Distinguished name of what they are below.
        base: String,
    },
    /// Those of a file, in this order.
    File(Arc<KeyFile>, Arc<[u32]>),
}

/// A person, in buffers that are used again for the next one.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// Value of the attribute by which the person is found.
    pub(super) login: Vec<u8>,
    /// Distinguished name.
    pub(super) dn: Vec<u8>,
    pub(super) password: Vec<u8>,
}

impl Keys {
    /// The persons of a file in an order that `seed` alone decides: the first of them are a random part.
    pub(super) fn of(file: &Arc<KeyFile>, seed: u64) -> Self {
        let mut order: Vec<u32> = (0..u32::try_from(file.len()).unwrap_or(u32::MAX)).collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Fisher and Yates.
        for last in (1..order.len()).rev() {
            let other = below(&mut random, last as u64 + 1);
            order.swap(last, usize::try_from(other).unwrap_or(last));
        }
        Self::File(Arc::clone(file), order.into())
    }

    /// Number of persons.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Loaded { entries, .. } => *entries,
            Self::File(_, order) => order.len() as u64,
        }
    }

    /// The person of that index, counted from 0.
    #[inline]
    pub(super) fn get(&self, index: u64, key: &mut Key) {
        let Key {
            login,
            dn,
            password,
        } = key;
        login.clear();
        dn.clear();
        password.clear();
        match self {
            Self::Loaded { first, base, .. } => {
                login.extend_from_slice(b"user.");
                push_digits(login, first + index);
                dn.extend_from_slice(b"uid=");
                dn.extend_from_slice(login);
                dn.push(b',');
                dn.extend_from_slice(base.as_bytes());
                password.extend_from_slice(b"password.");
                push_digits(password, first + index);
            }
            Self::File(file, order) => {
                let index = order[usize::try_from(index).unwrap_or(usize::MAX)];
                let person = file.get(index as usize);
                login.extend_from_slice(person.login);
                dn.extend_from_slice(person.dn);
                password.extend_from_slice(person.password);
            }
        }
    }
}

/// Chooses the persons of one user's transactions.
#[derive(Debug, Clone)]
pub struct Chooser {
    random: Xoshiro256PlusPlus,
    keys: Keys,
    /// Persons that are ever asked for; every `stride`-th one, or the first ones where their order is random.
    accessed: u64,
    stride: u64,
    /// The first of them are hot, and take this share of the choices.
    hot: Option<(u64, f64)>,
    key: Key,
}

impl Chooser {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn new(keys: Keys, params: &TreeParams, seed: u64) -> Self {
        let accessed = params.accessed(keys.len());
        let hot = params.hot_entries_fraction.zip(params.hot_choices_fraction);
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            stride: match keys {
                Keys::Loaded { .. } => keys.len() / accessed,
                Keys::File(..) => 1,
            },
            keys,
            accessed,
            hot: hot.map(|(entries, choices)| {
                let entries = (accessed as f64 * entries).round() as u64;
                (entries.clamp(1, accessed), choices)
            }),
            key: Key::default(),
        }
    }

    /// The next person.
    #[inline]
    pub(super) fn next(&mut self) -> &Key {
        let (first, count) = match self.hot {
            None => (0, self.accessed),
            Some((hot, choices)) if hot == self.accessed || uniform(&mut self.random) < choices => {
                (0, hot)
            }
            Some((hot, _)) => (hot, self.accessed - hot),
        };
        let index = first + below(&mut self.random, count);
        self.keys.get(index * self.stride, &mut self.key);
        &self.key
    }

    /// The person of the last `next`.
    pub(super) fn last(&self) -> &Key {
        &self.key
    }

    /// Fills `text` with random letters.
    pub(super) fn letters(&mut self, text: &mut [u8]) {
        letters(&mut self.random, text);
    }

    /// A number from 0 to `bound` - 1.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        below(&mut self.random, bound)
    }
}

/// Appends a number in decimal digits: formatting would be in the time of a transaction.
#[inline]
fn push_digits(output: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
        if number == 0 {
            break;
        }
    }
    output.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn chooser(params: &TreeParams, first: u64) -> Chooser {
        let keys = Keys::Loaded {
            first,
            entries: u64::from(params.entries),
            base: "ou=People,dc=lab".to_owned(),
        };
        Chooser::new(keys, params, 7)
    }

    fn choices(params: &TreeParams, first: u64, count: usize) -> BTreeMap<Vec<u8>, usize> {
        let mut chooser = chooser(params, first);
        let mut choices = BTreeMap::new();
        for _ in 0..count {
            *choices.entry(chooser.next().login.clone()).or_default() += 1;
        }
        choices
    }

    #[test]
    fn a_key_says_who_where_and_with_which_password() {
        let params = TreeParams {
            entries: 1,
            ..TreeParams::default()
        };
        let mut chooser = chooser(&params, 1_000);
        let key = Key {
            login: b"user.1000".to_vec(),
            dn: b"uid=user.1000,ou=People,dc=lab".to_vec(),
            password: b"password.1000".to_vec(),
        };
        assert_eq!(*chooser.next(), key);
        assert_eq!(*chooser.last(), key);
    }

    #[test]
    fn a_tenth_is_accessed_spread_over_all() {
        let params = TreeParams {
            entries: 1_000,
            ..TreeParams::default()
        };
        let choices = choices(&params, 500, 5_000);
        assert_eq!(choices.len(), 100);
        assert!(choices.keys().all(|login| login.ends_with(b"0")));
        assert!(choices.contains_key(&b"user.1490"[..]), "the last of them");
    }

    fn file(entries: u32) -> Arc<KeyFile> {
        let person = |number| format!("dn: uid=user.{number},dc=lab\nuid: user.{number}\n\n");
        let ldif: String = (0..entries).map(person).collect();
        Arc::new(KeyFile::of(ldif.as_bytes(), "uid").unwrap())
    }

    #[test]
    fn all_of_a_file_are_accessed_or_a_random_part_of_it() {
        let file = file(1_000);
        let chosen = |params: &str, seed| {
            let params: TreeParams = serde_json::from_str(params).unwrap();
            let mut chooser = Chooser::new(Keys::of(&file, 42), &params, seed);
            let mut chosen = std::collections::BTreeSet::new();
            for _ in 0..20_000 {
                chosen.insert(chooser.next().login.clone());
            }
            chosen
        };
        assert_eq!(chosen(r#"{"keys": "@a"}"#, 7).len(), 1_000);
        let part = chosen(r#"{"keys": "@a", "accessed_ratio": 0.1}"#, 7);
        assert_eq!(part.len(), 100);
        // Every user asks for the same ones; no digit at the end is preferred.
        assert_eq!(part, chosen(r#"{"keys": "@a", "accessed_ratio": 0.1}"#, 8));
        let endings: std::collections::BTreeSet<_> =
            part.iter().map(|login| login.last()).collect();
        assert_eq!(endings.len(), 10, "{part:?}");
    }

    #[test]
    fn the_hot_ones_take_their_share() {
        let params = TreeParams {
            entries: 1_000,
            accessed_ratio: Some(1.0),
            hot_entries_fraction: Some(0.1),
            hot_choices_fraction: Some(0.9),
            ..TreeParams::default()
        };
        let hot: usize = choices(&params, 0, 10_000)
            .into_iter()
            .filter(|(login, _)| login.len() < b"user.100".len())
            .map(|(_, count)| count)
            .sum();
        assert!((8_800..9_200).contains(&hot), "{hot}");
    }

    proptest! {
        #[test]
        fn digits_are_those_that_are_printed(number: u64) {
            let mut output = Vec::new();
            push_digits(&mut output, number);
            prop_assert_eq!(output, number.to_string().into_bytes());
        }
    }
}
