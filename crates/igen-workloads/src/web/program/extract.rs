//! Places of values in an answer.

use igen_job::JobError;
use memchr::memmem::Finder;
use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::Extractor;

use super::pointer::Pointer;
use crate::web::scenario;

/// Place of a value in an answer.
#[derive(Debug)]
pub enum Extract {
    /// The value of a form field or of a `meta` element of that name.
    Input(Finder<'static>),
    /// In JSON.
    Json(Pointer),
    /// A header.
    Header(Box<str>),
    /// A cookie that the user has then.
    Cookie(Box<str>),
    /// The first match of an expression, or any one of them.
    Regex {
        expression: Regex,
        /// With what each match begins, where that is known.
        begin: Option<Finder<'static>>,
        random: bool,
    },
}

impl Extract {
    /// Reads the scenario at `path`.
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
                    return Err(JobError::at(
                        format!("{path}.input"),
                        "the name of the field is empty",
                    )
                    .hint("use the name of the form field or meta element"));
                }
                Self::Input(Finder::new(name).into_owned())
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
                    begin: begin(text),
                    random: *random,
                });
            }
            _ => {
                return Err(JobError::at(path, "exactly one source is needed")
                    .hint("use one of input, json, header, cookie, regex"));
            }
        };
        if *random {
            return Err(JobError::at(
                format!("{path}.random"),
                "can be used with regex only",
            ));
        }
        Ok(found)
    }

    /// The text that leads to it, where that is looked for from the begin of the body.
    pub fn text(&self) -> Option<&Finder<'static>> {
        match self {
            Self::Input(name) => Some(name),
            Self::Regex {
                begin,
                random: false,
                ..
            } => begin.as_ref(),
            _ => None,
        }
    }

    /// Returns true if it looks into the body.
    pub fn reads_body(&self) -> bool {
        self.reads_all() || matches!(self, Self::Regex { .. })
    }

    /// Returns true if it looks into all of a body, however long that is: an expression needs it in one piece.
    pub fn reads_all(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Json(_))
    }
}

/// The text with which each match of an expression begins, if there is one.
fn begin(expression: &str) -> Option<Finder<'static>> {
    let parsed = ParserBuilder::new().utf8(false).build().parse(expression);
    let begins = Extractor::new().extract(&parsed.ok()?);
    let text = begins.longest_common_prefix()?;
    (!text.is_empty()).then(|| Finder::new(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_match_begins_with_is_known() {
        for (expression, expected) in [
            (r"/record/([0-9]+)", Some("/record/")),
            (r"id=(a|b)", Some("id=")),
            ("(foo|foe)", Some("fo")),
            (r"\bnext", Some("next")),
            ("(?i)next", None),
            ("[0-9]+", None),
            ("a*b", None),
            ("", None),
        ] {
            let found = begin(expression);
            let found = found.as_ref().map(Finder::needle);
            assert_eq!(found, expected.map(str::as_bytes), "{expression}");
        }
    }
}
