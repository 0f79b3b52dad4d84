//! The files of one server: what could be read of them, and what could not, without which its settings are not known.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::foreign_file;

/// Files and folders that are read for one server: those that include each other would never end.
const MOST: u32 = 500;

/// What is read of a server.
pub(super) struct Reads {
    left: u32,
    refused: Option<String>,
}

impl Reads {
    pub(super) fn new() -> Self {
        Self {
            left: MOST,
            refused: None,
        }
    }

    /// Returns true if another file or folder may be read.
    pub(super) fn another(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// The text of a file that need not be there.
    pub(super) fn text(&mut self, file: &Path) -> String {
        match foreign_file::read_text(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => self.told(file, read),
        }
    }

    /// The text of a file without which the server would not run: where it is not, the server has read another one.
    pub(super) fn text_of_main(&mut self, file: &Path) -> String {
        let read = foreign_file::read_text(file);
        self.told(file, read)
    }

    /// The files of a folder with that ending, in order.
    pub(super) fn files_in(&mut self, folder: &Path, ending: &str) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self
            .entries(folder)
            .into_iter()
            .filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending))
            .collect();
        files.sort();
        files
    }

    /// The same of all folders below.
    pub(super) fn all_files(&mut self, folder: &Path, ending: &str) -> Vec<PathBuf> {
        let mut files = self.files_in(folder, ending);
        for path in self.entries(folder) {
            if path.is_dir() && self.another() {
                files.extend(self.all_files(&path, ending));
            }
        }
        files
    }

    /// The first that could not be read, and why.
    pub(super) fn refused(self) -> Option<String> {
        self.refused
    }

    fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder);
        let entries = entries.map(|all| all.flatten().map(|entry| entry.path()).collect());
        self.told(folder, entries)
    }

    fn told<T: Default>(&mut self, path: &Path, read: io::Result<T>) -> T {
        read.unwrap_or_else(|error| {
            self.refused
                .get_or_insert_with(|| format!("{} cannot be read: {error}", path.display()));
            T::default()
        })
    }
}
