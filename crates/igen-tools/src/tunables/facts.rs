//! The kernel's settings that checks look at, as they are: two systems are compared by them.
//!
//! OVERHEAD: 25 small files are read: 0.3 ms.

use igen_job::event::Fact;
use serde_json::Value;

use super::LISTS;
use super::machine::Machine;

/// `tunables.vm.swappiness` and its like, in the order of the checks, and `tunables.hash` over them: equal where all are.
#[must_use]
pub fn facts() -> Vec<Fact> {
    of(&Machine::new("/"))
}

fn of(machine: &Machine) -> Vec<Fact> {
    let mut facts: Vec<Fact> = LISTS
        .into_iter()
        .flatten()
        .filter_map(|check| {
            let name = setting(check.change)?;
            let path = format!("proc/sys/{}", name.replace('.', "/"));
            let words: Vec<String> = machine
                .text(&path)?
                .split_ascii_whitespace()
                .map(str::to_owned)
                .collect();
            Some(fact(name, value(words.join(" "))))
        })
        .collect();
    let hash = facts.iter().fold(FNV_BASIS, |hash, fact| {
        fnv(hash, &format!("{}={}\n", fact.name, fact.value))
    });
    facts.push(fact("hash", format!("{hash:016x}")));
    facts
}

/// `vm.swappiness` of `sysctl vm.swappiness=10`.
fn setting(change: &str) -> Option<&str> {
    let command = change.strip_prefix("sysctl ")?;
    command.split(['=', ' ', ',']).next()
}

fn value(text: String) -> Value {
    match text.parse::<i64>() {
        Ok(number) => number.into(),
        Err(_) => text.into(),
    }
}

fn fact(name: &str, value: impl Into<Value>) -> Fact {
    Fact {
        name: format!("tunables.{name}"),
        value: value.into(),
    }
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of 64 bits (Fowler, Noll, Vo): the same on all machines and in all versions.
fn fnv(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    #[test]
    fn settings_are_told_as_they_are_and_the_hash_changes_with_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join("proc/sys").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let read = || of(&Machine::new(folder.path()));
        write("vm/swappiness", "60\n");
        write("net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
        let before = read();
        let told: Vec<(&str, &Value)> = before
            .iter()
            .map(|one| (one.name.as_str(), &one.value))
            .collect();
        assert_eq!(told[0], ("tunables.vm.swappiness", &60.into()));
        let buffers = "4096 131072 6291456".into();
        assert_eq!(told[1], ("tunables.net.ipv4.tcp_rmem", &buffers));
        assert_eq!(told[2].0, "tunables.hash");
        assert_eq!(read(), before);
        write("vm/swappiness", "10\n");
        assert_ne!(read()[2], before[2]);
    }

    #[test]
    fn the_hash_is_the_one_that_others_compute() {
        assert_eq!(fnv(FNV_BASIS, "a"), 0xaf63_dc4c_8601_ec8c);
    }
}
