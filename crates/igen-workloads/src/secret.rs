//! Secrets of a job: named in it, and read where the load runs, so that no file has them.

use std::fs::File;
use std::io::Read;

use igen_job::JobError;

/// Begin of the variables that may be secrets: no other one of the user's reaches the process that loads.
const VARIABLES: &str = "IGEN_";
/// Longest secret.
const MOST_BYTES: u64 = 64 * 1024;
/// Headers whose values are secrets.
const HEADERS: [&str; 4] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
];

/// Whether the value of a header of that name is a secret.
pub(crate) fn is_secret_header(name: &str) -> bool {
    HEADERS
        .iter()
        .any(|secret| name.eq_ignore_ascii_case(secret))
}

/// Reads the secret at `place`, `env:IGEN_NAME` or `file:PATH`; an error is about the field `path`.
pub(crate) fn read(place: &str, path: &str) -> Result<String, JobError> {
    if let Some(variable) = place.strip_prefix("env:") {
        return variable_value(variable, path);
    }
    let Some(file) = place.strip_prefix("file:") else {
        // Not its text: it may be the secret itself.
        return Err(JobError::at(
            path,
            "a secret does not belong into a job, which is kept in files",
        )
        .hint("name where it is: \"env:IGEN_NAME\" or \"file:/run/secrets/name\""));
    };
    let fault = |text: String| JobError::at(path, format!("{file}: {text}"));
    let mut text = String::new();
    // No more is read than may be there, whatever the file's size says: a device says 0.
    File::open(file)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text))
        .map_err(|error| fault(error.to_string()))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(fault("more than 64 KiB".to_owned()));
    }
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// What the environment holds under a name that begins as it must.
pub(crate) fn variable_value(variable: &str, path: &str) -> Result<String, JobError> {
    if !variable.starts_with(VARIABLES) {
        return Err(JobError::at(
            path,
            format!("`{variable}` does not begin with {VARIABLES}"),
        )
        .hint("no other variable of yours reaches the process that loads"));
    }
    std::env::var(variable).map_err(|_| {
        JobError::at(path, format!("the environment holds no {variable}"))
            .hint("set it where the load runs")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_secret_is_read_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "hush\n").unwrap();
        assert_eq!(
            read(&format!("file:{}", file.display()), "p"),
            Ok("hush".to_owned())
        );
        for place in [
            "hush",
            "env:PATH",
            "env:IGEN_NO_SUCH_NAME",
            "file:/no/such/file",
            "file:/dev/zero",
        ] {
            let error = read(place, "scenario.secrets.password").unwrap_err();
            assert_eq!(error.path, "scenario.secrets.password");
            assert!(!error.to_string().contains("hush"), "{error}");
        }
    }
}
