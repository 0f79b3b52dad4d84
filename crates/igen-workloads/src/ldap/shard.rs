//! One of a job's targets: a directory, and the persons that it holds.

use std::io::{Result as IoResult, Write};

use igen_engine::ProgressReporter;
use igen_job::JobError;
use igen_ldap::{
    Connection, Directory, Entry, Filter, NewEntry, Scope, SearchRequest, SearchResult,
};

use super::identity::is_same;
use super::keys::{Key, Keys};
use super::marker::{DESCRIPTION, Marker};
use super::params::PasswordScheme;
use super::person::Persons;

/// Persons that `verify` looks at.
const SAMPLE: u64 = 200;
/// Attributes that transactions change, or that a server may show in another form.
const CHANGING: [&str; 2] = [DESCRIPTION, "userPassword"];

/// One of a job's targets.
pub struct Shard {
    pub(super) workload: &'static str,
    pub(super) target: String,
    /// `targets[0]`, for errors.
    pub(super) field: String,
    pub(super) directory: Directory,
    /// What is loaded; nothing where the tree is somebody's own.
    pub(super) persons: Option<Persons>,
    pub(super) keys: Keys,
    pub(super) login_attribute: String,
    /// Distinguished name of what persons are searched below.
    pub(super) base: String,
}

/// What a directory holds.
#[derive(Debug, PartialEq, Eq)]
enum Held {
    /// What iGen loaded, perhaps not to its end.
    Loaded(Marker),
    /// The persons, from somebody else.
    Others,
    /// Some of them, from somebody else; what is missing, in words.
    Part(String),
    /// None of them.
    Nothing,
}

impl Shard {
    /// Loads the tree unless it is there.
    pub(super) async fn prepare(&self, progress: &ProgressReporter) -> Result<(), JobError> {
        let mut connection = self.administration().await?;
        match (self.look(&mut connection).await?, &self.persons) {
            (Held::Nothing, Some(persons)) => self.load(&mut connection, persons, progress).await?,
            (Held::Loaded(marker), Some(persons)) if !marker.complete => {
                // What an interrupted load left.
                self.remove(&mut connection, &marker).await?;
                self.load(&mut connection, persons, progress).await?;
            }
            (Held::Part(missing), _) => return Err(self.incomplete(&missing)),
            _ => (),
        }
        Ok(())
    }

    /// Checks that the tree is there and is the one that it should be; `writes` are to come.
    pub(super) async fn verify(&self, writes: bool) -> Result<(), JobError> {
        let mut connection = self.administration().await?;
        match (self.look(&mut connection).await?, &self.persons) {
            (Held::Nothing, _) => {
                let hint = match &self.persons {
                    Some(_) => {
                        "add the step `prepare`, which loads them; for your own persons set login_attribute \
                         and people"
                    }
                    None => {
                        "correct the file in `keys`, or set login_attribute and people to find its entries"
                    }
                };
                return Err(self.wrong("the persons do not exist", hint));
            }
            (Held::Part(missing), _) => return Err(self.incomplete(&missing)),
            (Held::Loaded(marker), Some(persons)) => self.check_figures(&marker, persons)?,
            (Held::Others | Held::Loaded(_), _) if writes => {
                return Err(self.wrong(
                    &format!(
                        "iGen did not load this tree, but the workload {} would replace the {DESCRIPTION} of its entries",
                        self.workload
                    ),
                    "add --i-own-this-data to continue, or use another target",
                ));
            }
            _ => (),
        }
        match self.wrong_sample(&mut connection).await? {
            None => Ok(()),
            Some(text) if self.persons.is_some() => Err(self.wrong(&text, &self.cleanup_hint())),
            Some(text) => Err(self.wrong(
                &text,
                "correct the file in `keys`, or set login_attribute and people to find its entries",
            )),
        }
    }

    /// Removes what was loaded.
    pub(super) async fn cleanup(&self) -> Result<(), JobError> {
        let mut connection = self.administration().await?;
        match self.look(&mut connection).await? {
            Held::Loaded(marker) => self.remove(&mut connection, &marker).await,
            Held::Others | Held::Part(_) => {
                Err(self.wrong("iGen did not load this tree, so it was not removed", ""))
            }
            Held::Nothing => Ok(()),
        }
    }

