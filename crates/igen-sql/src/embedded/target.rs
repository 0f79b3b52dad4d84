//! Targets that are files: `sqlite:///shop.db` is relative to the working directory,
//! `sqlite:////data/shop.db` absolute.

use std::path::{Path, PathBuf};

use igen_job::JobError;

/// The absolute path of the database file that `url` names under `scheme`; an error is about the
/// field `field` of the job.
pub(crate) fn path_of(scheme: &str, url: &str, field: &str) -> Result<PathBuf, JobError> {
    let fault = |text: String| {
        JobError::at(field, text).hint(format!(
            "use {scheme}:///shop.db for a file in the working directory or \
             {scheme}:////data/shop.db for an absolute path"
        ))
    };
    let Some((found, rest)) = url.split_once("://") else {
        return Err(fault(format!("`{url}` is not a URL")));
    };
    if found != scheme {
        return Err(fault(format!("`{url}` is not a {scheme} target")));
    }
    let Some(path) = rest.strip_prefix('/') else {
        return Err(fault(format!(
            "`{url}` has a host instead of a path: a slash is missing"
        )));
    };
    if path.is_empty() || path == ":memory:" {
        return Err(fault(format!(
            "`{url}` has no file: users share a database through its file"
        )));
    }
    if path.contains(['?', '#']) {
        return Err(fault(format!(
            "`{url}` has options: use parameters of the workload instead"
        )));
    }
    if path.ends_with('/') || Path::new(path).file_name().is_none() {
        return Err(fault(format!("`{url}` is a directory, not a file")));
    }
    // Absolute, so that no engine takes a path for a URI or a name of its own.
    std::path::absolute(path).map_err(|error| fault(format!("`{url}`: {error}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn three_slashes_are_relative_and_four_absolute() {
        let here = std::env::current_dir().unwrap();
        for (url, path) in [
            ("sqlite:///shop.db", here.join("shop.db")),
            ("sqlite:///data/shop 1.db", here.join("data/shop 1.db")),
            ("sqlite:///file:shop.db", here.join("file:shop.db")),
            ("sqlite:////data/shop.db", PathBuf::from("/data/shop.db")),
        ] {
            assert_eq!(path_of("sqlite", url, "targets[0]").unwrap(), path, "{url}");
        }
    }

    #[test]
    fn a_malformed_target_names_field_and_remedy() {
        for url in [
            "",
            "shop.db",
            "sqlite:shop.db",
            "sqlite:/shop.db",
            "sqlite://shop.db",
            "sqlite://",
            "sqlite:///",
            "sqlite:///:memory:",
            "sqlite:////",
            "sqlite:///data/",
            "sqlite:///..",
            "sqlite:///shop.db?mode=ro",
            "SQLITE:///shop.db",
            "postgresql://localhost/shop",
        ] {
            let error = path_of("sqlite", url, "targets[0]").expect_err(url);
            assert_eq!(error.path, "targets[0]", "{url}");
            assert!(error.hint.contains("sqlite:///shop.db"), "{url}");
        }
    }
}
