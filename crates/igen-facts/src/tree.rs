//! Reads small files below a root: `/` in earnest, a temporary folder in tests.

use std::fs;
use std::path::{Path, PathBuf};

/// A tree of files such as /proc and /sys. Paths are relative to its root.
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The files of this host.
    pub(crate) fn host() -> Self {
        Self { root: "/".into() }
    }

    /// Where the files are.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The text of a file without the white space around it; None if unreadable or empty.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.root.join(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        // Some files of firmware end in a zero byte.
        let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The whole number that a file holds.
    pub(crate) fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// Returns true if a file has 1 or `Y`, false for 0 or `N`.
    pub(crate) fn switch(&self, path: &str) -> Option<bool> {
        match &*self.text(path)? {
            "1" | "Y" => Some(true),
            "0" | "N" => Some(false),
            _ => None,
        }
    }

    /// The choice in square brackets, as in `always [madvise] never`; the whole text if there is none.
    pub(crate) fn choice(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        let chosen = text
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'));
        Some(chosen.map_or(text.clone(), |(chosen, _)| chosen.to_owned()))
    }

    /// The last name in the path that a link points at.
    pub(crate) fn link_name(&self, path: &str) -> Option<String> {
        let target = self.link(path)?;
        target.rsplit('/').next().map(str::to_owned)
    }

    /// The path that a link points at.
    pub(crate) fn link(&self, path: &str) -> Option<String> {
        let target = fs::read_link(self.root.join(path)).ok()?;
        target.to_str().map(str::to_owned)
    }

    /// The names in a folder in order, those that end in numbers by value; none if it is not there.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(path))
            .into_iter()
            .flatten()
            .flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort_by_cached_key(|name| {
            let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            (stem.to_owned(), name[stem.len()..].parse::<u64>().ok())
        });
        names
    }

    /// Returns true if there is such a file or folder.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    /// A tree of files made up for a test: paths and texts; a text after `->` is a link's target.
    pub(crate) struct Fake {
        pub(crate) tree: Tree,
        _directory: TempDir,
    }

    impl Fake {
        pub(crate) fn new(files: &[(&str, &str)]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = directory.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                match text.strip_prefix("->") {
                    Some(target) => symlink(target, path).unwrap(),
                    None => fs::write(path, text).unwrap(),
                }
            }
            Self {
                tree: Tree {
                    root: directory.path().to_owned(),
                },
                _directory: directory,
            }
        }
    }

    #[test]
    fn files_are_read_by_kind() {
        let fake = Fake::new(&[
            ("a/text", " two words\n\0"),
            ("a/number", "42\n"),
            ("a/negative", "-1\n"),
            ("a/empty", "\n"),
            ("a/on", "Y\n"),
            ("a/off", "0\n"),
            ("a/choice", "always [madvise] never\n"),
            ("a/link", "->../b/virtio_net"),
        ]);
        let tree = &fake.tree;
        assert_eq!(tree.text("a/text").as_deref(), Some("two words"));
        assert_eq!(tree.text("a/empty"), None);
        assert_eq!(tree.text("a/none"), None);
        assert_eq!(tree.number("a/number"), Some(42));
        assert_eq!(tree.number("a/negative"), None);
        assert_eq!(tree.switch("a/on"), Some(true));
        assert_eq!(tree.switch("a/off"), Some(false));
        assert_eq!(tree.switch("a/number"), None);
        assert_eq!(tree.choice("a/choice").as_deref(), Some("madvise"));
        assert_eq!(tree.choice("a/number").as_deref(), Some("42"));
        assert_eq!(tree.link_name("a/link").as_deref(), Some("virtio_net"));
        assert_eq!(tree.link_name("a/text"), None);
        assert!(tree.has("a") && !tree.has("b"));
    }

    #[test]
    fn names_that_end_in_numbers_are_sorted_by_value() {
        let fake = Fake::new(&[
            ("node10/a", ""),
            ("node2/a", ""),
            ("a12", ""),
            ("node/a", ""),
        ]);
        assert_eq!(fake.tree.names(""), ["a12", "node", "node2", "node10"]);
        assert!(fake.tree.names("none").is_empty());
    }
}
