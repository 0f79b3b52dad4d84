//! The entries that are loaded: a pure function of seed and number, so that any entry can be checked
//! at any time and loading needs no memory.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use igen_ldap::NewEntry;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use sha1::{Digest, Sha1};

use super::params::PasswordScheme;
use crate::random::{below, pick};
use crate::words::{CITIES, FIRST_NAMES, LAST_NAMES, STREETS};

/// Letters of a description.
pub(super) const DESCRIPTION_LETTERS: usize = 80;

/// The twelve attributes of a person; all users may read all of them.
#[rustfmt::skip]
const ATTRIBUTES: [&str; 12] = [
    "objectClass", "uid", "cn", "sn", "givenName", "mail", "telephoneNumber", "description",
    "employeeNumber", "l", "postalAddress", "userPassword",
];
const CLASSES: [&str; 4] = ["top", "person", "organizationalPerson", "inetOrgPerson"];

/// Makes the persons of one target.
#[derive(Debug, Clone)]
pub(super) struct Persons {
    pub(super) seed: u64,
    /// Number of the first one.
    pub(super) first: u64,
    pub(super) entries: u64,
    /// Distinguished name of what they are below.
    pub(super) base: String,
    pub(super) password_scheme: PasswordScheme,
}

impl Persons {
    /// Makes the person of that number, counted from 0 over all targets.
    pub(super) fn person(&self, number: u64, entry: &mut NewEntry) {
        let mut random = SplitMix64::seed_from_u64(self.seed ^ number.rotate_left(32));
        let (first, last) = (
            pick(&mut random, FIRST_NAMES),
            pick(&mut random, LAST_NAMES),
        );
        let (street, city) = (pick(&mut random, STREETS), pick(&mut random, CITIES));
        let house = 1 + below(&mut random, 9_999);
        let telephone = below(&mut random, 100_000_000_000);
        entry.dn.clear();
        let _ = write!(entry.dn, "uid=user.{number},{}", self.base);
        if entry.attributes.is_empty() {
            entry.attributes = ATTRIBUTES
                .iter()
                .map(|name| (*name, vec![String::new()]))
                .collect();
            entry.attributes[0].1 = CLASSES.map(str::to_owned).to_vec();
        }
        let mut values = entry.attributes[1..].iter_mut().map(|(_, values)| {
            values[0].clear();
            &mut values[0]
        });
        // In the order of `ATTRIBUTES`.
        let mut set = |text: std::fmt::Arguments<'_>| {
            if let Some(value) = values.next() {
                let _ = value.write_fmt(text);
            }
        };
        set(format_args!("user.{number}"));
        set(format_args!("{first} {last}"));
        set(format_args!("{last}"));
        set(format_args!("{first}"));
        set(format_args!("{first}.{last}.{number}@example.com"));
        set(format_args!(
            "+{} {:03} {:07}",
            telephone % 90 + 10,
            telephone / 90 % 1_000,
            telephone / 90_000 % 10_000_000
        ));
        let mut description = [0; DESCRIPTION_LETTERS];
        letters(&mut random, &mut description);
        set(format_args!("{}", String::from_utf8_lossy(&description)));
        set(format_args!("{number}"));
        set(format_args!("{city}"));
        set(format_args!("{house} {street}${city}"));
        let password = format!("password.{number}");
        match stored(self.password_scheme, &password, &mut random) {
            Some(stored) => set(format_args!("{stored}")),
            None => set(format_args!("{password}")),
        }
    }
}

/// Fills `text` with small letters.
pub(super) fn letters(random: &mut impl Rng, text: &mut [u8]) {
    for letters in text.chunks_mut(8) {
        let bytes = random.next_u64().to_le_bytes();
        for (letter, byte) in letters.iter_mut().zip(bytes) {
            // 256 is no multiple of 26; who reads random letters does not mind.
            *letter = b'a' + byte % 26;
        }
    }
}

/// What a directory stores of a password; `None` for itself.
fn stored(scheme: PasswordScheme, password: &str, random: &mut impl Rng) -> Option<String> {
    let salt = random.next_u64().to_le_bytes();
    match scheme {
        PasswordScheme::Plain => None,
        PasswordScheme::Ssha => {
            let mut hash = Sha1::new_with_prefix(password)
                .chain_update(salt)
                .finalize()
                .to_vec();
            hash.extend(salt);
            Some(format!("{{SSHA}}{}", STANDARD.encode(hash)))
        }
        PasswordScheme::Argon2 => argon2(password, &salt).map(|hash| format!("{{ARGON2}}{hash}")),
    }
}

/// With what `slappasswd` takes: 7 MiB, five passes, one lane.
fn argon2(password: &str, salt: &[u8]) -> Option<String> {
    use argon2::password_hash::{PasswordHasher, SaltString};
    use argon2::{Algorithm, Argon2, Params, Version};

    let params = Params::new(7_168, 5, 1, None).ok()?;
    let salt = SaltString::encode_b64(salt).ok()?;
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = hasher.hash_password(password.as_bytes(), &salt).ok()?;
    Some(hash.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn persons(password_scheme: PasswordScheme) -> Persons {
        Persons {
            seed: 42,
            first: 0,
            entries: 1_000,
            base: "ou=People,dc=lab".to_owned(),
            password_scheme,
        }
    }

    fn person(persons: &Persons, number: u64) -> NewEntry {
        let mut entry = NewEntry::default();
        persons.person(number, &mut entry);
        entry
    }

    #[test]
    fn a_person_is_the_same_at_any_time_and_in_any_buffer() {
        let persons = persons(PasswordScheme::Plain);
        let mut entry = person(&persons, 999);
        persons.person(17, &mut entry);
        assert_eq!(entry, person(&persons, 17));
        assert_eq!(entry.dn, "uid=user.17,ou=People,dc=lab");
        assert_eq!(entry.attributes.len(), 12);
        let text: Vec<String> = entry
            .attributes
            .iter()
            .map(|(name, values)| format!("{name}: {}", values.join(", ")))
            .collect();
        assert_eq!(text[1], "uid: user.17");
        assert_eq!(text[11], "userPassword: password.17");
        assert!(
            entry
                .attributes
                .iter()
                .all(|(_, values)| values.iter().all(|v| !v.is_empty()))
        );
    }

    #[test]
    fn persons_differ() {
        let persons = persons(PasswordScheme::Plain);
        let descriptions: BTreeSet<_> = (0..100)
            .map(|number| person(&persons, number).attributes[7].1.clone())
            .collect();
        assert_eq!(descriptions.len(), 100);
    }

    #[test]
    fn passwords_are_stored_as_their_scheme_says() {
        let stored = |scheme| person(&persons(scheme), 3).attributes[11].1.concat();
        assert!(stored(PasswordScheme::Ssha).starts_with("{SSHA}"));
        let argon2 = stored(PasswordScheme::Argon2);
        assert!(
            argon2.starts_with("{ARGON2}$argon2id$v=19$m=7168,t=5,p=1$"),
            "{argon2}"
        );
    }
}