    /// Writes the tree as LDIF, for the server's own loader.
    pub(super) fn export(&self, output: &mut dyn Write) -> Result<(), JobError> {
        let Some(persons) = &self.persons else {
            return Err(JobError::at(
                "params.keys",
                "nothing to export: the tree in `keys` already exists",
            )
            .hint("remove `keys`"));
        };
        let suffix = self.suffix_entry().ok_or_else(|| self.no_suffix())?;
        self.write_ldif(persons, &suffix, output)
            .map_err(|error| JobError::new(format!("cannot write the entries: {error}")))
    }

    fn write_ldif(
        &self,
        persons: &Persons,
        suffix: &NewEntry,
        mut output: &mut dyn Write,
    ) -> IoResult<()> {
        suffix.write_ldif(&mut output)?;
        self.people_entry().write_ldif(&mut output)?;
        let mut entry = NewEntry::default();
        for number in persons.first..persons.first + persons.entries {
            persons.person(number, &mut entry);
            entry.write_ldif(&mut output)?;
        }
        let marker = Marker::of(persons, true, true);
        marker
            .entry(self.directory.suffix())
            .write_ldif(&mut output)
    }

    async fn load(
        &self,
        connection: &mut Connection,
        persons: &Persons,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        if self.directory.administrator().is_none() {
            return Err(self.wrong(
                "the persons do not exist, and loading them needs an administrator",
                "put an administrator into the target: ldap://cn=admin,dc=example,dc=com@host/…",
            ));
        }
        let suffix_made = match self.suffix_entry() {
            Some(entry) => self.add_missing(connection, &entry).await?,
            None => false,
        };
        let suffix = self.directory.suffix();
        let loading = Marker::of(persons, false, suffix_made);
        self.add_missing(connection, &loading.entry(suffix)).await?;
        if !self.add_missing(connection, &self.people_entry()).await? {
            let marker = Marker::dn(suffix);
            let removed = self.directory.remove(connection, &marker).await;
            removed.map_err(|error| self.about(error))?;
            return Err(self.wrong(
                &format!("{} already exists, but without these persons", self.base),
                "use another place for them: people=ou=iGenPeople",
            ));
        }
        let make = |index, entry: &mut NewEntry| persons.person(persons.first + index, entry);
        let added = self
            .directory
            .add_all(connection, persons.entries, make, progress);
        added.await.map_err(|error| self.about(error))?;
        let complete = Marker::of(persons, true, suffix_made).descriptions();
        let values: Vec<&[u8]> = complete.iter().map(String::as_bytes).collect();
        let marker = Marker::dn(suffix);
        self.directory
            .replace(connection, &marker, DESCRIPTION, &values)
            .await
            .map_err(|error| self.about(error))
    }

    async fn add_missing(
        &self,
        connection: &mut Connection,
        entry: &NewEntry,
    ) -> Result<bool, JobError> {
        let added = self.directory.add_missing(connection, entry).await;
        added.map_err(|error| self.about(error))
    }

    async fn remove(&self, connection: &mut Connection, marker: &Marker) -> Result<(), JobError> {
        let suffix = self.directory.suffix();
        let mut names = vec![self.base.clone(), Marker::dn(suffix)];
        if marker.suffix_made {
            names.push(suffix.to_owned());
        }
        // The marker after what it tells of.
        for name in names {
            let removed = self.directory.remove(connection, &name).await;
            removed.map_err(|error| self.about(error))?;
        }
        Ok(())
    }

