//! Secrets of a job: named in it, and read where the load runs, so that no file has them.

use std::fs::File;
use std::io::Read;
use std::sync::LazyLock;

use igen_job::JobError;
use serde::Deserialize;

/// Begin of the variables that may be secrets: no other one of the user's reaches the process that loads.
const VARIABLES: &str = "IGEN_";
/// Longest secret.
const MOST_BYTES: u64 = 64 * 1024;
/// Fewest letters of a random text.
const LEAST_RANDOM: usize = 20;
/// Fewest letters of a key behind its prefix.
const LEAST_BEHIND_PREFIX: usize = 12;
/// Least share of neighbours of two kinds, out of small letters, capitals and digits: random text has 0.62, words 0.2.
const LEAST_CHANGES: f64 = 0.4;

/// Names and shapes of secrets, which igen has too.
static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    // A test reads the list, so a released build cannot have an empty one.
    toml::from_str(include_str!("secret_names.toml")).unwrap_or_default()
});

#[derive(Default, Deserialize)]
struct Known {
    typed: Named,
    issued: Named,
    shapes: Shapes,
}

#[derive(Default, Deserialize)]
struct Named {
    anywhere: Vec<String>,
    words: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Shapes {
    prefixes: Vec<String>,
    public: Vec<String>,
}

impl Named {
    fn has(&self, joined: &str, words: &[String]) -> bool {
        let is_within = |entry: &String| joined.contains(&entry.replace('_', ""));
        self.anywhere.iter().any(is_within) || words.iter().any(|word| self.words.contains(word))
    }
}

/// True if the header is a secret, by its name or by the shape of a part of its value.
pub(crate) fn is_secret_header(name: &str, value: &str) -> bool {
    let (words, known) = (words_of(name), &*KNOWN);
    let joined = words.concat();
    known.typed.has(&joined, &words) || known.issued.has(&joined, &words) || has_secret_shape(value)
}

/// True if a part of the text, between spaces and separators, has the shape of a token.
pub(crate) fn has_secret_shape(text: &str) -> bool {
    let is_public = KNOWN
        .shapes
        .public
        .iter()
        .any(|begin| text.starts_with(begin.as_str()));
    let is_within = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '~' | '+')
    };
    text.split(|letter| !is_within(letter))
        .any(|part| is_key(part) || (!is_public && is_random(part)))
}

/// True for a JWT and for a key of a well-known service.
fn is_key(part: &str) -> bool {
    let is_prefix = |prefix: &String| {
        part.strip_prefix(prefix.as_str())
            .is_some_and(|rest| rest.len() >= LEAST_BEHIND_PREFIX)
    };
    let is_jwt = part.len() >= LEAST_RANDOM && part.starts_with("eyJ") && part.contains('.');
    is_jwt || KNOWN.shapes.prefixes.iter().any(is_prefix)
}

/// True for 20 letters at least that change among small letters, capitals and digits as in random text.
#[allow(clippy::cast_precision_loss)]
fn is_random(part: &str) -> bool {
    let kind = |letter: u8| match letter {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let kinds: Vec<_> = part.bytes().map(kind).collect();
    if kinds.len() < LEAST_RANDOM || part.contains('.') || (0..3).any(|it| !kinds.contains(&it)) {
        return false;
    }
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes as f64 >= LEAST_CHANGES * (kinds.len() - 1) as f64
}

/// The words of a name in small letters: `userPin` has two.
fn words_of(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if was_small && letter.is_ascii_uppercase() {
            spaced.push(' ');
        }
        was_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        spaced.push(letter.to_ascii_lowercase());
    }
    let words = spaced.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
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
            "a job must not contain a secret: jobs are stored in files",
        )
        .hint("use \"env:IGEN_NAME\" or \"file:/run/secrets/name\" instead"));
    };
    let fault = |text: String| JobError::at(path, format!("{file}: {text}"));
    let mut text = String::new();
    // No more is read than may be there, whatever the file's size says: a device says 0.
    File::open(file)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text))
        .map_err(|error| fault(error.to_string()))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(fault("the file is larger than 64 KiB".to_owned()));
    }
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// What the environment holds under a name that begins as it must.
pub(crate) fn variable_value(variable: &str, path: &str) -> Result<String, JobError> {
    if !variable.starts_with(VARIABLES) {
        return Err(JobError::at(
            path,
            format!("the name of the variable `{variable}` does not start with {VARIABLES}"),
        )
        .hint("rename the variable: no others are passed to the agent"));
    }
    std::env::var(variable).map_err(|_| {
        JobError::at(
            path,
            format!("the environment variable {variable} is not set"),
        )
        .hint("set it on the load machine")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn headers_are_secret_by_name_or_by_shape() {
        let names = [
            "Authorization",
            "proxy-authorization",
            "Cookie",
            "X-Api-Key",
            "apikey",
            "X-Auth-Token",
            "X-Secret",
            "X-CSRF-Token",
            "X-Amz-Security-Token",
            "userPin",
            "j_pw",
        ];
        let values = [
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
            "Bearer AKIAIOSFODNN7EXAMPLE",
            "v1 8fJq2LxR7vTn0KwPz5Hc3B",
        ];
        let harmless = [
            (
                "Accept",
                "text/html,application/xhtml+xml;q=0.9,image/avif,*/*;q=0.8",
            ),
            (
                "User-Agent",
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0.0.0",
            ),
            (
                "If-None-Match",
                "\"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
            ),
            ("X-Request-Id", "7c9e6679-7425-40de-944b-e07fc1f90ae7"),
            ("X-Bypass-Cache", "1"),
            ("Digest", "sha-256=47DEQpj8HBSa"),
            ("Content-Type", "application/vnd.github.v3+json"),
        ];
        for name in names {
            assert!(is_secret_header(name, "hush"), "{name}");
        }
        for value in values {
            assert!(is_secret_header("X-Note", value), "{value}");
        }
        for (name, value) in harmless {
            assert!(!is_secret_header(name, value), "{name}: {value}");
        }
    }

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
