//! Answers to the server's challenges, by the name of its authentication plugin.

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// What the client does about an authentication plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plugin {
    /// SHA-1: MariaDB's default, MySQL's up to 5.7.
    Native,
    /// SHA-256, MySQL's default since 8.0: without the password itself if the server remembers
    /// it, else with it, where nobody can listen.
    CachingSha2,
}

impl Plugin {
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"mysql_native_password" => Some(Self::Native),
            b"caching_sha2_password" => Some(Self::CachingSha2),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static [u8] {
        match self {
            Self::Native => b"mysql_native_password",
            Self::CachingSha2 => b"caching_sha2_password",
        }
    }

    /// Proves that the client knows `password`; empty for an empty one.
    pub(super) fn proof(self, password: &[u8], challenge: &[u8]) -> Vec<u8> {
        if password.is_empty() {
            return Vec::new();
        }
        match self {
            Self::Native => {
                let once = Sha1::digest(password);
                let twice = Sha1::digest(once);
                let mask = Sha1::new().chain_update(challenge).chain_update(twice);
                exclusive_or(&once, &mask.finalize())
            }
            Self::CachingSha2 => {
                let once = Sha256::digest(password);
                let twice = Sha256::digest(once);
                let mask = Sha256::new().chain_update(twice).chain_update(challenge);
                exclusive_or(&once, &mask.finalize())
            }
        }
    }
}

fn exclusive_or(one: &[u8], other: &[u8]) -> Vec<u8> {
    one.iter().zip(other).map(|(a, b)| a ^ b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python's hashlib for the password `secret`.
    #[test]
    fn proofs_are_what_servers_expect() {
        let challenge = b"abcdefghijklmnopqrst";
        let hex = |proof: &[u8]| {
            let digits: Vec<String> = proof.iter().map(|byte| format!("{byte:02x}")).collect();
            digits.concat()
        };
        for (plugin, proof) in [
            (Plugin::Native, "8817c50fa779daef010ee7577825b0847df9842e"),
            (
                Plugin::CachingSha2,
                "c76e2898612a4cf042c77fa8c4702c4c64c0c2c557c53c4d75595aaa6abae809",
            ),
        ] {
            assert_eq!(hex(&plugin.proof(b"secret", challenge)), proof);
            assert!(plugin.proof(b"", challenge).is_empty());
            assert_eq!(Plugin::of(plugin.name()), Some(plugin));
        }
        assert_eq!(Plugin::of(b"client_ed25519"), None);
    }
}