    async fn look(&self, connection: &mut Connection) -> Result<Held, JobError> {
        let dn = Marker::dn(self.directory.suffix());
        let marker = SearchRequest {
            base: dn.as_bytes(),
            scope: Scope::Base,
            filter: Filter::Present("objectClass"),
            attributes: &[DESCRIPTION],
            size_limit: 0,
        };
        let mut found = None;
        let look = |entry: Entry<'_>| found = Some(Marker::read(&entry.texts(DESCRIPTION)));
        self.find(connection, &marker, look).await?;
        if let Some(marker) = found {
            return Ok(Held::Loaded(marker));
        }
        let mut key = Key::default();
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        for index in [0, self.keys.len() - 1] {
            self.keys.get(index, &mut key);
            let search = self.search(&key, &["1.1"]);
            let found = self.find(connection, &search, |_| ()).await?;
            let login = String::from_utf8_lossy(&key.login).into_owned();
            if found.entries == 0 {
                missing.push(login);
            } else {
                there.push(login);
            }
        }
        Ok(match (there.first(), missing.first()) {
            (_, None) => Held::Others,
            (None, _) => Held::Nothing,
            (Some(there), Some(missing)) => {
                Held::Part(format!("{missing} does not exist, but {there} does"))
            }
        })
    }

    fn incomplete(&self, missing: &str) -> JobError {
        let hint = if self.persons.is_some() {
            "set entries=… to the number of existing persons, or use another place: people=ou=iGenPeople"
        } else {
            "remove it from the file in `keys`, or add it to the directory"
        };
        self.wrong(missing, hint)
    }

    fn check_figures(&self, marker: &Marker, persons: &Persons) -> Result<(), JobError> {
        let expected = Marker::of(persons, true, marker.suffix_made);
        if *marker == expected {
            return Ok(());
        }
        if !marker.complete {
            return Err(self.wrong("loading was interrupted", &self.cleanup_hint()));
        }
        Err(self.wrong(
            &format!(
                "loaded with {}, but this job needs {}",
                marker.differences(&expected),
                expected.differences(marker)
            ),
            &format!("use the same values, or {}", self.cleanup_hint()),
        ))
    }

    /// Looks at persons from the whole tree: each is there once, with the attributes it was loaded
    /// with.
    async fn wrong_sample(&self, connection: &mut Connection) -> Result<Option<String>, JobError> {
        let (mut key, mut person) = (Key::default(), NewEntry::default());
        let sample = SAMPLE.min(self.keys.len());
        let all: &[&str] = &[];
        for index in 0..sample {
            // The first and the last are among them.
            let index = index * (self.keys.len() - 1) / (sample - 1).max(1);
            self.keys.get(index, &mut key);
            if let Some(persons) = &self.persons {
                persons.person(persons.first + index, &mut person);
            }
            let (mut wrong, mut is_right) = (None, true);
            let look = |entry: Entry<'_>| {
                wrong = wrong_attribute(&person, &entry);
                is_right = is_same(entry.dn, &key.dn);
            };
            let search = self.search(&key, all);
            let entries = self.find(connection, &search, look).await?.entries;
            let login = String::from_utf8_lossy(&key.login);
            match entries {
                0 => return Ok(Some(format!("{login} does not exist"))),
                1 => (),
                _ => return Ok(Some(format!("more than one entry has the login {login}"))),
            }
            if !is_right {
                let dn = String::from_utf8_lossy(&key.dn);
                return Ok(Some(format!("the search for {login} did not find {dn}")));
            }
            if let Some(attribute) = wrong {
                return Ok(Some(format!(
                    "{attribute} of {login} has changed since it was loaded"
                )));
            }
        }
        Ok(None)
    }

    /// Returns how the directory stores the password of its first person, whatever the job has asked for: a directory
    /// may hash what it is given.
    pub(super) async fn stored_passwords(&self) -> String {
        const UNKNOWN: &str = "unknown, because userPassword cannot be read";
        let Ok(mut connection) = self.directory.administration().await else {
            return UNKNOWN.to_owned();
        };
        let mut key = Key::default();
        self.keys.get(0, &mut key);
        let (mut stored, attributes) = (None, ["userPassword"]);
        let look = |entry: Entry<'_>| stored = entry.texts(attributes[0]).into_iter().next();
        let search = self.search(&key, &attributes);
        match self.find(&mut connection, &search, look).await {
            Ok(_) => stored.map_or_else(|| UNKNOWN.to_owned(), |stored| scheme_of(&stored)),
            Err(_) => UNKNOWN.to_owned(),
        }
    }

    /// The search for a person.
    fn search<'a>(&'a self, key: &'a Key, attributes: &'a [&'a str]) -> SearchRequest<'a, &'a str> {
        SearchRequest {
            base: self.base.as_bytes(),
            scope: Scope::Subtree,
            filter: Filter::Equality(&self.login_attribute, &key.login),
            attributes,
            // One more than there may be.
            size_limit: 2,
        }
    }

    fn people_entry(&self) -> NewEntry {
        named_entry(&self.base).unwrap_or_default()
    }

    fn suffix_entry(&self) -> Option<NewEntry> {
        named_entry(self.directory.suffix())
    }

    fn no_suffix(&self) -> JobError {
        JobError::at(
            &self.field,
            format!("cannot create the suffix entry {}", self.directory.suffix()),
        )
        .hint("use a suffix that starts with dc=, o= or ou=")
    }

    async fn administration(&self) -> Result<Connection, JobError> {
        let connection = self.directory.administration().await;
        connection.map_err(|error| self.about(error))
    }

    async fn find<A: AsRef<str>>(
        &self,
        connection: &mut Connection,
        search: &SearchRequest<'_, A>,
        look: impl FnMut(Entry<'_>),
    ) -> Result<SearchResult, JobError> {
        let found = connection.find(&self.directory.place(), search, look).await;
        found.map_err(|error| self.about(error))
    }

    fn wrong(&self, text: &str, hint: &str) -> JobError {
        let error = JobError::at(&self.field, format!("{}: {text}", self.target));
        if hint.is_empty() {
            error
        } else {
            error.hint(hint)
        }
    }

    fn cleanup_hint(&self) -> String {
        format!(
            "if another client writes to it, stop that client; then remove the data with `igen data cleanup {} --target \
             {}` and load them again",
            self.workload, self.target
        )
    }

    /// An error about this target.
    fn about(&self, error: JobError) -> JobError {
        JobError {
            path: self.field.clone(),
            ..error
        }
    }
}

