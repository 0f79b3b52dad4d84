//! Texts with holes, `{name}`, cut into pieces before the load.

use std::collections::BTreeMap;

use igen_job::JobError;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::nearest::did_you_mean;

/// All that is percent-encoded: everything but the unreserved characters of RFC 3986.
pub const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A text with holes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template(pub Box<[Piece]>);

/// A piece of a text with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As it is.
    Text(Box<[u8]>),
    /// What stands in the hole, and how it is written there.
    Hole(Hole, Encoding),
}

/// Value of a hole; numbers are places in the program's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hole {
    /// A variable, which an extractor has set.
    Variable(usize),
    /// A column of a table.
    Column(usize, usize),
    /// A secret.
    Secret(usize),
    /// A number between the two.
    Random(u64, u64),
    /// A random UUID.
    Uuid,
    /// The number of the user.
    UserId,
    /// Milliseconds since 1970.
    NowMs,
}

/// Encoding of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Percent-encoded, all but letters, digits and `-._~`.
    Percent,
    /// As a part of a string of JSON.
    Json,
    /// Without control characters.
    Header,
    /// As it is.
    Raw,
}

/// Names that holes can use.
#[derive(Debug, Default)]
pub struct Names {
    /// Variables, by place.
    pub variables: Vec<String>,
    /// Tables and their columns.
    pub tables: Vec<(String, Vec<String>)>,
    /// Secrets.
    pub secrets: Vec<String>,
}

impl Names {
    /// Cuts `text`, which stands at `path`, into pieces.
    pub fn template(
        &self,
        text: &str,
        encoding: Encoding,
        path: &str,
    ) -> Result<Template, JobError> {
        let mut pieces = Vec::new();
        let (mut plain, mut rest) = (String::new(), text);
        while let Some(open) = rest.find('{') {
            plain.push_str(&rest[..open]);
            let behind = &rest[open + 1..];
            if let Some(name) = behind.strip_prefix('{').and_then(|it| name(it, "}}")) {
                // Doubled braces stand for themselves.
                plain.push('{');
                plain.push_str(name);
                plain.push('}');
                rest = &behind[name.len() + 3..];
            } else if let Some(name) = name(behind, "}") {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain).into_bytes().into()));
                }
                pieces.push(Piece::Hole(self.hole(name, path)?, encoding));
                rest = &behind[name.len() + 1..];
            } else {
                plain.push('{');
                rest = behind;
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain.into_bytes().into()));
        }
        Ok(Template(pieces.into()))
    }

    fn hole(&self, name: &str, path: &str) -> Result<Hole, JobError> {
        let place = |list: &[String], name: &str| list.iter().position(|each| each == name);
        let found = match name.split_once('.') {
            Some(("random", "uuid")) => Some(Hole::Uuid),
            Some(("random", range)) => random(range),
            Some(("user", "id")) => Some(Hole::UserId),
            Some(("now", "ms")) => Some(Hole::NowMs),
            Some(("secret", secret)) => place(&self.secrets, secret).map(Hole::Secret),
            Some((table, column)) => {
                let tables = self
                    .tables
                    .iter()
                    .map(|(name, _)| name.clone())
                    .collect::<Vec<_>>();
                place(&tables, table).and_then(|table| {
                    Some(Hole::Column(table, place(&self.tables[table].1, column)?))
                })
            }
            None => place(&self.variables, name).map(Hole::Variable),
        };
        found.ok_or_else(|| {
            let meant = did_you_mean(name, &self.all());
            JobError::at(path, format!("unknown name {{{name}}}"))
                .hint(format!("{meant}{}", self.columns_of(name)))
        })
    }

    /// Where the columns come from of the table that is meant, if one is: a file may have begun with its rows.
    fn columns_of(&self, name: &str) -> String {
        let table = name.split_once('.').map(|(table, _)| table);
        let is_known = self
            .tables
            .iter()
            .any(|(own, _)| Some(own.as_str()) == table);
        match table.filter(|_| is_known) {
            Some(table) => {
                format!("; the columns of `{table}` are named in the first line of its file")
            }
            None => String::new(),
        }
    }

    /// Everything that a hole may name, as it is written there.
    fn all(&self) -> Vec<String> {
        let mut all = self.variables.clone();
        let columns = |(table, columns): &(String, Vec<String>)| {
            columns
                .iter()
                .map(|column| format!("{table}.{column}"))
                .collect::<Vec<_>>()
        };
        all.extend(self.tables.iter().flat_map(columns));
        all.extend(self.secrets.iter().map(|secret| format!("secret.{secret}")));
        all.extend(["random.uuid", "random.1-1000", "user.id", "now.ms"].map(str::to_owned));
        all
    }
}

