//! Answers to the server's challenges, by the name of its authentication plugin.

use ed25519_dalek::VerifyingKey;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ring::pbkdf2::{self, PBKDF2_HMAC_SHA512};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::Ed25519KeyPair;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::error::Error;

/// Length of the challenges of MariaDB's plugins for elliptic curves.
const CHALLENGE_BYTES: usize = 32;
/// PARSEC's longest hashing: so often 1,024 rounds are doubled.
const MOST_DOUBLINGS: u8 = 3;

const MALFORMED: Error = Error::Protocol("malformed challenge while connecting");

/// What the client does about an authentication plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plugin {
    /// SHA-1: MariaDB's default, MySQL's up to 5.7.
    Native,
    /// SHA-256, MySQL's default since 8.0: without the password itself if the server remembers
    /// it, else with it, where nobody can listen.
    CachingSha2,
    /// MariaDB's signature by a key that is the hash of the password.
    Ed25519,
    /// MariaDB's since 11.6: the same with a salt, and many rounds of hashing.
    Parsec,
}

/// Plugins and their names, as the server knows them and as MariaDB's clients do.
const PLUGINS: [(Plugin, &[u8]); 4] = [
    (Plugin::Native, b"mysql_native_password"),
    (Plugin::CachingSha2, b"caching_sha2_password"),
    (Plugin::Ed25519, b"client_ed25519"),
    (Plugin::Parsec, b"parsec"),
];

impl Plugin {
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let known = PLUGINS.iter().find(|(_, known)| *known == name);
        known.map(|(plugin, _)| *plugin)
    }

    pub(super) fn name(self) -> &'static [u8] {
        let known = PLUGINS.iter().find(|(plugin, _)| *plugin == self);
        known.map_or(&[], |(_, name)| name)
    }

    /// Returns true if the challenge of a greeting, 20 bytes, is one for this plugin.
    pub(super) fn answers_greetings(self) -> bool {
        matches!(self, Self::Native | Self::CachingSha2)
    }

    /// Returns the first answer to a challenge, which proves that the client knows `password`, or, for PARSEC,
    /// asks how to hash it.
    pub(super) fn proof(self, password: &[u8], challenge: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(match self {
            Self::Native | Self::CachingSha2 if password.is_empty() => Vec::new(),
            Self::Native => {
                let once = Sha1::digest(password);
                let twice = Sha1::digest(once);
                let mask = Sha1::new()
                    .chain_update(terminated(challenge))
                    .chain_update(twice);
                exclusive_or(&once, &mask.finalize())
            }
            Self::CachingSha2 => {
                let once = Sha256::digest(password);
                let twice = Sha256::digest(once);
                let mask = Sha256::new()
                    .chain_update(twice)
                    .chain_update(terminated(challenge));
                exclusive_or(&once, &mask.finalize())
            }
            Self::Ed25519 => signature(password, fixed(challenge)?).to_vec(),
            Self::Parsec => Vec::new(),
        })
    }
}

/// Returns a challenge without the zero that ends it on the way.
fn terminated(challenge: &[u8]) -> &[u8] {
    challenge.strip_suffix(&[0]).unwrap_or(challenge)
}

fn fixed(challenge: &[u8]) -> Result<&[u8; CHALLENGE_BYTES], Error> {
    challenge.first_chunk().ok_or(MALFORMED)
}

/// Signs a challenge as MariaDB's `client_ed25519` does: RFC 8032 takes the hash of a random key, this the hash
/// of the password.
fn signature(password: &[u8], challenge: &[u8; CHALLENGE_BYTES]) -> [u8; 64] {
    let key = ExpandedSecretKey::from_bytes(&Sha512::digest(password).into());
    raw_sign::<Sha512>(&key, challenge, &VerifyingKey::from(&key)).to_bytes()
}

/// Returns PARSEC's second answer: 32 random bytes, and the signature over the challenge and them. `salt` is the
/// server's: the rounds as powers of two, and bytes.
pub(super) fn parsec(password: &[u8], challenge: &[u8], salt: &[u8]) -> Result<Vec<u8>, Error> {
    let mut own = [0; CHALLENGE_BYTES];
    SystemRandom::new()
        .fill(&mut own)
        .map_err(|_| Error::Protocol("the system cannot provide random numbers"))?;
    let key = parsec_key(password, salt)?;
    let message = [&fixed(challenge)?[..], &own].concat();
    Ok([&own[..], key.sign(&message).as_ref()].concat())
}

