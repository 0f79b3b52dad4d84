//! Where in an answer values are.

use igen_job::JobError;
use regex::bytes::Regex;

use super::pointer::Pointer;
use crate::web::scenario;

/// Where in an answer a value is.
#[derive(Debug)]
pub enum Extract {
    /// The value of a form field or of a `meta` element of that name.
    Input(Box<str>),
    /// In JSON.
    Json(Pointer),
    /// A header.
    Header(Box<str>),
    /// A cookie that the user has then.
    Cookie(Box<str>),
    /// The first match of an expression, or any one of them.
    Regex { expression: Regex, random: bool },
}

impl Extract {
    /// What the scenario says at `path`.
    pub fn new(extract: &scenario::Extract, path: &str) -> Result<Self, JobError> {
        let scenario::Extract {
            input,
            json,
            header,
            cookie,
            regex,
            random,
        } = extract;
        let found = match (input, json, header, cookie, regex) {
            (Some(name), None, None, None, None) => {
                if name.is_empty() {
                    return Err(JobError::at(format!("{path}.input"), "a field has a name")
                        .hint("write the name of the form field or meta element"));
                }
                Self::Input(name.as_str().into())
            }
            (None, Some(pointer), None, None, None) => Self::Json(
                Pointer::new(pointer).map_err(|text| JobError::at(format!("{path}.json"), text))?,
            ),
            (None, None, Some(name), None, None) => Self::Header(name.as_str().into()),
            (None, None, None, Some(name), None) => Self::Cookie(name.as_str().into()),
            (None, None, None, None, Some(text)) => {
                let expression = Regex::new(text).map_err(|error| {
                    JobError::at(
                        format!("{path}.regex"),
                        error.to_string().replace('\n', " "),
                    )
                })?;
                return Ok(Self::Regex {
                    expression,
                    random: *random,
                });
            }
            _ => {
                return Err(JobError::at(path, "exactly one place is needed")
                    .hint("use one of input, json, header, cookie, regex"));
            }
        };
        if *random {
            return Err(JobError::at(
                format!("{path}.random"),
                "it goes with regex only",
            ));
        }
        Ok(found)
    }

    /// Whether it looks into the body.
    pub fn reads_body(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Json(_) | Self::Regex { .. })
    }
}
