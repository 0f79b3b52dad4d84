//! Who starts processes: name, user and control group of a parent.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use igen_kernel::records::Record;

/// A process that has started others.
#[derive(Debug, Default, Clone)]
pub(super) struct Parent {
    /// Empty where it ended before it could be looked at and no record told it.
    pub(super) name: String,
    pub(super) user: Option<u32>,
    /// Where containers and services are told apart.
    pub(super) control_group: String,
    pub(super) children: u64,
    /// Children that have ended within a second.
    pub(super) short: u64,
    /// Processor time of children that have ended.
    pub(super) used_us: u64,
    /// What the children were, by name.
    pub(super) programs: HashMap<String, u64>,
}

impl Parent {
    /// The program that most of its children were.
    pub(super) fn main_program(&self) -> Option<&str> {
        let most = self
            .programs
            .iter()
            .max_by_key(|(name, count)| (**count, std::cmp::Reverse(*name)));
        most.map(|(name, _)| name.as_str())
    }

    /// It has ended itself: its record knows what it was.
    pub(super) fn ended(&mut self, record: &Record) {
        if self.name.is_empty() {
            self.name.clone_from(&record.name);
            self.user = Some(record.user);
        }
    }
}

/// Fills in what `/proc` says of a process that lives.
pub(super) fn describe(pid: u32, parent: &mut Parent) {
    let folder = format!("/proc/{pid}");
    if let Ok(name) = fs::read(format!("{folder}/comm")) {
        String::from_utf8_lossy(&name)
            .trim_end()
            .clone_into(&mut parent.name);
    }
    if let Ok(metadata) = fs::metadata(&folder) {
        parent.user = Some(metadata.uid());
    }
    let groups = fs::read_to_string(format!("{folder}/cgroup")).unwrap_or_default();
    if let Some(group) = groups.lines().find_map(|line| line.strip_prefix("0::")) {
        group.clone_into(&mut parent.control_group);
    }
}

/// The name of a user, or its number where it has none here.
pub(super) fn user_name(user: u32, passwd: &str) -> String {
    let number = user.to_string();
    let name = passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    });
    name.unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_process_is_described() {
        let mut parent = Parent::default();
        describe(std::process::id(), &mut parent);
        assert!(!parent.name.is_empty());
        assert!(parent.user.is_some());
        let mut nobody = Parent::default();
        describe(u32::MAX, &mut nobody);
        assert!(nobody.name.is_empty() && nobody.user.is_none());
    }

    #[test]
    fn users_have_names() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nweb:x:1000:1000::/:/bin/sh\n";
        assert_eq!(user_name(1000, passwd), "web");
        assert_eq!(user_name(7, passwd), "7");
    }
}