/// The name at the begin of `text`, behind which `end` follows.
fn name<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let (name, _) = text.split_once(end)?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && name.bytes().all(is_name))
        .then_some(name)
}

fn random(range: &str) -> Option<Hole> {
    let (low, high) = range.split_once('-')?;
    let (low, high) = (low.parse().ok()?, high.parse().ok()?);
    (low <= high && high < u64::MAX).then_some(Hole::Random(low, high))
}

impl Template {
    /// Returns the variables that it needs.
    pub fn variables(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Hole(Hole::Variable(slot), _) => Some(*slot),
            _ => None,
        })
    }

    /// Returns the tables that it takes values from.
    pub fn tables(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Hole(Hole::Column(table, _), _) => Some(*table),
            _ => None,
        })
    }

    /// Returns the texts between the holes.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(&**text),
            Piece::Hole(..) => None,
        })
    }

    /// Appends another template.
    pub fn append(&mut self, other: Self) {
        let mut pieces = std::mem::take(&mut self.0).into_vec();
        pieces.extend(other.0);
        self.0 = pieces.into();
    }

    /// Returns the template with the texts between the holes percent-encoded.
    #[must_use]
    pub fn percent_encoded(mut self) -> Self {
        for piece in &mut self.0 {
            if let Piece::Text(text) = piece {
                *text = percent_encode(text, UNRESERVED)
                    .to_string()
                    .into_bytes()
                    .into();
            }
        }
        self
    }

    /// Returns a template without holes.
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self([Piece::Text(text.into().into())].into())
    }
}

/// Names to places, for lists whose names must differ.
pub fn places<'a>(
    names: impl IntoIterator<Item = &'a str>,
    path: impl Fn(usize) -> String,
) -> Result<BTreeMap<&'a str, usize>, JobError> {
    let mut places = BTreeMap::new();
    for (place, name) in names.into_iter().enumerate() {
        if name.is_empty() {
            return Err(JobError::at(path(place), "the name is missing"));
        }
        if let Some(earlier) = places.insert(name, place) {
            return Err(
                JobError::at(path(place), format!("the name `{name}` is used twice"))
                    .hint(format!("{} already has this name", path(earlier))),
            );
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn names() -> Names {
        Names {
            variables: vec!["csrf".to_owned(), "id".to_owned()],
            tables: vec![("people".to_owned(), vec!["name".to_owned()])],
            secrets: vec!["password".to_owned()],
        }
    }

    fn cut(text: &str) -> Vec<Piece> {
        names().template(text, Encoding::Raw, "p").unwrap().0.into()
    }

    fn hole(hole: Hole) -> Piece {
        Piece::Hole(hole, Encoding::Raw)
    }

    fn plain(text: &str) -> Piece {
        Piece::Text(text.as_bytes().into())
    }

    #[test]
    fn a_text_is_cut_at_its_holes() {
        assert_eq!(
            cut("/a/{id}/b"),
            [plain("/a/"), hole(Hole::Variable(1)), plain("/b")]
        );
        assert_eq!(
            cut("{people.name}{secret.password}"),
            [hole(Hole::Column(0, 0)), hole(Hole::Secret(0))]
        );
        assert_eq!(cut("{random.2-7}"), [hole(Hole::Random(2, 7))]);
        for literal in ["{}", "{\"a\":{\"b\":1}}", "{ id }", "{", "}", "{1}"] {
            assert_eq!(cut(literal), [plain(literal)], "{literal}");
        }
        assert_eq!(cut("{{id}}x"), [plain("{id}x")]);
        assert_eq!(cut(""), []);
    }

    #[test]
    fn what_nothing_is_called_is_told_with_what_is_near() {
        let error = names()
            .template("{crsf}", Encoding::Raw, "scenario.page[0]")
            .unwrap_err();
        assert_eq!(error.path, "scenario.page[0]");
        assert_eq!(error.hint, "did you mean `csrf`?");
        // Without a header the first row is taken for it.
        let error = names()
            .template("{people.age}", Encoding::Raw, "p")
            .unwrap_err();
        let says = "the columns of `people` are named in the first line of its file";
        assert!(error.hint.ends_with(says), "{error}");
        for text in ["{people.nam}", "{random.7-2}", "{user.name}", "{secret.x}"] {
            assert!(
                names().template(text, Encoding::Raw, "p").is_err(),
                "{text}"
            );
        }
    }
}