/// The entry of a distinguished name, by its first component.
fn named_entry(dn: &str) -> Option<NewEntry> {
    let (first, _) = dn.split_once(',').unwrap_or((dn, ""));
    let (attribute, value) = first.split_once('=')?;
    let text = |text: &str| vec![text.to_owned()];
    let attributes = match attribute.to_lowercase().as_str() {
        "dc" => vec![
            (
                "objectClass",
                vec!["dcObject".to_owned(), "organization".to_owned()],
            ),
            ("dc", text(value)),
            ("o", text(value)),
        ],
        "o" => vec![("objectClass", text("organization")), ("o", text(value))],
        "ou" => vec![
            ("objectClass", text("organizationalUnit")),
            ("ou", text(value)),
        ],
        _ => return None,
    };
    Some(NewEntry {
        dn: dn.to_owned(),
        attributes,
    })
}

/// An attribute that differs from what was loaded; nothing is expected of somebody's own.
fn wrong_attribute(loaded: &NewEntry, entry: &Entry<'_>) -> Option<&'static str> {
    let wrong = |(name, values): &&(&'static str, Vec<String>)| {
        let mut found = entry.texts(name);
        found.sort();
        let mut values = values.clone();
        values.sort();
        !CHANGING.contains(name) && found != values
    };
    loaded.attributes.iter().find(wrong).map(|(name, _)| *name)
}

/// Returns the scheme of a stored password, `pbkdf2_sha256` of `{PBKDF2_SHA256}AAAn…`, and nothing else of it.
fn scheme_of(stored: &str) -> String {
    let scheme = stored
        .strip_prefix('{')
        .and_then(|rest| rest.split_once('}'))
        .filter(|(scheme, hash)| !scheme.is_empty() && !hash.is_empty())
        .map(|(scheme, _)| scheme.to_lowercase());
    match scheme.as_deref() {
        None | Some("clear" | "cleartext") => PasswordScheme::Plain.name().to_owned(),
        Some(scheme) => scheme.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_entry_is_made_of_its_name() {
        let entry = named_entry("dc=example,dc=com").unwrap();
        assert_eq!(entry.attributes[1], ("dc", vec!["example".to_owned()]));
        assert_eq!(named_entry("o=lab").unwrap().attributes.len(), 2);
        assert!(named_entry("c=de").is_none() && named_entry("x").is_none());
    }
}