fn parsec_key(password: &[u8], salt: &[u8]) -> Result<Ed25519KeyPair, Error> {
    let (doublings, salt) = match salt {
        [b'P', doublings, salt @ ..] if *doublings <= MOST_DOUBLINGS && !salt.is_empty() => {
            (*doublings, salt)
        }
        _ => return Err(MALFORMED),
    };
    let rounds = std::num::NonZeroU32::MIN.saturating_add((1024 << doublings) - 1);
    let mut seed = [0; 32];
    pbkdf2::derive(PBKDF2_HMAC_SHA512, rounds, salt, password, &mut seed);
    Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| MALFORMED)
}

fn exclusive_or(one: &[u8], other: &[u8]) -> Vec<u8> {
    one.iter().zip(other).map(|(a, b)| a ^ b).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ring::signature::{ED25519, KeyPair, UnparsedPublicKey};

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.concat()
    }

    /// Computed with Python's hashlib for the password `secret`.
    #[test]
    fn proofs_are_what_servers_expect() {
        let challenge = b"abcdefghijklmnopqrst\0";
        for (plugin, proof) in [
            (Plugin::Native, "8817c50fa779daef010ee7577825b0847df9842e"),
            (
                Plugin::CachingSha2,
                "c76e2898612a4cf042c77fa8c4702c4c64c0c2c557c53c4d75595aaa6abae809",
            ),
        ] {
            assert_eq!(hex(&plugin.proof(b"secret", challenge).unwrap()), proof);
            assert!(plugin.proof(b"", challenge).unwrap().is_empty());
            assert_eq!(Plugin::of(plugin.name()), Some(plugin));
        }
        assert_eq!(Plugin::of(b"mysql_clear_password"), None);
    }

    /// The public key that MariaDB's documentation gives for `secret`:
    /// `ZIgUREUg5PVgQ6LskhXmO+eZLS0nC8be6HPjYWR4YJY`.
    #[test]
    fn ed25519_signs_with_the_documented_key() {
        let public = "64881444 4520e4f5 6043a2ec 9215e63b e7992d2d 270bc6de e873e361 64786096";
        let key = ExpandedSecretKey::from_bytes(&Sha512::digest(b"secret").into());
        let found = VerifyingKey::from(&key);
        assert_eq!(hex(found.as_bytes()), public.replace(' ', ""));
        // The last byte is not the end of a text.
        let challenge = [0; CHALLENGE_BYTES];
        let signed = Plugin::Ed25519.proof(b"secret", &challenge).unwrap();
        let public = UnparsedPublicKey::new(&ED25519, found.as_bytes());
        public.verify(&challenge, &signed).unwrap();
        assert!(Plugin::Ed25519.proof(b"secret", &challenge[1..]).is_err());
    }

    /// The entry that MariaDB's documentation gives for `MyPassword123!`,
    /// `P0:lhXyNv1cIxpB8EnTxR7ON7S7:1l3rWRW1/jw45yrvYXB8eh02wzk7lcJcz4CMcWw2b+8`.
    #[test]
    fn parsec_signs_with_the_documented_key() {
        let salt = b"P\0\x96\x15\xf2\x36\xfd\x5c\x23\x1a\x41\xf0\x49\xd3\xc5\x1e\xce\x37\xb4\xbb";
        let public = "d65deb5915b5fe3c38e72aef61707c7a1d36c3393b95c25ccf808c716c366fef";
        let key = parsec_key(b"MyPassword123!", salt).unwrap();
        assert_eq!(hex(key.public_key().as_ref()), public);
        let challenge = [7; CHALLENGE_BYTES];
        let answer = parsec(b"MyPassword123!", &challenge, salt).unwrap();
        let (own, signed) = answer.split_at(CHALLENGE_BYTES);
        let public = UnparsedPublicKey::new(&ED25519, key.public_key());
        public.verify(&[&challenge, own].concat(), signed).unwrap();
        for wrong in [&b"P\x04salt"[..], b"X\0salt", b"P\0", b"P", b""] {
            assert!(parsec_key(b"x", wrong).is_err(), "{wrong:?}");
        }
    }
}
